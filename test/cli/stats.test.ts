import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { columnsOf } from '../../src/base/width.ts'
import { samples, withFolder } from '../home.ts'
import { corpusFolder } from '../needs.ts'
import { expectReviewed, steady } from './reviewed.ts'
import { clewHere } from './run.ts'

describe('clew stats', () => {
  it('prints the numbers of the sample history as reviewed', async () => {
    await expectReviewed('stats', ['stats'])
    await expectReviewed('stats-one-session', ['stats', 'cdd3bb50'])
  })

  it('prints all numbers as JSON', async () => {
    const stats = JSON.parse((await clewHere(['stats', '--root', samples, '--json'])).stdout)
    expect(stats.sessions).toBeGreaterThan(10)
    expect(stats.sessionBytes.sum).toBe(stats.bytes)
    expect(Object.values<number>(stats.kinds).reduce((sum, events) => sum + events, 0)).toBe(stats.events)
    expect(Object.values<number>(stats.types).reduce((sum, records) => sum + records, 0)).toBe(stats.events)
    for (const tool of stats.tools) expect(tool.failed).toBeLessThanOrEqual(tool.calls)
  })

  it.each([40, 80, 200])('fits into %i columns', async columns => {
    const { stdout } = await clewHere(['stats', '--root', samples], { env: { ...steady, COLUMNS: String(columns) } })
    for (const line of stdout.split('\n')) expect(columnsOf(line)).toBeLessThanOrEqual(columns)
  })

  it('draws in ASCII on a dumb terminal', async () => {
    const { stdout } = await clewHere(['stats', 'cdd3bb50', '--root', samples], { env: { ...steady, TERM: 'dumb' } })
    expect(stdout).toContain('####')
    expect(stdout).not.toMatch(/[█▏▎▍▌▋▊▉]/)
  })

  it('says that there is nothing where there is nothing', async () => {
    await withFolder(async folder => {
      const { stdout, stderr, code } = await clewHere(['stats', '--root', folder])
      expect([stdout, code]).toEqual(['', 1])
      expect(stderr).toContain(folder)
      expect((await clewHere(['stats', 'nothing-like-it', '--root', samples])).code).toBe(2)
    })
  })

  it('counts a corpus', { tags: 'corpus' }, async () => {
    const { stdout, stderr, code } = await clewHere(['stats', '--root', join(corpusFolder, 'client/2.1.100'), '--json'])
    expect([stderr, code]).toEqual(['', 0])
    const stats = JSON.parse(stdout)
    expect(stats.compactions.count).toBeGreaterThan(0)
    expect(stats.delegations.count).toBeGreaterThan(0)
    expect(stats.tools.some((tool: { server?: string }) => tool.server !== undefined)).toBe(true)
  })
})
