// One log while it is followed: bytes that were appended become events, an unfinished last line waits. It prints nothing
// and does not know when there is something to read.

import { basename, dirname } from 'node:path'
import { newline } from '../../base/bytes.ts'
import { toMillis } from '../../base/instant.ts'
import { type EventDecoder, RecordDecoder } from '../../decode/decode.ts'
import { agentLog, isLogName, logFile, roleOf, stemOf } from '../../disk/discover/project.ts'
import { diskTree, Walk } from '../../disk/discover/tree.ts'
import { glance } from '../../disk/read/peek.ts'
import { chunkBytes } from '../../disk/read/read.ts'
import { FileTail, readLive } from '../../disk/watch/state.ts'
import type { SessionEvent } from '../../model/event.ts'
import { type SessionId, sessionId } from '../../model/ids.ts'
import type { GenerationId, LogFile } from '../../model/source.ts'
import { eventDecoder } from '../../session/load.ts'

/** A log with what its place and its first bytes tell. */
export interface FileFacts {
  log: LogFile
  session: SessionId
  slug: string
}

/** Null where it is no log of a session, does not tell of which yet, or is gone again. */
export async function factsOf(path: string): Promise<FileFacts | null> {
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

/** As much as the name of a file tells that is no longer there. */
export function namedFacts(path: string): FileFacts {
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

export class FollowedFile {
  readonly facts: FileFacts
  path: string
  /** The latest time that an event of it had. */
  lastMs: number | null = null
  private learnt: SessionEvent[] = []
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
   * before `at` are decoded. What may differ from a whole reading then: a record whose uuid stands in the part between
   * keeps its plain id instead of `~2`; inline subagents that began there get the id of the first record seen; the working
   * directory, version and branch are those of the head until a record says otherwise; an outcome is not paired with a
   * call of that part. `numbersLines` counts the line ends of the part between, which reads it once.
   */
  async begin(at: number, numbersLines: boolean): Promise<SessionEvent[]> {
    this.learnt = []
    await this.learnBefore(at, numbersLines)
    return this.learnt
  }

  private async learnBefore(at: number, numbersLines: boolean): Promise<void> {
    if (at <= headBytes + warmBytes) {
      this.learn(readLive(this.path, 0, at), at)
      return
    }
    this.seeAll(this.records.push(readLive(this.path, 0, headBytes)))
    const { dialects } = this.records.save()
    const { from, bytes } = this.lastLines(at)
    const number = numbersLines ? await this.lineAt(from) : 1
    this.records = new RecordDecoder(this.path, { place: { offset: from, number }, dialects })
    this.learn(bytes, at)
  }

  private learn(bytes: Uint8Array, end: number): void {
    this.seeAll(this.records.push(bytes))
    this.tail = new FileTail(this.path, end, bytes)
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
      await new Promise(resolve => setImmediate(resolve))
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
    const events: SessionEvent[] = []
    if (found.bytes.length === 0) return { events, isLast: true }
    for (const record of this.records.push(found.bytes)) {
      const event = this.events.decode(record)
      if (event === null) continue
      this.note(event)
      events.push(event)
    }
    return { events, isLast: found.isLast }
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
        await new Promise(resolve => setImmediate(resolve))
      }
      const first = events.findIndex(event => (toMillis(event.at) ?? 0) >= sinceMs)
      // An older one before it shows that this is far enough back.
      const older = first < 0 ? events : events.slice(0, first)
      if (at === 0 || older.some(event => event.at !== null)) return first < 0 ? [] : events.slice(first)
      this.restart()
    }
  }

  private seeAll(records: ReturnType<RecordDecoder['push']>): void {
    for (const record of records) {
      const event = this.events.decode(record)
      if (event === null) continue
      this.note(event)
      this.learnt.push(event)
    }
  }

  private note(event: SessionEvent): void {
    const at = toMillis(event.at)
    if (at !== null && (this.lastMs === null || at > this.lastMs)) this.lastMs = at
  }
}
