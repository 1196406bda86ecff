// The rows around an event (its file, origin, session), each read once and only when asked for.

import { asObject, asString, parseJson } from '../base/json.ts'
import type { Database, SqlValue } from '../indexer/port.ts'
import { eventsPerFile } from '../indexer/schema.ts'
import { readLists } from './places.ts'

export interface FileFacts {
  id: number
  generation: string
  path: string
  number: number
  /** 0 on disk, 1 gone from the disk, 2 an earlier content. */
  standing: number
  role: string
  /** Null in a prompt history. */
  session: string | null
  nameSession: string | null
  agent: string | null
}

export interface OriginFacts {
  session: string
  thread: string
  cwd: string | null
  dialect: number
}

export interface SessionFacts {
  title: string
  slug: string
  cwd: string | null
  started: number | null
  ended: number | null
}

/** What the index knows around events, for one question. */
export class Facts {
  readonly db: Database
  private readonly files = new Map<number, FileFacts | null>()
  private readonly origins = new Map<number, OriginFacts | null>()
  private readonly sessions = new Map<string, SessionFacts>()
  private readonly kin = new Map<string, string[]>()

  constructor(db: Database) {
    this.db = db
  }

  /** Reads at once what is asked for one by one later: far faster for many. */
  fetch(places: readonly { event: number; origin: number }[]): void {
    const files = new Set<number>()
    const origins = new Set<number>()
    for (const { event, origin } of places) {
      const file = Math.floor(event / eventsPerFile)
      if (!this.files.has(file)) files.add(file)
      if (!this.origins.has(origin)) origins.add(origin)
    }
    if (files.size > 0) this.readFiles([...files])
    if (origins.size > 0) this.readOrigins([...origins])
  }

  /** Of the file that holds the event. */
  fileOf(event: number): FileFacts | null {
    const id = Math.floor(event / eventsPerFile)
    if (!this.files.has(id)) this.readFiles([id])
    return this.files.get(id) ?? null
  }

  originOf(id: number): OriginFacts | null {
    if (!this.origins.has(id)) this.readOrigins([id])
    return this.origins.get(id) ?? null
  }

  private readFiles(ids: readonly number[]): void {
    for (const id of ids) this.files.set(id, null)
    const sql = `SELECT json_array(f.id, generation, f.path, number, standing, role, session, name_session, agent)
      AS list
      FROM json_each(?) j CROSS JOIN file f ON f.id = j.value`
    for (const [id, ...row] of readLists(this.db, sql, [JSON.stringify(ids)])) {
      this.files.set(Number(id), toFile(Number(id), row))
    }
  }

  private readOrigins(ids: readonly number[]): void {
    for (const id of ids) this.origins.set(id, null)
    const sql = `SELECT json_array(o.id, s.text, t.text, c.text, o.dialect) AS list FROM json_each(?) j
      CROSS JOIN origin o ON o.id = j.value JOIN name s ON s.id = o.session JOIN name t ON t.id = o.thread
      LEFT JOIN name c ON c.id = o.cwd`
    for (const [id, session, thread, cwd, dialect] of readLists(this.db, sql, [JSON.stringify(ids)])) {
      const facts = { session: String(session), thread: String(thread), cwd: textOf(cwd), dialect: Number(dialect) }
      this.origins.set(Number(id), facts)
    }
  }

  /** The session that an event belongs to: that of its file, in a prompt history the one it was typed in. */
  sessionIdOf(event: number, origin: number): string {
    return this.fileOf(event)?.session ?? this.originOf(origin)?.session ?? ''
  }

  sessionOf(id: string): SessionFacts {
    const known = this.sessions.get(id)
    if (known !== undefined) return known
    const row = this.db.prepare('SELECT title, slug, started, ended, facts FROM session WHERE id = ?').get([id])
    const facts: SessionFacts = {
      title: textOf(row?.[0]) ?? id,
      slug: textOf(row?.[1]) ?? '',
      cwd: cwdOf(textOf(row?.[4])) ?? this.firstCwd(id),
      started: numberOf(row?.[2]),
      ended: numberOf(row?.[3]),
    }
    this.sessions.set(id, facts)
    return facts
  }

  /** Earlier sessions that have the same answers: this one was copied from them, or goes on from them. */
  kinOf(session: string): string[] {
    const known = this.kin.get(session)
    if (known !== undefined) return known
    const sql = `SELECT DISTINCT b.session FROM digest a JOIN digest b ON b.value = a.value AND b.what = a.what
      WHERE a.session = ? AND a.what = 'message' AND b.session <> a.session LIMIT 50`
    const { started } = this.sessionOf(session)
    const isEarlier = (id: string) => (this.sessionOf(id).started ?? 0) < (started ?? 0)
    const ids = this.db
      .prepare(sql)
      .all([session])
      .map(([id]) => String(id))
    const found = ids.filter(isEarlier)
    this.kin.set(session, found)
    return found
  }

  private firstCwd(session: string): string | null {
    const sql = `SELECT c.text FROM name s JOIN origin o ON o.session = s.id JOIN name c ON c.id = o.cwd
      WHERE s.text = ? ORDER BY o.id LIMIT 1`
    return textOf(this.db.prepare(sql).get([session])?.[0])
  }
}

function toFile(id: number, row: SqlValue[]): FileFacts {
  const [generation, path, number, standing, role, session, nameSession, agent] = row
  return {
    id,
    generation: String(generation),
    path: String(path),
    number: Number(number),
    standing: Number(standing),
    role: String(role),
    session: textOf(session),
    nameSession: textOf(nameSession),
    agent: textOf(agent),
  }
}

/** Of a session's row in lists. */
function cwdOf(json: string | null): string | null {
  const row = json === null ? undefined : asObject(parseJson(json))
  return asString(asObject(row?.['project'])?.['cwd'] ?? row?.['cwd']) ?? null
}

function textOf(value: SqlValue | undefined): string | null {
  return typeof value === 'string' ? value : null
}

function numberOf(value: SqlValue | undefined): number | null {
  return value === null || value === undefined ? null : Number(value)
}
