// What other parts read from the index, each as one plain query: sessions as lists show them, threads, related sessions, prompt
// histories, calls of a file. No log is opened; search and usage are in files of their own.

import { toMillis } from '../../base/instant.ts'
import type { BranchSummary, SessionDigest } from '../../model/session.ts'
import type { SessionFiles } from '../../model/source.ts'
import type { SummaryRow } from '../../session/summary.ts'
import { type TextField, textFields } from '../../session/text-kinds.ts'
import type { Database, Row } from '../store/port.ts'
import { eventsPerFile } from '../store/schema.ts'

export interface IndexedSession {
  session: SessionFiles
  facts: SummaryRow
}

export function sessionIds(db: Database): string[] {
  return db
    .prepare('SELECT id FROM session')
    .all()
    .map(([id]) => String(id))
}

/** Whether a path is in the roots that a query is about. */
export type InScope = (path: string) => boolean

/**
 * All of them, or those in scope. Null where one is partly in it: the index has only the session as a whole.
 */
export function indexedSessions(db: Database, isInScope?: InScope): IndexedSession[] | null {
  return inScopeOf(db.prepare('SELECT files, facts FROM session').each(), isInScope)
}

/** The same of those that a text may name: an id or the name of a file begins with it, in any case. */
export function sessionsNamed(db: Database, text: string, isInScope?: InScope): IndexedSession[] | null {
  const begins = (column: string) => `substr(lower(${column}), 1, length(?1)) = lower(?1)`
  const sql = `SELECT files, facts FROM session WHERE ${begins('id')} OR id IN (SELECT session FROM session_log
    WHERE generation IN (SELECT generation FROM file WHERE ${begins('name_session')}))`
  return inScopeOf(db.prepare(sql).each([text]), isInScope)
}

/** The same of the one with this id. */
export function sessionWithId(db: Database, id: string, isInScope?: InScope): IndexedSession[] | null {
  return inScopeOf(db.prepare('SELECT files, facts FROM session WHERE id = ?').all([id]), isInScope)
}

/** The same of those whose last record is later than that of all others in scope: more than one where times are equal. */
export function latestSessions(db: Database, isInScope?: InScope): IndexedSession[] | null {
  const latest: IndexedSession[] = []
  let at: unknown
  for (const [id, ended] of db.prepare('SELECT id, ended FROM session ORDER BY ended DESC').all()) {
    if (latest.length > 0 && ended !== at) break
    const found = sessionWithId(db, id as string, isInScope)
    if (found === null) return null
    latest.push(...found)
    at = ended
  }
  return latest
}

function inScopeOf(rows: Iterable<Row>, isInScope: InScope | undefined): IndexedSession[] | null {
  const found: IndexedSession[] = []
  for (const row of rows) {
    const one = toSession(row)
    const share = isInScope === undefined ? 'all' : shareOf(one.session, isInScope)
    if (share === 'some') return null
    if (share === 'all') found.push(one)
  }
  return found
}

/** Whether the path of any indexed log begins so. */
export function hasPathsFrom(db: Database, start: string): boolean {
  return db.prepare('SELECT 1 FROM file WHERE substr(path, 1, length(?1)) = ?1 LIMIT 1').get([start]) !== undefined
}

/** One of them; null where it is not indexed. */
export function indexedSession(db: Database, id: string): IndexedSession | null {
  const row = db.prepare('SELECT files, facts FROM session WHERE id = ?').get([id])
  return row === undefined ? null : toSession(row)
}

function toSession([files, facts]: Row): IndexedSession {
  return { session: JSON.parse(files as string) as SessionFiles, facts: JSON.parse(facts as string) as SummaryRow }
}

/** How much of a session is in scope, by its logs; of one without any, by the rest. */
function shareOf({ logs, side }: SessionFiles, isInScope: InScope): 'all' | 'some' | 'none' {
  const files = logs.length > 0 ? logs : side
  const inside = files.filter(file => isInScope(file.path)).length
  return inside === files.length ? 'all' : inside > 0 ? 'some' : 'none'
}

export function isWithin(session: SessionFiles, isInScope: InScope): boolean {
  return shareOf(session, isInScope) === 'all'
}

/** Kinds of agents by session and thread, with a blank between them; threads of unknown kind are left out. */
export function threadAgents(db: Database): Map<string, string> {
  const rows = db.prepare('SELECT session, id, agent FROM thread WHERE agent IS NOT NULL').all()
  return new Map(rows.map(([session, id, agent]) => [`${session} ${id}`, String(agent)]))
}

export interface IndexedThread {
  id: string
  kind: 'main' | 'subagent'
  events: number
  /** Milliseconds since 1970. */
  started: number | null
  ended: number | null
  agent?: string
}

/** Of one session, the main one first. */
export function sessionThreads(db: Database, session: string): IndexedThread[] {
  const sql = `SELECT id, kind, events, started, ended, agent FROM thread WHERE session = ?
    ORDER BY kind <> 'main', started, id`
  return db
    .prepare(sql)
    .all([session])
    .map(([id, kind, events, started, ended, agent]) => ({
      id: String(id),
      kind: kind === 'main' ? 'main' : 'subagent',
      events: Number(events),
      started: started as number | null,
      ended: ended as number | null,
      ...(typeof agent === 'string' && { agent }),
    }))
}

/**
 * Sessions that have records or answers of this one, or the records that it continues; that continue it; that it names, or that
 * name it. How they are linked is decided from their digests. A copy has the time of its original, by which it is found: ids of
 * events have no index of their own. For records that it lacks, whose time nobody knows, it goes over all of them once.
 */
export function kinOf(db: Database, digest: SessionDigest): Set<string> {
  const found = new Set<string>()
  const inFile = (ids: string) => `SELECT DISTINCT session_log.session FROM session_log
    JOIN file ON file.generation = session_log.generation WHERE file.id IN (${ids})`
  const events = (where: string) =>
    `SELECT DISTINCT id / ${eventsPerFile} FROM event WHERE ${where} uuid IN (SELECT value FROM json_each(?1))`
  const times = new Set(digest.uuids.map((_, at) => toMillis(digest.times[at] ?? null)))
  const atTimes = 'at IN (SELECT value FROM json_each(?2)) AND'
  add(
    found,
    db,
    inFile(events(atTimes)),
    digest.uuids,
    [...times].filter(at => at !== null),
  )
  if (times.has(null)) add(found, db, inFile(events('at IS NULL AND')), digest.uuids)
  add(found, db, inFile(events('')), digest.missingParents)
  const messages = `SELECT DISTINCT event / ${eventsPerFile} FROM message WHERE id IN (SELECT value FROM json_each(?))`
  add(found, db, inFile(messages), digest.messageIds)
  const stated = (kinds: string) => `SELECT DISTINCT session FROM digest
    WHERE value IN (SELECT value FROM json_each(?)) AND what IN (${kinds})`
  add(found, db, stated("'missing', 'uuid'"), digest.uuids)
  add(found, db, stated("'other', 'forked', 'continued'"), [digest.session])
  const named = 'SELECT id FROM session WHERE id IN (SELECT value FROM json_each(?))'
  add(found, db, named, [...digest.otherSessions, ...digest.forkedFrom, ...digest.continuedIn])
  found.delete(digest.session)
  return found
}

function add(found: Set<string>, db: Database, sql: string, ...values: (readonly (string | number)[])[]): void {
  if (values.some(list => list.length === 0)) return
  for (const [session] of db.prepare(sql).all(values.map(list => JSON.stringify(list)))) found.add(session as string)
}

/** Titles of branches in the other sessions of these folders, in the order of the sessions' ids. */
export function summariesInFolders(db: Database, session: string, folders: readonly string[]): BranchSummary[] {
  const sql = `SELECT DISTINCT session.id, session.summaries FROM folder JOIN session ON session.id = folder.session
    WHERE folder.path IN (SELECT value FROM json_each(?)) AND session.id <> ? AND session.summaries <> '[]'
    ORDER BY session.id`
  const rows = db.prepare(sql).all([JSON.stringify(folders), session])
  return rows.flatMap(([, json]) => JSON.parse(json as string) as BranchSummary[])
}

/** Paths of the indexed prompt histories; earlier contents are left out. */
export function historyPaths(db: Database, isInScope?: InScope): string[] {
  const sql = "SELECT path FROM file WHERE role = 'history' AND standing < 2 ORDER BY path"
  const paths = db
    .prepare(sql)
    .all()
    .map(([path]) => path as string)
  return isInScope === undefined ? paths : paths.filter(isInScope)
}

/** Places in their file of the events that have texts of one of the fields. */
export function eventsWithTexts(db: Database, file: number, fields: readonly TextField[]): Set<number> {
  const numbers = fields.map(field => textFields.indexOf(field)).join(', ')
  const sql = `SELECT DISTINCT event FROM text_event WHERE event >= ? AND event < ? AND field IN (${numbers})`
  const first = file * eventsPerFile
  const rows = db.prepare(sql).all([first, first + eventsPerFile])
  return new Set(rows.map(([event]) => Number(event) - first))
}

/** Events that later ones of a file, from an offset on, name as their parent without being next to them. */
export function parentsNamedFrom(db: Database, session: string, offset: number): Set<string> {
  const sql = `SELECT DISTINCT event.parent FROM session_log JOIN file ON file.generation = session_log.generation
    JOIN event ON event.id >= file.id * ?1 AND event.id < (file.id + 1) * ?1
    WHERE session_log.session = ?2 AND session_log.n = 0 AND event.offset >= ?3 AND typeof(event.parent) = 'text'`
  return new Set(
    db
      .prepare(sql)
      .all([eventsPerFile, session, offset])
      .map(([parent]) => String(parent)),
  )
}

export interface CallCommand {
  /** Place of the event in its file, and of the block in the event's calls. */
  ordinal: number
  call: string
  command: string
}

/** What the calls of one indexed file were to run, in order: commands, patterns, addresses, cut to a line. */
export function callCommands(db: Database, file: number): CallCommand[] {
  const sql = 'SELECT event, call, command FROM call WHERE event >= ? AND event < ? AND command IS NOT NULL'
  const first = file * eventsPerFile
  return db
    .prepare(sql)
    .all([first, first + eventsPerFile])
    .map(([event, call, command]) => ({
      ordinal: Number(event) - first,
      call: String(call),
      command: String(command),
    }))
}

/** Whether SQLite finds the pages of all tables sound: table by table, since a check of the whole reads every word too. */
export function isSound(db: Database): boolean {
  const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'")
  return tables.all().every(([name]) => {
    const quoted = String(name).replaceAll('"', '""')
    return db.prepare(`PRAGMA quick_check("${quoted}")`).get()?.[0] === 'ok'
  })
}
