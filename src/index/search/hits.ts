// What a search gives back: which places are one hit, which of them is shown, and its text, read back from the log. Plain data;
// nothing is escaped.

import { bytesToText } from '../../base/bytes.ts'
import { grouped } from '../../base/grouped.ts'
import { type Instant, toInstant } from '../../base/instant.ts'
import { textHash } from '../../base/text-hash.ts'
import { RecordDecoder } from '../../decode/decode.ts'
import { eventLike } from '../../decode/embedded.ts'
import { largestLine } from '../../decode/lines.ts'
import type { EventKind, Flag, SessionEvent } from '../../model/event.ts'
import { sessionId } from '../../model/ids.ts'
import type { ByteSource, FileRole, GenerationId } from '../../model/source.ts'
import { indexedTexts } from '../../session/indexed-texts.ts'
import { eventDecoder } from '../../session/load.ts'
import type { Placed } from '../../session/projects.ts'
import { textEnd } from '../../session/stored-texts.ts'
import { type TextField, type TextKind, textFields, textKindOf } from '../../session/text-kinds.ts'
import { kindToNumber, numberToDialect, numberToFlags, numberToKind } from '../ingest/rows.ts'
import type { Database } from '../store/port.ts'
import { eventsPerFile } from '../store/schema.ts'
import { type Facts, type FileFacts, fileOf, outputField, type Place } from './facts.ts'
import type { QueryProblem, Term } from './query.ts'
import { snippetOf } from './snippet.ts'

/** One event that has what is searched for. `session` and `event` are what `show` opens. */
export interface SearchHit {
  session: string
  thread: string
  event: string
  kind: EventKind
  at: Instant
  /** One line around what was found; empty where `isUnreadable`. */
  snippet: string
  /** Higher is better; only the order means something. Absent where the query has filters alone. */
  score?: number
  /** Where the matching words are in the snippet, as for `slice`. */
  highlights: [from: number, to: number][]
  /** What the text is called: what `kind:` takes. */
  label: TextKind
  /** What the text is to a reader. */
  field: TextField
  title: string
  /** Of the session; `name` is what lists call its project. */
  project: { cwd: string | null; slug: string; name: string }
  /** Path of the log. */
  file: string
  /** The text is not in the log but in this file, where Claude Code stored it: large output, pasted text. */
  storedIn?: string
  /** Only this earlier content of its file has the text: `SESSION@N` opens it. */
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
  /** There may be more than `total`: older ones were not looked at. A larger `limit` looks further. */
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
  /** Places of the first window; each later one has twice as many as the one before. */
  window: number
  /** So many places are sorted by time; where there are more, they are read along the index of times. */
  sorted: number
  /** Words in more texts than this are common: how often a text has them is not counted. */
  common: number
}

export const usualBudget: Budget = { window: 1000, sorted: 20_000, common: 4000 }

const [onDisk, gone, earlier] = [0, 1, 2]

/** Places that are one hit. */
export interface SameHit<Kind extends Place> {
  /** The one to show. */
  place: Kind
  /** The first that was given. */
  best: Kind
  /** Where else the same was written. */
  others: Kind[]
}

/**
 * What was written more than once is one hit: forks and resumed sessions copy history, homes are copied, files had earlier
 * contents, and Claude Code itself repeats what was typed. In the order of the first of each; `places` in the order of their
 * worth.
 */
export function mergeSame<Kind extends Place>(places: readonly Kind[], facts: Facts): SameHit<Kind>[] {
  const groups = [...grouped(places, place => `${place.text} ${momentOf(place)}`).values()]
  facts.fetch(groups.filter(group => group.length > 1).flat())
  const hits = groups.flatMap(group => ofOneRecord(group, facts)).map(group => original(group, facts))
  return withoutEchoes(oneAnEvent(withoutRestamped(hits, facts)))
}

/** Lines that repeat what another line of the session says, at another time. */
const echoes: ReadonlySet<number> = new Set((['queue', 'history', 'title'] as const).map(kindToNumber))

/** What makes two places with the same text one: the same moment, else the same session. Output of a tool is not a prompt. */
function momentOf(place: Place): string {
  const { at, field, session } = place
  const moment = isBySession(place) ? session : at
  return field === outputField ? `output ${moment}` : String(moment)
}

function isBySession({ at, kind }: Place): boolean {
  return at === null || echoes.has(kind)
}

/** Parallel calls may say the same in one moment: the first of them in one file is a copy of the first in another. */
function ofOneRecord<Kind extends Place>(group: readonly Kind[], facts: Facts): Kind[][] {
  const files = grouped(group, ({ event }) => Math.floor(event / eventsPerFile))
  const [first] = group
  if (files.size === group.length || first === undefined || isBySession(first)) return [[...group]]
  const records: Kind[][] = []
  for (const places of files.values()) {
    const uuids: string[] = []
    for (const place of places.sort((one, other) => one.event - other.event)) {
      const uuid = rowOf(facts.db, place.event)?.uuid ?? `@${place.event}`
      if (!uuids.includes(uuid)) uuids.push(uuid)
      const at = uuids.indexOf(uuid)
      records[at] = [...(records[at] ?? []), place]
    }
  }
  return records
}

/** The place in the earliest session; of its contents the one on disk, then the latest. */
function original<Kind extends Place>(group: readonly Kind[], facts: Facts): SameHit<Kind> {
  const [best] = group
  if (best === undefined) throw new Error('a group has a place')
  if (group.length === 1) return { place: best, best, others: [] }
  const aged = group.map(place => ({ place, age: ageOf(place, facts) }))
  aged.sort((one, other) => compare(one.age, other.age))
  const [place = best, ...others] = aged.map(one => one.place)
  return { place, best, others }
}

/** A subagent's line in the log that started it is no second place where it was written. */
function isEmbedded({ event }: Place, { db }: Facts): boolean {
  return rowOf(db, event)?.flags.includes('embedded') ?? false
}

function compare(one: readonly number[], other: readonly number[]): number {
  const at = one.findIndex((value, place) => value !== other[place])
  return at < 0 ? 0 : (one[at] ?? 0) - (other[at] ?? 0)
}

/** Smaller is nearer to the original. */
function ageOf(place: Place, facts: Facts): number[] {
  const file = facts.fileOf(place)
  const session = facts.sessionOf(place.session)
  // A copy in another session's file may still name the session that it was made in.
  const isForeign = file?.session !== null && facts.originOf(place)?.session !== place.session
  return [
    Number(echoes.has(place.kind)),
    Number(isForeign),
    Number(isEmbedded(place, facts)),
    session.started ?? Number.MAX_SAFE_INTEGER,
    session.ended ?? Number.MAX_SAFE_INTEGER,
    Number((file?.standing ?? 0) === earlier),
    file?.standing ?? 0,
    -(file?.number ?? 0),
  ]
}

/** Whether both places have the same record, given that their texts are the same. */
function isSame(one: Place, other: Place, facts: Facts): boolean {
  if (momentOf(one) === momentOf(other)) return true
  return isRestampedFrom(one, other, facts) || isRestampedFrom(other, one, facts)
}

/** Old versions resumed a session by copying it: every line got the time at which that happened. */
function isRestampedFrom(place: Place, older: Place, facts: Facts): boolean {
  return mayBeRestamped(place, facts) && facts.kinOf(place.session).includes(older.session)
}

function mayBeRestamped({ at, session }: Place, facts: Facts): boolean {
  return at !== null && facts.sessionOf(session).started === at
}

function withoutRestamped<Kind extends Place>(hits: readonly SameHit<Kind>[], facts: Facts): SameHit<Kind>[] {
  const byText = grouped(hits, ({ place }) => place.text)
  const isRepeated = ({ place }: SameHit<Kind>) => (byText.get(place.text)?.length ?? 0) > 1
  facts.fetch(hits.filter(isRepeated).map(({ place }) => place))
  return hits.filter(hit => {
    if (!isRepeated(hit) || !mayBeRestamped(hit.place, facts)) return true
    const same = byText.get(hit.place.text) ?? []
    const older = same.find(other => other !== hit && isRestampedFrom(hit.place, other.place, facts))
    older?.others.push(hit.place, ...hit.others)
    return older === undefined
  })
}

/** Of several texts of one event the best one is shown. */
function oneAnEvent<Kind extends Place>(hits: readonly SameHit<Kind>[]): SameHit<Kind>[] {
  const seen = new Set<number>()
  return hits.filter(({ place }) => !seen.has(place.event) && seen.add(place.event))
}

/** A prompt that is also in a queue line or in the prompt history is the prompt. */
function withoutEchoes<Kind extends Place>(hits: readonly SameHit<Kind>[]): SameHit<Kind>[] {
  const isEcho = ({ kind }: Place) => echoes.has(kind)
  const keyOf = ({ text, session }: Place) => `${text} ${session}`
  const echoed = new Set(hits.filter(({ place }) => isEcho(place)).map(({ place }) => place.text))
  const same = hits.filter(({ place }) => echoed.has(place.text)).flatMap(({ place, others }) => [place, ...others])
  const keys = new Set(same.filter(place => !isEcho(place)).map(keyOf))
  return hits.filter(({ place }) => !isEcho(place) || !keys.has(keyOf(place)))
}

/** Without places of earlier contents whose text is still in the file on disk. */
export function onlyInArchive<Kind extends Place>(places: readonly Kind[], facts: Facts): Kind[] {
  const isOnDisk = (place: Place) => facts.fileOf(place)?.standing === onDisk
  return places.filter(place => {
    if (facts.fileOf(place)?.standing !== earlier) return true
    return !facts.placesOf(place.text).some(other => isOnDisk(other) && other.session === place.session)
  })
}

/** Only for the few that are shown, since the text of each is read back. */
export function toHit(
  { place, best }: SameHit<Place & { score?: number }>,
  terms: readonly Term[],
  columns: number,
  facts: Facts,
  source: ByteSource,
): SearchHit {
  const { event, session, at, kind, field } = place
  const file = facts.fileOf(place)
  const origin = facts.originOf(place)
  const row = rowOf(facts.db, event)
  const { title, slug } = facts.sessionOf(session)
  const holder = facts.fileOf({ event: place.holder })
  const text = row === null ? null : textOf(place, row, facts, source)
  const hit: SearchHit = {
    session,
    ...eventOf(place, row, facts),
    kind: numberToKind(kind),
    at: at === null ? null : toInstant(at),
    ...(text === null ? { snippet: '', highlights: [] } : snippetOf(text, terms, columns)),
    label: textKindOf(numberToKind(kind), textFields[field] ?? 'other'),
    field: textFields[field] ?? 'other',
    title,
    project: projectOf({ cwd: facts.cwdOf(session) ?? origin?.cwd ?? null, slug }, facts),
    file: file?.path ?? '',
  }
  if (best.score !== undefined) hit.score = Math.round(best.score * 1000) / 1000
  if (text === null) hit.isUnreadable = true
  if (file?.standing === earlier) hit.generation = file.number
  if (file?.standing === gone || holder?.standing === gone) hit.isArchived = true
  if (holder?.stored === true) hit.storedIn = holder.path
  const copies = copiesOf(place, facts)
  if (copies > 0) hit.copies = copies
  return hit
}

/** From its file, else from another one that has the same text. */
function textOf(place: Place, row: PlaceRow, facts: Facts, source: ByteSource): string | null {
  const own = readText(place, row, facts, source)
  if (own !== null) return own
  for (const other of facts.placesOf(place.text)) {
    const otherRow = other.event === place.event ? null : rowOf(facts.db, other.event)
    const text = otherRow === null ? null : readText(other, otherRow, facts, source)
    if (text !== null && isText(text, place, facts.db)) return text
  }
  return null
}

function projectOf(place: Placed, facts: Facts): SearchHit['project'] {
  return { ...place, name: facts.projects.of(place).name }
}

/** What `show` opens: of a title that another session's file has, the record that it names. */
function eventOf(
  { event, session, origin }: Place,
  row: PlaceRow | null,
  facts: Facts,
): Pick<SearchHit, 'thread' | 'event'> {
  const leaf = facts.db.prepare('SELECT leaf FROM titled WHERE event = ?').get([event])?.[0]
  if (typeof leaf === 'string') return { thread: session, event: leaf }
  const own = facts.originOf({ origin })
  // No record names a text that was stored next to the log.
  if (facts.fileOf({ event })?.stored === true) return { thread: own?.thread ?? session, event: '' }
  return { thread: own?.thread ?? session, event: row?.uuid ?? `${own?.session ?? session}@${row?.offset ?? 0}` }
}

/** In how many other files the same was written, whatever the filters say of those. */
function copiesOf(place: Place, facts: Facts): number {
  const same = facts.placesOf(place.text).filter(other => isSame(place, other, facts) && !isEmbedded(other, facts))
  const files = new Set(same.map(fileOf))
  files.delete(fileOf(place))
  return files.size
}

export interface PlaceRow {
  offset: number
  bytes: number
  line: number
  /** Null where the event's id is made of its place. */
  uuid: string | null
  flags: Flag[]
}

export function rowOf(db: Database, event: number): PlaceRow | null {
  const row = db.prepare('SELECT offset, bytes, line, uuid, flags FROM event WHERE id = ?').get([event])
  if (row === undefined) return null
  const [offset, bytes, line, uuid, flags] = row as [number, number, number, string | null, number]
  return { offset, bytes, line, uuid, flags: numberToFlags(flags) }
}

/** The text of a place from the bytes of its event, decoded again; null where it cannot be read any more. */
export function readText(place: Place, row: PlaceRow, facts: Facts, source: ByteSource): string | null {
  const file = facts.fileOf({ event: place.holder })
  if (file === null) return null
  const isLive = file.generation.startsWith('live:')
  // The file itself is there at once; the archive has to be opened first.
  const live = file.standing === onDisk ? textFrom(`live:${file.path}`, file, place, row, facts, source) : null
  if (live !== null && (isLive || isText(live, place, facts.db))) return live
  return isLive ? null : textFrom(file.generation, file, place, row, facts, source)
}

/** Whether it is the text that was indexed: the file may be another one by now. */
function isText(text: string, { text: id }: Place, db: Database): boolean {
  return db.prepare('SELECT hash FROM text WHERE id = ?').get([id])?.[0] === textHash(text, 0)
}

function textFrom(
  generation: string,
  file: FileFacts,
  place: Place,
  row: PlaceRow,
  facts: Facts,
  source: ByteSource,
): string | null {
  if (file.stored) return readStored({ ...file, generation }, place.n, source)
  const event = readEvent({ ...file, generation }, row, facts.originOf(place)?.dialect ?? 0, source)
  if (event === null) return null
  const texts = indexedTexts(event)
  const field = textFields[place.field]
  const expected = texts[place.n]
  // A record by itself may be read differently than among its neighbours: as another kind of text, at another place.
  const text = expected?.field === field ? expected : (texts.find(other => other.field === field) ?? expected)
  return text?.text ?? null
}

/** The text of a file at this place. */
function readStored(file: FileFacts, place: number, source: ByteSource): string | null {
  for (let [n, offset] = [0, 0]; ; n++) {
    const bytes = readBytes(file, { offset, bytes: largestLine + 1 }, source)
    if (bytes === null || bytes.length === 0) return null
    const end = textEnd(bytes)
    if (n === place) return bytesToText(bytes.subarray(0, end))
    offset += end
  }
}

function readEvent(file: FileFacts, row: PlaceRow, dialect: number, source: ByteSource): SessionEvent | null {
  const bytes = readBytes(file, row, source)
  if (bytes === null || bytes.length < row.bytes) return null
  // The dialect of a line without marks depends on the lines before it; the index knows it.
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
    const event = eventLike(row, events.decode(record))
    if (event !== undefined) return event
  }
  return null
}

function readBytes(
  { generation }: FileFacts,
  { offset, bytes }: Pick<PlaceRow, 'offset' | 'bytes'>,
  source: ByteSource,
): Uint8Array | null {
  try {
    return source.readSync(liveId(generation), offset, offset + bytes)
  } catch {
    return null
  }
}

/** A live file is known by its path: its rows are rewritten when it changes. */
function liveId(generation: string): GenerationId {
  return generation.replace(/^live:/, 'disk::') as GenerationId
}
