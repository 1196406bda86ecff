import { chmodSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { columnsOf } from '../../src/base/width.ts'
import { samples, withFolder } from '../home.ts'
import { steady } from './reviewed.ts'
import { clewHere } from './run.ts'

const dayMs = 86_400_000

interface Report {
  environment: Record<string, unknown>
  homes: { path: string; isThere: boolean; sessions: number }[]
  retention: {
    overdue: number
    withinWeek: number
    withinMonth: number
    next: { session: string; deletedOn: string }[]
  }
  problems: { code: string; losesData: boolean; message: string; remedy: string }[]
}

/** A home with sessions that were changed this many days ago. */
function makeHome(folder: string, ages: readonly number[]): string[] {
  const project = join(folder, 'projects', '-home-ada-shop')
  mkdirSync(project, { recursive: true, mode: 0o700 })
  return ages.map((days, i) => {
    const id = `0c0ffee0-0000-4000-8000-00000000000${i}`
    const at = new Date(Date.now() - days * dayMs)
    const line = {
      type: 'user',
      uuid: `u${i}`,
      parentUuid: null,
      sessionId: id,
      timestamp: at.toISOString(),
      message: { role: 'user', content: 'hi' },
    }
    const file = join(project, `${id}.jsonl`)
    writeFileSync(file, `${JSON.stringify(line)}\n`, { mode: 0o600 })
    utimesSync(file, at, at)
    return file
  })
}

async function doctor(
  root: string,
  env: Record<string, string> = {},
): Promise<{ report: Report; code: number | null; codes: string[] }> {
  const { stdout, code } = await clewHere(['doctor', '--root', root, '--json'], { env: { ...steady, ...env } })
  const report = JSON.parse(stdout) as Report
  return { report, code, codes: report.problems.map(problem => problem.code) }
}

describe('clew doctor', () => {
  it('finds nothing wrong with a home that is fine', async () => {
    await withFolder(async folder => {
      makeHome(folder, [0, 1])
      const { report, code, codes } = await doctor(folder)
      expect([code, codes]).toEqual([0, []])
      expect(report.homes).toMatchObject([{ path: folder, isThere: true, sessions: 2 }])
      expect(report.environment).toMatchObject({ node: process.versions.node, newestRecord: expect.any(String) })
      expect((await clewHere(['doctor', '--root', folder], { env: steady })).stdout).toContain('no problems found')
    })
  })

  it('says what Claude Code will delete and when, by its own setting', async () => {
    await withFolder(async folder => {
      makeHome(folder, [40, 25, 10])
      const byDefault = await doctor(folder)
      expect(byDefault.report.retention).toMatchObject({ overdue: 1, withinWeek: 1, withinMonth: 2 })
      expect(byDefault.codes).toEqual(['deleted-at-next-start', 'deleted-within-week'])
      expect(byDefault.code).toBe(1)
      expect(byDefault.report.problems[0]?.remedy).toContain(join(folder, 'settings.json'))
      const [first] = byDefault.report.retention.next
      expect(Date.parse(first?.deletedOn ?? '')).toBeLessThan(Date.now())
      writeFileSync(join(folder, 'settings.json'), '{"cleanupPeriodDays": 365}')
      expect(await doctor(folder)).toMatchObject({ code: 0, codes: [] })
      writeFileSync(join(folder, 'settings.json'), '{"cleanupPeriodDays": 0}')
      expect((await doctor(folder)).codes).toContain('keeps-nothing')
    })
  })

  it('notices logs that everybody may read, empty ones, and a clock that is behind', async () => {
    await withFolder(async folder => {
      const [open = '', empty = ''] = makeHome(folder, [0, 0, -2])
      chmodSync(open, 0o644)
      writeFileSync(empty, '')
      const { report, codes } = await doctor(folder)
      expect(codes.sort()).toEqual(['clock-behind', 'empty-session-file', 'world-readable'])
      const remedy = report.problems.find(problem => problem.code === 'world-readable')?.remedy
      expect(remedy).toBe(`chmod -R go-rwx '${folder}'`)
    })
  })

  it('says where it looked when there is no home, and that a named one is not there', async () => {
    await withFolder(async folder => {
      const nowhere = join(folder, 'nowhere')
      expect(await doctor(nowhere)).toMatchObject({ code: 0, codes: ['home-missing'] })
      const { stdout } = await clewHere(['doctor', '--json'], {
        env: { ...steady, CLAUDE_CONFIG_DIR: '', HOME: folder, USERPROFILE: folder },
      })
      const report = JSON.parse(stdout) as Report
      expect(report.homes.map(home => home.isThere)).toEqual([false, false])
      expect(report.problems.map(problem => problem.code)).toEqual(['no-home'])
    })
  })

  it('reports a folder that cannot be read as a loss', { tags: ['posix', 'user'] }, async () => {
    await withFolder(async folder => {
      makeHome(folder, [0])
      const locked = join(folder, 'projects', '-home-ada-locked')
      mkdirSync(locked)
      chmodSync(locked, 0)
      const { code, codes } = await doctor(folder)
      chmodSync(locked, 0o700)
      expect([code, codes.includes('unreadable-folder')]).toEqual([1, true])
    })
  })

  it('reports a broken config file', async () => {
    await withFolder(async folder => {
      makeHome(folder, [0])
      const own = join(folder, 'own')
      mkdirSync(own, { mode: 0o700 })
      writeFileSync(join(own, 'config.json'), 'nonsense')
      expect((await doctor(folder, { CLEW_HOME: own })).codes).toContain('config-unreadable')
    })
  })

  it.each([40, 80, 200])('fits into %i columns, but for paths that are longer', async columns => {
    const { stdout } = await clewHere(['doctor', '--root', samples], { env: { ...steady, COLUMNS: String(columns) } })
    for (const line of stdout.split('\n'))
      if (!/[/\\]|-/.test(line)) expect(columnsOf(line)).toBeLessThanOrEqual(columns)
  })
})
