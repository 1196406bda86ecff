// One call to the file system fails once, anywhere below the homes: what could not be listed or read is named, and the next
// refresh takes it in. Where nothing is named, the index is right at once. A deep run tries every call.

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { isDue } from '../../src/index/refresh/refresh.ts'
import { sessionA, sessionB } from '../archive/fixture.ts'
import { isDeep } from '../needs.ts'
import { type ArchiveMode, IndexFixture, proveIndex } from './index-fixture.ts'
import { talkBytes } from './talk.ts'

/** The call that fails: the one of this number, from 1, on a path below a folder. */
const fault = vi.hoisted(() => ({ below: '', at: 0, code: '', calls: 0, path: '' }))

vi.mock('node:fs', async original => {
  const fs = await original<typeof import('node:fs')>()
  const failing =
    (call: (path: string, ...rest: unknown[]) => unknown) =>
    (path: string, ...rest: unknown[]) => {
      if (fault.below !== '' && String(path).startsWith(fault.below) && ++fault.calls === fault.at) {
        fault.path = String(path)
        throw Object.assign(new Error(`${fault.code}: ${path}`), { code: fault.code })
      }
      return call(path, ...rest)
    }
  const names = ['readdirSync', 'lstatSync', 'statSync', 'openSync'] as const
  const faked = names.map(name => [name, failing(fs[name] as (path: string, ...rest: unknown[]) => unknown)])
  return { ...fs, ...Object.fromEntries(faked) }
})

let fixture: IndexFixture

beforeEach(() => {
  fixture = new IndexFixture()
})

afterEach(() => {
  fault.below = ''
  fixture.remove()
})

function fill(): void {
  fixture.one.write(`projects/-a/${sessionA}.jsonl`, talkBytes({ session: sessionA, seed: 1, turns: 2 }))
  const agent = talkBytes({ session: sessionA, seed: 2, turns: 1, agent: 'a1' })
  fixture.one.write(`projects/-a/${sessionA}/subagents/agent-a1.jsonl`, agent)
  fixture.one.write(`projects/-b/${sessionB}.jsonl`, talkBytes({ session: sessionB, seed: 3, turns: 2 }))
  // A copy of the beginning in another home: both ends are compared.
  fixture.two.write(`projects/-b/${sessionB}.jsonl`, talkBytes({ session: sessionB, seed: 3, turns: 1 }))
}

async function refreshWithFault(mode: ArchiveMode, at: number, code: string) {
  Object.assign(fault, { below: fixture.one.home, at, code, calls: 0, path: '' })
  try {
    return await fixture.refresh(fixture.options(mode))
  } finally {
    fault.below = ''
  }
}

describe('what could not be listed or read stays due:', () => {
  const step = isDeep ? 1 : 5
  const codes = ['EIO', 'EMFILE', 'ENOENT'] as const

  for (const mode of ['auto', 'off'] as const) {
    for (const isFirst of [true, false]) {
      test(`${isFirst ? 'a build' : 'an update'}, archive ${mode}`, { timeout: 120_000 }, async () => {
        let repaired = 0
        for (let at = 1; ; at += step) {
          fill()
          if (!isFirst) {
            await fixture.refresh(fixture.options(mode))
            fixture.one.append(`projects/-a/${sessionA}.jsonl`, talkBytes({ session: sessionA, seed: 5, turns: 1 }))
          }
          const code = codes[at % codes.length] ?? 'EIO'
          const { findings } = await refreshWithFault(mode, at, code)
          if (fault.path === '') break
          const isNamed = findings.some(isDue)
          if (isNamed) repaired++
          else await proveIndex(fixture.options(mode))
          const report = await fixture.refresh(fixture.options(mode))
          expect(report.findings.filter(isDue), `${code} at call ${at}, ${fault.path}`).toEqual([])
          await proveIndex(fixture.options(mode)).catch(error => {
            throw new Error(`${code} at call ${at}, ${fault.path}: ${error.message}`)
          })
          fixture.remove()
          fixture = new IndexFixture()
        }
        expect(repaired).toBeGreaterThan(3)
      })
    }
  }

  test('a folder that cannot be listed once loses none of its rows', async () => {
    fill()
    await fixture.refresh(fixture.options('off'))
    const options = fixture.options('off')
    fault.below = fixture.one.at('projects/-a')
    Object.assign(fault, { at: 1, code: 'EIO', calls: 0 })
    const report = await fixture.refresh(options)
    fault.below = ''
    expect(report.dropped).toBe(0)
    expect(report.findings.filter(isDue).map(({ file }) => file)).toContain(fixture.one.at('projects/-a'))
    expect((await fixture.refresh(options)).isUnchanged).toBe(false)
    await proveIndex(options)
  })
})
