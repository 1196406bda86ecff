// Rows of a session's files → what is said of the session as a whole: its row in lists, its threads and turns, and what links
// it to others. It works on thin events, with the same analysis that reads files.

import { SessionSummary, type SummaryRow } from '../analyze/summary.ts'
import { type Instant, toMillis } from '../base/instant.ts'
import { foldersOf } from '../disk/folder-titles.ts'
import { buildGraph } from '../graph/graph.ts'
import { buildNodes } from '../graph/nodes.ts'
import { titleOf } from '../graph/title.ts'
import { buildTurns } from '../graph/turns.ts'
import { hasFlag, type SessionEvent } from '../model/event.ts'
import type { SessionId } from '../model/ids.ts'
import type { BranchSummary, GraphFile, ToolCall } from '../model/session.ts'
import type { SessionFiles } from '../model/source.ts'
import type { Database, SqlValue } from './port.ts'
import { digestRows } from './settle-digest.ts'
import { ThinReader } from './thin.ts'
import { type FileIds, thinFiles } from './thin-graph.ts'

export { titleFolders } from './settle-titles.ts'

/** What is said of one session, as rows without its id. Plain data: it may be made in another thread than it is written in. */
export interface Settled {
  facts: SummaryRow
  summaries: BranchSummary[]
  /** id, kind, events, started, ended, agent. */
  threads: SqlValue[][]
  /** n, prompt, thread, started, ended, duration, events, calls. */
  turns: SqlValue[][]
  /** what, value. */
  digest: SqlValue[][]
}

/** Replaces all that is said of a session. `stamp`: which bytes of which files it is made from. */
export function settleSession(
  db: Database,
  session: SessionFiles & { twins?: unknown },
  fileIds: FileIds,
  stamp: string,
  reader: ThinReader = new ThinReader(db, 'settle'),
): void {
  writeSettled(db, session, fileIds, stamp, settledOf(reader, session, fileIds))
}

/** Reads, and writes nothing. `reader`: one for many sessions is quicker than one for each. */
export function settledOf(reader: ThinReader, session: SessionFiles, fileIds: FileIds): Settled {
  const files = thinFiles(reader, session, fileIds)
  const summary = new SessionSummary(session.id)
  for (const { events } of files) for (const event of events) summary.see(event)
  const facts = summary.row()
  if (!facts.isTitleSure) Object.assign(facts, titleOf(buildGraph(session.id, files), []))
  const summaries = summary.summaries()
  // Threads and turns need the nodes and their parents, not the whole graph.
  const { skeleton, events } = buildNodes(session.id, files)
  const turns = buildTurns(skeleton, events, requestsOf(events))
  return {
    facts,
    summaries,
    threads: threadRows(session.id, events, files),
    turns: turns.map(({ index, prompt, thread, startedAt, endedAt, durationMs = null, events: own, toolCalls }) => {
      const times = [toMillis(startedAt), toMillis(endedAt), durationMs]
      return [index, prompt, thread, ...times, own.length, toolCalls.length]
    }),
    digest: digestRows(skeleton, events, summaries),
  }
}

export function writeSettled(
  db: Database,
  session: SessionFiles & { twins?: unknown },
  fileIds: FileIds,
  stamp: string,
  { facts, summaries, threads, turns, digest }: Settled,
): void {
  const { twins: _twins, ...files } = session
  const { id, slug } = session
  const { title, titleFrom, startedAt, endedAt } = facts
  dropSession(db, id)
  const texts = [JSON.stringify(files), JSON.stringify(facts), JSON.stringify(summaries), title]
  const times = [toMillis(startedAt), toMillis(endedAt)]
  const sql = `INSERT INTO session (id, slug, stamp, files, facts, summaries, title, started, ended, own)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
  db.prepare(sql).run([id, slug, stamp, ...texts, ...times, JSON.stringify({ title, titleFrom })])
  const folder = db.prepare('INSERT INTO folder (path, session) VALUES (?, ?)')
  for (const path of foldersOf(session)) folder.run([path, id])
  const log = db.prepare('INSERT OR FAIL INTO session_log SELECT ?, ?, generation FROM file WHERE id = ?')
  for (const [n, { generation }] of session.logs.entries()) log.run([id, n, fileIds.get(generation) ?? null])
  insert(db, 'thread (session, id, kind, events, started, ended, agent)', id, threads)
  insert(db, 'turn (session, n, prompt, thread, started, ended, duration, events, calls)', id, turns)
  insert(db, 'digest (session, what, value)', id, digest)
}

function insert(db: Database, table: string, id: string, rows: readonly SqlValue[][]): void {
  const marks = table.replace(/^.*\(|\)$/g, '').replace(/\w+/g, '?')
  const statement = db.prepare(`INSERT INTO ${table} VALUES (${marks})`)
  for (const row of rows) statement.run([id, ...row])
}

/** Forgets what was said of a session; its files and their rows stay. */
export function dropSession(db: Database, id: string): void {
  db.prepare('DELETE FROM session WHERE id = ?').run([id])
  for (const table of ['thread', 'turn', 'digest', 'folder', 'session_log']) {
    db.prepare(`DELETE FROM ${table} WHERE session = ?`).run([id])
  }
}

interface Span {
  count: number
  from: Instant
  to: Instant
}

/** As the graph divides them; journals are left out. */
function threadRows(main: SessionId, events: readonly SessionEvent[], files: readonly GraphFile[]): SqlValue[][] {
  const threads = new Map<string, Span>([[main, { count: 0, from: null, to: null }]])
  const journals = new Set(files.filter(file => file.role === 'journal').map(file => file.path))
  for (const event of events) {
    if (journals.size > 0 && journals.has(event.source.file)) continue
    let span = threads.get(event.thread)
    if (span === undefined) {
      span = { count: 0, from: null, to: null }
      threads.set(event.thread, span)
    }
    if (hasFlag(event, 'copy')) continue
    span.count++
    const { at } = event
    if (at === null || event.kind === 'malformed') continue
    if (span.from === null || at < span.from) span.from = at
    if (span.to === null || at > span.to) span.to = at
  }
  const agents = agentsOf(main, [...threads.keys()], files)
  return [...threads].map(([id, { count, from, to }]) => {
    const isMain = id === main
    return [
      id,
      isMain ? 'main' : 'subagent',
      count,
      toMillis(from),
      toMillis(to),
      isMain ? null : (agents.get(id) ?? null),
    ]
  })
}

/** Kinds of agents by thread. What stands beside their files is known; else the calls that started them tell. */
function agentsOf(main: SessionId, threads: readonly string[], files: readonly GraphFile[]): Map<string, string> {
  const agents = new Map<string, string>()
  for (const { agent, meta } of files) {
    if (agent !== undefined && meta?.agentType !== undefined) agents.set(agent, meta.agentType)
  }
  if (threads.every(id => id === main || agents.has(id))) return agents
  for (const { id, agentType } of buildGraph(main, files).threads) {
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
      calls.push({ id, name, input, status: 'missing', thread, requestEvent, pairing: 'id', progress: [] })
    }
  }
  return calls
}
