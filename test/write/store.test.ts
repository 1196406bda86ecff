// Clew's session store does what every store has to, over the files that Claude Code writes, with the archive behind them.

import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { capture } from '../../src/archive/capture/capture.ts'
import { forget } from '../../src/archive/maintain/forget.ts'
import { Archive } from '../../src/archive/store/archive.ts'
import { restoreFiles } from '../../src/archive/transfer/restore.ts'
import { clewStore, type SessionStore, WriteError } from '../../src/write/store/store.ts'
import { countingFold, makeClewStore, openStore } from './clew-store.ts'
import { quickOps, systemFault } from './fault-ops.ts'
import { load, sessionsIn } from './sketch.ts'
import { storeContract } from './store-contract.ts'
import { entries, entry, marker, uuidOf } from './store-entries.ts'

describe("Clew's session store", () => {
  storeContract(makeClewStore, { module: 'test/write/clew-store.ts' })
})

describe("the files of Clew's session store", () => {
  let fixture: ReturnType<typeof makeClewStore>
  let store: SessionStore
  let home: string
  let clewHome: string
  const key = { projectKey: '-home-mira-bakery', sessionId: uuidOf('session') }
  const agent = { ...key, subpath: 'subagents/agent-a1' }
  const pathOf = (place: { sessionId: string; subpath?: string }) =>
    join(home, 'projects', key.projectKey, place.sessionId, place.subpath ?? '.').replace(/[/\\]?$/, '.jsonl')
  const textOf = (path: string) => readFileSync(path, 'utf8')
  const archiveAll = async () => {
    await capture(new Archive(join(clewHome, 'archive')), { roots: [home] })
  }

  beforeEach(() => {
    fixture = makeClewStore()
    store = fixture.store
    home = join(fixture.place, 'home')
    clewHome = join(fixture.place, 'clew')
  })
  afterEach(() => fixture.remove?.())

  it('have each entry as it was given, one line each, where Claude Code has them', async () => {
    const all = [entry('a', 0), { ...marker, note: 'two\nlines \u2028' }]
    await store.append(key, all)
    await store.append(agent, entries('b', 1))
    expect(textOf(pathOf(key))).toBe(all.map(one => `${JSON.stringify(one)}\n`).join(''))
    const [found] = await sessionsIn(home)
    expect(found?.logs.map(({ role }) => role)).toEqual(['session', 'agent'])
  })

  it('are as the entries were at the call, whatever becomes of them later', async () => {
    const changing = { ...entry('a', 0) }
    const done = store.append(key, [changing])
    changing.type = 'changed'
    await done
    expect(await store.load(key)).toEqual([entry('a', 0)])
  })

  it('say what a subagent is where Claude Code says it, and give it back', async () => {
    const meta = { type: 'agent_metadata', agentType: 'Explore', description: 'Find it', toolUseId: 'toolu_1' }
    await store.append(key, entries('a', 1))
    await store.append(agent, [...entries('b', 1), meta])
    const { type: _type, ...facts } = meta
    const place = pathOf(agent).replace('.jsonl', '.meta.json')
    expect(JSON.parse(textOf(place))).toEqual(facts)
    expect(await store.load(agent)).toEqual([...entries('b', 1), meta])
    // Claude Code has it in that file alone.
    writeFileSync(pathOf(agent), `${JSON.stringify(entry('b', 0))}\n`)
    expect((await store.load(agent))?.[1]).toEqual(meta)
    expect(await store.listSubkeys(key)).toEqual(['subagents/agent-a1'])
  })

  it('are left open no longer than they are needed, and locked no longer', async () => {
    await store.append(key, entries('a', 1))
    await new Promise(done => setTimeout(done, 400))
    expect(readdirSync(join(clewHome, 'locks'))).toEqual([])
    await store.append(key, entries('a', 2))
    expect(await store.load(key)).toEqual(entries('a', 2))
  })

  it('may be more than the store remembers', async () => {
    const keys = Array.from({ length: 80 }, (_, at) => ({ ...key, sessionId: uuidOf(`many ${at}`) }))
    await Promise.all(keys.map(one => store.append(one, entries('a', 1))))
    await Promise.all(keys.map(one => store.append(one, entries('a', 2))))
    for (const one of keys) expect(await store.load(one)).toEqual(entries('a', 2))
  })

  describe('that others write too', () => {
    it('are read on: what another store, or another program, appended is not appended again', async () => {
      const other = openStore(fixture.place)
      await store.append(key, entries('a', 2))
      await other.append(key, entries('a', 4))
      appendFileSync(pathOf(key), `${JSON.stringify(entry('a', 4))}\n`)
      await store.append(key, entries('a', 6))
      expect(await store.load(key)).toEqual(entries('a', 6))
    })

    it('may end in a torn line: it is ended, and the entry that it was comes again', async () => {
      await store.append(key, entries('a', 2))
      const torn = JSON.stringify(entry('a', 2)).slice(0, 60)
      appendFileSync(pathOf(key), torn)
      expect(await openStore(fixture.place).load(key)).toEqual(entries('a', 2))
      await openStore(fixture.place).append(key, entries('a', 3))
      expect(await store.load(key)).toEqual(entries('a', 3))
      expect(textOf(pathOf(key)).split('\n')[2]).toBe(torn)
    })

    it('may be replaced by another file: then that is what counts', async () => {
      await store.append(key, entries('a', 3))
      rmSync(pathOf(key))
      await new Promise(done => setTimeout(done, 200))
      await store.append(key, [entry('a', 1)])
      expect(await store.load(key)).toEqual([entry('a', 1)])
    })

    it('get nothing twice from Claude Code that has the session open and writes it itself', async () => {
      mkdirSync(join(home, 'sessions'), { recursive: true })
      const open = join(home, 'sessions', `${process.pid}.json`)
      writeFileSync(open, JSON.stringify({ pid: process.pid, sessionId: key.sessionId }))
      const batch = [marker, marker, entry('a', 0), { type: 'tag', tag: 'x' }]
      mkdirSync(dirname(pathOf(key)), { recursive: true })
      writeFileSync(pathOf(key), batch.map(one => `${JSON.stringify(one)}\n`).join(''))
      await store.append(key, batch)
      appendFileSync(pathOf(key), `${JSON.stringify(marker)}\n`)
      await store.append(key, [marker])
      // The last entries come when it has ended.
      rmSync(open)
      appendFileSync(pathOf(key), `${JSON.stringify(entry('a', 1))}\n${JSON.stringify(marker)}\n`)
      await store.append(key, [entry('a', 1), marker])
      expect(await store.load(key)).toEqual([...batch, marker, entry('a', 1), marker])
      await store.append(key, [marker])
      expect(await store.load(key)).toHaveLength(8)
    })
  })

  describe('that only the archive has', () => {
    it('are loaded, listed and continued as if they were there', async () => {
      await store.append(key, entries('a', 3))
      await store.append(agent, entries('b', 2))
      const [before] = await store.listSessions(key.projectKey)
      await archiveAll()
      rmSync(join(home, 'projects'), { recursive: true })
      expect(await store.load(key)).toEqual(entries('a', 3))
      expect(await store.load(agent)).toEqual(entries('b', 2))
      expect(await store.listSubkeys(key)).toEqual(['subagents/agent-a1'])
      expect(await store.listSessions(key.projectKey)).toEqual([before])
      expect(await store.listSessionSummaries?.(key.projectKey)).toEqual([{ ...before, data: { entries: 3 } }])
    })

    it('are not taken for logs that never were when the archive is damaged; those on the disk are read', async () => {
      const other = { ...key, sessionId: uuidOf('other') }
      await store.append(key, entries('a', 3))
      await store.append(other, entries('a', 3))
      await archiveAll()
      rmSync(pathOf(key))
      const { layout } = new Archive(join(clewHome, 'archive'))
      for (const name of readdirSync(layout.manifest)) writeFileSync(join(layout.manifest, name), 'damaged\n')
      const reading = openStore(fixture.place)
      expect(await reading.load(other)).toEqual(entries('a', 3))
      await expect(reading.load(key)).rejects.toMatchObject({ code: 'damaged-manifest' })
      expect((await reading.listSessions(key.projectKey)).map(({ sessionId }) => sessionId)).toEqual([other.sessionId])
    })
  })

  describe('that are deleted', () => {
    it('are archived first, with all that belongs to the session, and can be restored', async () => {
      await store.append(key, entries('a', 3))
      await store.append(agent, entries('b', 2))
      const output = join(pathOf(key).replace('.jsonl', ''), 'tool-results', 'toolu_1.txt')
      mkdirSync(dirname(output))
      writeFileSync(output, 'a long output')
      await store.delete(key)
      expect(readdirSync(dirname(pathOf(key)))).toEqual([])
      expect(await store.load(key)).toBeNull()
      expect(await openStore(fixture.place).listSessions(key.projectKey)).toEqual([])
      await restoreFiles(new Archive(join(clewHome, 'archive')))
      expect(readFileSync(output, 'utf8')).toBe('a long output')
      expect(await store.load(key)).toEqual(entries('a', 3))
      expect(await store.load(agent)).toEqual(entries('b', 2))
    })

    it('may be in the archive alone: they are gone from the store, and the archive has them', async () => {
      await store.append(key, entries('a', 3))
      await archiveAll()
      rmSync(join(home, 'projects'), { recursive: true })
      await store.delete(key)
      expect(await store.load(key)).toBeNull()
      expect(await store.listSessions(key.projectKey)).toEqual([])
      const { catalog } = new Archive(join(clewHome, 'archive')).manifest
      expect([...catalog.generations.values()].map(({ path }) => basename(path))).toEqual([`${key.sessionId}.jsonl`])
    })

    it('stay where the archive does not take them', async () => {
      await store.append(key, entries('a', 3))
      await archiveAll()
      await forget(new Archive(join(clewHome, 'archive')), key.sessionId)
      await expect(store.delete(key)).rejects.toMatchObject({ code: 'not-found' })
      expect(await store.load(key)).toEqual(entries('a', 3))
    })

    it('stay while Claude Code has the session open', async () => {
      await store.append(key, entries('a', 3))
      mkdirSync(join(home, 'sessions'), { recursive: true })
      const open = join(home, 'sessions', `${process.pid}.json`)
      writeFileSync(open, JSON.stringify({ pid: process.pid, sessionId: key.sessionId }))
      await expect(store.delete(key)).rejects.toMatchObject({ code: 'in-use' })
      rmSync(open)
      await store.delete(key)
      expect(await store.load(key)).toBeNull()
    })
  })

  describe('that cannot be written', () => {
    it.each([
      { ...key, projectKey: '..' },
      { ...key, projectKey: 'a/b' },
      { ...key, projectKey: '' },
      { ...key, sessionId: '../x' },
      { ...key, sessionId: 'agent-a1' },
      { ...key, sessionId: '.x' },
      { ...key, subpath: '' },
      { ...key, subpath: '../../x' },
      { ...key, subpath: 'subagents/../../../x' },
      { ...key, subpath: '/etc/x' },
      { ...key, subpath: 'a\\..\\b' },
      { ...key, subpath: 'a\0b' },
    ])('are refused before anything is made: $projectKey $sessionId $subpath', async bad => {
      for (const act of [() => store.append(bad, [marker]), () => store.load(bad), () => store.delete(bad)])
        await expect(act()).rejects.toThrow(WriteError)
      expect(existsSync(home)).toBe(false)
    })

    it('are as before when the disk is full, and the next append has all of it', async () => {
      let isFull = false
      const writeOnce: typeof quickOps.writeOnce = (fd, bytes, from) => {
        if (!isFull) return quickOps.writeOnce(fd, bytes, from)
        if (from > 0) throw systemFault('ENOSPC')
        return quickOps.writeOnce(fd, bytes.subarray(0, 10), 0)
      }
      const full = clewStore({ home, clewHome, ops: { ...quickOps, writeOnce } })
      await full.append(key, entries('a', 2))
      const before = textOf(pathOf(key))
      isFull = true
      await expect(full.append(key, entries('a', 4))).rejects.toMatchObject({ code: 'ENOSPC' })
      expect(textOf(pathOf(key))).toBe(before)
      isFull = false
      await full.append(key, entries('a', 4))
      expect(await full.load(key)).toEqual(entries('a', 4))
    })
  })

  describe('as summaries', () => {
    it('are read once, then only what was appended since', async () => {
      const folded: number[] = []
      const watching = clewStore({
        home,
        clewHome,
        ops: quickOps,
        foldSessionSummary: (before, place, some, options) => {
          folded.push(some.length)
          return countingFold(before, place, some, options)
        },
      })
      const counted = async () => (await watching.listSessionSummaries?.(key.projectKey))?.[0]?.data
      await store.append(key, entries('a', 5))
      expect([await counted(), await counted()]).toEqual([{ entries: 5 }, { entries: 5 }])
      await store.append(key, entries('a', 7))
      expect(await counted()).toEqual({ entries: 7 })
      expect(folded.filter(count => count > 0)).toEqual([5, 2])
    })
  })

  it('are counted by Clew like any other', async () => {
    const usage = { input_tokens: 7, output_tokens: 5, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 }
    const message = {
      id: 'msg_1',
      role: 'assistant',
      model: 'claude-opus-5',
      content: [{ type: 'text', text: 'Hi' }],
      usage,
    }
    await store.append(key, [{ ...entry('a', 0), type: 'assistant', message }])
    const [found] = await sessionsIn(home)
    if (found === undefined) throw new Error('not found')
    expect((await load(found)).messages[0]?.usage).toMatchObject({ inputTokens: 7, outputTokens: 5 })
  })

  it('can be read by their owner alone', { tags: 'posix' }, async () => {
    await store.append(key, entries('a', 1))
    expect(statSync(pathOf(key)).mode & 0o777).toBe(0o600)
  })
})
