// The operations that tests of faults disturb: for each a home and an archive as it finds them, and what an undisturbed one
// makes of them, step by step. No fault is made here.

import { createHash } from 'node:crypto'
import {
  appendFileSync,
  cpSync,
  existsSync,
  readdirSync,
  renameSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { hostname } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import type { Content } from '../home.ts'
import { talkBytes } from '../index/talk.ts'
import { isDeep } from '../needs.ts'
import { damages, parseLog } from '../write/damages.ts'
import { ageUnwrittenLock, orphanLocks, quickOps, viewOf } from './faults.ts'
import { copyFormat1, Fixture, imagesBelow, logBytes, recordLine, sessionA, sessionB, sessionC } from './fixture.ts'
import { type Ack, harmless, type Operation, operate, watchedOps } from './operate.ts'

const boat = 'projects/-home-mira-boat'
const choir = 'projects/-home-mira-choir'
/** Stands in the session that is forgotten and nowhere else. */
export const secret = 'a-word-that-only-one-session-holds'
const oldSeconds = Date.UTC(2024, 2, 5) / 1000

export class Place extends Fixture {
  readonly to = this.path('restored')

  /** With a time of long ago: no one is at work on it. */
  override write(path: string, content: Content): string {
    const written = super.write(path, content)
    this.settle(path)
    return written
  }

  settle(path: string): void {
    utimesSync(this.at(path), oldSeconds, oldSeconds)
  }

  async capture(): Promise<void> {
    await operate({ kind: 'run', archive: this.archiveFolder, roots: [this.home] }, quickOps)
  }
}

export interface FaultCase {
  name: string
  /** Makes home and archive. */
  prepare(place: Place): Promise<void>
  /** Puts files that the operation changes into the state it finds them in; absent where it changes none. */
  refill?(place: Place): void
  operation(place: Place): Operation
  /** At least this many files are removed where it does what its name says. */
  removes?: number
  /** Throws unless it was brought to its end, beyond what views tell. */
  check?(place: Place): void
}

function log(session: string, seed: number, bytes: number): Buffer {
  return Buffer.concat([Buffer.from(recordLine(session, '/home/mira/boat')), logBytes(seed, bytes)])
}

function fill(place: Place): void {
  place.write(`${boat}/${sessionA}.jsonl`, log(sessionA, 1, 9000))
  place.write(`${boat}/${sessionA}/subagents/agent-1.jsonl`, log(sessionA, 2, 3000))
  place.write(`${boat}/${sessionA}/tool-results/toolu_1.txt`, 'the same in two sessions\n'.repeat(50))
  place.write(`${boat}/${sessionB}.jsonl`, log(sessionB, 3, 5000))
  place.write(`${choir}/${sessionC}.jsonl`, Buffer.concat([log(sessionC, 4, 2000), Buffer.from(`${secret}\n`)]))
  place.write(`${choir}/${sessionC}/tool-results/toolu_2.txt`, 'the same in two sessions\n'.repeat(50))
  place.write(`${choir}/moving.jsonl`, logBytes(5, 2500))
  place.write(`${choir}/continued.jsonl`, logBytes(6, 2500))
  place.write(`${choir}/deleted.jsonl`, logBytes(7, 1500))
  place.write(`file-history/${sessionA}/0a1b@v1`, 'x = 1\n')
  place.write('history.jsonl', '{"display":"tune the bells"}\n')
}

/** All that clients and people do to files. */
function change(place: Place): void {
  appendFileSync(place.at(`${boat}/${sessionA}.jsonl`), logBytes(11, 4000))
  place.settle(`${boat}/${sessionA}.jsonl`)
  truncateSync(place.at(`${boat}/${sessionB}.jsonl`), 2000)
  place.settle(`${boat}/${sessionB}.jsonl`)
  place.write(`${choir}/${sessionC}.jsonl`, Buffer.concat([log(sessionC, 12, 2500), Buffer.from(`${secret}\n`)]))
  renameSync(place.at(`${choir}/moving.jsonl`), place.at(`${boat}/moved.jsonl`))
  place.write(`${choir}/next.jsonl`, Buffer.concat([logBytes(6, 2500), logBytes(13, 800)]))
  renameSync(place.at(`${choir}/next.jsonl`), place.at(`${choir}/continued.jsonl`))
  rmSync(place.at(`${choir}/deleted.jsonl`))
  place.write(`${boat}/new.jsonl`, logBytes(14, 1200))
  appendFileSync(place.at('history.jsonl'), '{"display":"and the ropes"}\n')
  place.settle('history.jsonl')
}

/** Two generations of most files. */
async function captureTwice(place: Place): Promise<void> {
  fill(place)
  await place.capture()
  change(place)
  await place.capture()
}

/** What a restore finds: something missing, something as it was archived, something else in its place. */
function scatter(place: Place): void {
  rmSync(place.home, { recursive: true, force: true })
  rmSync(place.to, { recursive: true, force: true })
  place.write(`${boat}/${sessionA}.jsonl`, log(sessionA, 1, 9000))
  place.write(`${boat}/${sessionB}.jsonl`, 'something else\n')
  place.write(`${choir}/${sessionC}.jsonl`, logBytes(20, 700))
}

async function captureThenScatter(place: Place): Promise<void> {
  place.write(`${boat}/${sessionA}.jsonl`, log(sessionA, 1, 9000))
  place.write(`${boat}/${sessionA}/subagents/agent-1.jsonl`, log(sessionA, 2, 3000))
  place.write(`${boat}/${sessionB}.jsonl`, log(sessionB, 3, 5000))
  place.write(`${choir}/${sessionC}.jsonl`, log(sessionC, 4, 2000))
  place.write('history.jsonl', '{"display":"tune the bells"}\n')
  await place.capture()
  scatter(place)
}

/** Files that a killed run, tidying and breaking of a lock leave. */
async function leaveThings(place: Place): Promise<void> {
  fill(place)
  place.write(`${boat}/brief.jsonl`, recordLine('44444444-4444-4444-8444-444444444444', '/home/mira/boat'))
  await place.capture()
  const before = join(place.folder, 'before')
  cpSync(place.archiveFolder, before, { recursive: true })
  // Rewrites the manifest and packs what is left: what it replaced comes back as if it had been killed before the end.
  await operate(
    { kind: 'prune', archive: place.archiveFolder, rule: { projects: ['/home/mira/boat/brief'] } },
    quickOps,
  )
  await operate(
    { kind: 'forget', archive: place.archiveFolder, session: '44444444-4444-4444-8444-444444444444' },
    quickOps,
  )
  for (const folder of ['packs', 'manifest']) {
    cpSync(join(before, folder), join(place.archiveFolder, folder), { recursive: true, force: false })
  }
  const holder = { pid: 999_999_999, host: hostname(), started: '2024-03-05T00:00:00.000Z', what: 'run', key: 'k' }
  const leave = (path: string, content: string | Uint8Array) =>
    writeFileSync(join(place.archiveFolder, path), content, { mode: 0o600 })
  leave('lock', `${JSON.stringify(holder)}\n`)
  leave('lock.break-0123456789abcdef-0', `${JSON.stringify({ ...holder, what: 'break' })}\n`)
  leave('seen.tsv.tmp-999999999-0a1b2c3d', 'half')
  leave('packs/pack.tmp-999999999-0a1b2c3d', brotliCompressSync('half').subarray(0, 10))
  leave('manifest/00000003.jsonl.tmp-999999999-0a1b2c3d', '{"clew":')
  const pack = brotliCompressSync(Buffer.from('what nothing names'))
  leave(`packs/${createHash('sha256').update(pack).digest('hex').slice(0, 32)}.br`, pack)
  change(place)
}

/** Fifteen packs: one more, and they are joined. */
async function manyPacks(place: Place): Promise<void> {
  for (let n = 10; n < 25; n++) {
    place.write(`${boat}/small-${n}.jsonl`, logBytes(n, 600))
    await place.capture()
  }
  for (const n of [10, 11]) appendFileSync(place.at(`${boat}/small-${n}.jsonl`), logBytes(n + 50, 300))
  for (const n of [10, 11]) place.settle(`${boat}/small-${n}.jsonl`)
  place.write(`${boat}/small-25.jsonl`, logBytes(25, 600))
}

function refuseGzip({ archiveFolder: archive }: Place): void {
  if (readdirSync(join(archive, 'packs')).some(name => name.endsWith('.gz'))) throw new Error('a gzip pack is left')
}

const run = ({ archiveFolder: archive, home }: Place): Operation => ({ kind: 'run', archive, roots: [home] })

export const faultCases: readonly FaultCase[] = [
  { name: 'a first run', prepare: async place => fill(place), operation: run },
  {
    name: 'a run over files that grew, shrank, were rewritten, moved, replaced, deleted and made',
    prepare: async place => {
      fill(place)
      await place.capture()
      change(place)
    },
    operation: run,
  },
  { name: 'a run that joins packs', prepare: manyPacks, operation: run, removes: 16 },
  { name: 'a run that meets what killed ones left', prepare: leaveThings, operation: run, removes: 6 },
  {
    name: 'a forget that rewrites the packs of format 1',
    // Every frame is in a gzip pack.
    prepare: async place => copyFormat1(place.archiveFolder),
    operation: ({ archiveFolder: archive }) => ({
      kind: 'forget',
      archive,
      session: 'aaaaaaaa-1111-4111-8111-111111111111',
    }),
    removes: 5,
    check: refuseGzip,
  },
  {
    name: 'a restore into a folder',
    prepare: captureThenScatter,
    refill: scatter,
    operation: ({ archiveFolder: archive, to }) => ({ kind: 'restore', archive, to }),
  },
  {
    name: 'a restore into a home',
    prepare: captureThenScatter,
    refill: scatter,
    operation: ({ archiveFolder: archive }) => ({ kind: 'restore', archive }),
  },
  {
    name: 'a restore over other files',
    prepare: captureThenScatter,
    refill: scatter,
    // By its number: what is replaced becomes the latest generation.
    operation: ({ archiveFolder: archive }) => ({ kind: 'restore', archive, isOverwriting: true, generation: 1 }),
  },
  {
    name: 'a prune of earlier generations',
    prepare: captureTwice,
    operation: ({ archiveFolder: archive }) => ({ kind: 'prune', archive, rule: { keepGenerations: 1 } }),
  },
  {
    name: 'a prune of a project',
    prepare: captureTwice,
    operation: ({ archiveFolder: archive }) => ({ kind: 'prune', archive, rule: { projects: ['-home-mira-boat'] } }),
  },
  {
    name: 'a forget',
    prepare: captureTwice,
    operation: ({ archiveFolder: archive }) => ({ kind: 'forget', archive, session: sessionC }),
  },
]

const repairedLog = `${boat}/${sessionA}.jsonl`

/** A repair of a damaged log, of which the archive has nothing yet, or this content. */
function repairCase(damage: string, isArchived: boolean): FaultCase {
  const whole = talkBytes({ session: sessionA, seed: 11, turns: 8 }).toString()
  const bytes = damages[damage]?.(parseLog(whole)).bytes ?? Buffer.of()
  return {
    name: `a repair in place: ${damage}${isArchived ? ', archived before' : ''}`,
    prepare: async place => {
      place.write(`${boat}/${sessionB}.jsonl`, log(sessionB, 3, 5000))
      if (isArchived) place.write(repairedLog, bytes)
      await place.capture()
      place.write(repairedLog, bytes)
    },
    refill: place => place.write(repairedLog, bytes),
    operation: place => ({ kind: 'repair', archive: place.archiveFolder, log: place.at(repairedLog) }),
  }
}

function forgetCase(name: string, session: string, prepare: FaultCase['prepare']): FaultCase {
  return { name, prepare, operation: ({ archiveFolder: archive }) => ({ kind: 'forget', archive, session }) }
}

/** Prompts and what was pasted into them; others have some of it. */
async function captureHistory(place: Place): Promise<void> {
  const prompt = (session: string, display: string, contentHash = '') => {
    const pastedContents = contentHash === '' ? {} : { 1: { id: 1, type: 'text', contentHash } }
    return `${JSON.stringify({ display, pastedContents, timestamp: 1_770_000_000_000, project: '/p', sessionId: session })}\n`
  }
  fill(place)
  place.write('paste-cache/0123456789abcdef.txt', `${secret} pasted`)
  place.write('paste-cache/aaaaaaaaaaaaaaaa.txt', 'pasted by two')
  const other = prompt(sessionA, 'look', 'aaaaaaaaaaaaaaaa')
  const own = prompt(sessionC, secret, '0123456789abcdef') + prompt(sessionC, 'look', 'aaaaaaaaaaaaaaaa')
  place.write('history.jsonl', other + own)
  await place.capture()
  change(place)
  place.write('history.jsonl', other)
  rmSync(place.at('paste-cache/0123456789abcdef.txt'))
  await place.capture()
}

/** More of what is one case each in `npm test`. */
const deepCases: readonly FaultCase[] = [
  forgetCase('a forget of a session that is deleted', sessionC, async place => {
    await captureTwice(place)
    rmSync(place.at(choir), { recursive: true })
    await place.capture()
  }),
  forgetCase('a forget of a session with prompts and pasted texts', sessionC, captureHistory),
  forgetCase('a forget where killed processes left something', sessionC, leaveThings),
  forgetCase('a forget of the session with most files', sessionA, captureTwice),
  forgetCase('a forget of a session that was archived once', sessionB, async place => {
    fill(place)
    await place.capture()
  }),
  ...['NULs at the end', 'CR LF', 'garbage lines', 'blank lines', 'a comma behind every record', 'no parents'].flatMap(
    damage => [repairCase(damage, false), repairCase(damage, true)],
  ),
]

/** Those of `npm test`, and many more in a deep run. */
export const triedCases: readonly FaultCase[] = [
  ...faultCases,
  repairCase('glued answers', true),
  ...(isDeep ? deepCases : []),
]

/** A place that can be put back to how the operation finds it. */
export class PreparedPlace {
  readonly place: Place
  readonly faultCase: FaultCase
  private readonly base: string

  private constructor(place: Place, faultCase: FaultCase) {
    this.place = place
    this.faultCase = faultCase
    this.base = join(place.folder, 'base')
  }

  static async make(root: string, faultCase: FaultCase): Promise<PreparedPlace> {
    const prepared = new PreparedPlace(new Place({ folder: root }), faultCase)
    await faultCase.prepare(prepared.place)
    if (existsSync(prepared.place.archiveFolder))
      cpSync(prepared.place.archiveFolder, prepared.base, { recursive: true })
    return prepared
  }

  get operation(): Operation {
    return this.faultCase.operation(this.place)
  }

  reset(): void {
    const { archiveFolder: archive } = this.place
    rmSync(dirname(archive), { recursive: true, force: true })
    if (existsSync(this.base)) cpSync(this.base, archive, { recursive: true })
    this.faultCase.refill?.(this.place)
  }

  /** No one waits half a minute for a lock that was made but not written to. True where there was one. */
  ageLocks(): boolean {
    return this.lockFolders().map(ageUnwrittenLock).includes(true)
  }

  /** Locks that this process left since their removal failed. */
  orphanLocks(): void {
    for (const folder of this.lockFolders()) orphanLocks(folder)
  }

  private lockFolders(): string[] {
    const logs = join(dirname(this.place.archiveFolder), 'locks')
    return [this.place.archiveFolder, ...(existsSync(logs) ? readdirSync(logs).map(name => join(logs, name)) : [])]
  }

  /** Files that a restore or a repair writes, by their path from the root of the place. */
  targets(): Map<string, Buffer> {
    const found = new Map<string, Buffer>()
    const { folder: root, home, to } = this.place
    for (const folder of [home, to]) {
      if (!existsSync(folder)) continue
      for (const [path, { bytes }] of imagesBelow(folder)) found.set(join(relative(root, folder), path), bytes)
    }
    return found
  }
}

/** What an undisturbed operation does. */
export interface Course {
  /** Of each call that changes something, in order, its name. */
  calls: string[]
  /** What is archived before the first commit, after each, and at the end. */
  views: string[][]
  /** For a restore: the files before the first one is dealt with, after each, and at the end. */
  files: Map<string, Buffer>[]
}

export async function courseOf(prepared: PreparedPlace): Promise<Course> {
  prepared.reset()
  const { place, operation } = prepared
  const course: Course = { calls: [], views: [], files: [] }
  const copies: string[] = []
  const look = (what: Ack) => {
    if (what !== 'file') {
      copies.push(join(place.folder, `course-${copies.length}`))
      if (existsSync(place.archiveFolder)) cpSync(place.archiveFolder, copies.at(-1) ?? '', { recursive: true })
    }
    if (what !== 'commit' && prepared.faultCase.refill !== undefined) course.files.push(prepared.targets())
  }
  look('done')
  const ops = watchedOps(quickOps, { before: call => void (harmless.has(call) || course.calls.push(call)) })
  await operate(operation, ops, look)
  const removed = course.calls.filter(call => call === 'unlink').length
  const { name, removes = 0 } = prepared.faultCase
  if (removed < removes) throw new Error(`${name} removed ${removed} files only`)
  prepared.faultCase.check?.(place)
  for (const copy of copies) {
    course.views.push(await viewOf(copy))
    rmSync(copy, { recursive: true, force: true })
  }
  return course
}
