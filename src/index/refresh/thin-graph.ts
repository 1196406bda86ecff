// Thin events of a session → its graph, for what is asked of whole sessions: titles, statistics. Texts, inputs and outputs
// are not in it.

import { buildGraph } from '../../graph/graph.ts'
import { sessionId } from '../../model/ids.ts'
import type { GraphFile, SessionGraph } from '../../model/session.ts'
import type { SessionFiles } from '../../model/source.ts'
import type { Database } from '../store/port.ts'
import { ThinReader } from './thin.ts'

/** The index's ids of logs, by the logs' own generations. */
export type FileIds = ReadonlyMap<string, number>

/** `reader`: one for many sessions is quicker than one for each. */
export function thinGraph(
  db: Database,
  session: SessionFiles,
  fileIds: FileIds,
  reader: ThinReader = new ThinReader(db, 'stats'),
): SessionGraph {
  return buildGraph(session.id, thinFiles(reader, session, fileIds), session.side)
}

/** A log that is not indexed has no events. `from`: how many events of the first log are left out. */
export function thinFiles(reader: ThinReader, session: SessionFiles, fileIds: FileIds, from = 0): GraphFile[] {
  return session.logs.map(({ generation, path, role, nameAgent, meta }, n) => {
    const id = fileIds.get(generation)
    const events = id === undefined ? [] : reader.events({ id, path, from: n === 0 ? from : 0 })
    const file: GraphFile = { path, role, events }
    if (nameAgent !== undefined) file.agent = nameAgent
    if (meta !== undefined) file.meta = meta
    return file
  })
}

/** A settled session's files and what stands for them in the index; no logs where it is not known. */
export function settledFiles(db: Database, id: string): { session: SessionFiles; fileIds: FileIds } {
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
