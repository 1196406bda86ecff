// Source → session: decode and graph over a source of bytes; a log that grows in memory, of which only new bytes are
// decoded; and single records from the middle of a log. It knows nothing of folders or terminals.

import type { Instant } from '../base/instant.ts'
import { EventDecoder, type EventOptions, type EventState, eventOptions, RecordDecoder } from '../decode/decode.ts'
import { eventLike } from '../decode/embedded.ts'
import { restampedIn, withOriginTime } from '../graph/build/fork-times.ts'
import { buildGraph } from '../graph/graph.ts'
import { CopyMarker } from '../graph/lineage/own-part.ts'
import { detailFields } from '../model/detail.ts'
import { type EventLine, privateTypes, type SessionEvent } from '../model/event.ts'
import type { SessionId } from '../model/ids.ts'
import type { LogRecord, RecordLine } from '../model/record.ts'
import { recordFacts } from '../model/record-facts.ts'
import type { CopiedPart, GraphFile, SessionGraph } from '../model/session.ts'
import type { ChunkSource, LogFile, SessionFiles } from '../model/source.ts'
import type { CopiedFrom } from '../model/stated.ts'

/** All records of a file, in order, while it is read. */
export async function* readRecords(source: ChunkSource, file: LogFile): AsyncGenerator<LogRecord> {
  for await (const batch of recordBatches(source, file)) yield* batch
}

/** All events of a file, in order, while it is read. `session`: the session that the file belongs to. */
export async function* readEvents(
  source: ChunkSource,
  file: LogFile,
  options: EventOptions = {},
): AsyncGenerator<SessionEvent> {
  const decoder = eventDecoder(file, options)
  for await (const batch of recordBatches(source, file)) {
    for (const record of batch) {
      yield* decoder.decode(record)
    }
  }
}

/** The records of one chunk at a time: what streaming a large file costs least. */
export async function* recordBatches(source: ChunkSource, file: LogFile): AsyncGenerator<LogRecord[]> {
  const decoder = new RecordDecoder(file.path)
  for await (const chunk of source.read(file.generation, 0, Number.POSITIVE_INFINITY)) {
    const records = decoder.push(chunk)
    if (records.length > 0) yield records
  }
  const rest = decoder.end()
  if (rest.length > 0) yield rest
}

/** A decoder that knows what the file's name and place say about its session and agent. */
export function eventDecoder(
  file: Pick<LogFile, 'role' | 'nameSession' | 'nameAgent'>,
  options: EventOptions = {},
  state?: EventState,
): EventDecoder {
  return new EventDecoder(eventOptions(file, options), state)
}

/** Sees each record of a session while it is loaded, with the events that were made of it. Loading waits for a promise. */
export type RecordVisitor = (file: LogFile, record: LogRecord, events: readonly SessionEvent[]) => unknown

/** How a session is loaded. */
export interface LoadOptions extends Pick<EventOptions, 'data'> {
  /** The files of the session that a fork comes from, for the one time that the fork lost. */
  findOrigin?: ((session: string) => Promise<SessionFiles | null>) | undefined
  /** What the session has from another one, as comparing them showed: its events are marked. */
  copied?: CopiedPart | undefined
  /** Whether the session is being written, by the time of its last record: only then may a call still run. */
  isLive?: (endedAt: Instant) => boolean
}

/** Reads all files of a session and builds its graph. A read error is thrown by the source and passes through. */
export async function loadSession(
  source: ChunkSource,
  files: SessionFiles,
  options: LoadOptions = {},
  visit: RecordVisitor = () => {},
): Promise<SessionGraph> {
  const { data, findOrigin, copied } = options
  const marker = new CopyMarker(files.id, copied)
  const graphFiles: GraphFile[] = []
  for (const file of files.logs) {
    const events: SessionEvent[] = []
    const decoder = eventDecoder(file, { ...(data === undefined ? {} : { data }), session: files.id })
    for await (const batch of recordBatches(source, file)) {
      for (const record of batch) {
        const found = decoder.decode(record)
        for (const event of found) marker.mark(event)
        const visited = visit(file, record, found)
        if (visited instanceof Promise) await visited
        for (const event of found) events.push(event)
      }
    }
    graphFiles.push(graphFile(file, events))
  }
  const isLive = options.isLive?.(latestTime(graphFiles)) ?? false
  const restamped = findOrigin === undefined ? undefined : restampedIn(graphFiles)
  if (restamped === undefined) return buildGraph(files.id, graphFiles, files.side, isLive)
  const at = await originTime(source, restamped.origin, findOrigin)
  return buildGraph(files.id, withOriginTime(graphFiles, restamped, at), files.side, isLive)
}

function latestTime(files: readonly GraphFile[]): Instant {
  let latest: Instant = null
  for (const { events } of files) {
    for (const { at } of events) if (at !== null && (latest === null || at > latest)) latest = at
  }
  return latest
}

/** The time that a copied record has in the session it comes from; null where that is not known or cannot be read. */
export async function originTime(
  source: ChunkSource,
  { session, uuid }: CopiedFrom,
  findOrigin: LoadOptions['findOrigin'],
): Promise<Instant> {
  if (uuid === undefined) return null
  try {
    const origin = await findOrigin?.(session)
    for (const log of origin?.logs ?? []) {
      if (log.role !== 'session') continue
      for await (const { stated, at } of readEvents(source, log)) if (stated.uuid === uuid) return at
    }
  } catch {
    // The fork itself can be shown without it.
  }
  return null
}

/** A log's events with what its name and place say. */
export function graphFile(file: LogFile, events: readonly SessionEvent[]): GraphFile {
  const found: GraphFile = { path: file.path, role: file.role, events }
  if (file.nameAgent !== undefined) found.agent = file.nameAgent
  if (file.meta !== undefined) found.meta = file.meta
  return found
}

/** The part of a record that is printed. */
export function toRecordLine(record: LogRecord, { values = false } = {}): RecordLine {
  const { value, marks: _marks, stump: _stump, content: _content, ...line } = record
  const isShown = values && value !== undefined && !privateTypes.has(record.type ?? '')
  return isShown ? { ...line, value } : line
}

/** The part of an event that is printed. */
export function toEventLine(event: SessionEvent): EventLine {
  const { record: _record, stated: _stated, misfits, detail, ...line } = event
  const facts = recordFacts(event)
  const isPlain = misfits === undefined && Object.keys(facts).length === 0
  if (isPlain && detail === undefined) return line
  return { ...line, detail: { ...facts, ...detailFields(event) } }
}

/** Where reading continues in a log whose beginning is known from elsewhere. */
export interface GrowingStart {
  /** First byte of a line, and the line's number. */
  offset: number
  line: number
  /** Whole lines right before it, from which a decoder of events learns what it needs to know. */
  before: Uint8Array
}

/** Make one per file and push all of its bytes, in order and in chunks of any size. */
export class GrowingLog {
  private readonly file: LogFile
  private readonly session: SessionId
  private readonly records: RecordDecoder
  private readonly decoder: EventDecoder
  private readonly done: SessionEvent[] = []
  /** The bytes of a last line or object that has not ended yet. */
  private unfinished: Uint8Array[] = []
  private size = 0

  /** `start`: of a log of the client's; others are to be read from their beginning. */
  constructor(file: LogFile, session: SessionId, start?: GrowingStart) {
    this.file = file
    this.session = session
    this.decoder = eventDecoder(file, { session })
    if (start === undefined) {
      this.records = new RecordDecoder(file.path)
      return
    }
    const learning = new RecordDecoder(file.path)
    for (const record of learning.push(start.before)) this.decoder.decode(record)
    const place = { offset: start.offset, number: start.line }
    this.records = new RecordDecoder(file.path, { place, dialects: { client: 1, s0: 0, s3: 0 } })
    this.size = start.offset
  }

  /** Up to where the file is known. */
  get bytes(): number {
    return this.size
  }

  /** The caller does not change chunks afterwards. */
  push(chunk: Uint8Array): void {
    this.size += chunk.length
    for (const record of this.records.push(chunk)) add(this.done, this.decoder, record)
    this.unfinished.push(chunk)
    let left =
      this.unfinished.reduce((sum, { length }) => sum + length, 0) - (this.size - this.records.save().place.offset)
    while (left > 0) {
      const [first] = this.unfinished as [Uint8Array]
      if (left < first.length) this.unfinished[0] = first.slice(left)
      else this.unfinished.shift()
      left -= first.length
    }
  }

  /** All events so far, as reading the whole file at this length gives them. */
  events(): readonly SessionEvent[] {
    if (this.unfinished.length === 0) return this.done
    // What the line will be is not known: it is decoded aside, and again when there is more of it.
    const events = [...this.done]
    const records = new RecordDecoder(this.file.path, this.records.save())
    const decoder = eventDecoder(this.file, { session: this.session }, this.decoder.save())
    for (const chunk of this.unfinished) for (const record of records.push(chunk)) add(events, decoder, record)
    for (const record of records.end()) add(events, decoder, record)
    return events
  }
}

function add(events: SessionEvent[], decoder: EventDecoder, record: LogRecord): void {
  for (const event of decoder.decode(record)) events.push(event)
}

/** Where a record is, as its event says, and which of its events is meant. */
export interface Piece {
  source: Pick<SessionEvent['source'], 'offset' | 'bytes' | 'line'>
  flags: SessionEvent['flags']
}

/** Weak lines are read as the client's: logs of other dialects are to be read whole. */
const dialects = { client: 1, s0: 0, s3: 0 }

/** `bytes`: those of the record, and no others. `data`: keep base64 data of media. Null where they are not a record. */
export function decodePiece(
  file: LogFile,
  session: SessionId,
  piece: Piece,
  bytes: Uint8Array,
  options: { data?: boolean } = {},
): SessionEvent | null {
  const records = new RecordDecoder(file.path, {
    place: { offset: piece.source.offset, number: piece.source.line },
    dialects,
  })
  const decoder = eventDecoder(file, { session, ...options })
  const [record] = [...records.push(bytes), ...records.end()]
  return record === undefined ? null : (eventLike(piece, decoder.decode(record)) ?? null)
}
