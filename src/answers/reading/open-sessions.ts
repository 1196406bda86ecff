// Sessions that are being read, held in memory: the last used ones, up to this many bytes of logs. Every answer is about the
// files as they are now; only what was appended is decoded. How sessions that are too large for that are read is in
// large-session.ts.

import { existsSync } from 'node:fs'
import type { Instant } from '../../base/instant.ts'
import { discover } from '../../disk/discover/discover.ts'
import type { FileTree } from '../../disk/discover/tree.ts'
import { FileTail } from '../../disk/watch/state.ts'
import { restampedIn, withOriginTime } from '../../graph/build/fork-times.ts'
import { buildGraph } from '../../graph/graph.ts'
import { markCopied } from '../../graph/lineage/own-part.ts'
import { copiedPartOf } from '../../index/refresh/projection.ts'
import { statedPriceOf } from '../../index/search/usage.ts'
import type { Database } from '../../index/store/port.ts'
import type { CopiedPart, GraphFile, SessionGraph } from '../../model/session.ts'
import { type ByteSource, bytesOf, type LogFile, type SessionFiles } from '../../model/source.ts'
import { GrowingLog, graphFile, originTime } from '../../session/load.ts'
import { type GraphReader, graphReader } from '../../session/reading/graph-reader.ts'
import type { Pricing } from '../../usage/session-usage.ts'
import { LargeSession, readAppended } from './large-session.ts'
import { WholeSession } from './whole-session.ts'

/** Of all sessions that are held together. */
const mostBytes = 64 * 1024 * 1024
/** Larger ones are read by slots; each counts as so much, whatever its size. */
const usualLargeBytes = 24 * 1024 * 1024
/** Of larger ones it takes so long to say what is in a context that other requests would wait. */
const usualQuickBytes = 4 * 1024 * 1024
const largeWeight = 24 * 1024 * 1024
/** A large one that grew by more than this since it was opened is opened again. */
const mostNewerBytes = 8 * 1024 * 1024
/** One that nobody looks at is released after this time. */
const usualIdleMs = 60_000
/** Files are not looked at again within this time. */
const freshMs = 80

/** A session as it is at one moment. */
export interface Reading {
  files: SessionFiles
  fingerprint: string
  graph: SessionGraph
  reader: GraphReader
}

interface OpenOptions {
  /** Clew's own folder. */
  home: string
  places(): { tree: FileTree; source: ByteSource }
  /** The index, where there is one. */
  db(): Database | null
  /** What turns cost, and how much a model takes. */
  pricing?(): Pricing
  /** From this many bytes on a session is read by slots. */
  largeBytes?: number
  /** From this many bytes on the context is made in a worker thread. */
  quickBytes?: number
  /** Whether somebody has it on screen; where absent, nobody has. */
  isFollowed?(id: string): boolean
  /** One that nobody looks at is released after this time. */
  idleMs?: number
  /** The files of a session, from index or disk; null where there is no such session. */
  find(id: string): Promise<SessionFiles | null>
}

class OpenSession {
  private logs = new HeldLogs()
  private large: LargeSession | null = null
  private readonly options: OpenOptions
  private files: SessionFiles
  private lookedMs = 0
  private made: Reading | null = null
  private pricing: Pricing | undefined
  private copied: string | undefined
  private work: Promise<unknown> = Promise.resolve()

  constructor(files: SessionFiles, options: OpenOptions) {
    this.files = files
    this.options = options
  }

  /** One at a time: requests that come while files are read wait for the same reading. */
  reading(): Promise<Reading> {
    const next = this.work.then(() => this.read())
    this.work = next.catch(() => {})
    return next
  }

  async look(): Promise<SessionFiles> {
    const now = performance.now()
    if (now - this.lookedMs < freshMs) return this.files
    const { tree } = this.options.places()
    this.files = await filesNow(this.files, tree)
    this.lookedMs = now
    return this.files
  }

  /** A file was just written: it must be looked at again. */
  noteWritten(): void {
    this.lookedMs = Number.NEGATIVE_INFINITY
  }

  get weight(): number {
    return this.large === null ? this.logs.bytes : largeWeight
  }

  private async read(): Promise<Reading> {
    const files = await this.look()
    const fingerprint = fingerprintOf(files)
    const pricing = this.options.pricing?.()
    const db = this.options.db()
    const part = db === null ? undefined : copiedPartOf(db, files.id)
    const copied = JSON.stringify(part)
    const isSame = this.made?.fingerprint === fingerprint && this.pricing === pricing && this.copied === copied
    if (this.made !== null && isSame) return this.made
    this.pricing = pricing
    this.copied = copied
    this.made = (await this.readLarge(files, fingerprint, part)) ?? (await this.readWhole(files, fingerprint, part))
    return this.made
  }

  private statedOf(key: number): number | null {
    const db = this.options.db()
    return db === null ? null : statedPriceOf(db, key)
  }

  private async readWhole(files: SessionFiles, fingerprint: string, part: CopiedPart | undefined): Promise<Reading> {
    this.large = null
    const graph = await this.logs.graph(files, this.options.places().source, this.options.find)
    markCopied(graph.session, graph.events, part)
    const reader = graphReader(graph, this.pricing && { ...this.pricing, statedOf: key => this.statedOf(key) })
    if (bytesOf(files) <= (this.options.quickBytes ?? usualQuickBytes)) return { files, fingerprint, graph, reader }
    const whole = new WholeSession(this.options.home, files, part)
    return { files, fingerprint, graph, reader: { ...reader, contextAt: event => whole.contextAt(event) } }
  }

  private async readLarge(
    files: SessionFiles,
    fingerprint: string,
    part: CopiedPart | undefined,
  ): Promise<Reading | null> {
    const { source } = this.options.places()
    const db = this.options.db()
    if (db === null || bytesOf(files) <= (this.options.largeBytes ?? usualLargeBytes)) return null
    // One that is held whole already stays so.
    if (this.logs.bytes > 0) return null
    if (this.large !== null && this.large.newerBytes > mostNewerBytes) this.large = null
    this.large ??= await LargeSession.open(db, files, source, {
      home: this.options.home,
      ...(this.pricing && { pricing: this.pricing }),
    })
    const reading = (await this.large?.reading(files, source, part)) ?? null
    return reading === null ? null : { files, fingerprint, ...reading }
  }
}

export class OpenSessions {
  private readonly options: OpenOptions
  /** The least recently used first. */
  private readonly sessions = new Map<string, OpenSession>()
  private readonly usedMs = new Map<string, number>()
  private timer: NodeJS.Timeout | undefined

  constructor(options: OpenOptions) {
    this.options = options
  }

  /** Null where there is no such session. */
  async files(id: string): Promise<SessionFiles | null> {
    const session = await this.session(id)
    return session === null ? null : session.look()
  }

  async reading(id: string): Promise<Reading | null> {
    const session = await this.session(id)
    if (session === null) return null
    const reading = await session.reading()
    this.trim()
    return reading
  }

  noteWritten(id: string): void {
    this.sessions.get(id)?.noteWritten()
  }

  drop(id?: string): void {
    if (id === undefined) this.sessions.clear()
    else this.sessions.delete(id)
    if (this.sessions.size === 0) this.endTimer()
  }

  /** How many are held. */
  get size(): number {
    return this.sessions.size
  }

  private startTimer(idleMs: number): void {
    this.timer ??= setInterval(() => this.release(idleMs), idleMs / 4).unref()
  }

  private endTimer(): void {
    clearInterval(this.timer)
    this.timer = undefined
    this.usedMs.clear()
  }

  private release(idleMs: number): void {
    const now = performance.now()
    for (const id of this.sessions.keys()) {
      if (this.options.isFollowed?.(id) === true) this.usedMs.set(id, now)
      else if (now - (this.usedMs.get(id) ?? now) > idleMs) this.drop(id)
    }
  }

  private async session(id: string): Promise<OpenSession | null> {
    this.usedMs.set(id, performance.now())
    this.startTimer(this.options.idleMs ?? usualIdleMs)
    const known = this.sessions.get(id)
    if (known !== undefined) {
      this.sessions.delete(id)
      this.sessions.set(id, known)
      return known
    }
    const files = await this.options.find(id)
    if (files === null) return null
    const session = this.sessions.get(id) ?? new OpenSession(files, this.options)
    this.sessions.set(id, session)
    return session
  }

  /** The one used last stays, however large. */
  private trim(): void {
    let bytes = 0
    for (const { weight } of this.sessions.values()) bytes += weight
    for (const [id, { weight }] of this.sessions) {
      if (bytes <= mostBytes || this.sessions.size <= 1) return
      this.sessions.delete(id)
      bytes -= weight
    }
  }
}

interface HeldLog {
  log: GrowingLog
  /** Reads on; absent where the file is only in the archive. */
  tail?: FileTail
  generation: string
}

/** The logs of one session as events. A log that was rewritten is read again. */
class HeldLogs {
  private held = new Map<string, HeldLog>()
  private lostTime: Promise<Instant> | undefined

  /** Bytes that were decoded. */
  get bytes(): number {
    let sum = 0
    for (const { log } of this.held.values()) sum += log.bytes
    return sum
  }

  /** The graph of the files at their length now. */
  async graph(files: SessionFiles, source: ByteSource, find: OpenOptions['find']): Promise<SessionGraph> {
    const held = new Map<string, HeldLog>()
    for (const log of files.logs) held.set(log.path, await this.read(log, files, source))
    this.held = held
    const read = files.logs.map(log => graphFile(log, held.get(log.path)?.log.events() ?? []))
    return buildGraph(files.id, await this.withLostTime(read, source, find), files.side, true)
  }

  /** The origin of a fork is read once: the record that was copied does not change. */
  private async withLostTime(read: GraphFile[], source: ByteSource, find: OpenOptions['find']): Promise<GraphFile[]> {
    const restamped = restampedIn(read)
    if (restamped === undefined) return read
    this.lostTime ??= originTime(source, restamped.origin, find)
    return withOriginTime(read, restamped, await this.lostTime)
  }

  private async read(file: LogFile, session: SessionFiles, source: ByteSource): Promise<HeldLog> {
    const known = this.held.get(file.path)
    if (known !== undefined && known.log.bytes <= file.size && isSameFile(known, file) && readOn(known, file.size)) {
      return known
    }
    const log = new GrowingLog(file, session.id)
    let last: Uint8Array = new Uint8Array(0)
    for await (const chunk of source.read(file.generation, 0, Number.POSITIVE_INFINITY)) {
      log.push(chunk)
      last = chunk
      // Other requests are answered meanwhile.
      await new Promise(resolve => setImmediate(resolve))
    }
    const held: HeldLog = { log, generation: file.generation }
    if (file.isArchiveOnly !== true) held.tail = new FileTail(file.path, log.bytes, last.slice(-256))
    return held
  }
}

/** Archived files do not grow; those on disk are compared by their bytes. */
function isSameFile({ tail, generation }: HeldLog, file: LogFile): boolean {
  return tail === undefined ? generation === file.generation : file.isArchiveOnly !== true
}

/** False where it must be read again. */
function readOn({ log, tail }: HeldLog, size: number): boolean {
  if (tail === undefined) return true
  try {
    return readAppended(log, tail, size)
  } catch {
    return false
  }
}

/** A session that was written to within this time may get new files. */
const recentMs = 3_600_000

/** Looks at known files again, and adds new ones. Reads folders and sizes, no log. */
async function filesNow(known: SessionFiles, tree: FileTree): Promise<SessionFiles> {
  const logs = known.logs.map(log => logNow(log, tree))
  const main = logs.find(log => log.role === 'session' && log.isArchiveOnly !== true)
  if (main === undefined || Date.now() - main.modifiedMs > recentMs) return { ...known, logs }
  const found = (await discover(main.path, tree)).sessions.find(session => session.id === known.id)
  if (found === undefined) return { ...known, logs }
  return { ...known, logs: joined(logs, found.logs), side: joined(known.side, found.side) }
}

/** A file that is gone stays as it was: reading it gives the error. */
function logNow(log: LogFile, tree: FileTree): LogFile {
  try {
    const stat = tree.stat(log.path)
    if (stat.kind !== 'file') return log
    const { kind: _kind, ...facts } = stat
    const { isArchiveOnly: _isArchiveOnly, earlier: _earlier, ...rest } = log
    return { ...rest, ...facts }
  } catch {
    return log
  }
}

/** Logs that were deleted since they were read are what the archive has of them, or nothing. */
export function withoutGone(files: SessionFiles): SessionFiles {
  const logs = files.logs.map(log =>
    log.isArchiveOnly === true || existsSync(log.path) ? log : { ...log, isArchiveOnly: true as const },
  )
  return { ...files, logs }
}

/** Those known in their order, then new ones: main files come first, agent files after them. */
function joined<File extends { path: string; role?: string }>(known: readonly File[], found: readonly File[]): File[] {
  const byPath = new Map(found.map(file => [file.path, file]))
  const all = known.map(file => {
    const newer = byPath.get(file.path)
    byPath.delete(file.path)
    return newer === undefined ? file : { ...file, ...newer }
  })
  all.push(...byPath.values())
  return all.sort((one, other) => Number(one.role !== 'session') - Number(other.role !== 'session'))
}

/** Equal as long as nothing was written. */
function fingerprintOf({ logs, side }: SessionFiles): string {
  const parts = logs.map(({ path, generation, size }) => `${path} ${generation} ${size}`)
  return `${parts.join('\n')}\n${side.length}`
}
