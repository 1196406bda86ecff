// Searches pieces of sessions for an expression, one after the other: the same in worker threads and in the main one. Only
// what may match is decoded, as long as what is said about it does not hang on the rest of its file.

import { type EventDecoder, RecordDecoder } from '../decode/decode.ts'
import { ReadError } from '../disk/read.ts'
import { eventDecoder, recordBatches } from '../load/load.ts'
import type { SessionEvent } from '../model/event.ts'
import type { Finding } from '../model/finding.ts'
import type { LogRecord } from '../model/record.ts'
import type { ByteSource } from '../model/source.ts'
import {
  ByteFilter,
  isOddlySpelled,
  type Looking,
  linesAt,
  plainPlace,
  type Region,
  regionsOf,
  uuidsIn,
} from './grep-candidates.ts'
import { EventSearch, type GrepHit, type GrepOptions, isSelfContained } from './grep-events.ts'
import { LineMatcher } from './grep-lines.ts'
import { type GrepPiece, type LogPart, type Part, rangeOf } from './grep-piece.ts'
import { searchSide } from './grep-side.ts'
import { TextFilter } from './grep-texts.ts'
import { isJudged, isRepeated, Told } from './grep-told.ts'
import { readFinding } from './verdict.ts'

/** What was found since the last batch. */
export interface GrepBatch {
  /** Matches that count whatever else is found, where only their number is asked for. */
  count: number
  hits: GrepHit[]
  findings: Finding[]
}

/** So many matches are handed over at once. */
const mostHeld = 2000

/** Matches, or how many there are where that is all that is asked. */
interface Found {
  hits: GrepHit[]
  count: number
  /** What begins here or later is still to be searched. */
  resume?: number
}

function nothing(): Found {
  return { hits: [], count: 0 }
}

export class GrepScanner {
  private readonly options: GrepOptions
  private readonly source: ByteSource
  private readonly matcher: LineMatcher
  readonly filter: ByteFilter | TextFilter

  constructor(options: GrepOptions, source: ByteSource, looking: Looking = {}) {
    this.options = options
    this.source = source
    this.matcher = new LineMatcher(options.expression, options.context)
    const { texts, expression } = options
    this.filter =
      texts === null
        ? new TextFilter(expression, this.matcher, looking)
        : new ByteFilter(texts, expression.flags.includes('i'), looking)
  }

  /** Matches in the order of the parts, while they are read. */
  async *search(piece: GrepPiece): AsyncGenerator<GrepBatch> {
    const search = new EventSearch(this.options, this.matcher, piece.countsTimeless)
    const told = new Told(piece.hasCopies)
    let left = this.options.most
    for (const part of piece.parts) {
      try {
        for await (const { hits, count } of this.searchPart(part, piece, search)) {
          left -= count
          // Those that may be dropped in the end do not count.
          const fresh = hits.filter(hit => left > 0 && told.isNew(hit) && (isJudged(hit) || left-- > 0))
          if (fresh.length + count > 0) yield { count, hits: fresh, findings: [] }
          if (left <= 0) return
        }
      } catch (error) {
        if (!(error instanceof ReadError)) throw error
        yield { count: 0, hits: [], findings: [readFinding(error)] }
      }
    }
  }

  private async *searchPart(part: Part, piece: GrepPiece, search: EventSearch): AsyncGenerator<Found> {
    if ('side' in part) {
      const { source, matcher } = this
      const { place } = this.filter
      yield { hits: searchSide(part, { source, matcher, place, search, session: piece.session }), count: 0 }
      return
    }
    const { generation } = part
    for await (const { hits, count } of this.searchLog(part, piece, search)) {
      yield { count, hits: generation === undefined ? hits : hits.map(hit => ({ ...hit, generation })) }
    }
  }

  private async *searchLog(part: LogPart, piece: GrepPiece, search: EventSearch): AsyncGenerator<Found> {
    // Which results are a tool's, only the calls before them tell.
    let resume = this.options.tool === undefined ? undefined : part.from
    if (resume === undefined) {
      for (const found of this.searchApart(part, piece, search)) {
        if (found.resume !== undefined) resume = found.resume
        yield found
      }
    }
    if (resume === undefined) return
    const decoder = eventDecoder(part.log, { session: piece.session })
    for await (const events of this.wholeEvents(part, decoder)) {
      const found = nothing()
      for (const event of events) if (event.source.offset >= resume) this.add(event, found, piece, search)
      yield found
    }
  }

  /** Adds what of an event matches, as far as it is asked for; false where that is nothing. */
  private add(event: SessionEvent, found: Found, piece: GrepPiece, search: EventSearch): boolean {
    if (this.options.countsOnly && !piece.hasCopies && !isRepeated(event.kind)) {
      const count = search.countOf(event)
      found.count += count
      return count > 0
    }
    const hits = search.hitsOf(event)
    for (const hit of hits) found.hits.push(hit)
    return hits.length > 0
  }

  /** Decodes from the file's beginning on, for what depends on that, and gives the events of the part. */
  private async *wholeEvents({ log, from, to }: LogPart, decoder: EventDecoder): AsyncGenerator<SessionEvent[]> {
    let line = 0
    let start = 0
    for await (const batch of recordBatches(this.source, log)) {
      const events: SessionEvent[] = []
      for (const record of batch) {
        // Several records may stand on one line: it is in the part where it begins.
        if (record.line !== line) start = record.offset
        line = record.line
        const event = start < to ? decoder.decode(record) : null
        if (event !== null && start >= from) events.push(event)
      }
      yield events
      if (start >= to) return
    }
  }

  /**
   * Decodes only lines that may match. Ends with `resume` where it meets something that is only known when the file is
   * decoded from its beginning: what stands from there on was not given.
   */
  private *searchApart(part: LogPart, piece: GrepPiece, search: EventSearch): Generator<Found> {
    const decoder = eventDecoder(part.log, { session: piece.session })
    const places = new UuidPlaces(this.source, part)
    const enough = Math.min(mostHeld, this.options.most)
    let from = part.from
    let held = nothing()
    let named: NamedLine[] = []
    for (const region of this.regionsIn(part)) {
      for (const event of this.eventsIn(region, part, decoder)) {
        const found = nothing()
        if (!this.add(event, found, piece, search)) continue
        const { offset } = event.source
        if (!isSelfContained(event, part.log)) {
          return yield places.areFirst(named) ? { ...held, resume: offset } : { ...nothing(), resume: from }
        }
        const uuid = event.record.value?.['uuid']
        // Nobody asks for the names of what is only counted.
        if (typeof uuid === 'string' && !this.options.countsOnly) named.push({ uuid, offset })
        held.count += found.count
        for (const hit of found.hits) held.hits.push(hit)
      }
      if (held.count + held.hits.length < enough) continue
      if (!places.areFirst(named)) return yield { ...nothing(), resume: from }
      yield held
      held = nothing()
      named = []
      from = region.offset + region.bytes.length
    }
    yield places.areFirst(named) ? held : { ...nothing(), resume: from }
  }

  private regionsIn(part: LogPart): Iterable<Region> {
    const { place } = this.filter
    if (part.lines === undefined) return regionsOf(this.source, rangeOf(part), place)
    return linesAt(this.source, part.log.generation, part.lines, place)
  }

  /** The events of lines that may match, with the places they have in the file. */
  private *eventsIn(region: Region, { log }: LogPart, decoder: EventDecoder): Generator<SessionEvent> {
    for (const line of this.filter.candidates(region)) {
      for (const record of recordsIn(line.bytes, log.path)) {
        const event = decoder.decode(moved(record, line.offset))
        if (event !== null) yield event
      }
    }
  }
}

function* recordsIn(bytes: Uint8Array, path: string): Generator<LogRecord> {
  const decoder = new RecordDecoder(path)
  yield* decoder.push(bytes)
  yield* decoder.end()
}

function moved(record: LogRecord, by: number): LogRecord {
  return by === 0 ? record : { ...record, offset: record.offset + by }
}

interface NamedLine {
  uuid: string
  offset: number
}

/** Where each uuid stands first in a file, as far as that was asked for. */
class UuidPlaces {
  private readonly source: ByteSource
  private readonly part: LogPart
  private readonly first = new Map<string, number>()
  private readTo = 0
  private isUnsure = false

  constructor(source: ByteSource, part: LogPart) {
    this.source = source
    this.part = part
  }

  /** Whether none of the uuids stands on a line before its own: else the event's id says so. */
  areFirst(lines: readonly NamedLine[]): boolean {
    const last = lines.reduce((most, line) => Math.max(most, line.offset), 0)
    if (last > this.readTo) this.read(last)
    return !this.isUnsure && lines.every(({ uuid, offset }) => (this.first.get(uuid) ?? offset) >= offset)
  }

  private read(to: number): void {
    const range = { generation: this.part.log.generation, from: this.readTo, to }
    for (const region of regionsOf(this.source, range, plainPlace())) {
      if (isOddlySpelled(region)) this.isUnsure = true
      for (const [uuid, at] of uuidsIn(region)) if (!this.first.has(uuid)) this.first.set(uuid, at)
    }
    this.readTo = to
  }
}
