// One call to the file system fails once, anywhere below the homes: what could not be listed or read is named, and the next
// refresh takes it in. Where nothing is named, the index is right at once. A deep run tries every call.

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { isDue } from '../../src/index/refresh/refresh.ts'
import { sessionA, sessionB } from '../archive/world.ts'
import { isDeep } from '../needs.ts'
import { type ArchiveMode, IndexWorld, proveIndex } from './index-world.ts'
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

let world: IndexWorld

beforeEach(() => {
  world = new IndexWorld()
})

afterEach(() => {
  fault.below = ''
  world.remove()
})

function fill(): void {
  world.one.write(`projects/-a/${sessionA}.jsonl`, talkBytes({ session: sessionA, seed: 1, turns: 2 }))
  const agent = talkBytes({ session: sessionA, seed: 2, turns: 1, agent: 'a1' })
  world.one.write(`projects/-a/${sessionA}/subagents/agent-a1.jsonl`, agent)
  world.one.write(`projects/-b/${sessionB}.jsonl`, talkBytes({ session: sessionB, seed: 3, turns: 2 }))
  // A copy of the beginning in another home: both ends are compared.
  world.two.write(`projects/-b/${sessionB}.jsonl`, talkBytes({ session: sessionB, seed: 3, turns: 1 }))
}

async function refreshWithFault(mode: ArchiveMode, at: number, code: string) {
  Object.assign(fault, { below: world.one.home, at, code, calls: 0, path: '' })
  try {
    return await world.refresh(world.options(mode))
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
            await world.refresh(world.options(mode))
            world.one.append(`projects/-a/${sessionA}.jsonl`, talkBytes({ session: sessionA, seed: 5, turns: 1 }))
          }
          const code = codes[at % codes.length] ?? 'EIO'
          const { findings } = await refreshWithFault(mode, at, code)
          if (fault.path === '') break
          const isNamed = findings.some(isDue)
          if (isNamed) repaired++
          else await proveIndex(world.options(mode))
          const report = await world.refresh(world.options(mode))
          expect(report.findings.filter(isDue), `${code} at call ${at}, ${fault.path}`).toEqual([])
          await proveIndex(world.options(mode)).catch(error => {
            throw new Error(`${code} at call ${at}, ${fault.path}: ${error.message}`)
          })
          world.remove()
          world = new IndexWorld()
        }
        expect(repaired).toBeGreaterThan(3)
      })
    }
  }

  test('a folder that cannot be listed once loses none of its rows', async () => {
    fill()
    await world.refresh(world.options('off'))
    const options = world.options('off')
    fault.below = world.one.at('projects/-a')
    Object.assign(fault, { at: 1, code: 'EIO', calls: 0 })
    const report = await world.refresh(options)
    fault.below = ''
    expect(report.dropped).toBe(0)
    expect(report.findings.filter(isDue).map(({ file }) => file)).toContain(world.one.at('projects/-a'))
    expect((await world.refresh(options)).isUnchanged).toBe(false)
    await proveIndex(options)
  })
})
