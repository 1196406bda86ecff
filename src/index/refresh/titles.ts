// Titles that sessions get from other files of their folder. The result depends on the summaries alone, never on what they
// were before or in which order they came.

import { isUnnamed, summariesByFolder } from '../../disk/discover/folder-titles.ts'
import { titleOf } from '../../graph/lineage/title.ts'
import type { BranchSummary } from '../../model/session.ts'
import type { Title } from '../../model/title.ts'
import { markOf } from '../ingest/facts.ts'
import { kindToNumber } from '../ingest/rows.ts'
import type { Database } from '../store/port.ts'
import { eventsPerFile } from '../store/schema.ts'
import { indexedSession, projectedGraph } from './projection.ts'

/** The title that its own files give, and which summaries were used since. */
interface OwnTitle extends Title {
  used?: string
}

/** Names the sessions of these folders again. `folders`: those of all sessions that were summarised or dropped, before and after. */
export function titleFolders(db: Database, folders: Iterable<string>): void {
  const due = [...new Set(folders)]
  noteNamed(db, due)
  const given = new Map<string, BranchSummary[]>()
  for (const [id] of db.prepare(`SELECT session FROM (${membersSql}) ORDER BY session`).all([JSON.stringify(due)])) {
    titleSession(db, id as string, given)
  }
}

const membersSql = 'SELECT DISTINCT session FROM folder WHERE path IN (SELECT value FROM json_each(?))'
const filesSql = 'FROM session_log JOIN file ON file.generation = session_log.generation'

/**
 * Which sessions the titles in these folders name: each is found there, not where it was written. A session may be in several
 * folders: the first that has the leaf counts, whichever of them are due.
 */
function noteNamed(db: Database, due: readonly string[]): void {
  removeNamed(db, due)
  const lines = namingLines(db, due)
  if (lines.length === 0) return
  const foldersOf = foldersBySession(db, lines)
  const leaves = new Map<string, Set<string>>()
  for (const { session, leaf } of lines) {
    for (const folder of foldersOf.get(session) ?? []) leaves.set(folder, (leaves.get(folder) ?? new Set()).add(leaf))
  }
  const owners = new Map([...leaves].map(([folder, ofFolder]) => [folder, leafOwners(db, folder, ofFolder)]))
  const insert = db.prepare('INSERT OR IGNORE INTO titled (event, session, leaf) VALUES (?, ?, ?)')
  for (const { event, leaf, session } of lines) {
    const found = (foldersOf.get(session) ?? []).map(folder => owners.get(folder)?.get(leaf))
    const owner = found.find(one => one !== undefined && !one.isShared)
    if (owner !== undefined) insert.run([event, owner.session, leaf])
  }
}

/** What the sessions of these folders named before, and files that are of no session any more. */
function removeNamed(db: Database, due: readonly string[]): void {
  const ofMembers = `SELECT file.id ${filesSql} WHERE session_log.session IN (${membersSql})`
  const ofAny = `SELECT file.id ${filesSql}`
  db.prepare(
    `DELETE FROM titled WHERE event / ${eventsPerFile} IN (${ofMembers}) OR event / ${eventsPerFile} NOT IN (${ofAny})`,
  ).run([JSON.stringify(due)])
}

interface NamingLine {
  event: number
  /** The record that is named. */
  leaf: string
  /** The session that has the line. */
  session: string
}

/** Events that name a leaf of another session. */
function namingLines(db: Database, due: readonly string[]): NamingLine[] {
  const sql = `SELECT detail.event, json_extract(detail.json, '$.leaf'), session.id FROM (${membersSql}) AS member
    JOIN session ON session.id = member.session JOIN session_log ON session_log.session = session.id
    JOIN file ON file.generation = session_log.generation
    CROSS JOIN detail ON detail.event >= file.id * ${eventsPerFile} AND detail.event < (file.id + 1) * ${eventsPerFile}
    JOIN event ON event.id = detail.event
    WHERE session.summaries <> '[]' AND event.kind = ${kindToNumber('title')}
    AND json_extract(detail.json, '$.leaf') IN (SELECT json_extract(value, '$.leaf') FROM json_each(session.summaries))
    ORDER BY 1, 3`
  const rows = db.prepare(sql).all([JSON.stringify(due)]) as [number, string, string][]
  return rows.map(([event, leaf, session]) => ({ event, leaf, session }))
}

/** In the order of their paths. */
function foldersBySession(db: Database, lines: readonly NamingLine[]): Map<string, string[]> {
  const query = db.prepare('SELECT path FROM folder WHERE session = ? ORDER BY path')
  const sessions = [...new Set(lines.map(({ session }) => session))]
  return new Map(sessions.map(id => [id, query.all([id]).map(([path]) => String(path))]))
}

interface LeafOwner {
  session: string
  started: number
  content: unknown
  /** Sessions have different records under this uuid. */
  isShared: boolean
}

/** The first session of the folder that has each of the leaves. */
function leafOwners(db: Database, folder: string, leaves: ReadonlySet<string>): Map<string, LeafOwner> {
  const sql = `SELECT event.uuid, event.content, session.id, session.started FROM folder
    JOIN session ON session.id = folder.session JOIN session_log ON session_log.session = session.id
    JOIN file ON file.generation = session_log.generation
    CROSS JOIN event ON event.id >= file.id * ${eventsPerFile} AND event.id < (file.id + 1) * ${eventsPerFile}
    WHERE folder.path = ? AND event.uuid IN (SELECT value FROM json_each(?)) ORDER BY session.id`
  const owners = new Map<string, LeafOwner>()
  for (const [uuid, content, session, at] of db.prepare(sql).all([folder, JSON.stringify([...leaves])])) {
    const started = typeof at === 'number' ? at : Number.MAX_SAFE_INTEGER
    const known = owners.get(uuid as string)
    const isShared = known !== undefined && (known.isShared || known.content !== content)
    if (known === undefined || started < known.started) {
      owners.set(uuid as string, { session: session as string, started, content, isShared })
    } else known.isShared = isShared
  }
  return owners
}

/** Names one session again. `given`: summaries by folder, as far as they are known. */
function titleSession(db: Database, id: string, given = new Map<string, BranchSummary[]>()): void {
  const row = db.prepare('SELECT own FROM session WHERE id = ?').get([id])
  if (row === undefined) return
  const own = JSON.parse(row[0] as string) as OwnTitle
  if (!isUnnamed(own)) return
  const folders = db.prepare('SELECT path FROM folder WHERE session = ? ORDER BY path').all([id])
  const summaries = folders.flatMap(([path]) => summariesOf(db, path as string, given))
  const used = summaries.length === 0 ? undefined : markOf(JSON.stringify(summaries))
  if (used === own.used) return
  const plain: Title = { title: own.title, titleFrom: own.titleFrom }
  const title = used === undefined ? plain : joinedTitle(db, id, plain, summaries)
  const next: OwnTitle = { ...plain, ...(used !== undefined && { used }) }
  const facts = JSON.parse(String(db.prepare('SELECT facts FROM session WHERE id = ?').get([id])?.[0])) as object
  db.prepare('UPDATE session SET own = ?, title = ?, facts = ? WHERE id = ?').run([
    JSON.stringify(next),
    title.title,
    JSON.stringify({ ...facts, title: title.title, titleFrom: title.titleFrom }),
    id,
  ])
}

function summariesOf(db: Database, folder: string, given: Map<string, BranchSummary[]>): BranchSummary[] {
  const known = given.get(folder)
  if (known !== undefined) return known
  const sql = `SELECT session.id, session.summaries FROM folder JOIN session ON session.id = folder.session
    WHERE folder.path = ? AND session.summaries <> '[]'`
  const members = db
    .prepare(sql)
    .all([folder])
    .map(([id, json]) => ({
      id: id as string,
      folders: [folder],
      summaries: JSON.parse(json as string) as BranchSummary[],
    }))
  const found = summariesByFolder(members).get(folder) ?? []
  given.set(folder, found)
  return found
}

/** What a summary says counts where its leaf is a record of the session; which of several counts, only the graph knows. */
function joinedTitle(db: Database, id: string, own: Title, summaries: readonly BranchSummary[]): Title {
  const { session, fileIds } = indexedSession(db, id)
  const leaves = leavesIn(db, [...fileIds.values()], summaries)
  const titles = summaries.filter(({ leaf }) => leaves.has(leaf)).map(({ title }) => title)
  const [first] = titles
  if (first === undefined) return own
  if (new Set(titles).size === 1) return { title: first, titleFrom: 'summary' }
  return titleOf(projectedGraph(db, session, fileIds), summaries)
}

/** Which of the leaves are records of these files. */
function leavesIn(db: Database, files: readonly number[], summaries: readonly BranchSummary[]): Set<string> {
  const leaves = JSON.stringify(summaries.map(({ leaf }) => leaf))
  const sql = 'SELECT uuid FROM event WHERE id >= ? AND id < ? AND uuid IN (SELECT value FROM json_each(?))'
  const found = new Set<string>()
  for (const file of files) {
    for (const [uuid] of db.prepare(sql).all([file * eventsPerFile, (file + 1) * eventsPerFile, leaves])) {
      found.add(uuid as string)
    }
  }
  return found
}
