// Titles that sessions get from other files of their folder. The result depends on the summaries alone, never on what they
// were before or in which order they came.

import { isUnnamed, summariesByFolder } from '../../disk/discover/folder-titles.ts'
import { titleOf } from '../../graph/lineage/title.ts'
import type { BranchSummary } from '../../model/session.ts'
import type { Title } from '../../model/title.ts'
import { markOf } from '../ingest/facts.ts'
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
    for (const [id] of members.all([folder])) {
      if (done.has(id as string)) continue
      done.add(id as string)
      titleSession(db, id as string, given)
    }
  }
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
