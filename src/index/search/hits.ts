// What a search gives back: places in sessions where something was said, the best first. Plain data; nothing is escaped.

import { type Instant, toInstant } from '../../base/instant.ts'
import { textHash } from '../../base/text-hash.ts'
import { RecordDecoder } from '../../decode/decode.ts'
import type { EventKind, SessionEvent } from '../../model/event.ts'
import { sessionId } from '../../model/ids.ts'
import type { ByteSource, FileRole, GenerationId } from '../../model/source.ts'
import { indexedTexts, type TextField, textFields } from '../../session/indexed-texts.ts'
import { eventDecoder } from '../../session/load.ts'
import { kindToNumber, numberToDialect, numberToKind } from '../ingest/rows.ts'
import type { Database } from '../store/port.ts'
import { type Facts, type FileFacts, outputField, type Place } from './facts.ts'
import type { QueryProblem, Term } from './query.ts'
import { snippetOf } from './snippet.ts'

/** One event that has what was asked for. `session` and `event` are what `show` opens. */
export interface SearchHit {
  session: string
  thread: string
  event: string
  kind: EventKind
  at: Instant
  /** One line around what was found; empty where `isUnreadable`. */
  snippet: string
  /** Higher is better; only the order means something. Absent where filters alone were asked for. */
  score?: number
  /** Where the matching words stand in the snippet, as for `slice`. */
  highlights: [from: number, to: number][]
  /** What the text is to a reader. */
  field: TextField
  title: string
  project: { cwd: string | null; slug: string }
  /** Path of the log. */
  file: string
  /** The text stands only in this earlier content of its file: `SESSION@N` opens it. */
  generation?: number
  /** In how many other places the same was written: forks, copies of a home, earlier contents. */
  copies?: number
  /** The file is gone from the disk; the archive has it. */
  isArchived?: true
  /** The bytes can no longer be read. */
  isUnreadable?: true
}

/** How many hits a session has, of those that were looked at. */
export interface SessionHits {
  session: string
  hits: number
}

export interface SearchAnswer {
  total: number
  /** There are more than `total`: only the latest ones were looked at. */
  isTotalLowerBound: boolean
  tookMs: number
  /** Flat: by score. Grouped: the best hit of each session in the order of sessions, then their second ones, and so on. */
  hits: SearchHit[]
  /** Sessions in the order of their best hit, as many as are shown. */
  sessions: SessionHits[]
  /** How many sessions have hits. */
  sessionTotal: number
  /** What is odd about the query, and what to try where nothing was found. */
  problems: QueryProblem[]
}

export interface SearchOptions {
  /** How many hits; how many sessions where `isGrouped`. */
  limit: number
  isGrouped: boolean
  /** Hits of one session that are shown where `isGrouped`. */
  perSession?: number
  /** Only logs below these paths. */
  roots?: readonly string[]
  /** Milliseconds since 1970: age weighs in the rank. */
  now: number
  /** Columns of a snippet. */
  columns?: number
  /** Other limits of the work, for tests. */
  budget?: Partial<Budget>
}

/** How much is looked at before the answer is cut short. */
export interface Budget {
  /** Places that pass all filters: so many are ranked. */
  enough: number
  /** Places that are looked at, latest first, before filters are used to look only where they can hold. */
  first: number
  /** Filters that leave at most so many events are worth being used that way. */
  narrow: number
  /** Words in more texts than this are common: how often they stand in a text is not counted. */
  common: number
  /** Where filters alone were asked for: so many of the newest places. */
  newest: number
}

export const usualBudget: Budget = { enough: 400, first: 1200, narrow: 20_000, common: 4000, newest: 200 }

const [onDisk, gone, earlier] = [0, 1, 2]

export function toHit(
  { place, best }: SameHit<Place & { score?: number }>,
  terms: readonly Term[],
  columns: number,
  facts: Facts,
  source: ByteSource,
): SearchHit {
  const { event, origin, at, kind, field } = place
  const file = facts.fileOf(event)
  const said = facts.originOf(origin)
  const row = rowOf(facts.db, event)
  const session = facts.sessionIdOf(event, origin)
  const { title, slug, cwd } = facts.sessionOf(session)
  const text = row === null ? null : readText(place, row, facts, source)
  const line = text === null ? { snippet: '', highlights: [] } : snippetOf(text, terms, columns)
  const hit: SearchHit = {
    session,
    thread: said?.thread ?? session,
    event: row?.uuid ?? `${said?.session ?? session}@${row?.offset ?? 0}`,
    kind: numberToKind(kind),
    at: at === null ? null : toInstant(at),
    snippet: line.snippet,
    highlights: line.highlights,
    field: textFields[field] ?? 'other',
    title,
    project: { cwd: said?.cwd ?? cwd, slug },
    file: file?.path ?? '',
  }
  if (best.score !== undefined) hit.score = Math.round(best.score * 1000) / 1000
  if (text === null) hit.isUnreadable = true
  if (file?.standing === earlier) hit.generation = file.number
  if (file?.standing === gone) hit.isArchived = true
  const copies = copiesOf(place, facts)
  if (copies > 0) hit.copies = copies
  return hit
}

/** In how many other files the same stands, whatever the filters say of those. */
function copiesOf(place: Place, facts: Facts): number {
  const files = new Set<number | undefined>()
  for (const other of facts.placesOf(place.text)) {
    if (isSame(place, other, facts)) files.add(facts.fileOf(other.event)?.id)
  }
  files.delete(facts.fileOf(place.event)?.id)
  return files.size
}

/** Without places of earlier contents whose text still stands in the file that is on disk. */
export function onlyInArchive<Kind extends Place>(places: readonly Kind[], facts: Facts): Kind[] {
  return places.filter(place => {
    if (facts.fileOf(place.event)?.standing !== earlier) return true
    const session = facts.sessionIdOf(place.event, place.origin)
    return !facts
      .placesOf(place.text)
      .some(
        other =>
          facts.fileOf(other.event)?.standing === onDisk && facts.sessionIdOf(other.event, other.origin) === session,
      )
  })
}

/** Lines that say again what another line of the session says, at another time. */
const echoes: ReadonlySet<number> = new Set((['queue', 'history', 'title'] as const).map(kindToNumber))

/** What makes two places with the same text one: the same moment, else the same session. Output of a tool is not a prompt. */
function momentOf({ at, kind, field, event, origin }: Place, facts: Facts): string {
  const moment = at === null || echoes.has(kind) ? facts.sessionIdOf(event, origin) : at
  return field === outputField ? `output ${moment}` : String(moment)
}

export interface SameHit<Kind extends Place> {
  /** The one to show. */
  place: Kind
  /** The first that was given. */
  best: Kind
  /** Where else the same stands. */
  others: Kind[]
}

/** In the order of the first of each; `places` in the order of their worth. */
export function mergeSame<Kind extends Place>(places: readonly Kind[], facts: Facts): SameHit<Kind>[] {
  const groups = sameMoment(places, facts)
  fetchSessions(groups.filter(group => group.length > 1).flat(), facts)
  const hits = groups.map(group => original(group, facts))
  return withoutEchoes(oneAnEvent(withoutRestamped(hits, facts)), facts)
}

function fetchSessions(places: readonly Place[], facts: Facts): void {
  facts.fetchSessions(places.map(({ event, origin }) => facts.sessionIdOf(event, origin)))
}

function sameMoment<Kind extends Place>(places: readonly Kind[], facts: Facts): Kind[][] {
  const groups: Kind[][] = []
  const byText = new Map<number, Map<string, Kind[]>>()
  for (const place of places) {
    const moment = momentOf(place, facts)
    let byMoment = byText.get(place.text)
    if (byMoment === undefined) {
      byMoment = new Map()
      byText.set(place.text, byMoment)
    }
    const group = byMoment.get(moment)
    if (group !== undefined) {
      group.push(place)
      continue
    }
    const made = [place]
    byMoment.set(moment, made)
    groups.push(made)
  }
  return groups
}

/** Whether both places hold the same record, given that their texts are the same. */
export function isSame(one: Place, other: Place, facts: Facts): boolean {
  if (momentOf(one, facts) === momentOf(other, facts)) return true
  return isRestampedFrom(one, other, facts) || isRestampedFrom(other, one, facts)
}

/** Old clients resumed a session by copying it: every line got the time at which that happened. */
function isRestampedFrom(place: Place, older: Place, facts: Facts): boolean {
  if (!mayBeRestamped(place, facts)) return false
  const id = facts.sessionIdOf(place.event, place.origin)
  return facts.kinOf(id).includes(facts.sessionIdOf(older.event, older.origin))
}

function mayBeRestamped({ at, event, origin }: Place, facts: Facts): boolean {
  return at !== null && facts.sessionOf(facts.sessionIdOf(event, origin)).started === at
}

function withoutRestamped<Kind extends Place>(hits: readonly SameHit<Kind>[], facts: Facts): SameHit<Kind>[] {
  const byText = new Map<number, SameHit<Kind>[]>()
  for (const hit of hits) {
    const list = byText.get(hit.place.text)
    if (list === undefined) byText.set(hit.place.text, [hit])
    else list.push(hit)
  }
  const repeated = hits.filter(({ place }) => (byText.get(place.text)?.length ?? 0) > 1)
  fetchSessions(
    repeated.map(({ place }) => place),
    facts,
  )
  return hits.filter(hit => {
    const same = byText.get(hit.place.text) ?? []
    if (same.length < 2 || !mayBeRestamped(hit.place, facts)) return true
    const older = same.find(other => other !== hit && isRestampedFrom(hit.place, other.place, facts))
    older?.others.push(hit.place, ...hit.others)
    return older === undefined
  })
}

/** That of the earliest session; of its contents the one on disk, then the latest. */
function original<Kind extends Place>(group: Kind[], facts: Facts): SameHit<Kind> {
  const [best] = group
  if (best === undefined) throw new Error('a group has a place')
  if (group.length === 1) return { place: best, best, others: [] }
  const aged = group.map(place => ({ place, age: ageOf(place, facts) }))
  aged.sort((one, other) => compare(one.age, other.age) || one.place.event - other.place.event)
  const [place = best, ...others] = aged.map(one => one.place)
  return { place, best, others }
}

function compare(one: readonly number[], other: readonly number[]): number {
  for (let at = 0; at < one.length; at++) {
    const difference = (one[at] ?? 0) - (other[at] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}

/** Smaller is nearer to the original. */
function ageOf({ event, origin, kind }: Place, facts: Facts): number[] {
  const file = facts.fileOf(event)
  const id = facts.sessionIdOf(event, origin)
  const session = facts.sessionOf(id)
  // A copy in another session's file may still name the session that it was made in.
  const isForeign = file?.session !== null && facts.originOf(origin)?.session !== id
  return [
    Number(echoes.has(kind)),
    Number(isForeign),
    session.started ?? Number.MAX_SAFE_INTEGER,
    session.ended ?? Number.MAX_SAFE_INTEGER,
    Number((file?.standing ?? 0) === 2),
    file?.standing ?? 0,
    -(file?.number ?? 0),
  ]
}

/** Of several texts of one event the best one is shown. */
function oneAnEvent<Kind extends Place>(hits: readonly SameHit<Kind>[]): SameHit<Kind>[] {
  const seen = new Set<number>()
  return hits.filter(({ place }) => {
    if (seen.has(place.event)) return false
    seen.add(place.event)
    return true
  })
}

/** A prompt that also stands in a queue line or in the prompt history is the prompt. */
function withoutEchoes<Kind extends Place>(hits: readonly SameHit<Kind>[], facts: Facts): SameHit<Kind>[] {
  const echoed = new Set<number>()
  for (const { place } of hits) if (echoes.has(place.kind)) echoed.add(place.text)
  if (echoed.size === 0) return [...hits]
  const said = new Set<string>()
  const keyOf = ({ text, event, origin }: Place) => `${text} ${facts.sessionIdOf(event, origin)}`
  for (const { place, others } of hits) {
    if (!echoed.has(place.text)) continue
    for (const one of [place, ...others]) if (!echoes.has(one.kind)) said.add(keyOf(one))
  }
  return hits.filter(({ place }) => !echoes.has(place.kind) || !said.has(keyOf(place)))
}

export interface PlaceRow {
  offset: number
  bytes: number
  line: number
  /** Null where the event's id is made of its place. */
  uuid: string | null
}

export function rowOf(db: Database, event: number): PlaceRow | null {
  const row = db.prepare('SELECT offset, bytes, line, uuid FROM event WHERE id = ?').get([event])
  if (row === undefined) return null
  const [offset, bytes, line, uuid] = row
  return {
    offset: Number(offset),
    bytes: Number(bytes),
    line: Number(line),
    uuid: typeof uuid === 'string' ? uuid : null,
  }
}

/** Null where it cannot be read any more. */
export function readText(place: Place, row: PlaceRow, facts: Facts, source: ByteSource): string | null {
  const file = facts.fileOf(place.event)
  if (file === null) return null
  // The file itself is at hand at once; the archive has to be opened first.
  const live = file.standing === 0 ? textFrom(`live:${file.path}`, file, place, row, facts, source) : null
  if (live !== null && (file.generation.startsWith('live:') || isText(live, place, facts.db))) return live
  return file.generation.startsWith('live:') ? null : textFrom(file.generation, file, place, row, facts, source)
}

/** Whether it is the text that was indexed: the file may be another one by now. */
function isText(text: string, { text: id }: Place, db: Database): boolean {
  const hash = db.prepare('SELECT hash FROM text WHERE id = ?').get([id])?.[0]
  return hash === textHash(text, 0)
}

function textFrom(
  generation: string,
  file: FileFacts,
  place: Place,
  row: PlaceRow,
  facts: Facts,
  source: ByteSource,
): string | null {
  const event = readEvent({ ...file, generation }, row, facts.originOf(place.origin)?.dialect ?? 0, source)
  if (event === null) return null
  const texts = indexedTexts(event)
  const field = textFields[place.field]
  const expected = texts[place.n]
  // One record alone may be read a little otherwise than among its neighbours: as another kind of text, at another place.
  const text = expected?.field === field ? expected : (texts.find(other => other.field === field) ?? expected)
  return text?.text ?? null
}

function readEvent(file: FileFacts, row: PlaceRow, dialect: number, source: ByteSource): SessionEvent | null {
  const bytes = readBytes(file, row, source)
  if (bytes === null || bytes.length < row.bytes) return null
  // What a line without marks is written in depends on the lines before it; the index knows how that came out.
  const dialects = { client: 0, s0: 0, s3: 0 }
  const name = numberToDialect(dialect)
  if (name === 'client' || name === 's0' || name === 's3') dialects[name] = 1
  const records = new RecordDecoder(file.path, { place: { offset: row.offset, number: row.line }, dialects })
  const log = {
    role: file.role as FileRole,
    ...(file.nameSession !== null && { nameSession: sessionId(file.nameSession) }),
    ...(file.agent !== null && { nameAgent: file.agent }),
  }
  const events = eventDecoder(log, file.session === null ? {} : { session: file.session })
  for (const record of [...records.push(bytes), ...records.end()]) {
    const event = events.decode(record)
    if (event !== null) return event
  }
  return null
}

function readBytes({ generation }: FileFacts, { offset, bytes }: PlaceRow, source: ByteSource): Uint8Array | null {
  try {
    return source.readSync(askedFor(generation), offset, offset + bytes)
  } catch {
    return null
  }
}

/** A live file is known by its path: which one lies there now does not matter, since its rows are made anew when it changes. */
function askedFor(generation: string): GenerationId {
  return generation.replace(/^live:/, 'disk::') as GenerationId
}
