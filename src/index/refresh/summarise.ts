// Rows of a session's files → its summary: its row in lists, its threads and turns, and what links it to other sessions. A
// session whose files changed is summarised again as a whole. It works on the projection of events, with the analysis that
// reads files; titles that sessions give each other are in `titles.ts`.

import { createHash } from 'node:crypto'
import { type Instant, toMillis } from '../../base/instant.ts'
import { foldersOf } from '../../disk/discover/folder-titles.ts'
import type { PlacedSession } from '../../disk/discover/merge.ts'
import { buildBranches } from '../../graph/build/branches.ts'
import { buildCalls } from '../../graph/build/calls.ts'
import { withoutRepeatedLines } from '../../graph/build/embedded.ts'
import { buildNodes } from '../../graph/build/nodes.ts'
import type { Skeleton } from '../../graph/build/skeleton.ts'
import { readState, readSummaries } from '../../graph/build/state.ts'
import { buildThreads } from '../../graph/build/threads.ts'
import { buildTurns } from '../../graph/build/turns.ts'
import { titleOf } from '../../graph/lineage/title.ts'
import { hasFlag, type SessionEvent } from '../../model/event.ts'
import type { SessionId } from '../../model/ids.ts'
import type { BranchSummary, CopiedPart, GraphFile, ToolCall } from '../../model/session.ts'
import type { SessionFiles } from '../../model/source.ts'
import type { Title } from '../../model/title.ts'
import { SessionSummary, type SummaryRow } from '../../session/summary.ts'
import { noteUsageDue } from '../ingest/usage.ts'
import type { Database, SqlValue, Statement } from '../store/port.ts'
import { insertRows } from '../store/port.ts'
import { type DigestRow, digestRows } from './digest.ts'
import { changedParts } from './lineage.ts'
import { copiedPartOf, type FileIds, ProjectionReader, projectedFiles } from './projection.ts'
import { titleFolders } from './titles.ts'

/** A transaction is closed after this many sessions. */
const sessionsAtOnce = 200

export interface SummariseInput {
  sessions: readonly PlacedSession[]
  /** The indexed generation of each log, by the log's own generation. */
  byLog: ReadonlyMap<string, string>
  /** Whether a log that was not found is gone. */
  isGone(path: string): boolean
}

/** Summarises the sessions whose files changed and drops those that are gone; gives how many. */
export function summariseSessions(db: Database, input: SummariseInput): number {
  const { byLog } = input
  const files = new IndexedFiles(db)
  const known = new Map(db.prepare('SELECT id, fingerprint FROM session').all() as [string, string][])
  const reader = new ProjectionReader(db, 'summary')
  const folders = new Set<string>()
  const changed: [PlacedSession, string][] = []
  for (const session of input.sessions) {
    const fingerprint = fingerprintOf(session, byLog, files)
    const before = known.get(session.id)
    known.delete(session.id)
    if (before === fingerprint) continue
    // A session that was moved gave titles in its former folder.
    const former = before === undefined ? null : filesBefore(db, session.id)
    for (const folder of [...foldersOf(session), ...(former === null ? [] : foldersOf(former))]) folders.add(folder)
    changed.push([session, fingerprint])
  }
  const gone = [...known.keys()].filter(id => {
    const session = filesBefore(db, id)
    if (session === null || !session.logs.every(log => input.isGone(log.path))) return false
    for (const folder of foldersOf(session)) folders.add(folder)
    return true
  })
  const count = changed.length + gone.length
  if (count > 0) {
    db.transaction(() => {
      noteUntitled(db, folders)
      for (const id of gone) dropSession(db, id)
    })
  }
  for (let from = 0; from < changed.length; from += sessionsAtOnce) {
    db.transaction(() => {
      for (const [session, fingerprint] of changed.slice(from, from + sessionsAtOnce)) {
        summariseSession(db, session, idsOf(session, byLog, files), fingerprint, reader)
      }
    })
  }
  summariseCopies(db)
  titleDue(db)
  return count
}

/** Summarises again what sessions did themselves, where what they copied is now another part of them. */
export function summariseCopies(db: Database): void {
  if (db.prepare('SELECT 1 FROM lineage_due LIMIT 1').get() === undefined) return
  db.transaction(() => {
    const reader = new ProjectionReader(db, 'summary')
    const fingerprints = db.prepare('SELECT fingerprint FROM session WHERE id = ?')
    for (const { session, fileIds, part } of changedParts(db)) {
      const fingerprint = String(fingerprints.get([session.id])?.[0])
      noteUntitled(db, foldersOf(session))
      summariseSession(db, session, fileIds, fingerprint, reader, part ?? null)
      noteUsageDue(db, session.id)
    }
    db.exec('DELETE FROM lineage_due')
  })
}

interface IndexedFile {
  id: number
  /** How many bytes rows cover and, where a file may have been rewritten, which. */
  covered: string
}

/** The index's files by generation, looked up one by one: there may be 100,000. */
class IndexedFiles {
  private readonly find: Statement

  constructor(db: Database) {
    this.find = db.prepare('SELECT id, covered, check_sum FROM file WHERE generation = ?')
  }

  get(generation: string): IndexedFile | undefined {
    const row = this.find.get([generation])
    return row && { id: Number(row[0]), covered: `${row[1]} ${row[2] ?? ''}` }
  }
}

/** Which bytes of which files a session is made from, and what is known of the files. */
function fingerprintOf(session: PlacedSession, byLog: ReadonlyMap<string, string>, files: IndexedFiles): string {
  const hash = createHash('sha256').update(JSON.stringify([session.slug, session.logs, session.side]))
  for (const log of session.logs) {
    const generation = byLog.get(log.generation) ?? ''
    hash.update(`${generation} ${files.get(generation)?.covered ?? ''}\n`)
  }
  return hash.digest('hex').slice(0, 32)
}

/** The index's ids of the logs, by the logs' own generations. */
function idsOf(session: PlacedSession, byLog: ReadonlyMap<string, string>, files: IndexedFiles): Map<string, number> {
  const ids = new Map<string, number>()
  for (const log of session.logs) {
    const id = files.get(byLog.get(log.generation) ?? '')?.id
    if (id !== undefined) ids.set(log.generation, id)
  }
  return ids
}

/** The files that the session was summarised with last. */
function filesBefore(db: Database, id: string): SessionFiles | null {
  const json = db.prepare('SELECT files FROM session WHERE id = ?').get([id])?.[0]
  return typeof json === 'string' ? (JSON.parse(json) as SessionFiles) : null
}

/** Titles of whole folders come last; which folders are due must survive a kill before that. */
function noteUntitled(db: Database, folders: Iterable<string>): void {
  const due = [...new Set([...untitledFolders(db), ...folders])]
  db.prepare("INSERT OR REPLACE INTO meta VALUES ('untitled', ?)").run([JSON.stringify(due)])
}

function untitledFolders(db: Database): string[] {
  return JSON.parse(String(db.prepare("SELECT value FROM meta WHERE key = 'untitled'").get()?.[0] ?? '[]'))
}

function titleDue(db: Database): void {
  const folders = untitledFolders(db)
  if (folders.length === 0) return
  db.transaction(() => {
    titleFolders(db, folders)
    db.exec("DELETE FROM meta WHERE key = 'untitled'")
  })
}

/**
 * Replaces the summary of a session. `fingerprint`: which bytes of which files it is made from. `copied`: what it has from
 * another session, null for nothing; where it is absent, what was known before.
 */
export function summariseSession(
  db: Database,
  session: SessionFiles & { twins?: unknown },
  fileIds: FileIds,
  fingerprint: string,
  reader: ProjectionReader = new ProjectionReader(db, 'summary'),
  copied: CopiedPart | null = copiedPartOf(db, session.id) ?? null,
): void {
  const projected = projectedFiles(reader, session, fileIds, copied ?? undefined)
  const { facts, summaries, threads, turns, digest } = summaryRows(session.id, projected)
  const { twins: _twins, ...files } = session
  const { id, slug } = session
  const { title, titleFrom, startedAt, endedAt } = facts
  dropSession(db, id)
  const texts = [JSON.stringify(files), JSON.stringify(facts), JSON.stringify(summaries), title]
  const times = [toMillis(startedAt), toMillis(endedAt)]
  const sql = `INSERT INTO session (id, slug, fingerprint, files, facts, summaries, title, started, ended, own,
    copied) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
  const own = JSON.stringify({ title, titleFrom })
  db.prepare(sql).run([id, slug, fingerprint, ...texts, ...times, own, copied && JSON.stringify(copied)])
  const folder = db.prepare('INSERT INTO folder (path, session) VALUES (?, ?)')
  for (const path of foldersOf(session)) folder.run([path, id])
  const log = db.prepare('INSERT OR FAIL INTO session_log SELECT ?, ?, generation FROM file WHERE id = ?')
  for (const [n, { generation }] of session.logs.entries()) log.run([id, n, fileIds.get(generation) ?? null])
  const withId = (rows: readonly SqlValue[][]) => rows.flatMap(row => [id, ...row])
  insertRows(db, 'thread', 7, withId(threads))
  insertRows(db, 'turn', 9, withId(turns))
  insertRows(db, 'digest', 3, withId(digest))
}

/** Drops the summary of a session; its files and their rows stay. Sessions that copied from it are due. */
export function dropSession(db: Database, id: string): void {
  db.prepare('INSERT OR IGNORE INTO lineage_due VALUES (?)').run([id])
  db.prepare('DELETE FROM session WHERE id = ?').run([id])
  for (const table of ['turn', 'thread', 'digest', 'folder', 'session_log']) {
    db.prepare(`DELETE FROM ${table} WHERE session = ?`).run([id])
  }
}

/** The summary of one session, as rows without its id. */
export interface SummaryRows {
  facts: SummaryRow
  summaries: BranchSummary[]
  /** id, kind, events, started, ended, agent. */
  threads: SqlValue[][]
  /** n, prompt, thread, started, ended, duration, events, calls. */
  turns: SqlValue[][]
  digest: DigestRow[]
}

export function summaryRows(session: SessionId, files: readonly GraphFile[]): SummaryRows {
  const { skeleton, events } = buildNodes(session, files)
  const summary = new SessionSummary(session)
  for (const file of withoutRepeatedLines(files)) for (const event of file.events) summary.see(event)
  const facts = summary.row()
  // Which branch is active only the graph shows.
  if (!facts.isTitleSure) Object.assign(facts, titleOfNodes(skeleton, events))
  // Threads and turns need the nodes and their parents, not the whole graph.
  const turns = buildTurns(skeleton, events, requestsOf(events)).map(turn => [
    turn.index,
    turn.prompt,
    turn.thread,
    toMillis(turn.startedAt),
    toMillis(turn.endedAt),
    turn.durationMs ?? null,
    turn.events.length,
    turn.toolCalls.length,
  ])
  const digest = digestRows(skeleton, events, summary.summaries())
  return { facts, summaries: summary.othersSummaries(), threads: threadRows(skeleton, events, files), turns, digest }
}

function titleOfNodes(skeleton: Skeleton, events: SessionEvent[]): Title {
  const { session, main, index } = skeleton
  const state = readState(session, events)
  const summaries = readSummaries(events)
  const { branches } = buildBranches(skeleton, state, summaries)
  return titleOf({ session, events, state, summaries, branches, nodes: index, threads: [{ id: main }] }, [])
}

/** As the graph divides them; journals are left out. */
function threadRows(skeleton: Skeleton, events: readonly SessionEvent[], files: readonly GraphFile[]): SqlValue[][] {
  const main: string = skeleton.main
  const threads = new Map<string, Span>([[main, new Span()]])
  const journals = new Set(files.filter(file => file.role === 'journal').map(file => file.path))
  for (const event of events) {
    if (journals.size > 0 && journals.has(event.source.file)) continue
    let span = threads.get(event.thread)
    if (span === undefined) {
      span = new Span()
      threads.set(event.thread, span)
    }
    span.add(event)
  }
  const agents = agentTypes(skeleton, events, files, [...threads.keys()])
  return [...threads].map(([id, { count, from, to }]) => {
    const isMain = id === main
    const agent = isMain ? null : (agents.get(id) ?? null)
    return [id, isMain ? 'main' : 'subagent', count, toMillis(from), toMillis(to), agent]
  })
}

/** Events of a thread, and when they happened. */
class Span {
  count = 0
  from: Instant = null
  to: Instant = null

  add(event: SessionEvent): void {
    if (hasFlag(event, 'copy')) return
    this.count++
    const { at } = event
    if (at === null || event.kind === 'malformed') return
    if (this.from === null || at < this.from) this.from = at
    if (this.to === null || at > this.to) this.to = at
  }
}

/** Types of agents by thread: from the files next to their logs, else from the calls that started them. */
function agentTypes(
  skeleton: Skeleton,
  events: readonly SessionEvent[],
  files: readonly GraphFile[],
  threads: readonly string[],
): Map<string, string> {
  const agents = new Map<string, string>()
  for (const { agent, meta } of files) {
    if (agent !== undefined && meta?.agentType !== undefined) agents.set(agent, meta.agentType)
  }
  if (threads.every(id => id === skeleton.main || agents.has(id))) return agents
  for (const { id, agentType } of buildThreads(skeleton, events, files, buildCalls(skeleton, events))) {
    if (agentType !== undefined) agents.set(id, agentType)
  }
  return agents
}

/** Calls as turns count them. A replayed request (same id, same message) is one call. */
function requestsOf(events: readonly SessionEvent[]): ToolCall[] {
  const calls: ToolCall[] = []
  const seen = new Set<string>()
  for (const event of events) {
    if (event.blocks.length === 0 || hasFlag(event, 'copy')) continue
    for (const block of event.blocks) {
      if (block.type !== 'tool-call') continue
      const key = `${block.callId} ${event.message?.id ?? event.id}`
      if (seen.has(key)) continue
      seen.add(key)
      const { callId: id, name, input } = block
      const { thread, id: requestEvent } = event
      calls.push({ id, name, input, outcome: 'missing', thread, requestEvent, pairing: 'id', progress: [] })
    }
  }
  return calls
}
