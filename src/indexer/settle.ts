// Rows of a session's files → what is said of the session as a whole: its row in lists, its threads and turns, and what links
// it to others. It works on thin events, with the same analysis that reads files.

import { SessionSummary, type SummaryRow } from '../analyze/summary.ts'
import { type Instant, toMillis } from '../base/instant.ts'
import { foldersOf } from '../disk/folder-titles.ts'
import { buildNodes } from '../graph/nodes.ts'
import { titleOf } from '../graph/title.ts'
import { buildTurns } from '../graph/turns.ts'
import { hasFlag, type SessionEvent } from '../model/event.ts'
import type { GraphFile, ToolCall } from '../model/session.ts'
import type { SessionFiles } from '../model/source.ts'
import type { Database, SqlValue } from './port.ts'
import { digestRows } from './settle-digest.ts'
import { ThinReader } from './thin.ts'
import { type FileIds, thinFiles, thinGraph } from './thin-graph.ts'

export { titleFolders } from './settle-titles.ts'

/** Tables with rows of one session. */
const tables = ['thread', 'turn', 'digest', 'folder', 'session_log'] as const

/** Replaces all that is said of a session. `stamp`: which bytes of which files it is made from. */
export function settleSession(
  db: Database,
  session: SessionFiles & { twins?: unknown },
  fileIds: FileIds,
  stamp: string,
  reader: ThinReader = new ThinReader(db, 'settle'),
): void {
  dropSession(db, session.id)
  const files = thinFiles(reader, session, fileIds)
  const { facts, summary } = factsOf(db, session, fileIds, files)
  const { twins: _twins, ...plain } = session
  const { id, slug } = session
  const { title, titleFrom, startedAt, endedAt } = facts
  const own = JSON.stringify({ title, titleFrom })
  const texts = [JSON.stringify(plain), JSON.stringify(facts), JSON.stringify(summary.summaries())]
  db.prepare(`INSERT INTO session (id, slug, stamp, files, facts, summaries, title, started, ended, own)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`).run([
    id,
    slug,
    stamp,
    ...texts,
    title,
    toMillis(startedAt),
    toMillis(endedAt),
    own,
  ])
  const add = db.prepare('INSERT INTO folder (path, session) VALUES (?, ?)')
  for (const folder of foldersOf(session)) add.run([folder, id])
  const stands = db.prepare('INSERT INTO session_log SELECT ?, ?, generation FROM file WHERE id = ?')
  for (const [n, log] of session.logs.entries()) stands.run([id, n, fileIds.get(log.generation) ?? null])
  settleGraph(db, session, files, summary)
}

/** Forgets what was said of a session; its files and their rows stay. */
export function dropSession(db: Database, id: string): void {
  db.prepare('DELETE FROM session WHERE id = ?').run([id])
  for (const table of tables) db.prepare(`DELETE FROM ${table} WHERE session = ?`).run([id])
}

function factsOf(
  db: Database,
  session: SessionFiles,
  fileIds: FileIds,
  files: readonly GraphFile[],
): { facts: SummaryRow; summary: SessionSummary } {
  const summary = new SessionSummary(session.id)
  for (const { events } of files) for (const event of events) summary.see(event)
  const facts = summary.row()
  if (!facts.isTitleSure) Object.assign(facts, titleOf(thinGraph(db, session, fileIds), []))
  return { facts, summary }
}

/** Threads and turns need the nodes and their parents, not the whole graph. */
function settleGraph(db: Database, session: SessionFiles, files: readonly GraphFile[], summary: SessionSummary): void {
  const { id } = session
  const { skeleton, events } = buildNodes(id, files)
  const thread = db.prepare('INSERT INTO thread (session, id, kind, events, started, ended) VALUES (?, ?, ?, ?, ?, ?)')
  for (const [name, { count, from, to }] of threadsOf(id, events, files)) {
    thread.run([id, name, name === (id as string) ? 'main' : 'subagent', count, toMillis(from), toMillis(to)])
  }
  const turn = db.prepare(`INSERT INTO turn (session, n, prompt, thread, started, ended, duration, events, calls)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`)
  for (const each of buildTurns(skeleton, events, requestsOf(events))) {
    const times: SqlValue[] = [toMillis(each.startedAt), toMillis(each.endedAt), each.durationMs ?? null]
    turn.run([id, each.index, each.prompt, each.thread, ...times, each.events.length, each.toolCalls.length])
  }
  const digest = db.prepare('INSERT OR IGNORE INTO digest (session, what, value) VALUES (?, ?, ?)')
  for (const [what, value] of digestRows(skeleton, events, summary.summaries())) digest.run([id, what, value])
}

interface Span {
  count: number
  from: Instant
  to: Instant
}

/** As the graph divides them: in the order of their first records, the main one first, journals left out. */
function threadsOf(main: string, events: readonly SessionEvent[], files: readonly GraphFile[]): Map<string, Span> {
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
  return threads
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
      const call: ToolCall = {
        id,
        name,
        input,
        status: 'missing',
        thread: event.thread,
        requestEvent: event.id,
        pairing: 'id',
        progress: [],
      }
      calls.push(call)
    }
  }
  return calls
}
