// Rows of files → events again, as a projection: who, when, where, calls and outcomes, hardly any text. The analysis that
// works on events works on these, for summaries and for large sessions. Which facts rows have is decided in
// `ingest/facts.ts`; no log is read here.

import type { Instant } from '../../base/instant.ts'
import { asArray, asObject, asString, isObject, parseJson } from '../../base/json.ts'
import { setDetail } from '../../decode/detail.ts'
import { restampedIn, withOriginTime } from '../../graph/build/fork-times.ts'
import { buildGraph } from '../../graph/graph.ts'
import { CopyMarker } from '../../graph/lineage/own-part.ts'
import type {
  Block,
  Flag,
  MessageFacts,
  SessionEvent,
  ToolCallBlock,
  ToolResultBlock,
  Usage,
} from '../../model/event.ts'
import { callId, eventId, recordedId, type SessionId, sessionId, type ThreadId, threadId } from '../../model/ids.ts'
import type { Dialect, LogRecord } from '../../model/record.ts'
import type { CopiedPart, GraphFile, SessionGraph } from '../../model/session.ts'
import type { SessionFiles } from '../../model/source.ts'
import type { CopiedFrom, ResultForms, Stated } from '../../model/stated.ts'
import {
  type Common,
  contentForms,
  contentShift,
  type Rest,
  structuredShift,
  structuredTypes,
  withoutParent,
} from '../ingest/facts.ts'
import { numberToActor, numberToDialect, numberToFlags, numberToKind } from '../ingest/rows.ts'
import type { Database } from '../store/port.ts'
import { eventsPerFile } from '../store/schema.ts'

/** The index's ids of logs, by the logs' own generations. */
export type FileIds = ReadonlyMap<string, number>

/** `reader`: one for many sessions is quicker than one for each. */
export function projectedGraph(
  db: Database,
  session: SessionFiles,
  fileIds: FileIds,
  reader: ProjectionReader = new ProjectionReader(db, 'stats'),
): SessionGraph {
  const files = projectedFiles(reader, session, fileIds, copiedPartOf(db, session.id))
  const restamped = restampedIn(files)
  if (restamped === undefined) return buildGraph(session.id, files, session.side)
  return buildGraph(session.id, withOriginTime(files, restamped, timeIn(db, restamped.origin)), session.side)
}

/** The time of one event of another session; null where the index does not have it. */
function timeIn(db: Database, { session, uuid }: CopiedFrom): Instant {
  const sql = 'SELECT at FROM event WHERE id >= ? AND id < ? AND uuid = ?'
  for (const file of indexedSession(db, session).fileIds.values()) {
    const at = db.prepare(sql).get([file * eventsPerFile, (file + 1) * eventsPerFile, uuid ?? ''])?.[0]
    if (typeof at === 'number') return new Date(at).toISOString()
  }
  return null
}

/** What a session has from another one, as it was found out when it was summarised. */
export function copiedPartOf(db: Database, session: string): CopiedPart | undefined {
  const json = db.prepare('SELECT copied FROM session WHERE id = ?').get([session])?.[0]
  return typeof json === 'string' ? (JSON.parse(json) as CopiedPart) : undefined
}

/** A log that is not indexed has no events. `part`: what the session copied. */
export function projectedFiles(
  reader: ProjectionReader,
  session: SessionFiles,
  fileIds: FileIds,
  part: CopiedPart | undefined,
): GraphFile[] {
  const marker = new CopyMarker(session.id, part)
  return session.logs.map(({ generation, path, role, nameAgent, meta }) => {
    const id = fileIds.get(generation)
    const events = id === undefined ? [] : reader.events({ id, path })
    if (part !== undefined) for (const event of events) marker.mark(event)
    const file: GraphFile = { path, role, events }
    if (nameAgent !== undefined) file.agent = nameAgent
    if (meta !== undefined) file.meta = meta
    return file
  })
}

/** A summarised session's files and their ids in the index; no logs where it is not known. */
export function indexedSession(db: Database, id: string): { session: SessionFiles; fileIds: FileIds } {
  const json = db.prepare('SELECT files FROM session WHERE id = ?').get([id])?.[0]
  const none: SessionFiles = { id: sessionId(id), slug: '', logs: [], side: [] }
  const session = typeof json === 'string' ? (JSON.parse(json) as SessionFiles) : none
  const sql = `SELECT session_log.n, file.id FROM session_log JOIN file ON file.generation = session_log.generation
    WHERE session_log.session = ?`
  const fileIds = new Map<string, number>()
  for (const [n, file] of db.prepare(sql).all([id])) {
    const log = session.logs[n as number]
    if (log !== undefined) fileIds.set(log.generation, file as number)
  }
  return { session, fileIds }
}

/** What a file's rows are known by. */
export interface IndexedLog {
  /** Its id in the index. */
  id: number
  /** For the events' sources. */
  path: string
}

/**
 * `summary`: what titles, counts, threads and turns need, without the place of a record and minor facts of messages. `events`:
 * these too. `stats`: also paths of calls, and how results were written.
 */
export type ProjectionPurpose = 'summary' | 'events' | 'stats'

const flagBits = (1 << structuredShift) - 1
const noBlocks: Block[] = []
const noFlags: Flag[] = []

/** Events that are read at once, so that a large file's rows are not in memory twice. */
const stretch = 16_384

/** Reads files one after the other; it remembers names and origins, which is right as long as nothing is rolled back. */
export class ProjectionReader {
  private readonly db: Database
  private readonly purpose: ProjectionPurpose
  private readonly names: NameReader
  private readonly flagLists = new Map<number, Flag[]>()

  constructor(db: Database, purpose: ProjectionPurpose = 'events') {
    this.db = db
    this.purpose = purpose
    this.names = new NameReader(db)
  }

  /** The events of a file, those of a last line without end included. */
  events({ id, path }: IndexedLog): SessionEvent[] {
    const first = id * eventsPerFile
    const events: SessionEvent[] = []
    // Rows of one file have no gap: an id is a place.
    for (let from = first; from === first + events.length; from += stretch) {
      this.addStretch(table => this.read(table, [from, from + stretch]), path, first, events)
      if (events.length === from - first) break
    }
    if (events.length > 0) this.addDetails(this.read('state', [id]), first, events)
    return events
  }

  private read(table: ProjectedTable, range: readonly number[]): ReturnType<ReadColumns> {
    return readColumns(this.db, statements[this.purpose][table], range)
  }

  private addStretch(read: ReadColumns, path: string, first: number, events: SessionEvent[]): void {
    const before = events.length
    this.addEvents(read, path, events)
    if (events.length === before) return
    const rests = this.rests(read, first, events)
    this.addMessages(read, first, events)
    this.addCalls(read, first, events, rests)
    this.addResults(read, first, events, rests)
    this.addDetails(read('detail'), first, events)
  }

  private addEvents(read: ReadColumns, file: string, events: SessionEvent[]): void {
    const isWhole = this.purpose !== 'summary'
    const columns = read('event')
    const [times, marks, keys, parents, origins] = columns as [
      number[],
      number[],
      (string | number)[],
      unknown[],
      number[],
    ]
    const [offsets, bytes, lines, contents] = columns.slice(5) as (number | null)[][]
    let previous = events.at(-1)?.id ?? null
    for (let at = 0; at < marks.length; at++) {
      const origin = this.names.origin(origins[at] as number)
      const above = parents[at] === 1 ? previous : (parents[at] as SessionEvent['parent'])
      const event = this.event(origin, keys[at] as string | number, above, marks[at] as number, file)
      const time = times[at]
      if (typeof time === 'number') event.at = new Date(time).toISOString()
      if (isWhole) {
        place(event.record, offsets?.[at] ?? 0, bytes?.[at] ?? 0, lines?.[at] ?? 0, contents?.[at] ?? undefined)
      }
      events.push(event)
      previous = event.id
    }
  }

  /** `key`: its uuid, or the offset by which it is named. */
  private event(
    origin: Origin,
    key: string | number,
    parent: SessionEvent['parent'],
    marks: number,
    file: string,
  ): SessionEvent {
    const id = typeof key === 'string' ? key : `${origin.session}@${key}`
    const bits = marks >> 7
    const flags = (bits & flagBits) === 0 ? noFlags : this.flags(bits & flagBits)
    const stated = statedOf(origin, typeof key === 'string' ? uuidOf(key, flags) : undefined, parent, bits)
    if (this.purpose === 'stats') stated.results = resultsOf(bits)
    const { dialect, wireType, session, thread, version, cwd, gitBranch } = origin
    const record: LogRecord = { file, line: 0, offset: 0, bytes: 0, dialect, type: wireType, status: 'known' }
    // All fields at once, also those that are set later or never: an object that does not change its form costs half.
    return {
      id: eventId(id),
      kind: numberToKind(marks & 31),
      actor: numberToActor((marks >> 5) & 3),
      wireType,
      session,
      thread,
      parent,
      logicalParent: undefined,
      at: null,
      dialect,
      version,
      cwd,
      gitBranch,
      source: record,
      blocks: noBlocks,
      message: undefined,
      flags,
      detail: undefined,
      record,
      stated,
    } as unknown as SessionEvent
  }

  private flags(bits: number): Flag[] {
    const known = this.flagLists.get(bits)
    if (known !== undefined) return known
    const flags = numberToFlags(bits)
    this.flagLists.set(bits, flags)
    return flags
  }

  private rests(read: ReadColumns, first: number, events: readonly SessionEvent[]): Map<number, Rest> {
    const rests = new Map<number, Rest>()
    const [ids, texts] = read('rest') as [number[], string[]]
    ids.forEach((id, at) => {
      const event = events[id - first]
      const rest = asObject(parseJson(texts[at] ?? '')) as Rest | undefined
      if (event === undefined || rest === undefined) return
      rests.set(id, rest)
      if (rest.logicalParent !== undefined) event.logicalParent = eventId(rest.logicalParent)
      const { contents, entrypoint, copyOf } = rest
      const { results, forkedFrom } = event.stated
      if (contents !== undefined && results !== undefined) {
        event.stated = { ...event.stated, results: { ...results, texts: contents[0], blocks: contents[1] } }
      }
      if (entrypoint !== undefined) event.stated = { ...event.stated, entrypoint }
      if (copyOf !== undefined && forkedFrom !== undefined) {
        event.stated = { ...event.stated, forkedFrom: { ...forkedFrom, uuid: copyOf } }
      }
      if (rest.isStop) event.blocks = [{ type: 'text', text: '[Request interrupted by user]' }]
    })
    return rests
  }

  private addMessages(read: ReadColumns, first: number, events: readonly SessionEvent[]): void {
    const columns = read('message')
    const [ids, messages, requests] = columns as [number[], string[], (string | null)[]]
    const numbers = columns as (number | null)[][]
    for (let at = 0; at < ids.length; at++) {
      const event = events[(ids[at] as number) - first]
      if (event === undefined) continue
      event.message = this.names.message(messages[at] as string, requests[at] ?? undefined, numbers, at)
    }
  }

  private addCalls(
    read: ReadColumns,
    first: number,
    events: readonly SessionEvent[],
    rests: ReadonlyMap<number, Rest>,
  ): void {
    const columns = read('call')
    const [ids, places, calls, names, paths] = columns as [number[], number[], string[], number[], (number | null)[]]
    for (let at = 0; at < ids.length; at++) {
      const id = ids[at] as number
      const event = events[id - first]
      if (event === undefined) continue
      const given = rests.size === 0 ? undefined : rests.get(id)?.calls?.[places[at] as number]
      const path = this.names.name(paths?.[at])
      const input = path === undefined ? (given ?? noInput) : { file_path: path, ...given }
      const name = this.names.name(names[at]) ?? ''
      const block: ToolCallBlock = { type: 'tool-call', callId: callId(calls[at] as string), name, input }
      if (event.dialect === 's3' && block.callId.startsWith('s3:')) block.inferredId = true
      addBlock(event, block)
    }
  }

  private addResults(
    read: ReadColumns,
    first: number,
    events: readonly SessionEvent[],
    rests: ReadonlyMap<number, Rest>,
  ): void {
    const [ids, places, calls, outcomes, images] = read('result') as [number[], number[], string[], number[], number[]]
    for (let at = 0; at < ids.length; at++) {
      const id = ids[at] as number
      const event = events[id - first]
      if (event === undefined) continue
      const named = rests.size === 0 ? undefined : rests.get(id)?.results?.[places[at] as number]
      const call = calls[at] as string
      addBlock(
        event,
        call === '' ? image : projectedResult(event, call, outcomes[at] as number, images[at] === 1, named),
      )
    }
  }

  private addDetails(columns: ReturnType<ReadColumns>, first: number, events: readonly SessionEvent[]): void {
    const [ids, texts] = columns as [number[], string[]]
    ids.forEach((id, at) => {
      addDetail(events[id - first], texts[at])
    })
  }
}

const noInput = {}
const image: Block = { type: 'image', mediaType: '', bytes: 0 }

function place(record: LogRecord, offset: number, bytes: number, line: number, content: number | undefined): void {
  Object.assign(record, { offset, bytes, line, content })
}

/** A second record with a uuid has a number behind it. */
function uuidOf(id: string, flags: readonly Flag[]): string {
  return flags.includes('copy') ? id.replace(/~\d+$/, '') : id
}

/** What a row knows of what its record states. */
type ProjectedStated = { -readonly [F in keyof Stated]: Stated[F] }

function statedOf(origin: Origin, uuid: string | undefined, parent: string | null, bits: number): ProjectedStated {
  const stated = (bits & withoutParent) === 0 ? parent : undefined
  // An object of always the same form costs half.
  if (origin.isPlain) return { uuid, parent: stated, session: origin.stated.session, results: undefined }
  return { ...origin.stated, uuid, parent: stated, results: undefined }
}

function resultsOf(bits: number): ResultForms {
  const [texts, blocks] = contentForms[(bits >> contentShift) & 3] ?? [0, 0]
  return { texts, blocks, structured: structuredTypes[(bits >> structuredShift) & 7] ?? 'absent' }
}

function projectedResult(
  event: SessionEvent,
  call: string,
  outcome: number,
  hasImage: boolean,
  named: Record<string, unknown> | undefined,
): ToolResultBlock {
  const isError = outcome === 1 || (outcome === 2 && event.flags.includes('error'))
  const block: ToolResultBlock = { type: 'tool-result', callId: callId(call), isError, content: noBlocks }
  const text = asString(named?.['text'])
  if (hasImage) block.content = [image]
  if (text !== undefined) block.content = [...block.content, { type: 'text', text }]
  if (outcome === 2) block.structured = { ...named, interrupted: true }
  else if (named !== undefined) block.structured = named
  return block
}

function addBlock(event: SessionEvent, block: Block): void {
  if (event.blocks === noBlocks) event.blocks = [block]
  else event.blocks.push(block)
}

function addDetail(event: SessionEvent | undefined, json: unknown): void {
  const facts = parseJson(json as string)
  if (event === undefined || !isObject(facts)) return
  const { texts, ...detail } = facts
  for (const text of asArray(texts)) if (typeof text === 'string') addBlock(event, { type: 'text', text })
  if (texts !== undefined && Object.keys(detail).length === 0) return
  setDetail(event, detail)
}

type ProjectedTable = 'event' | 'message' | 'call' | 'result' | 'detail' | 'rest' | 'state'

/** Columns of a stretch of a file's rows, one list of cells each, in the order of `statements`. */
type ReadColumns = (table: ProjectedTable) => readonly (readonly unknown[])[]

/** The columns of rows, each as one JSON text: several times as quick as to pass every cell by itself. */
export function readColumns(db: Database, sql: string, values: readonly number[] = []): (readonly unknown[])[] {
  const row = db.prepare(sql).get(values) ?? []
  return row.map(text => (text === '[]' ? none : asArray(JSON.parse(text as string))))
}

const none: readonly unknown[] = []

function columnsSql(
  table: string,
  key: string,
  columns: readonly string[],
  where = `${key} >= ? AND ${key} < ?`,
): string {
  const named = columns.map((column, at) => `${column} AS c${at}`)
  const lists = columns.map((_, at) => `json_group_array(c${at})`)
  return `SELECT ${lists.join(', ')} FROM (SELECT ${named.join(', ')} FROM ${table} WHERE ${where} ORDER BY ${key})`
}

/** Kind, actor and flags in one number. */
const marks = 'kind + 32 * actor + 128 * flags'
const events = ['at', marks, 'coalesce(uuid, offset)', 'parent', 'origin']
const messages = ['event', 'id', 'request', 'model', 'input', 'output', 'cache_creation', 'cache_read', 'cache_5m']
/** JSON would round a cost. */
export const costText = (column: string): string =>
  `CASE WHEN ${column} IS NOT NULL THEN format('%!.17g', ${column}) END`
const cost = costText('cost')
const otherCounts = ['cache_1h', 'searches', 'is_final', cost]
const moreFacts = ['stop', 'tier', 'geo', 'duration']

const summaryStatements: Record<ProjectedTable, string> = {
  event: columnsSql('event', 'id', events),
  message: columnsSql('message', 'event', [...messages, ...otherCounts]),
  call: columnsSql('call', 'event', ['event', 'n', 'call', 'name']),
  result: columnsSql('result', 'event', ['event', 'n', 'call', 'outcome', 'has_image']),
  detail: columnsSql('detail', 'event', ['event', 'json']),
  rest: columnsSql('rest', 'event', ['event', 'json']),
  state: columnsSql('state', 'event', ['event', 'json'], 'file = ?'),
}
const eventStatements = {
  ...summaryStatements,
  event: columnsSql('event', 'id', [...events, 'offset', 'bytes', 'line', 'content']),
  message: columnsSql('message', 'event', [...messages, ...otherCounts, ...moreFacts]),
}
const statements: Record<ProjectionPurpose, Record<ProjectedTable, string>> = {
  summary: summaryStatements,
  events: eventStatements,
  stats: { ...eventStatements, call: columnsSql('call', 'event', ['event', 'n', 'call', 'name', 'path']) },
}

/** What the events of one origin have in common. */
export interface Origin {
  session: SessionId
  thread: ThreadId
  cwd: string | undefined
  gitBranch: string | undefined
  version: string | undefined
  dialect: Dialect
  wireType: string
  /** What all its records state. */
  stated: Stated
  /** True where the session is all that those say. */
  isPlain: boolean
}

export class NameReader {
  private readonly db: Database
  private readonly names = new Map<number, string>()
  private readonly origins = new Map<number, Origin>()
  private lastId = -1
  private last: Origin | undefined

  constructor(db: Database) {
    this.db = db
  }

  name(id: number | null | undefined): string | undefined {
    if (id === null || id === undefined) return undefined
    const known = this.names.get(id)
    if (known !== undefined) return known
    const text = this.db.prepare('SELECT text FROM name WHERE id = ?').get([id])?.[0]
    if (typeof text !== 'string') return undefined
    this.names.set(id, text)
    return text
  }

  origin(id: number): Origin {
    if (id === this.lastId && this.last !== undefined) return this.last
    const origin = this.origins.get(id) ?? this.find(id)
    this.lastId = id
    this.last = origin
    return origin
  }

  private find(id: number): Origin {
    const sql = 'SELECT session, thread, cwd, branch, version, dialect, wire, common FROM origin WHERE id = ?'
    const row = (this.db.prepare(sql).get([id]) ?? []) as (number | null)[]
    const session = this.name(row[0]) ?? ''
    const common = (asObject(parseJson(this.name(row[7]) ?? '{}')) ?? {}) as Common
    const isSessionUnsaid = common.isSessionUnsaid === true
    const origin: Origin = {
      session: sessionId(session),
      thread: threadId(this.name(row[1]) ?? ''),
      cwd: this.name(row[2]),
      gitBranch: this.name(row[3]),
      version: this.name(row[4]),
      dialect: numberToDialect(Number(row[5])),
      wireType: this.name(row[6]) ?? '',
      stated: {
        ...(isSessionUnsaid ? { foreignSession: recordedId(session) } : { session: recordedId(session) }),
        agent: common.agentId,
        agentName: common.agentName,
        team: common.teamName,
        forkedFrom: common.forkedFrom && { session: common.forkedFrom.sessionId },
        parentSession: common.parentSessionId,
        continuedIn: common.continuedInSessionId,
      },
      isPlain: Object.keys(common).length === 0,
    }
    this.origins.set(id, origin)
    return origin
  }

  /** The message at a place of its columns, in the order of `statements`. */
  message(id: string, requestId: string | undefined, columns: readonly Numbers[], at: number): MessageFacts {
    const cost = columns[12]?.[at] ?? null
    return {
      id,
      requestId,
      model: this.name(columns[3]?.[at]),
      stopReason: this.name(columns[13]?.[at]),
      usage: columns[11]?.[at] == null ? undefined : this.usage(columns, at),
      costUSD: cost === null ? undefined : Number(cost),
      durationMs: columns[16]?.[at] ?? undefined,
    } as MessageFacts
  }

  private usage(columns: readonly Numbers[], at: number): Usage {
    return {
      inputTokens: columns[4]?.[at] ?? 0,
      outputTokens: columns[5]?.[at] ?? 0,
      cacheCreationTokens: columns[6]?.[at] ?? 0,
      cacheReadTokens: columns[7]?.[at] ?? 0,
      cacheCreation5mTokens: columns[8]?.[at] ?? undefined,
      cacheCreation1hTokens: columns[9]?.[at] ?? undefined,
      webSearches: columns[10]?.[at] ?? undefined,
      serviceTier: this.name(columns[14]?.[at]),
      inferenceGeo: this.name(columns[15]?.[at]),
      outputFinal: columns[11]?.[at] === 1,
    } as Usage
  }
}

type Numbers = readonly (number | null)[]
