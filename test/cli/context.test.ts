import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { columnsOf } from '../../src/base/width.ts'
import { schema } from '../../src/schema/schema.ts'
import { samples, withFolder } from '../home.ts'
import { expectReviewed, steady } from './reviewed.ts'
import { clewHere } from './run.ts'

describe('clew context', () => {
  it('shows what fills the window as reviewed', async () => {
    await expectReviewed('context', ['context', '33c79d8c'])
    await expectReviewed('context-messages', ['context', '33c79d8c', '--messages'])
  })

  it('prints the messages whole as JSON, as before', async () => {
    const context = JSON.parse((await clewHere(['context', '33c79d8c', '--root', samples, '--json'])).stdout)
    expect(schema('context')?.safeParse(context).success).toBe(true)
    expect(context.messages.length).toBeGreaterThan(3)
  })

  it.each([40, 80, 200])('fits into %i columns', async columns => {
    const env = { ...steady, COLUMNS: String(columns) }
    const { stdout } = await clewHere(['context', '89fa56ca', '--messages', '--root', samples], { env })
    for (const line of stdout.split('\n')) expect(columnsOf(line)).toBeLessThanOrEqual(columns)
  })

  it('says why a session cannot be resumed, and exits with 1', async () => {
    await withFolder(async folder => {
      const file = join(folder, 'titles.jsonl')
      writeFileSync(file, '{"type":"summary","summary":"Painting","leafUuid":"x"}\n')
      const { stdout, code } = await clewHere(['context', file])
      expect(code).toBe(1)
      expect(stdout).toContain('not resumable: No conversation found')
      const json = await clewHere(['context', file, '--json'])
      expect([json.code, json.stderr]).toEqual([1, expect.stringMatching(/^clew: not resumable: No conversation.*\n$/)])
    })
  })
})
