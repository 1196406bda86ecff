// Follows logs: files that changed are read on, and what is new in them is handed on with the session it belongs to. Only
// files that change are ever opened. How it is printed is decided elsewhere.

import { basename, dirname } from 'node:path'
import { setImmediate as nextRound } from 'node:timers/promises'
import { newline } from '../../base/bytes.ts'
import { errorCode } from '../../base/error-code.ts'
import { toMillis } from '../../base/instant.ts'
import { type EventDecoder, RecordDecoder } from '../../decode/decode.ts'
import { agentLog, isLogName, logFile, roleOf, stemOf } from '../../disk/discover/project.ts'
import { diskTree, Walk } from '../../disk/discover/tree.ts'
import { glance } from '../../disk/read/peek.ts'
import { chunkBytes } from '../../disk/read/read.ts'
import { FileTail, readLive } from '../../disk/watch/state.ts'
import type { FileChange, WrittenFile } from '../../disk/watch/watch.ts'
import type { SessionEvent } from '../../model/event.ts'
import { sessionId } from '../../model/ids.ts'
import type { GenerationId, LogFile } from '../../model/source.ts'
import { eventDecoder } from '../../session/load.ts'
import { sizeText } from '../../view/words.ts'
import { type FileFacts, WatchedSession } from './watched-session.ts'

/** Gets what happens, in order. */
export interface WatchSink {
  /** An event from before the watch, which is not to be shown. */
  learn(event: SessionEvent, session: WatchedSession): void
  event(event: SessionEvent, session: WatchedSession): Promise<void>
  /** `session`: the one it is about, where it is about one. */
  note(text: string, session: WatchedSession | null): Promise<void>
  /** Everything of one round was handed on. */
  flush(): Promise<void>
}

interface FollowOptions {
  sink: WatchSink
  /** Whether a session is followed at all. */
  wants(facts: FileFacts): boolean
  /** Events carry the numbers of their lines, which takes reading a file once. */
  numbersLines: boolean
}

/** Files whose decoders stay in memory; others start again when they change. */
const mostFiles = 256
/** A copied or restored history is not new: events older than this when the watch begins are not shown. */
const newsMs = 300_000
/** Deleted files that are named one by one. */
const mostNamed = 3

/** A file is still being rewritten while it grows within this time. */
const rewriteMs = 300

/** Leaves out what is not later than a moment; from the first later event on, everything counts. */
interface Gate {
  afterMs: number
  isShut: boolean
  /** Of a rewritten file, how long it was when it was rewritten: what is appended later counts, whatever its time. */
  rewritten?: { bytes: number; seenMs: number }
}

export class Follower {
  private readonly options: FollowOptions
  private readonly startedMs = Date.now()
  /** The longest unread first. */
  private readonly files = new Map<string, FollowedFile>()
  private readonly gates = new WeakMap<FollowedFile, Gate>()
  private readonly sessions = new Map<string, WatchedSession>()
  private readonly unwanted = new Set<string>()
  private waiting: FileChange[] = []
  private work: Promise<void> | null = null

  constructor(options: FollowOptions) {
    this.options = options
  }

  /** What changes meanwhile is taken together afterwards. */
  take(changes: readonly FileChange[]): void {
    if (changes.length === 0) return
    this.waiting.push(...changes)
    this.work ??= this.run()
  }

  /** First what was written lately: changes that are handed in meanwhile wait. */
  begin(files: readonly WrittenFile[], sinceMs: number): Promise<void> {
    this.work = this.readLately(files, sinceMs).then(() => this.run())
    return this.work
  }

  /** Resolves when all that was handed in is read. */
  async idle(): Promise<void> {
    while (this.work !== null) await this.work
  }

  private async run(): Promise<void> {
    try {
      while (this.waiting.length > 0) {
        const changes = joined(this.waiting)
        this.waiting = []
        await this.round(changes)
        await this.options.sink.flush()
      }
    } finally {
      this.work = null
    }
  }

  private async round(changes: readonly FileChange[]): Promise<void> {
    const gone = new Map(changes.filter(({ what }) => what === 'gone').map(change => [change.path, change]))
    for (const change of changes) {
      if (change.movedFrom === undefined) continue
      const from = gone.get(change.movedFrom)
      gone.delete(change.movedFrom)
      if (from !== undefined) await this.move(change, from)
    }
    if (gone.size > 0) await this.forget([...gone.keys()])
    for (const change of changes) if (change.what !== 'gone') await this.readChange(change)
  }

  private async move(change: FileChange, from: FileChange): Promise<void> {
    const file = this.files.get(from.path)
    this.files.delete(from.path)
    this.unwanted.delete(from.path)
    if (file === undefined) {
      const begun = await this.open(change.path, from.previousSize ?? 0)
      if (begun?.facts.log.role === 'session') await this.note(`moved to ${shortPath(change.path)}`, begun)
      return
    }
    try {
      file.moveTo(change.path)
    } catch {
      return
    }
    this.keep(file)
    if (file.facts.log.role === 'session') await this.note(`moved to ${shortPath(change.path)}`, file)
  }

  private async forget(paths: readonly string[]): Promise<void> {
    const named: [string, WatchedSession | null][] = []
    for (const path of paths) {
      const file = this.files.get(path)
      this.files.delete(path)
      if (this.unwanted.delete(path)) continue
      const session = file === undefined ? this.sessionAt(path) : this.sessionOf(file.facts, false)
      if (session === null && !this.options.wants(namedFacts(path))) continue
      named.push([path, session])
    }
    if (named.length > mostNamed) {
      await this.options.sink.note(`${named.length} files deleted`, null)
      return
    }
    for (const [path, session] of named) await this.options.sink.note(`deleted: ${shortPath(path)}`, session)
  }

  /** A session whose main file was not followed, by the file's name. */
  private sessionAt(path: string): WatchedSession | null {
    return this.sessions.get(namedFacts(path).session) ?? null
  }

  private async readChange(change: FileChange): Promise<void> {
    const { path, what, size } = change
    if (this.unwanted.has(path)) return
    const known = this.files.get(path)
    if (known !== undefined) return this.readOn(known, size)
    // What it contained before is not known: a touched file has nothing to show.
    if (what === 'changed') return
    const isRewritten = what === 'shrunk' || what === 'replaced'
    const file = await this.open(path, what === 'grown' ? (change.previousSize ?? 0) : 0, what === 'new')
    if (file === null) return
    if (what === 'new' && change.movedFrom === undefined) {
      this.gates.set(file, { afterMs: this.startedMs - newsMs, isShut: false })
    }
    if (isRewritten) {
      this.shut(file, this.startedMs, size)
      await this.note(rewriteText(change.previousSize ?? 0, size), file)
    }
    await this.readOn(file, size)
  }

  /** Null where it is not followed, or cannot be read. */
  private async open(path: string, at: number, isNew = false): Promise<FollowedFile | null> {
    const facts = await factsOf(path)
    if (facts === null) return null
    if (!this.options.wants(facts)) {
      this.unwanted.add(path)
      return null
    }
    const file = new FollowedFile(facts)
    const session = this.sessionOf(facts, isNew && facts.log.role === 'session')
    try {
      const learnt = at > 0 ? await file.begin(at, this.options.numbersLines) : []
      for (const event of learnt) this.options.sink.learn(event, session)
    } catch (error) {
      await this.options.sink.note(`cannot read ${shortPath(path)} (${errorCode(error)})`, null)
      return null
    }
    this.keep(file)
    return file
  }

  private keep(file: FollowedFile): void {
    this.files.delete(file.path)
    this.files.set(file.path, file)
    const [oldest] = this.files.keys()
    if (this.files.size > mostFiles && oldest !== undefined) this.files.delete(oldest)
  }

  private sessionOf(facts: FileFacts, isNew: boolean): WatchedSession {
    let session = this.sessions.get(facts.session)
    if (session === undefined) {
      session = new WatchedSession(facts, this.sessions.size, isNew)
      this.sessions.set(facts.session, session)
    }
    if (facts.log.nameAgent !== undefined) session.noteAgent(facts.log.nameAgent, facts.log.meta)
    return session
  }

  private async readOn(file: FollowedFile, size: number): Promise<void> {
    this.keep(file)
    const session = this.sessionOf(file.facts, false)
    this.extendGate(file, size)
    for (let restarts = 0; ; ) {
      const found = this.tryRead(file, size)
      if (found === null) return
      if (found === 'rewritten') {
        // It is being rewritten again and again: the next change will show more.
        if (restarts++ > 1) return
        await this.note(rewriteText(file.offset, size), file)
        this.shut(file, file.lastMs ?? this.startedMs, size)
        file.restart()
        continue
      }
      if (found.events.length > 0 && !file.hasEvents) {
        file.hasEvents = true
        await learnAgent(file.facts, session)
      }
      for (const event of found.events) if (this.passes(file, event)) await this.options.sink.event(event, session)
      if (found.isLast) return
      await nextRound()
    }
  }

  /** Null where it was deleted meanwhile, which is a change of its own. */
  private tryRead(file: FollowedFile, size: number) {
    try {
      return file.read(size)
    } catch {
      return null
    }
  }

  private shut(file: FollowedFile, afterMs: number, bytes: number): void {
    this.gates.set(file, { afterMs, isShut: true, rewritten: { bytes, seenMs: Date.now() } })
  }

  private extendGate(file: FollowedFile, bytes: number): void {
    const gate = this.gates.get(file)
    if (gate?.rewritten === undefined || Date.now() - gate.rewritten.seenMs > rewriteMs) return
    gate.rewritten = { bytes, seenMs: Date.now() }
  }

  private passes(file: FollowedFile, event: SessionEvent): boolean {
    const gate = this.gates.get(file)
    if (gate === undefined) return true
    if (gate.rewritten !== undefined && event.source.offset >= gate.rewritten.bytes) {
      this.gates.delete(file)
      return true
    }
    const at = toMillis(event.at)
    if (at !== null) gate.isShut = at <= gate.afterMs
    if (gate.isShut) return false
    if (at !== null) this.gates.delete(file)
    return true
  }

  private note(text: string, file: FollowedFile): Promise<void> {
    return this.options.sink.note(text, this.sessionOf(file.facts, false))
  }

  /** What was written lately, of all files together in the order of its times. */
  private async readLately(files: readonly WrittenFile[], sinceMs: number): Promise<void> {
    const found: { event: SessionEvent; session: WatchedSession; at: number }[] = []
    for (const { path, size } of files) {
      const facts = await factsOf(path)
      if (facts === null || !this.options.wants(facts)) continue
      const file = new FollowedFile(facts)
      try {
        let at = 0
        for (const event of await file.beginSince(sinceMs, size, this.options.numbersLines)) {
          at = Math.max(at, toMillis(event.at) ?? 0)
          found.push({ event, session: this.sessionOf(facts, false), at })
        }
        this.keep(file)
      } catch {
        // It is read when it changes.
      }
    }
    // The order of lines in a file stays, whatever their times say.
    found.sort((one, other) => one.at - other.at)
    for (const { event, session } of found) await this.options.sink.event(event, session)
    await this.options.sink.flush()
  }
}

/** File and folder: the rest is mostly the same. */
function shortPath(path: string): string {
  return path.split(/[\\/]/).slice(-2).join('/')
}

function rewriteText(before: number, after: number): string {
  if (after < before) return `file truncated or rewritten: ${sizeText(before)} → ${sizeText(after)}`
  return `file rewritten: ${sizeText(after)}`
}

/** Joins appends to one file, so that they are read at once. */
function joined(changes: readonly FileChange[]): FileChange[] {
  const grown = new Map<string, number>()
  const out: FileChange[] = []
  for (const change of changes) {
    const at = grown.get(change.path)
    const before = at === undefined ? undefined : out[at]
    if (change.what === 'grown' && at !== undefined && before !== undefined) {
      out[at] = { ...before, size: change.size, modifiedMs: change.modifiedMs }
      continue
    }
    if (change.what === 'grown' || change.what === 'new') grown.set(change.path, out.length)
    else grown.delete(change.path)
    out.push(change)
  }
  return out
}

/** Null where it is not the log of a session, its session is not known yet, or it is gone again. */
async function factsOf(path: string): Promise<FileFacts | null> {
  const name = basename(path)
  if (!isLogName(name) || name === 'history.jsonl') return null
  try {
    const stat = diskTree.stat(path)
    if (stat.kind !== 'file') return null
    const { kind: _kind, ...rest } = stat
    const file = { path, ...rest }
    const role = roleOf(name)
    const log = role === 'session' ? logFile(file, role) : await agentLog(new Walk(path), file, role)
    const { slug, session } = placeOf(path)
    if (role !== 'session' && session !== undefined) return facts(log, session, slug)
    // Agent files of old clients lie among the session files: only their records name the session.
    const seen = await glance(file, diskTree.source, role === 'session' ? stemOf(name) : undefined)
    if (seen.session === undefined && role !== 'session') return null
    return facts(log, seen.session ?? stemOf(name), slug)
  } catch {
    return null
  }
}

/** What a subagent is for may be written after its log was created, and before its first line. */
async function learnAgent({ log }: FileFacts, session: WatchedSession): Promise<void> {
  if (log.nameAgent === undefined || session.agentOf(log.nameAgent) !== undefined) return
  session.noteAgent(log.nameAgent, (await agentLog(new Walk(log.path), log, log.role)).meta)
}

/** What the name of a deleted file says. */
function namedFacts(path: string): FileFacts {
  const { slug, session = stemOf(basename(path)) } = placeOf(path)
  const log = { path, role: roleOf(basename(path)), generation: '' as GenerationId, size: 0, modifiedMs: 0 }
  return facts(log, session, slug)
}

function facts(log: LogFile, session: string, slug: string): FileFacts {
  const id = sessionId(session)
  return { log: { ...log, nameSession: id }, session: id, slug }
}

/** `<slug>/<session>.jsonl`, or `<slug>/<session>/subagents/…/agent-x.jsonl`. */
function placeOf(path: string): { slug: string; session?: string } {
  const way = dirname(path).split(/[\\/]/)
  const projects = Math.max(way.lastIndexOf('projects'), way.lastIndexOf('conversations'))
  const below = projects >= 0 ? way.slice(projects + 1) : []
  const [slug, session] = below
  if (slug !== undefined && session !== undefined) return { slug, session }
  const agents = way.lastIndexOf('subagents')
  const folder = agents > 0 ? way[agents - 1] : undefined
  if (folder !== undefined) return { slug: way[agents - 2] ?? '', session: folder }
  return { slug: way.at(-1) ?? '' }
}

// What a decoder of events knows of the lines before comes from this much of the file's two ends.
const headBytes = 16 * 1024
const warmBytes = 64 * 1024

class FollowedFile {
  readonly facts: FileFacts
  path: string
  /** The latest time that an event of it had. */
  lastMs: number | null = null
  /** Whether events of it were handed on. */
  hasEvents = false
  private tail: FileTail
  private records: RecordDecoder
  private events: EventDecoder

  constructor(found: FileFacts) {
    this.facts = found
    this.path = found.log.path
    this.tail = new FileTail(this.path)
    this.records = new RecordDecoder(this.path)
    this.events = this.newDecoder()
  }

  private newDecoder(): EventDecoder {
    return eventDecoder(this.facts.log, { session: this.facts.session })
  }

  get offset(): number {
    return this.tail.offset
  }

  /**
   * Begins behind byte `at`, and gives the events before it that it learnt from: of a large file only its first 16 KiB and the 64 KiB
   * before `at` are decoded. What may differ from a whole reading then: a record whose uuid occurs in the part between
   * keeps its plain id instead of `~2`; inline subagents that began there get the id of the first record seen; the working
   * directory, version and branch are those of the head until a record says otherwise; an outcome is not paired with a
   * call of that part. `numbersLines` counts the line ends of the part between, which reads it once.
   */
  async begin(at: number, numbersLines: boolean): Promise<SessionEvent[]> {
    if (at <= headBytes + warmBytes) return this.learn(readLive(this.path, 0, at), at)
    const head = this.decode(readLive(this.path, 0, headBytes))
    const { dialects } = this.records.save()
    const { from, bytes } = this.lastLines(at)
    const number = numbersLines ? await this.lineAt(from) : 1
    this.records = new RecordDecoder(this.path, { place: { offset: from, number }, dialects })
    return [...head, ...this.learn(bytes, at)]
  }

  private learn(bytes: Uint8Array, end: number): SessionEvent[] {
    this.tail = new FileTail(this.path, end, bytes)
    return this.decode(bytes)
  }

  /** Whole lines before a byte, and the unfinished one; further back where a line is longer than that. */
  private lastLines(at: number): { from: number; bytes: Uint8Array } {
    for (let length = warmBytes; ; length *= 4) {
      const from = Math.max(0, at - length)
      const bytes = readLive(this.path, from, at)
      if (from === 0) return { from, bytes }
      const end = bytes.indexOf(newline)
      if (end >= 0) return { from: from + end + 1, bytes: bytes.subarray(end + 1) }
    }
  }

  private async lineAt(offset: number): Promise<number> {
    let number = 1
    for (let from = 0; from < offset; from += chunkBytes) {
      const bytes = readLive(this.path, from, Math.min(offset, from + chunkBytes))
      for (let at = bytes.indexOf(newline); at >= 0; at = bytes.indexOf(newline, at + 1)) number++
      await nextRound()
    }
    return number
  }

  /** Begins again at its start: what is there now is another content. */
  restart(): void {
    this.tail = new FileTail(this.path)
    this.records = new RecordDecoder(this.path)
    this.events = this.newDecoder()
  }

  /** The same content under another name. */
  moveTo(path: string): void {
    const state = this.records.save()
    this.path = path
    this.records = new RecordDecoder(path, state)
    // The unfinished line is read again: only its place is known.
    const before = readLive(path, Math.max(0, state.place.offset - 256), state.place.offset)
    this.tail = new FileTail(path, state.place.offset, before)
  }

  /** The events whose lines ended since the last time, of at most a megabyte. */
  read(size: number): { events: SessionEvent[]; isLast: boolean } | 'rewritten' {
    const found = this.tail.read(size)
    if (found === 'rewritten') return found
    if (found.bytes.length === 0) return { events: [], isLast: true }
    return { events: this.decode(found.bytes), isLast: found.isLast }
  }

  /** The events of the file's end that are not older, and from there on it is followed. */
  async beginSince(sinceMs: number, size: number, numbersLines: boolean): Promise<SessionEvent[]> {
    for (let length = warmBytes; ; length *= 4) {
      const at = Math.max(0, size - length)
      await this.begin(at, numbersLines)
      const events: SessionEvent[] = []
      for (let isLast = false; !isLast; ) {
        const found = this.read(size)
        if (found === 'rewritten') return []
        events.push(...found.events)
        isLast = found.isLast
        await nextRound()
      }
      const first = events.findIndex(event => (toMillis(event.at) ?? 0) >= sinceMs)
      // An older one before it shows that this is far enough back.
      const older = first < 0 ? events : events.slice(0, first)
      if (at === 0 || older.some(event => event.at !== null)) return first < 0 ? [] : events.slice(first)
      this.restart()
    }
  }

  private decode(bytes: Uint8Array): SessionEvent[] {
    const events: SessionEvent[] = []
    for (const record of this.records.push(bytes)) {
      for (const event of this.events.decode(record)) {
        const at = toMillis(event.at)
        if (at !== null && (this.lastMs === null || at > this.lastMs)) this.lastMs = at
        events.push(event)
      }
    }
    return events
  }
}
