// `clew split` and `clew join`: the parts are the bytes of the log, together again they are the log, and in one folder they are
// read as the one session.

import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { run as joinParts } from '../../src/cli/commands/join.ts'
import { run as split } from '../../src/cli/commands/split.ts'
import { discover } from '../../src/disk/discover/discover.ts'
import { eventId, sessionId } from '../../src/model/ids.ts'
import type { SessionGraph } from '../../src/model/session.ts'
import { type GenerationId, type LogFile, mainLogs, type SessionFiles } from '../../src/model/source.ts'
import type { PartsReport } from '../../src/schema/contract-shapes.ts'
import { lint } from '../../src/schema/schema.ts'
import { planParts } from '../../src/write/parts.ts'
import { capture } from '../cli/capture.ts'
import { samples, withFolder } from '../home.ts'
import { clientHomes, corpusFolder, publicHome } from '../needs.ts'
import fc from '../property.ts'
import { copyOfSamples, load, Sketch, sessionName, sessionsIn } from './sketch.ts'

type Options = Record<string, unknown>

async function report(run: typeof split, home: string, args: string[], options: Options): Promise<PartsReport> {
  const { stdout } = await capture(run, { root: [home], args, options: { force: true, ...options }, json: true })
  const parsed = JSON.parse(stdout) as PartsReport
  expect(lint('parts-report', parsed)).toEqual([])
  return parsed
}

/** All that a graph says, with ids of lines without one by their order instead of their places. */
function saidBy(graph: SessionGraph): unknown {
  const places = new Map<string, string>()
  const events = graph.events.map(({ record: _record, source: _source, ...event }, at) => {
    places.set(event.id, event.id.includes('@') ? `line ${at}` : event.id)
    return { ...event, id: places.get(event.id) }
  })
  const idOf = (id: string | null | undefined) => (id == null ? id : (places.get(id) ?? id))
  return {
    events,
    parents: graph.events.map(({ id }) => idOf(graph.nodes.get(eventId(id))?.parent)),
    calls: graph.toolCalls.map(({ id, name, outcome: status, subagent }) => ({ id, name, status, subagent })),
    threads: graph.threads.map(({ id, call, events }) => ({ id, call, events: events.map(idOf) })),
    turns: graph.turns.map(({ prompt, events }) => ({ prompt: idOf(prompt), events: events.map(idOf) })),
    branches: graph.branches.map(({ leaf, isActive, eventCount }) => ({ leaf: idOf(leaf), isActive, eventCount })),
    compactions: graph.compactions.map(({ event }) => idOf(event)),
    roots: graph.roots.map(idOf),
  }
}

/** A third of its log: a few parts. */
const third = ({ logs }: SessionFiles) => String(Math.ceil((logs[0]?.size ?? 1) / 3))

async function expectSame(home: string, files: SessionFiles, folder: string): Promise<number> {
  const out = join(folder, 'parts')
  const path = mainLogs(files)[0]?.path ?? ''
  const { parts } = await report(split, home, [path], { size: third(files), out })
  const { sessions } = await discover(out)
  expect(sessions.map(({ id }) => id)).toEqual([files.id])
  const [divided] = sessions as [SessionFiles]
  expect(mainLogs(divided).map(log => log.path)).toEqual(parts.map(part => part.path))
  expect([files.id, saidBy(await load(divided))]).toEqual([files.id, saidBy(await load(files))])
  const whole = join(folder, 'whole', basename(path))
  const paths = parts.map(part => part.path).reverse()
  await report(joinParts, home, paths, { out: whole })
  expect(readFileSync(whole).equals(readFileSync(path))).toBe(true)
  rmSync(out, { recursive: true })
  rmSync(join(folder, 'whole'), { recursive: true })
  return parts.length
}

describe('parts of a session', () => {
  it('are read as the session, and are its log again, for every sample', () =>
    withFolder(async folder => {
      const home = copyOfSamples(folder)
      let most = 0
      for (const files of await sessionsIn(home))
        if (mainLogs(files).length === 1) most = Math.max(most, await expectSame(home, files, folder))
      expect(most).toBeGreaterThanOrEqual(3)
    }))

  describe('of real sessions', { tags: ['corpus', 'deep'] }, () => {
    for (const home of [...clientHomes, publicHome])
      it(`are read as the session, and are its log again: ${home}`, { timeout: 300_000 }, () =>
        withFolder(async folder => {
          for (const files of await sessionsIn(home))
            if (mainLogs(files).length === 1 && mainLogs(files)[0]?.role === 'session')
              await expectSame(home, files, folder)
        }),
      )
  })
})

async function partsOf(bytes: Uint8Array, size: number): Promise<{ from: number; to: number }[]> {
  const generation = 'g' as GenerationId
  const log: LogFile = { path: 's.jsonl', role: 'session', generation, size: bytes.length, modifiedMs: 0 }
  const source = {
    async *read() {
      yield bytes
    },
  }
  return planParts(source, log, sessionId(sessionName), size)
}

/** Parts follow each other without a gap, from the first byte to the last. */
async function expectWhole(bytes: Uint8Array, size: number): Promise<void> {
  const parts = await partsOf(bytes, size)
  expect(Buffer.concat(parts.map(({ from, to }) => bytes.subarray(from, to))).equals(bytes)).toBe(true)
  for (const { from, to } of parts.slice(0, -1)) {
    expect(to).toBeGreaterThan(from)
    expect(bytes[to - 1]).toBe(0x0a)
  }
}

describe('bytes', () => {
  const lines = fc.constantFrom(
    ...['p1', 'p2', 'p3'].map((name, at) =>
      JSON.stringify(new Sketch().prompt(name).records[0]).replace(':00.000Z', `:0${at}.000Z`),
    ),
    JSON.stringify(new Sketch().call('c1').records[0]),
    '{"type":"summary","summary":"x"}',
    '{"type":"user","uu',
    '',
    '\0\0\0',
    '\ufeff{}',
    '[1,',
    '{"a":1}{"b":2}',
    '{',
    'ü€😀',
  )
  const ends = fc.constantFrom('\n', '\r\n', '\n', '\n\n')
  const log = fc
    .tuple(fc.array(fc.tuple(lines, ends), { maxLength: 40 }), fc.constantFrom('', '{"type":"us', '\0', '{}'))
    .map(([rows, tail]) => Buffer.from(rows.map(row => row.join('')).join('') + tail))

  it('are all in one part each, whatever the log is', () =>
    fc.assert(
      fc.asyncProperty(
        fc.oneof(log, fc.uint8Array({ maxLength: 400 }).map(Buffer.from)),
        fc.integer({ min: 1, max: 3000 }),
        expectWhole,
      ),
      { numRuns: 200 },
    ))

  it('are divided where a turn begins', async () => {
    const sketch = new Sketch()
    for (const name of ['1', '2', '3', '4', '5', '6']) sketch.prompt(`p${name}`).answer(`a${name}`)
    const text = sketch.records.map(record => `${JSON.stringify(record)}\n`)
    const bytes = Buffer.from(text.join(''))
    const turn = Buffer.byteLength((text[2] ?? '') + (text[3] ?? ''))
    const parts = await partsOf(bytes, turn * 2)
    expect(parts.map(({ from, to }) => Math.round((to - from) / turn))).toEqual([2, 2, 2])
    expect(await partsOf(bytes, 1)).toHaveLength(6)
    expect(await partsOf(bytes, 1e9)).toHaveLength(1)
  })

  it('of every sample are in one part each', async () => {
    const logs = readdirSync(samples, { recursive: true, encoding: 'utf8' }).filter(name => name.endsWith('.jsonl'))
    for (const name of logs) await expectWhole(readFileSync(join(samples, name)), 5000)
  })

  it('of damaged logs are in one part each', { tags: 'corpus' }, async () => {
    for (const folder of ['resume', 'resume2'].map(name => join(corpusFolder, name)))
      for (const name of existsSync(folder) ? readdirSync(folder) : [])
        if (name.endsWith('.jsonl')) await expectWhole(readFileSync(join(folder, name)), 20_000)
  })
})

const talk = () => new Sketch().prompt('p1').answer('a1').prompt('p2').answer('a2').prompt('p3').answer('a3')

describe('clew split and join', () => {
  it('write nothing with --dry-run, and can be undone', { tags: 'posix' }, () =>
    withFolder(async folder => {
      const home = join(folder, 'home')
      const path = talk().write(home)
      const out = join(folder, 'out')
      const dry = await report(split, home, [sessionName], { size: '1', out, dryRun: true })
      expect(dry.parts.map(part => basename(part.path))).toEqual(
        ['001', '002', '003'].map(number => `${sessionName}.${number}-of-003.jsonl`),
      )
      expect(existsSync(out)).toBe(false)
      const done = await report(split, home, [sessionName], { size: '1', out })
      expect(done.parts).toEqual(dry.parts)
      const whole = join(folder, 'whole.jsonl')
      const paths = done.parts.map(part => part.path)
      await report(joinParts, home, paths, { out: whole, dryRun: true })
      expect(existsSync(whole)).toBe(false)
      const joined = await report(joinParts, home, paths, { out: whole })
      expect(readFileSync(whole, 'utf8')).toBe(readFileSync(path, 'utf8'))
      execFileSync('sh', ['-c', joined.undo])
      expect(existsSync(whole)).toBe(false)
      execFileSync('sh', ['-c', done.undo])
      expect(readdirSync(folder)).toEqual(['home'])
    }),
  )

  it('take subagents and stored outputs with them', () =>
    withFolder(async folder => {
      const home = copyOfSamples(folder)
      const out = join(folder, 'out')
      const id = '33c79d8c-6d99-4d32-b36b-48f475c1e43f'
      const { parts, files } = await report(split, home, [id], { size: '20kB', out })
      expect(files.filter(path => path.endsWith('.jsonl')).length).toBeGreaterThan(1)
      const joined = await report(
        joinParts,
        home,
        parts.map(part => part.path),
        { out: join(folder, 'w', `${id}.jsonl`) },
      )
      expect(joined.files).toHaveLength(files.length)
      const [session] = await sessionsIn(join(folder, 'w'))
      expect(session?.logs).toHaveLength(files.filter(path => path.endsWith('.jsonl')).length + 1)
    }))

  it('refuse what would not be the whole', () =>
    withFolder(async folder => {
      const home = join(folder, 'home')
      const path = talk().write(home)
      const out = join(folder, 'out')
      const { parts } = await report(split, home, [sessionName], { size: '1', out })
      const paths = parts.map(part => part.path)
      const joining = (args: string[], to = join(folder, 'w.jsonl')) =>
        capture(joinParts, { root: [home], args, options: { out: to } })
      await expect(joining(paths.slice(0, 2))).rejects.toThrow('part 3 of 3 is missing')
      await expect(joining([...paths.slice(0, 2), path])).rejects.toThrow('is not part of')
      await expect(joining(paths, path)).rejects.toThrow('exists already')
      await expect(joining(['nowhere.jsonl'])).rejects.toThrow('is not a file')
      writeFileSync(join(folder, 'a.jsonl'), '{}')
      writeFileSync(join(folder, 'b.jsonl'), '{}\n')
      await expect(joining([join(folder, 'a.jsonl'), join(folder, 'b.jsonl')])).rejects.toThrow('line end')
    }))

  it('refuse to put parts next to the whole, or over other files', () =>
    withFolder(async folder => {
      const home = join(folder, 'home')
      talk().write(home)
      const splitting = (options: Options) =>
        capture(split, { root: [home], args: [sessionName], options: { force: true, ...options } })
      const inside = join(home, 'projects', '-home-mira-shop')
      await expect(splitting({ size: '1', out: inside })).rejects.toThrow('name another folder')
      await expect(splitting({ size: 'big', out: join(folder, 'x') })).rejects.toThrow('Invalid --size "big"')
      const out = join(folder, 'out')
      mkdirSync(out)
      writeFileSync(join(out, `${sessionName}.002-of-003.jsonl`), 'mine')
      await expect(splitting({ size: '1', out })).rejects.toThrow('exists already')
      expect(readdirSync(out)).toHaveLength(1)
      expect(readFileSync(join(out, `${sessionName}.002-of-003.jsonl`), 'utf8')).toBe('mine')
    }))
})
