// Searches sessions for an expression, one after the other: the same in worker threads and in the main one. Where the bytes
// tell which lines may match, only those are decoded, as long as what is said about them does not hang on the others.

import { furtherTexts, shownTexts } from '../analyze/event-texts.ts'
import { type Instant, toMillis } from '../base/instant.ts'
import { isObject } from '../base/json.ts'
import { type EventDecoder, RecordDecoder } from '../decode/decode.ts'
import { ReadError } from '../disk/read.ts'
import { eventDecoder, recordBatches } from '../load/load.ts'
import { type EventKind, hasFlag, type SessionEvent } from '../model/event.ts'
import type { Finding } from '../model/finding.ts'
import type { CallId } from '../model/ids.ts'
import type { ByteSource, LogFile, SessionFiles } from '../model/source.ts'
import { isNamed } from './filters.ts'
import { ByteFilter, type Region, regionsOf, uuidsIn } from './grep-candidates.ts'
import type { Expression } from './grep-expression.ts'
import { type ContextLines, type FoundLine, LineMatcher } from './grep-lines.ts'
import { readFinding } from './verdict.ts'

/** What is looked for, as plain data. */
export interface GrepOptions {
  expression: Expression
  /** Texts of which one must occur; null where none is known. */
  texts: string[] | null
  context: ContextLines
  /** Only these kinds of events; empty means all. */
  kinds: EventKind[]
  /** Only input and output of this tool. */
  tool?: string
  /** Milliseconds since 1970. */
  since?: number
  until?: number
  /** So many matches of a session are enough. */
  most: number
  /** How many there are is all that is asked. */
  countsOnly: boolean
}

export interface GrepTask {
  session: SessionFiles
  /** Whether what has no time of its own counts. */
  countsTimeless: boolean
}

/** A matching line. */
export interface GrepHit extends FoundLine {
  thread: string
  event: string
  kind: EventKind
  at: Instant
}

/** What was found since the last batch. */
export interface GrepBatch {
  count: number
  /** Empty where only their number is asked for. */
  hits: GrepHit[]
  findings: Finding[]
}

/** A file with more matches is decoded whole, so that they need not be held until all is known. */
const mostHeld = 2000

export class GrepScanner {
  private readonly options: GrepOptions
  private readonly source: ByteSource
  private readonly matcher: LineMatcher
  private readonly filter: ByteFilter | undefined

  constructor(options: GrepOptions, source: ByteSource) {
    this.options = options
    this.source = source
    this.matcher = new LineMatcher(options.expression, options.context)
    if (options.texts !== null) {
      this.filter = new ByteFilter(options.texts, options.expression.flags.includes('i'))
    }
  }

  /** Matches in the order of the files, while they are read. */
  async *search(task: GrepTask): AsyncGenerator<GrepBatch> {
    const search = new SessionSearch(task, this.options, this.matcher)
    let left = this.options.most
    for (const log of task.session.logs) {
      try {
        for await (const hits of this.searchFile(log, search)) {
          const count = Math.min(left, hits.length)
          if (count > 0) yield { count, hits: this.options.countsOnly ? [] : hits.slice(0, count), findings: [] }
          left -= count
          if (left <= 0) return
        }
      } catch (error) {
        if (!(error instanceof ReadError)) throw error
        yield { count: 0, hits: [], findings: [readFinding(error)] }
      }
    }
  }

  private async *searchFile(log: LogFile, search: SessionSearch): AsyncGenerator<GrepHit[]> {
    if (this.filter !== undefined) {
      const hits = await this.searchCandidates(log, this.filter, search)
      if (hits !== null) {
        yield hits
        return
      }
    }
    const decoder = eventDecoder(log, { session: search.task.session.id })
    for await (const batch of recordBatches(this.source, log)) {
      const hits: GrepHit[] = []
      for (const record of batch) {
        const event = decoder.decode(record)
        if (event !== null) for (const hit of search.hitsOf(event)) hits.push(hit)
      }
      yield hits
    }
  }

  /** Decodes only lines that may match; null where the file has to be decoded from its beginning. */
  private async searchCandidates(log: LogFile, filter: ByteFilter, search: SessionSearch): Promise<GrepHit[] | null> {
    const decoder = eventDecoder(log, { session: search.task.session.id })
    const trial = search.trial()
    const hits: GrepHit[] = []
    const places = new Map<string, number>()
    for await (const region of regionsOf(this.source, log)) {
      for (const line of filter.candidates(region)) {
        // Which results are a tool's, only the calls before them tell.
        if (this.options.tool !== undefined) return null
        for (const event of eventsIn(line, log, decoder)) {
          const found = trial.hitsOf(event)
          if (found.length === 0) continue
          if (!isSelfContained(event, log) || hits.length + found.length > mostHeld) return null
          const uuid = event.record.value?.['uuid']
          if (typeof uuid === 'string') places.set(uuid, line.offset)
          for (const hit of found) hits.push(hit)
        }
      }
      if (hits.length >= this.options.most) break
    }
    if (await this.isCopied(log, places)) return null
    search.take(trial)
    return hits
  }

  /** Whether one of the uuids stands on a line before its own: then the event's id says so. */
  private async isCopied(log: LogFile, places: ReadonlyMap<string, number>): Promise<boolean> {
    if (places.size === 0) return false
    const last = Math.max(...places.values())
    for await (const region of regionsOf(this.source, log, last)) {
      for (const [uuid, at] of uuidsIn(region)) {
        const place = places.get(uuid)
        if (place !== undefined && at < place) return true
      }
    }
    return false
  }
}

/** The events of one line, with the places they have in the file. */
function eventsIn(line: Region, log: LogFile, decoder: EventDecoder): SessionEvent[] {
  const records = new RecordDecoder(log.path)
  return [...records.push(line.bytes), ...records.end()].flatMap(
    record => decoder.decode({ ...record, offset: record.offset + line.offset }) ?? [],
  )
}

/** Whether kind, thread and id are the same whatever stands before it in the file. */
function isSelfContained(event: SessionEvent, log: LogFile): boolean {
  const { value, type } = event.record
  if (value === undefined || event.dialect !== 'client' || hasFlag(event, 'copy')) return false
  const { message, uuid } = value
  if (typeof uuid === 'string' && !/^[\w-]*$/.test(uuid)) return false
  if (isObject(message) ? typeof message['role'] !== 'string' : type === 'user' || type === 'assistant') return false
  return log.role === 'agent' || value['isSidechain'] !== true || typeof value['agentId'] === 'string'
}

/** Lines that the client writes again and again, each time with the same text. */
const repeated: ReadonlySet<EventKind> = new Set<EventKind>(['title', 'state', 'progress', 'queue'])
const mostRemembered = 20_000

/** What of one session matches, as far as it was seen. */
class SessionSearch {
  readonly task: GrepTask
  private readonly options: GrepOptions
  private readonly matcher: LineMatcher
  private calls = new Set<CallId>()
  private told = new Set<string>()

  constructor(task: GrepTask, options: GrepOptions, matcher: LineMatcher) {
    this.task = task
    this.options = options
    this.matcher = matcher
  }

  /** The same, to be taken over or thrown away. */
  trial(): SessionSearch {
    const trial = new SessionSearch(this.task, this.options, this.matcher)
    trial.calls = new Set(this.calls)
    trial.told = new Set(this.told)
    return trial
  }

  take(trial: SessionSearch): void {
    this.calls = trial.calls
    this.told = trial.told
  }

  hitsOf(event: SessionEvent): GrepHit[] {
    if (this.options.tool !== undefined) this.noteCalls(event, this.options.tool)
    if (!this.isAskedFor(event)) return []
    const lines = this.linesOf(event)
    if (lines.length === 0) return []
    const { thread, id, kind, at } = event
    const fresh = repeated.has(kind) ? lines.filter(line => this.isNew(kind, line)) : lines
    return fresh.map(line => ({ thread, event: id, kind, at, ...line }))
  }

  private isAskedFor({ kind, at }: SessionEvent): boolean {
    const { kinds, since, until } = this.options
    if (kinds.length > 0 && !kinds.includes(kind)) return false
    if (since === undefined && until === undefined) return true
    const time = toMillis(at)
    if (time === null) return this.task.countsTimeless
    return (since === undefined || time >= since) && (until === undefined || time < until)
  }

  /** What repeats the output in another form counts only where the output itself does not match. */
  private linesOf(event: SessionEvent): FoundLine[] {
    const { tool } = this.options
    const found: FoundLine[] = []
    for (const { text, callId } of shownTexts(event)) {
      if (tool !== undefined && (callId === undefined || !this.calls.has(callId))) continue
      for (const line of this.matcher.find(text)) found.push(line)
    }
    if (found.length > 0 || (tool !== undefined && !this.isResultOfCall(event))) return found
    for (const text of furtherTexts(event)) for (const line of this.matcher.find(text)) found.push(line)
    return found
  }

  private isResultOfCall(event: SessionEvent): boolean {
    return event.blocks.some(block => block.type === 'tool-result' && this.calls.has(block.callId))
  }

  private noteCalls(event: SessionEvent, tool: string): void {
    for (const block of event.blocks) {
      if (block.type === 'tool-call' && isNamed(block.name, tool)) this.calls.add(block.callId)
    }
  }

  private isNew(kind: EventKind, line: FoundLine): boolean {
    const key = `${kind} ${line.snippet}`
    if (this.told.has(key)) return false
    if (this.told.size < mostRemembered) this.told.add(key)
    return true
  }
}
