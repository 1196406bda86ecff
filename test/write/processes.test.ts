// Real processes: eight that write to one session at once, and one that is killed before any of its calls and in the middle of its
// writes. What was acknowledged is there whole, in the order of its writer, and the file still reads.

import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSession, openSession, prompt } from '../../src/write/write.ts'
import { isDeep, sample } from '../needs.ts'
import { reportSweep } from '../sweep.ts'
import { quickOps } from './fault-ops.ts'
import type { Task } from './writer-driver.ts'

let root: string
let driver: string
let killed = 0

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'clew-writers-'))
  driver = join(root, 'writer-driver.mjs')
  const entry = join(import.meta.dirname, 'writer-driver.ts')
  const shape = { bundle: true, platform: 'node', format: 'esm', logLevel: 'error' } as const
  await build({ entryPoints: [entry], outfile: driver, ...shape })
})
afterAll(() => {
  reportSweep('kill of the session writer', killed, 0)
  rmSync(root, { recursive: true, force: true })
})

interface Ended {
  path: string
  acknowledged: string[]
  end: string
}

function run(task: Task): Promise<Ended> {
  const child = spawn(process.execPath, [driver, JSON.stringify(task)], { stdio: ['ignore', 'pipe', 'pipe'] })
  let [said, complaint] = ['', '']
  child.stdout.on('data', chunk => {
    said += chunk
  })
  child.stderr.on('data', chunk => {
    complaint += chunk
  })
  return new Promise(done => {
    child.on('close', (code, signal) => {
      const lines = said.split('\n')
      const words = (first: string) =>
        lines.flatMap(line => (line.startsWith(`${first} `) ? [line.slice(first.length + 1)] : []))
      const end = signal ?? (code === 0 && lines.includes('DONE') ? 'done' : `exit ${code}: ${complaint}`)
      done({ path: words('PATH')[0] ?? '', acknowledged: words('ACK'), end })
    })
  })
}

interface Line {
  uuid?: string
  parentUuid?: string | null
  type?: string
}

/** The records of a file, and what is none. */
function linesOf(path: string): { records: Line[]; broken: string[] } {
  const records: Line[] = []
  const broken: string[] = []
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    if (line === '') continue
    try {
      records.push(JSON.parse(line) as Line)
    } catch {
      broken.push(line)
    }
  }
  return { records, broken }
}

/** Every record of the chain hangs on the one before it. */
function expectOneChain(records: readonly Line[]): void {
  let last: string | null = null
  for (const { uuid, parentUuid } of records) {
    if (uuid === undefined) continue
    expect(parentUuid ?? null).toBe(last)
    last = uuid
  }
}

describe('eight processes that write to one session', () => {
  const count = isDeep ? 10_000 : 200

  test('write every record whole, each in its order, as one chain', {
    timeout: isDeep ? 3_600_000 : 600_000,
  }, async () => {
    const clewHome = join(root, 'clew')
    const first = await createSession({ folder: join(root, 'many'), cwd: '/home/mira', clewHome, ops: quickOps })
    await first.append(prompt('hello'))
    const { path } = first
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
    const ends = await Promise.all(names.map(name => run({ path, clewHome, name, count, fsync: 'none' })))
    await first.close()
    expect(ends.map(({ end }) => end)).toEqual(names.map(() => 'done'))
    const { records, broken } = linesOf(path)
    expect(broken).toEqual([])
    const places = new Map(records.map(({ uuid }, at) => [uuid, at]))
    for (const { acknowledged } of ends) {
      const order = acknowledged.map(id => places.get(id) ?? -1)
      expect(order).toHaveLength(count)
      expect(order.every((place, at) => place > (order[at - 1] ?? 0))).toBe(true)
    }
    expect(records.filter(({ uuid }) => uuid !== undefined)).toHaveLength(1 + 8 * count)
    expectOneChain(records)
    reportSweep('8 processes at one session', 8 * count, broken.length)
    // Locks are gone, and so is their folder.
    expect(readdirSync(join(clewHome, 'locks'))).toEqual([])
  })
})

describe('a process that is killed', () => {
  /** The calls of a whole run: more than there are does no harm. */
  const appends = isDeep ? 110 : 60
  const points = Array.from({ length: 2 * appends + 12 }, (_, at) => [
    { at: at + 1, isTorn: false },
    { at: at + 1, isTorn: true },
  ]).flat()

  test.each(['record', 'none'] as const)(
    'loses nothing that was acknowledged with the policy %s, and the session goes on',
    { timeout: isDeep ? 3_600_000 : 600_000 },
    async fsync => {
      let count = 0
      for (const point of sample(points, 8)) {
        const place = join(root, `kill-${fsync}-${count++}`)
        const clewHome = join(place, 'clew')
        const task = { folder: join(place, 'a'), clewHome, name: 'k', count: appends, fsync, die: point }
        const { path, acknowledged, end } = await run(task)
        if (end === 'SIGKILL') killed++
        else expect(end).toBe('done')
        await expectAlive(path, clewHome, acknowledged)
        rmSync(place, { recursive: true, force: true })
      }
      if (isDeep) expect(killed).toBeGreaterThan(fsync === 'record' ? 250 : 500)
    },
  )
})

async function expectAlive(path: string, clewHome: string, acknowledged: readonly string[]): Promise<void> {
  if (!existsSync(path)) {
    expect(acknowledged).toEqual([])
    return
  }
  const { records, broken } = linesOf(path)
  expect(acknowledged.filter(id => !records.some(({ uuid }) => uuid === id))).toEqual([])
  expect(broken.length).toBeLessThanOrEqual(1)
  const writer = await openSession(path, { clewHome, ops: quickOps, waitMs: 20_000 })
  const { id } = await writer.append(prompt('and on'))
  await writer.close()
  const after = linesOf(path)
  expect(after.broken.length).toBe(broken.length)
  expect(after.records.some(({ uuid }) => uuid === id)).toBe(true)
  expectOneChain(after.records)
}
