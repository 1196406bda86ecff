// Searches all files of one session for an expression: logs, spilled output, earlier generations. Each file is read in pieces,
// and only lines that pass the prefilter are decoded. A log is read again where what is reported about a line depends on the
// lines before it.

import { bytesToText } from '../base/bytes.ts'
import { RecordDecoder } from '../decode/decode.ts'
import { isSelfContained } from '../decode/events.ts'
import { ReadError, rangeReader } from '../disk/read/read.ts'
import { hasFlag, type SessionEvent } from '../model/event.ts'
import type { CallId, SessionId } from '../model/ids.ts'
import type { LogRecord } from '../model/record.ts'
import type { ByteSource, LogFile, SideFile } from '../model/source.ts'
import { eventDecoder } from '../session/load.ts'
import { isText, storedNames } from '../session/stored-texts.ts'
import {
  EventSearch,
  type GrepBatch,
  type GrepHit,
  type GrepOptions,
  isRepeatedKind,
  type OversizedLine,
  RepeatFilter,
  type SkippedLine,
} from './hits.ts'
import { type FoundLine, LineMatcher } from './lines.ts'
import { type LinePiece, linePieces } from './pieces.ts'
import { hasHiddenText, Prefilter, prefilterOf, prefilterOfText } from './prefilter.ts'

/** One session to search, as plain data. */
export interface SessionSearch {
  session: SessionId
  logs: LogFile[]
  /** Output that was spilled into files. */
  spills: SideFile[]
  /** Earlier contents of the logs. */
  earlier: EarlierLog[]
  /** Whether events without a time count. */
  countsTimeless: boolean
}

/** An earlier content of a log. */
export interface EarlierLog {
  log: LogFile
  generation: number
}

/** All files that a search reads. */
export function filesOf({ logs, spills, earlier }: SessionSearch): (LogFile | SideFile)[] {
  return [...logs, ...spills, ...earlier.map(({ log }) => log)]
}

const batchHits = 500
/** Characters of a batch: whole lines may be long. */
const batchLength = 4_000_000

/** Options with what is made of them once for many sessions. */
export interface CompiledOptions extends GrepOptions {
  matcher: LineMatcher
  /** Null where every line has to be decoded. */
  prefilter: Prefilter | null
}

export function compileOptions(options: GrepOptions): CompiledOptions {
  const prefilter = options.isInverted === true ? null : prefilterOf(options.expression)
  return {
    ...options,
    matcher: new LineMatcher(options.expression, options),
    prefilter: prefilter === null ? null : new Prefilter(prefilter),
  }
}

/**
 * Hits in the order of the files, while they are read. No batch where there is nothing to report; null now and then, where
 * the search may be left for a moment. `isSlow`: each line has a time limit.
 */
export function* searchSession(
  search: SessionSearch,
  options: CompiledOptions,
  source: ByteSource,
  isSlow = false,
): Generator<GrepBatch | null> {
  const { logs, spills, earlier } = search
  const hasCopies = spills.length + earlier.length > 0
  const repeats = new RepeatFilter(hasCopies)
  const searcher = new FileSearcher(search, options, source, { hasCopies, isSlow })
  if (options.tool !== undefined && !searcher.mayMatch(filesOf(search))) {
    const oversized = searcher.takeOversized()
    if (oversized.length > 0) yield { ...emptyBatch(), oversized, isLast: true }
    return
  }
  const files = [
    ...logs.map(log => () => searcher.log(log)),
    ...spills.map(side => () => searcher.spill(side, logs)),
    ...earlier.map(
      ({ log, generation }) =>
        () =>
          searcher.log(log, generation),
    ),
  ]
  let left = options.most
  let isEmpty = true
  let batch: GrepBatch = emptyBatch()
  let length = 0
  for (const file of files) {
    try {
      for (const found of file()) {
        if (found === null) {
          yield null
          continue
        }
        const hits = found.hits.filter(hit => left > 0 && repeats.isNew(hit) && left-- > 0)
        left -= found.count
        batch.count += found.count
        if (options.countsOnly) batch.count += hits.length
        else for (const hit of hits) batch.hits.push(hit)
        for (const { snippet } of hits) length += snippet.length
        batch.skipped.push(...searcher.takeSkipped())
        if (left <= 0) break
        if (batch.hits.length < batchHits && length < batchLength && batch.skipped.length === 0) continue
        yield batch
        isEmpty = false
        batch = emptyBatch()
        length = 0
      }
    } catch (error) {
      if (!(error instanceof ReadError)) throw error
      const { path, offset, code } = error
      batch.problems.push({ path, offset, code })
    }
    if (left <= 0) break
  }
  batch.skipped.push(...searcher.takeSkipped())
  batch.oversized.push(...searcher.takeOversized())
  const { hits, count, problems, skipped, oversized } = batch
  if (isEmpty && hits.length + count + problems.length + skipped.length + oversized.length === 0) return
  yield { ...batch, isLast: true }
}

function emptyBatch(): GrepBatch {
  return { hits: [], count: 0, skipped: [], problems: [], oversized: [], isLast: false }
}

/** Hits whose repeats are still to be dropped, and how many others there are. */
interface Found {
  hits: GrepHit[]
  count: number
}

class FileSearcher {
  private readonly session: SessionId
  private readonly logs: readonly LogFile[]
  private readonly agentLines = new Map<string, ReadonlySet<string>>()
  private readonly source: ByteSource
  private readonly events: EventSearch
  private readonly options: CompiledOptions
  /** Whether hits are counted without being remembered. */
  private readonly countsOnly: boolean
  /** By file and offset: a file may be read twice. */
  private oversized = new Map<string, OversizedLine>()

  constructor(
    search: SessionSearch,
    options: CompiledOptions,
    source: ByteSource,
    { hasCopies, isSlow }: { hasCopies: boolean; isSlow: boolean },
  ) {
    this.session = search.session
    this.logs = search.logs
    this.source = source
    // A prefilter has no time limit: all lines are decoded.
    this.options = isSlow ? { ...options, prefilter: null } : options
    this.countsOnly = options.countsOnly && !hasCopies
    this.events = new EventSearch(options, options.matcher, search.countsTimeless, isSlow)
  }

  /** Lines on which the expression took too long, since the last call. */
  takeSkipped(): SkippedLine[] {
    return this.events.skipped.splice(0)
  }

  /** Lines that were too long to be searched, since the last call. */
  takeOversized(): OversizedLine[] {
    const lines = [...this.oversized.values()]
    this.oversized = new Map()
    return lines
  }

  private noteOversized(path: string, offset: number): void {
    this.oversized.set(`${offset} ${path}`, { path, offset })
  }

  private pieces({ path, generation }: Pick<LogFile, 'path' | 'generation'>): Generator<LinePiece> {
    return linePieces(this.source, generation, { onOversized: offset => this.noteOversized(path, offset) })
  }

  /** Whether any file has a line that passes the prefilter. A file that cannot be read may: the search reports it. */
  mayMatch(files: readonly (LogFile | SideFile)[]): boolean {
    const { prefilter } = this.options
    if (prefilter === null) return true
    try {
      for (const file of files) {
        for (const { bytes } of this.pieces(file)) if (prefilter.mayMatch(bytes)) return true
      }
      return false
    } catch (error) {
      if (error instanceof ReadError) return true
      throw error
    }
  }

  *log(log: LogFile, generation?: number): Generator<Found | null> {
    for (const found of this.logHits(log)) {
      yield generation === undefined || found === null
        ? found
        : { ...found, hits: found.hits.map(hit => ({ ...hit, generation })) }
    }
  }

  private *logHits(log: LogFile): Generator<Found | null> {
    const { prefilter, tool } = this.options
    const uuids = new UuidOffsets(this.source, log)
    let from: number | null = 0
    try {
      // The results of a tool are known only by the calls before them: all lines are decoded.
      if (prefilter !== null && tool === undefined) from = yield* this.candidateHits(log, prefilter, uuids)
    } finally {
      uuids.close()
    }
    if (from === null) return
    const decoder = eventDecoder(log, { session: this.session })
    for (const records of recordsOf(log, this.source)) {
      let found: Found = { hits: [], count: 0 }
      for (const record of records) {
        if (record.status === 'oversized') this.noteOversized(log.path, record.offset)
        for (const event of decoder.decode(record)) if (record.offset >= from) this.add(event, found)
        // Slow lines are reported at once: each took its time.
        if (this.events.skipped.length === 0) continue
        yield found
        found = { hits: [], count: 0 }
      }
      yield found
    }
  }

  /**
   * Decodes only lines that pass the prefilter. Returns null at the end of the file, or the offset from which on the file has
   * to be decoded from its beginning: an event there is known only by what comes before it.
   */
  private *candidateHits(
    log: LogFile,
    prefilter: Prefilter,
    uuids: UuidOffsets,
  ): Generator<Found | null, number | null> {
    const decoder = eventDecoder(log, { session: this.session })
    const enough = Math.min(batchHits, this.options.most)
    let reported = 0
    let held: Found = { hits: [], count: 0 }
    let named: NamedLine[] = []
    for (const piece of this.pieces(log)) {
      for (const record of candidateRecords(piece, prefilter, log.path)) {
        if (record.status === 'oversized') this.noteOversized(log.path, record.offset)
        for (const event of decoder.decode(record)) {
          if (!this.add(event, held)) continue
          // What was added to `held` from `reported` on is dropped, and found again.
          if (!isSelfContained(event, log.role)) return reported
          const uuid = event.stated.uuid
          if (uuid !== undefined && !this.options.countsOnly) named.push({ uuid, offset: event.source.offset })
        }
      }
      yield null
      if (held.hits.length + held.count < enough) continue
      if (!uuids.areFirst(named)) return reported
      yield held
      held = { hits: [], count: 0 }
      named = []
      reported = piece.offset + piece.bytes.length
    }
    if (!uuids.areFirst(named)) return reported
    yield held
    return null
  }

  /** Adds what matches in an event; false where nothing does. */
  private add(event: SessionEvent, found: Found): boolean {
    const isTwice = hasFlag(event, 'embedded') && this.uuidsOf(event.thread).has(event.id)
    return !isTwice && this.addOnce(event, found)
  }

  /** Uuids in the log of a subagent, whose lines other logs may carry too; none where it has no log. */
  private uuidsOf(agent: string): ReadonlySet<string> {
    const known = this.agentLines.get(agent)
    if (known !== undefined) return known
    const uuids = new Set<string>()
    for (const log of this.logs) {
      if (log.nameAgent !== agent) continue
      for (const { bytes } of linePieces(this.source, log.generation)) {
        for (const match of bytes.toString('latin1').matchAll(uuidForm)) uuids.add(match[1] as string)
      }
    }
    this.agentLines.set(agent, uuids)
    return uuids
  }

  private addOnce(event: SessionEvent, found: Found): boolean {
    if (this.countsOnly && !isRepeatedKind(event.kind)) {
      const count = this.events.countOf(event)
      found.count += count
      return count > 0
    }
    const hits = this.events.hitsOf(event)
    for (const hit of hits) found.hits.push(hit)
    return hits.length > 0
  }

  /** Output that was spilled into a file, reported as part of the result that names the file. */
  *spill(side: SideFile, logs: readonly LogFile[]): Generator<Found | null> {
    if (!this.events.isWanted('result') || !this.isText(side) || !this.mayMatch([side])) return
    const lines = this.spilledLines(side)
    yield null
    if (lines.length === 0) return
    const { thread, event, at, callId } = this.ownerOf(side, logs)
    if (!this.events.isInScope({ at }) || !this.events.isCallInScope(callId)) return
    const result = { thread, event, kind: 'tool-results', label: 'result', at, isSpilled: true } as const
    yield { count: 0, hits: lines.map(line => ({ ...result, ...line })) }
  }

  /** As the index decides it. */
  private isText({ generation }: SideFile): boolean {
    return isText(this.source.readSync(generation, 0, 64 * 1024))
  }

  private spilledLines(side: SideFile): FoundLine[] {
    const name = side.path.split(/[\\/]/).at(-1) ?? ''
    // The context lines of a larger file end with its piece.
    if (side.size <= largestWhole) {
      return this.events.linesOf(bytesToText(this.source.readSync(side.generation, 0, largestWhole)), name)
    }
    const found: FoundLine[] = []
    let lines = 0
    for (const { bytes } of this.pieces(side)) {
      const text = bytesToText(bytes)
      for (const line of this.events.linesOf(text, name)) found.push({ ...line, line: line.line + lines })
      lines += text.split('\n').length - 1
    }
    return found
  }

  /** The result that names the file. */
  private ownerOf({ path }: SideFile, logs: readonly LogFile[]): Owner {
    const name = path.split(/[\\/]/).at(-1) ?? ''
    const prefilter = prefilterOfText(name)
    for (const log of logs) {
      const decoder = eventDecoder(log, { session: this.session })
      for (const piece of linePieces(this.source, log.generation)) {
        for (const record of candidateRecords(piece, prefilter, log.path)) {
          const event = decoder.decode(record).findLast(one => storedNames(one).includes(name))
          if (event === undefined) continue
          const callId = event.blocks.find(block => block.type === 'tool-result')?.callId
          return { thread: event.thread, event: event.id, at: event.at, ...(callId !== undefined && { callId }) }
        }
      }
    }
    return { thread: this.session, event: '', at: null }
  }
}

const largestWhole = 16 * 1024 * 1024
const chunkBytes = 256 * 1024

/** All records of a file, chunk by chunk. */
function* recordsOf({ path, generation }: LogFile, source: ByteSource): Generator<LogRecord[]> {
  const decoder = new RecordDecoder(path)
  const reader = rangeReader(source, generation)
  try {
    for (let at = 0; ; ) {
      const chunk = Buffer.allocUnsafe(chunkBytes)
      const read = reader.read(chunk, at)
      yield decoder.push(chunk.subarray(0, read))
      at += read
      if (read < chunkBytes) break
    }
  } finally {
    reader.close()
  }
  yield decoder.end()
}

interface Owner {
  thread: string
  /** Empty where no record names the file. */
  event: string
  at: SessionEvent['at']
  callId?: CallId
}

/** Records with their offsets in the file. */
function* candidateRecords(piece: LinePiece, prefilter: Prefilter, path: string): Generator<LogRecord> {
  for (const { bytes, offset } of prefilter.candidates(piece)) {
    const decoder = new RecordDecoder(path)
    for (const records of [decoder.push(bytes), decoder.end()]) {
      for (const record of records) yield { ...record, offset: record.offset + offset }
    }
  }
}

const uuidForm = /"uuid"[ \t:]*"([^"]*)"/g

interface NamedLine {
  uuid: string
  offset: number
}

/** Where each uuid occurs first in a file. A second record with the same uuid has an id of its own. */
class UuidOffsets {
  private readonly pieces: Generator<LinePiece>
  private readonly first = new Map<string, number>()
  private readTo = 0
  private isUncertain = false

  constructor(source: ByteSource, log: LogFile) {
    this.pieces = linePieces(source, log.generation)
  }

  /** Whether none of the uuids is on a line before its own. */
  areFirst(lines: readonly NamedLine[]): boolean {
    const last = lines.at(-1)?.offset ?? 0
    while (this.readTo < last && !this.isUncertain) this.read(last)
    return !this.isUncertain && lines.every(({ uuid, offset }) => (this.first.get(uuid) ?? offset) >= offset)
  }

  close(): void {
    this.pieces.return(undefined)
  }

  private read(to: number): void {
    const { value: piece, done } = this.pieces.next()
    if (done === true) {
      this.readTo = to
      return
    }
    this.isUncertain = hasHiddenText(piece.bytes)
    for (const match of piece.bytes.toString('latin1').matchAll(uuidForm)) {
      const uuid = match[1] as string
      if (!this.first.has(uuid)) this.first.set(uuid, piece.offset + match.index)
    }
    this.readTo = piece.offset + piece.bytes.length
  }
}
