// The threads of sessions as they were settled, and which kind of agent ran them, as far as logs say it.

import type { Database } from '../store/port.ts'

/** By session and thread, with a blank between them; threads whose kind nothing tells are left out. */
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
