// One call to the file system fails once, anywhere below the homes, or a project folder is away for some of them: what could not
// be listed or read is named, and the next refresh takes it in. Where nothing is named, the index is right at once. A deep run
// tries every call with every error.

import { renameSync, statSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { run as indexCommand } from '../../src/cli/commands/index.ts'
import { isDue, type RefreshReport } from '../../src/index/refresh/refresh.ts'
import { sessionA, sessionB } from '../archive/fixture.ts'
import { capture } from '../cli/capture.ts'
import { sample } from '../needs.ts'
import { reportSweep } from '../sweep.ts'
import { type ArchiveMode, IndexFixture, proveIndex } from './index-fixture.ts'
import { talkBytes } from './talk.ts'

/** Is called before each call on a path, or on a file that was opened by it. */
const calls = vi.hoisted(() => ({ before: undefined as ((call: string, path: string) => void) | undefined }))

vi.mock('node:fs', async original => {
  const fs = await original<typeof import('node:fs')>()
  type Call = (...args: unknown[]) => unknown
  const paths = new Map<number, string>()
  const byPath = (name: string, call: Call, ...args: unknown[]) => {
    calls.before?.(name, String(args[0]))
    const result = call(...args)
    if (name === 'openSync') paths.set(result as number, String(args[0]))
    return result
  }
  const byFile = (name: string, call: Call, ...args: unknown[]) => {
    const path = paths.get(args[0] as number)
    if (path !== undefined) calls.before?.(name, path)
    return call(...args)
  }
  /** It reports errors to its last argument. */
  const read = (...args: unknown[]) => {
    try {
      return byFile('read', fs.read as unknown as Call, ...args)
    } catch (error) {
      return queueMicrotask(() => (args.at(-1) as Call)(error, 0))
    }
  }
  const wrapped = (
    names: readonly (keyof typeof fs)[],
    way: (name: string, call: Call, ...args: unknown[]) => unknown,
  ) => names.map(name => [name, way.bind(undefined, name, fs[name] as Call)])
  const byPaths = wrapped(['readdirSync', 'lstatSync', 'statSync', 'openSync', 'realpathSync'], byPath)
  const byFiles = wrapped(['fstatSync', 'readSync'], byFile)
  return { ...fs, ...Object.fromEntries([...byPaths, ...byFiles]), read }
})

let fixture: IndexFixture

beforeEach(() => {
  fixture = new IndexFixture()
})

afterEach(() => {
  calls.before = undefined
  fixture.remove()
})

function renew(): void {
  fixture.remove()
  fixture = new IndexFixture()
}

function fill(): void {
  fixture.one.write(`projects/-a/${sessionA}.jsonl`, talkBytes({ session: sessionA, seed: 1, turns: 2 }))
  const agent = talkBytes({ session: sessionA, seed: 2, turns: 1, agent: 'a1' })
  fixture.one.write(`projects/-a/${sessionA}/subagents/agent-a1.jsonl`, agent)
  fixture.one.write(`projects/-a/${sessionA}/tool-results/t1.txt`, 'an output that was too long')
  fixture.one.write(`projects/-b/${sessionB}.jsonl`, talkBytes({ session: sessionB, seed: 3, turns: 2 }))
  fixture.one.write('history.jsonl', '{"display":"tune the bells","timestamp":1772323200000,"project":"/a"}\n')
  fixture.one.write('todos/x.json', '[]')
  // A copy of the beginning in another home: both ends are compared.
  fixture.two.write(`projects/-b/${sessionB}.jsonl`, talkBytes({ session: sessionB, seed: 3, turns: 1 }))
}

/** An index, and what is new for it. */
async function fillTwice(mode: ArchiveMode): Promise<void> {
  fill()
  await fixture.refresh(fixture.options(mode))
  fixture.one.append(`projects/-a/${sessionA}.jsonl`, talkBytes({ session: sessionA, seed: 5, turns: 1 }))
}

/** Refreshes while `before` sees every call below the first home, with its number from 1 on. */
async function refreshWatched(mode: ArchiveMode, before: (at: number, path: string) => void): Promise<RefreshReport> {
  let at = 0
  calls.before = (_call, path) => {
    if (path.startsWith(fixture.one.home)) before(++at, path)
  }
  try {
    return await fixture.refresh(fixture.options(mode))
  } finally {
    calls.before = undefined
  }
}

async function countCalls(mode: ArchiveMode): Promise<number> {
  let count = 0
  await refreshWatched(mode, at => (count = at))
  renew()
  return count
}

function fail(code: string, path: string): never {
  throw Object.assign(new Error(`${code}: ${path}`), { code })
}

/** Right at once where nothing is due, and after one more refresh in any case. */
async function expectRepaired(mode: ArchiveMode, { findings }: RefreshReport, when: string): Promise<boolean> {
  const prove = () =>
    proveIndex(fixture.options(mode)).catch(error => {
      throw new Error(`${when}: ${error.message}`)
    })
  const isNamed = findings.some(isDue)
  if (!isNamed) await prove()
  const report = await fixture.refresh(fixture.options(mode))
  if (isNamed) expect(report.isUnchanged, when).toBe(false)
  expect(report.findings.filter(isDue), when).toEqual([])
  await prove()
  return isNamed
}

const codes = ['EIO', 'EMFILE', 'ENOENT', 'EACCES'] as const

describe('what could not be listed or read stays due:', () => {
  for (const mode of ['auto', 'off'] as const) {
    for (const isFirst of [true, false]) {
      test(`${isFirst ? 'a build' : 'an update'}, archive ${mode}`, { timeout: 3_600_000 }, async () => {
        const prepare = isFirst ? fill : () => fillTwice(mode)
        await prepare()
        const count = await countCalls(mode)
        const all = Array.from({ length: count }, (_, at) => codes.map(code => ({ at: at + 1, code }))).flat()
        let named = 0
        // Not a multiple of the number of codes: each of them is among the sample.
        // The first calls find out what the home is: a wrong guess there is about all of it.
        const first = all.filter(({ at, code }) => at <= 6 && code === 'EIO')
        const tried = new Set([...first, ...sample(all, 5)])
        for (const { at, code } of tried) {
          await prepare()
          let where = ''
          const report = await refreshWatched(mode, (now, path) => {
            if (now !== at) return
            where = path
            fail(code, path)
          })
          named += Number(await expectRepaired(mode, report, `${code} at call ${at} of ${count}, ${where}`))
          renew()
        }
        reportSweep('folder or file that cannot be listed or read, every call', tried.size, 0)
        expect(named).toBeGreaterThan(3)
      })
    }
  }

  test('a folder that cannot be listed once loses none of its rows', async () => {
    fill()
    await fixture.refresh(fixture.options('off'))
    const folder = fixture.one.at('projects/-a')
    let isDone = false
    const report = await refreshWatched('off', (_at, path) => {
      if (path !== folder || isDone) return
      isDone = true
      fail('EIO', path)
    })
    expect(report.dropped).toBe(0)
    expect(report.findings.filter(isDue).map(({ file }) => file)).toContain(folder)
    expect((await fixture.refresh(fixture.options('off'))).isUnchanged).toBe(false)
    await proveIndex(fixture.options('off'))
  })

  test('and the command that met it does not end with 0 or say that there is nothing new', async () => {
    fill()
    const globals = { root: [fixture.one.home], isRootNamed: true, json: false, quiet: false, home: fixture.home }
    const refresh = () => capture(indexCommand, { args: ['refresh'], ...globals })
    await refresh()
    const folder = fixture.one.at('projects/-a')
    let failures = 0
    for (const code of codes) {
      // Both walks list it: one of them at a time.
      for (const at of [1, 2]) {
        let met = 0
        calls.before = (call, path) => {
          if (call === 'readdirSync' && path === folder && ++met === at) fail(code, path)
        }
        const failed = await refresh()
        calls.before = undefined
        if (met < at) continue
        failures++
        expect(failed.code, `${code} ${failed.stdout} ${failed.stderr}`).toBe(1)
        expect(failed.stdout).not.toContain('nothing new')
        expect(failed.stderr).toContain(folder)
        expect((await refresh()).code).toBe(0)
      }
    }
    expect(failures).toBeGreaterThanOrEqual(codes.length)
  })
})

describe('a project folder that is away for a moment', () => {
  /** When it goes, and for how many calls. */
  interface Moment {
    mode: ArchiveMode
    isFirst: boolean
    away: number
    calls: number
  }

  async function momentsOf(mode: ArchiveMode, isFirst: boolean): Promise<Moment[]> {
    await (isFirst ? fill() : fillTwice(mode))
    const count = await countCalls(mode)
    return Array.from({ length: 50 }, (_, n) => ({
      mode,
      isFirst,
      away: 1 + Math.floor((n * count) / 50),
      calls: [1, 2, 3, 5, 9, 17, 40, count][n % 8] ?? 1,
    }))
  }

  test('is in the index after one more refresh', { timeout: 3_600_000 }, async () => {
    const moments: Moment[] = []
    for (const mode of ['auto', 'off'] as const) {
      for (const isFirst of [true, false]) moments.push(...(await momentsOf(mode, isFirst)))
    }
    expect(moments).toHaveLength(200)
    let named = 0
    const tried = sample(moments, 17)
    for (const moment of tried) {
      const { mode, isFirst, away, calls: during } = moment
      await (isFirst ? fill() : fillTwice(mode))
      const folder = fixture.one.at('projects/-a')
      const elsewhere = `${fixture.one.folder}/elsewhere`
      let isAway = false
      const report = await refreshWatched(mode, at => {
        if (at === away) renameSync(folder, elsewhere)
        else if (at === away + during) renameSync(elsewhere, folder)
        isAway = at >= away && at < away + during
      })
      if (isAway) renameSync(elsewhere, folder)
      expect(statSync(folder).isDirectory()).toBe(true)
      named += Number(await expectFlapRepaired(moment, report))
      renew()
    }
    reportSweep('project folder away for a moment', tried.length, 0)
    expect(named).toBeGreaterThan(3)
  })

  /** What was not there at all was not there: the next refresh finds it, and never says that there is nothing new. */
  async function expectFlapRepaired(moment: Moment, { findings }: RefreshReport): Promise<boolean> {
    const options = fixture.options(moment.mode)
    const when = JSON.stringify(moment)
    const prove = () =>
      proveIndex(options).then(
        () => true,
        error => String(error),
      )
    const wasRight = await prove()
    const report = await fixture.refresh(options)
    if (report.isUnchanged) expect(wasRight, when).toBe(true)
    expect(report.findings.filter(isDue), when).toEqual([])
    expect(await prove(), when).toBe(true)
    return findings.some(isDue)
  }
})
