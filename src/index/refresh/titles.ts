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
  const given = new Map<string, BranchSummary[]>()
  const done = new Set<string>()
  const members = db.prepare('SELECT session FROM folder WHERE path = ? ORDER BY session')
  for (const folder of new Set(folders)) {
    noteNamed(db, folder)
    for (const [id] of members.all([folder])) {
      if (done.has(id as string)) continue
      done.add(id as string)
      titleSession(db, id as string, given)
    }
  }
}

/** Which sessions of a folder the titles in its other files name: each is found there, not where it was written. */
function noteNamed(db: Database, folder: string): void {
  const lines = namingLines(db, folder)
  const remove = db.prepare('DELETE FROM titled WHERE event = ?')
  for (const [event] of lines) remove.run([event])
  const owners =
    lines.length === 0 ? new Map<string, LeafOwner>() : leafOwners(db, folder, new Set(lines.map(line => line[1])))
  const insert = db.prepare('INSERT INTO titled (event, session, leaf) VALUES (?, ?, ?)')
  for (const [event, leaf] of lines) {
    const owner = owners.get(leaf)
    if (owner !== undefined && !owner.isShared) insert.run([event, owner.session, leaf])
  }
}

/** Events that name a leaf of another session, with that leaf. */
function namingLines(db: Database, folder: string): [event: number, leaf: string][] {
  const sql = `SELECT detail.event, json_extract(detail.json, '$.leaf') FROM folder
    JOIN session ON session.id = folder.session JOIN session_log ON session_log.session = session.id
    JOIN file ON file.generation = session_log.generation
    CROSS JOIN detail ON detail.event >= file.id * ${eventsPerFile} AND detail.event < (file.id + 1) * ${eventsPerFile}
    JOIN event ON event.id = detail.event
    WHERE folder.path = ? AND session.summaries <> '[]' AND event.kind = ${kindToNumber('title')}
    AND json_extract(detail.json, '$.leaf') IN (SELECT json_extract(value, '$.leaf') FROM json_each(session.summaries))
    ORDER BY 1`
  return db.prepare(sql).all([folder]) as [number, string][]
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
export function titleSession(db: Database, id: string, given = new Map<string, BranchSummary[]>()): void {
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
