// What every session store for the Agent SDK has to do, as a suite that any implementation can be run against. How a store has its
// data is not its business.

import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { build } from 'esbuild'
import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { SessionKey, SessionStore, SessionStoreEntry } from '../../src/write/store/types.ts'
import { isDeep, seedOr } from '../needs.ts'
import { batchOf, type DriverTask } from './store-driver.ts'
import { entries, entry, marker, uuidOf } from './store-entries.ts'

/** A store to test. */
export interface StoreFixture {
  store: SessionStore
  /** Where it is, as `openStore` takes it; for stores that several processes can open. */
  place?: string
  remove?(): void | Promise<void>
}

/** What a store claims. Without the claim nothing is tested of it. */
export interface StoreClaims {
  /** An entry whose uuid is there is not appended again, as the SDK asks for. */
  isIdempotent?: boolean
  /** It has `listSessionSummaries`. */
  hasSummaries?: boolean
  /** The path of a module that exports `openStore(place)`: several processes may use one store, and it outlives them. */
  module?: string
}

/** An empty store for each test. */
export type MakeStore = () => StoreFixture | Promise<StoreFixture>

const megabytes = isDeep ? 100 : 8

/** Runs the suite; to be called inside of a `describe` with the name of the store. */
export function storeContract(
  makeStore: MakeStore,
  { isIdempotent = true, hasSummaries = true, module }: StoreClaims = {},
): void {
  let fixture: StoreFixture
  let store: SessionStore
  const key: SessionKey = { projectKey: '-home-mira-bakery', sessionId: uuidOf('session') }
  const agent = (id: string): SessionKey => ({ ...key, subpath: `subagents/agent-${id}` })
  const other: SessionKey = { ...key, sessionId: uuidOf('other session') }

  beforeEach(async () => {
    fixture = await makeStore()
    store = fixture.store
  })
  afterEach(() => fixture.remove?.())

  describe('append and load', () => {
    it('gives back null for a log that was never written', async () => {
      expect(await store.load(key)).toBeNull()
      expect(await store.load(agent('a1'))).toBeNull()
    })

    it('takes a batch without entries', async () => {
      await store.append(key, [])
      expect((await store.load(key)) ?? []).toEqual([])
    })

    it('gives back all entries in the order of the calls, whether or not one waits for them', async () => {
      const all = entries('order', 60)
      const calls = Array.from({ length: 20 }, (_, at) => store.append(key, all.slice(at * 3, at * 3 + 3)))
      await Promise.all(calls)
      expect(await store.load(key)).toEqual(all)
    })

    it('gives back every entry as it was', async () => {
      const values = fc.array(fc.dictionary(fc.string({ unit: 'binary', minLength: 1 }), fc.jsonValue()), {
        maxLength: 5,
      })
      let run = 0
      await fc.assert(
        fc.asyncProperty(values, async given => {
          const place = { ...key, sessionId: uuidOf(`run ${run++}`) }
          const made = given.map((value, at) => ({ ...value, type: 'user', uuid: uuidOf(`${at}`) }))
          // The SDK has them from JSON, which knows no -0.
          const all = JSON.parse(JSON.stringify(made)) as SessionStoreEntry[]
          await store.append(place, all)
          expect((await store.load(place)) ?? []).toEqual(all)
        }),
        { numRuns: isDeep ? 300 : 40, seed: seedOr(5) },
      )
    })

    it('appends entries without a uuid however often they come', async () => {
      await store.append(key, [marker, marker])
      await store.append(key, [marker])
      expect(await store.load(key)).toEqual([marker, marker, marker])
    })

    it('has logs with different keys apart, though their entries have the same uuids', async () => {
      const keys = [key, other, { ...key, projectKey: '-home-mira-shop' }, agent('a1'), agent('a2')]
      for (const [at, one] of keys.entries()) await store.append(one, [{ ...entry('same', 0), at }])
      for (const [at, one] of keys.entries()) expect(await store.load(one)).toEqual([{ ...entry('same', 0), at }])
    })

    it(`has a session of ${megabytes} MB whole`, { timeout: 300_000 }, async () => {
      const hash = createHash('sha256')
      const batch = 100
      for (let sent = 0; sent < (megabytes * 1024) / 10 / batch; sent++) {
        const some = Array.from({ length: batch }, (_, at) => entry('large', sent * batch + at, 10 * 1024))
        hash.update(JSON.stringify(some))
        await store.append(key, some)
      }
      const loaded = (await store.load(key)) ?? []
      const again = createHash('sha256')
      for (let at = 0; at < loaded.length; at += batch) again.update(JSON.stringify(loaded.slice(at, at + batch)))
      expect(again.digest('hex')).toBe(hash.digest('hex'))
    })
  })

  if (isIdempotent)
    describe('an entry whose uuid is there', () => {
      it('is not appended again: in the same batch, a later one, or among new ones', async () => {
        const all = entries('once', 9)
        await store.append(key, [...all.slice(0, 3), ...all.slice(0, 3)])
        await store.append(key, all.slice(0, 6))
        await Promise.all([store.append(key, all.slice(4, 8)), store.append(key, all.slice(2, 9))])
        expect(await store.load(key)).toEqual(all)
      })
    })

  describe('lists', () => {
    it('has the sessions of one project, with whole milliseconds that do not go back', async () => {
      await store.append(key, entries('a', 1))
      await store.append(other, entries('b', 1))
      await store.append({ ...key, projectKey: 'elsewhere' }, entries('c', 1))
      const before = await listed(key.projectKey)
      expect([...before.keys()].sort()).toEqual([key.sessionId, other.sessionId].sort())
      for (const mtime of before.values()) expect(Number.isInteger(mtime)).toBe(true)
      await store.append(key, [marker])
      const after = await listed(key.projectKey)
      expect(after.get(key.sessionId)).toBeGreaterThanOrEqual(before.get(key.sessionId) ?? 0)
      expect(await store.listSessions('nothing-there')).toEqual([])
    })

    it('has no session that only has subagents', async () => {
      await store.append(agent('a1'), entries('a', 1))
      expect(await store.listSessions(key.projectKey)).toEqual([])
      expect(await store.listSubkeys(key)).toEqual(['subagents/agent-a1'])
    })

    it('has what is below a session, at any depth, and nothing of another one', async () => {
      const subpaths = ['subagents/agent-a1', 'subagents/agent-a2', 'subagents/workflows/wf_1/journal', 'other/part']
      for (const subpath of subpaths) await store.append({ ...key, subpath }, [entry(subpath, 0)])
      await store.append({ ...other, subpath: 'subagents/agent-b1' }, entries('b', 1))
      expect((await store.listSubkeys(key)).sort()).toEqual([...subpaths].sort())
      for (const subpath of subpaths) expect(await store.load({ ...key, subpath })).toEqual([entry(subpath, 0)])
      expect(await store.listSubkeys({ ...key, sessionId: uuidOf('nothing') })).toEqual([])
    })

    if (hasSummaries)
      it('has a summary of each session, as old as the session', async () => {
        await store.append(key, entries('a', 2))
        await store.append(other, entries('b', 1))
        await store.append(key, [marker])
        const summaries = (await store.listSessionSummaries?.(key.projectKey)) ?? []
        const times = new Map(summaries.map(({ sessionId, mtime }) => [sessionId, mtime]))
        expect(times).toEqual(await listed(key.projectKey))
        expect(times.size).toBe(2)
      })

    const listed = async (projectKey: string) =>
      new Map((await store.listSessions(projectKey)).map(({ sessionId, mtime }) => [sessionId, mtime]))
  })

  describe('delete', () => {
    it('removes a session with its subagents and nothing else', async () => {
      for (const one of [key, agent('a1'), agent('a2'), other]) await store.append(one, entries('a', 2))
      await store.delete(key)
      for (const one of [key, agent('a1'), agent('a2')]) expect(await store.load(one)).toBeNull()
      expect(await store.listSubkeys(key)).toEqual([])
      expect((await store.listSessions(key.projectKey)).map(({ sessionId }) => sessionId)).toEqual([other.sessionId])
      expect(await store.load(other)).toHaveLength(2)
    })

    it('removes one subagent and nothing else', async () => {
      for (const one of [key, agent('a1'), agent('a2')]) await store.append(one, entries('a', 2))
      await store.delete(agent('a1'))
      expect(await store.load(agent('a1'))).toBeNull()
      expect(await store.listSubkeys(key)).toEqual(['subagents/agent-a2'])
      expect(await store.load(key)).toHaveLength(2)
    })

    it('does nothing where there is nothing', async () => {
      await store.delete(key)
      await store.delete(agent('a1'))
      expect(await store.load(key)).toBeNull()
    })

    it('leaves an empty place: what is appended then is all there is, though it was there before', async () => {
      await store.append(key, entries('a', 3))
      await store.append(agent('a1'), entries('a', 3))
      await store.delete(key)
      await store.append(key, [entry('a', 1)])
      expect(await store.load(key)).toEqual([entry('a', 1)])
      expect(await store.listSubkeys(key)).toEqual([])
    })
  })

  if (module !== undefined) processes(() => ({ fixture, key }), module, isIdempotent)
}

/** What several processes do to one store. */
function processes(
  current: () => { fixture: StoreFixture; key: SessionKey },
  module: string,
  isIdempotent: boolean,
): void {
  let folder: string
  let program: string

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'clew-store-processes-'))
    program = join(folder, 'driver.mjs')
    const lines = [
      `import { openStore } from ${JSON.stringify(resolve(module))}`,
      `import { drive } from ${JSON.stringify(join(import.meta.dirname, 'store-driver.ts'))}`,
      'await drive(openStore)',
    ]
    await build({
      stdin: { contents: lines.join('\n'), resolveDir: import.meta.dirname },
      outfile: program,
      bundle: true,
      platform: 'node',
      format: 'esm',
      logLevel: 'error',
    })
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  const start = (task: Partial<DriverTask> & Pick<DriverTask, 'name' | 'batches' | 'size'>): Driven => {
    const { fixture, key } = current()
    const whole: DriverTask = { place: fixture.place ?? '', key, ...task }
    return watch(spawn(process.execPath, [program, JSON.stringify(whole)], { stdio: ['ignore', 'pipe', 'pipe'] }))
  }

  describe('several processes', () => {
    it('append to one log: each entry once, those of a process in their order', { timeout: 300_000 }, async () => {
      const { fixture, key } = current()
      const names = ['a', 'b', 'c', 'd', 'e', 'f']
      const [batches, size] = isDeep ? [400, 5] : [40, 5]
      const runs = names.map(name => start({ name, batches, size, shared: isIdempotent }))
      expect(await Promise.all(runs.map(run => run.end))).toEqual(names.map(() => 'DONE'))
      const loaded = (await fixture.store.load(key)) ?? []
      for (const name of names) {
        const own = loaded.filter(one => textOf(one).startsWith(`${name} `))
        expect(own).toEqual(Array.from({ length: batches }, (_, batch) => batchOf(name, batch, size)).flat())
      }
      expect(loaded).toHaveLength(names.length * batches * size + (isIdempotent ? batches : 0))
    })
  })

  describe('a process that is killed', () => {
    it('loses nothing that was acknowledged; appending it again makes it whole', { timeout: 300_000 }, async () => {
      const { fixture, key } = current()
      const kills = isDeep ? 60 : 6
      const size = 7
      let killed = 0
      for (let run = 0; run < kills; run++) {
        const [name, batches] = [`k${run}`, 10_000]
        const driven = start({ name, batches, size })
        await driven.acknowledges(1 + ((run * 13) % 29))
        driven.child.kill('SIGKILL')
        if ((await driven.end) === 'SIGKILL') killed++
        const acknowledged = driven.count()
        const own = await ownOf(fixture, key, name)
        const expected = Array.from({ length: acknowledged + 1 }, (_, batch) => batchOf(name, batch, size)).flat()
        expect(own.slice(0, acknowledged * size)).toEqual(expected.slice(0, acknowledged * size))
        if (!isIdempotent) continue
        // What was under way comes again, as the SDK does it.
        await fixture.store.append(key, batchOf(name, acknowledged, size))
        expect(await ownOf(fixture, key, name)).toEqual(expected)
      }
      expect(killed).toBe(kills)
    })
  })
}

async function ownOf({ store }: StoreFixture, key: SessionKey, name: string): Promise<SessionStoreEntry[]> {
  return ((await store.load(key)) ?? []).filter(one => textOf(one).startsWith(`${name} `))
}

function textOf({ message }: SessionStoreEntry): string {
  return (message as { content?: string } | undefined)?.content ?? ''
}

/** A process that runs. */
interface Driven {
  child: ChildProcess
  /** `DONE`, the signal that ended it, or what it complained about. */
  end: Promise<string>
  /** How many batches it has acknowledged. */
  count(): number
  acknowledges(count: number): Promise<void>
}

function watch(child: ChildProcess): Driven {
  let [said, complaint] = ['', '']
  let heard = () => {}
  child.stdout?.on('data', chunk => {
    said += chunk
    heard()
  })
  child.stderr?.on('data', chunk => {
    complaint += chunk
  })
  const count = () => said.split('\n').filter(line => line.startsWith('ACK ')).length
  const end = new Promise<string>(done => {
    child.on('close', (code, signal) => {
      heard()
      done(signal ?? (code === 0 && said.endsWith('DONE\n') ? 'DONE' : `exit ${code}: ${complaint}`))
    })
  })
  const acknowledges = (wanted: number) =>
    new Promise<void>(done => {
      heard = () => {
        if (count() >= wanted || child.exitCode !== null) done()
      }
      heard()
    })
  return { child, end, count, acknowledges }
}
