// Searches pieces of sessions for an expression, one after the other: the same in worker threads and in the main one. Only
// what may match is decoded, as long as what is said about it does not hang on the rest of its file.

import { readFinding } from '../cli/session/verdict.ts'
import type { EventDecoder } from '../decode/decode.ts'
import { ReadError } from '../disk/read/read.ts'
import type { SessionEvent } from '../model/event.ts'
import type { Finding } from '../model/finding.ts'
import type { ByteSource } from '../model/source.ts'
import { eventDecoder, recordBatches } from '../session/load.ts'
import {
  ByteFilter,
  isOddlySpelled,
  type Looking,
  linesAt,
  plainPlace,
  type Region,
  regionsOf,
  uuidsIn,
} from './candidates.ts'
import { EventSearch, type GrepHit, type GrepOptions, isSelfContained } from './events.ts'
import { LineMatcher } from './lines.ts'
import { type Found, type GrepPiece, type LogPart, type Part, rangeOf } from './piece.ts'
import { LineRecords } from './records.ts'
import { searchSide } from './side.ts'
import { TextFilter } from './texts.ts'
import { isJudged, isRepeated, Told } from './told.ts'

/** What was found since the last batch. */
export interface GrepBatch {
  /** Matches that count whatever else is found, where only their number is asked for. */
  count: number
  /** Names of matches that count once, where only their number is asked for. */
  keys: string[]
  hits: GrepHit[]
  findings: Finding[]
}

/** So many matches are handed over at once. */
const mostHeld = 2000

/** So many matches are kept until it is their turn. */
const mostEarly = 20_000

interface FoundApart extends Found {
  /** What begins here or later is still to be searched. */
  resume?: number
}

function nothing(): FoundApart {
  return { hits: [], keys: [], count: 0 }
}

export class GrepScanner {
  private readonly options: GrepOptions
  private readonly source: ByteSource
  private readonly matcher: LineMatcher
  readonly filter: ByteFilter | TextFilter
  private readonly records: LineRecords
  private early = 0

  constructor(options: GrepOptions, source: ByteSource, looking: Looking = {}) {
    this.options = options
    this.source = source
    this.matcher = new LineMatcher(options.expression, options.context)
    const { texts, expression } = options
    this.filter =
      texts === null
        ? new TextFilter(expression, this.matcher, looking)
        : new ByteFilter(texts, expression.flags.includes('i'), looking)
    this.records = new LineRecords(options, this.filter, looking)
  }

  /** Matches in the order of the parts, while they are read. */
  async *search(piece: GrepPiece): AsyncGenerator<GrepBatch> {
    const search = new EventSearch(this.options, this.matcher, piece.countsTimeless)
    const told = new Told(piece.hasCopies)
    let left = this.options.most
    for (const part of piece.parts) {
      try {
        for await (const { hits, keys, count } of this.searchPart(part, piece, search)) {
          left -= count
          const once = keys.filter(key => told.isNewKey(key))
          // Those that may be dropped in the end do not count.
          const fresh = hits.filter(hit => left > 0 && told.isNew(hit) && (isJudged(hit) || left-- > 0))
          if (fresh.length + once.length + count > 0) yield { count, keys: once, hits: fresh, findings: [] }
          if (left <= 0) return
        }
      } catch (error) {
        if (!(error instanceof ReadError)) throw error
        yield { count: 0, keys: [], hits: [], findings: [readFinding(error)] }
      }
    }
  }

  /** What is found in a part, before its turn; null where that is too much to be kept, or where it cannot be read. */
  async searchEarly(part: LogPart, piece: GrepPiece): Promise<Found[] | null> {
    if (this.early > mostEarly) return null
    const search = new EventSearch(this.options, this.matcher, piece.countsTimeless)
    const all: Found[] = []
    try {
      for await (const found of this.searchPart(part, piece, search)) {
        all.push(found)
        this.early += found.hits.length + found.keys.length
        if (this.early > mostEarly) return null
      }
    } catch (error) {
      if (!(error instanceof ReadError)) throw error
      return null
    }
    return all
  }

  private async *searchPart(part: Part, piece: GrepPiece, search: EventSearch): AsyncGenerator<Found> {
    if ('side' in part) {
      const { source, matcher } = this
      const { place } = this.filter
      yield { ...nothing(), hits: searchSide(part, { source, matcher, place, search, session: piece.session }) }
      return
    }
    const { generation } = part
    if (part.found !== undefined) return yield* part.found
    if (part.counted !== undefined) yield { ...nothing(), count: part.counted }
    for await (const { hits, ...found } of this.searchLog(part, piece, search)) {
      yield { ...found, hits: generation === undefined ? hits : hits.map(hit => ({ ...hit, generation })) }
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
    if (this.options.countsOnly && !piece.hasCopies) {
      const isOnce = isRepeated(event.kind)
      const count = isOnce ? search.keysOf(event, found.keys) : search.countOf(event)
      if (!isOnce) found.count += count
      return count > 0
    }
    const hits = search.hitsOf(event)
    for (const hit of hits) found.hits.push(hit)
    return hits.length > 0
  }

  /** Decodes from the file's beginning on, for what depends on that, and gives the events of the part. */
  private async *wholeEvents(part: LogPart, decoder: EventDecoder): AsyncGenerator<SessionEvent[]> {
    const { log, from, to, lines = [], counted } = part
    // Where lines were counted already, only the others are left.
    const left = counted === undefined ? undefined : new Set(lines.map(({ offset }) => offset))
    let line = 0
    let start = 0
    for await (const batch of recordBatches(this.source, log)) {
      const events: SessionEvent[] = []
      for (const record of batch) {
        // Several records may stand on one line: it is in the part where it begins.
        if (record.line !== line) start = record.offset
        line = record.line
        const event = start < to ? decoder.decode(record) : null
        if (event !== null && start >= from && left?.has(start) !== false) events.push(event)
      }
      yield events
      if (start >= to) return
    }
  }

  /**
   * Decodes only lines that may match. Ends with `resume` where it meets something that is only known when the file is
   * decoded from its beginning: what stands from there on was not given.
   */
  private *searchApart(part: LogPart, piece: GrepPiece, search: EventSearch): Generator<FoundApart> {
    const decode = this.decoding(part, piece)
    const places = new UuidPlaces(this.source, part)
    const enough = Math.min(mostHeld, this.options.most)
    let from = part.from
    let held = nothing()
    let named: NamedLine[] = []
    for (const region of this.regionsIn(part)) {
      const lines = part.lines === undefined ? this.filter.candidates(region) : [region]
      for (const event of decode(lines)) {
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
        for (const key of found.keys) held.keys.push(key)
      }
      // Numbers may wait as long as nobody stops at one.
      if (held.hits.length + held.keys.length < enough && held.count < this.options.most) continue
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

  /** Gives the events of lines, with the places they have in the file. */
  private decoding({ log }: LogPart, piece: GrepPiece): (lines: Iterable<Region>) => Generator<SessionEvent> {
    const { records } = this
    const decoder = eventDecoder(log, { session: piece.session })
    const isCounted = this.options.countsOnly && !piece.hasCopies
    return function* (lines) {
      for (const line of lines) {
        for (const record of records.in(line, log.path, isCounted)) {
          const event = decoder.decode(record)
          if (event !== null) yield event
        }
      }
    }
  }
}

interface NamedLine {
  uuid: string
  offset: number
}

/** Where files are read into to look for uuids; it is done with before anybody else needs it. */
let uuidPlace: Buffer | undefined

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
    uuidPlace ??= plainPlace()
    for (const region of regionsOf(this.source, range, uuidPlace)) {
      if (isOddlySpelled(region)) this.isUnsure = true
      for (const [uuid, at] of uuidsIn(region)) if (!this.first.has(uuid)) this.first.set(uuid, at)
    }
    this.readTo = to
  }
}
