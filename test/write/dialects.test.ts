// Random sessions written in all six dialects: the check of each has nothing to say, and what is read again is what was given,
// up to the losses that were returned.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Checker } from '../../src/check/check.ts'
import { jobsOfPath, runJobs } from '../../src/check/scan/scan.ts'
import { discover } from '../../src/disk/discover/discover.ts'
import { diskTree } from '../../src/disk/discover/tree.ts'
import { diskSource } from '../../src/disk/read/read.ts'
import { detailFields } from '../../src/model/detail.ts'
import type { SessionEvent } from '../../src/model/event.ts'
import { loadSession } from '../../src/session/load.ts'
import { createSession, openSession, type WireDialect, wireDialects } from '../../src/write/write.ts'
import { isDeep } from '../needs.ts'
import fc from '../property.ts'
import { Course, type Done, type Step, steps } from './steps.ts'

let root: string
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'clew-write-'))
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

const cwd = '/home/mira/bakery'
let count = 0

/** In a home of its own. */
async function written(dialect: WireDialect, all: readonly Step[]): Promise<{ home: string; course: Course }> {
  const home = join(root, `home-${count++}`)
  const clewHome = join(root, 'clew')
  const writer = await createSession({ home, cwd, dialect, gitBranch: 'main', fsync: 'none', clewHome })
  const course = new Course(writer)
  await course.take(all)
  await writer.close()
  return { home, course }
}

async function findingsOf(home: string, profile: WireDialect): Promise<string[]> {
  const checker = new Checker(profile)
  await runJobs(checker, await jobsOfPath(checker, home, { tree: diskTree }), diskTree)
  return checker
    .report()
    .findings.filter(({ severity }) => severity !== 'info')
    .map(({ code, message }) => `${code}: ${message}`)
}

async function eventsIn(home: string): Promise<readonly SessionEvent[]> {
  const { sessions } = await discover(home)
  expect(sessions).toHaveLength(1)
  const graph = await loadSession(diskSource(), sessions[0] as (typeof sessions)[0], { data: true })
  return graph.events
}

/** What was said by an event, as far as no loss names it. */
function expectSaid({ event, appended }: Done, read: readonly SessionEvent[], dialect: WireDialect): void {
  const lost = appended.losses.map(({ path }) => path)
  if (lost.includes('')) {
    expect(read).toEqual([])
    return
  }
  const isLost = (path: string) =>
    lost.some(one => one === path || one.startsWith(`${path}.`) || one.startsWith(`${path}[`))
  const [first] = read
  expect(first).toBeDefined()
  if (first === undefined) return
  if (!isLost('kind')) expect(first.kind).toBe(event.kind)
  if (event.actor !== undefined && !isLost('actor')) expect(first.actor).toBe(event.actor)
  const blocks = read.flatMap(one => one.blocks)
  if (event.blocks !== undefined && !isLost('blocks'))
    expect(blocks).toMatchObject(event.blocks.map(block => plain(block, dialect)))
  for (const [key, value] of Object.entries(event.detail ?? {}))
    if (!isLost(`detail.${key}`) && detailFields(first)[key] !== undefined)
      expect(detailFields(first)[key]).toEqual(value)
  for (const [key, value] of Object.entries(event.message ?? {}))
    if (key !== 'usage' && !isLost(`message.${key}`)) expect(first.message).toMatchObject({ [key]: value })
}

/** Without what is no part of a read block, and ids where the dialect has none. */
function plain(block: object, dialect: WireDialect): object {
  const { signature: _signature, bytes: _bytes, ...rest } = block as Partial<Record<string, unknown>>
  if (dialect !== 's3') return rest
  const { callId: _call, ...nameless } = rest
  return nameless
}

describe.each(wireDialects)('a session in %s', dialect => {
  test('has nothing that its check finds, and all that was given up to its losses', { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(steps, async all => {
        const { home, course } = await written(dialect, all)
        expect(await findingsOf(home, dialect)).toEqual([])
        const events = await eventsIn(home)
        const byId = new Map(events.map(event => [event.id as string, event]))
        for (const done of course.done) {
          for (const loss of done.appended.losses) expect(loss.why, JSON.stringify(loss)).not.toBe('not explained')
          const read = done.appended.ids.flatMap(id => byId.get(id) ?? [])
          expect(read).toHaveLength(done.appended.ids.length)
          if (done.appended.ids.length > 0) expectSaid(done, read, dialect)
        }
        for (const loss of course.others) expect(loss.why, JSON.stringify(loss)).not.toBe('not explained')
        rmSync(home, { recursive: true, force: true })
      }),
      { numRuns: isDeep ? 300 : 25 },
    )
  })

  test('is continued in it', async () => {
    const { home, course } = await written(dialect, [
      { do: 'turn', said: 'hello', hasImage: false, answers: [], usage: 3, ms: 5 },
    ])
    const path = course.done[0]?.path ?? ''
    const again = await openSession(path, { clewHome: join(root, 'clew'), fsync: 'none' })
    expect(again.dialect).toBe(dialect)
    const more = new Course(again)
    await more.take([{ do: 'turn', said: 'more', hasImage: false, answers: [], usage: 3, ms: 5 }])
    await again.close()
    expect(await findingsOf(home, dialect)).toEqual([])
    const byId = new Map((await eventsIn(home)).map(event => [event.id as string, event]))
    const first = byId.get(more.done[0]?.appended.ids[0] ?? '')
    expect(byId.has(first?.parent ?? '')).toBe(true)
    expect(course.done.flatMap(({ appended }) => appended.ids)).toContain(first?.parent)
  })
})
