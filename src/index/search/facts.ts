// Places (a text in an event, as one row) and what the index knows around them: file, origin, session. Each is read once for a
// query, many at a time where that is known. Nothing is filtered or ranked here.

import { type Placed, Projects } from '../../session/projects.ts'
import { textFields } from '../../session/text-kinds.ts'
import type { Database, SqlValue } from '../store/port.ts'
import { eventsPerFile } from '../store/schema.ts'

export interface Place {
  text: number
  event: number
  /** The event that has the text: another than `event` where the text is in a file of its own, which that names. */
  holder: number
  /** Which of the event's texts. */
  n: number
  /** By its place in `textFields`. */
  field: number
  /** Milliseconds since 1970. */
  at: number | null
  /** By its number. */
  kind: number
  origin: number
  /** The session that it is about: that of its file, of a title the one it names, in a prompt history that it was typed in. */
  session: string
}

export const inputField = textFields.indexOf('input')
export const outputField = textFields.indexOf('output')
export const titleField = textFields.indexOf('title')
export const statusField = textFields.indexOf('status')

/** The session of a place, where tables are called as in `placesSql`. */
export const sessionSql = 'coalesce((SELECT t.session FROM titled t WHERE t.event = e.id), f.session, s.text)'

/** The time of a place: a line without one is as old as the last of its session. */
export const timeSql = `coalesce(e.at, (SELECT x.ended FROM session x WHERE x.id = ${sessionSql}))`

/**
 * The event that a text belongs to: its own, or of a text in a file of its own (`f`) the first that names the file, in the same
 * session before others.
 */
const ownerSql = `CASE WHEN f.stored IS NULL THEN te.event ELSE coalesce((SELECT st.event FROM stored st
  JOIN file sf ON sf.id = st.event / ${eventsPerFile} WHERE st.name = f.stored
  ORDER BY sf.session IS f.session DESC, sf.standing, sf.path, st.event LIMIT 1), te.event) END`

/** Events of files that are one text: filters may leave them out where they would leave those that name them. */
export const storedEventsSql = `SELECT id * ${eventsPerFile} AS id FROM file WHERE stored IS NOT NULL`

/**
 * Rows of places, with their time and file. `source`: SQL that gives a table called `te` (text_event), to which `e` (event), `f`
 * (file), `o` (origin) and `s` (name of its session) are joined. `where`: a condition over these. CROSS JOIN keeps SQLite from
 * beginning with another table.
 */
export function placesSql(source: string, where = '1'): string {
  return `SELECT te.text, e.id AS event, te.event AS holder, te.n, te.field, e.at, e.kind, e.origin, ${sessionSql} AS session,
    ${timeSql} AS time, f.path, f.number FROM ${source} CROSS JOIN file f ON f.id = te.event / ${eventsPerFile}
    CROSS JOIN event e ON e.id = ${ownerSql} CROSS JOIN origin o ON o.id = e.origin CROSS JOIN name s ON s.id = o.session
    WHERE ${where}`
}

/** `rows`: SQL made of `placesSql`. */
export function readPlaces(db: Database, rows: string, values: readonly SqlValue[]): Place[] {
  const columns = 'text, event, holder, n, field, at, kind, origin, session'
  return (readJson(db, `json_array(${columns})`, `FROM (${rows})`, values) as PlaceCells[]).map(toPlace)
}

type PlaceCells = [number, number, number, number, number, number | null, number, number, string]

function toPlace([text, event, holder, n, field, at, kind, origin, session]: PlaceCells): Place {
  return { text, event, holder, n, field, at, kind, origin, session }
}

/** All rows as one piece of JSON: to hand over cell by cell takes several times as long. */
export function readJson(db: Database, column: string, from: string, values: readonly SqlValue[]): unknown[] {
  return JSON.parse(String(db.prepare(`SELECT json_group_array(${column}) ${from}`).get(values)?.[0] ?? '[]'))
}

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
  /** It is one text that an event names, not a log. */
  stored: boolean
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
  started: number | null
  ended: number | null
}

/** Of a text with more places, only this many are counted. */
const mostPlaces = 100

/** What the index knows around places, for one query. */
export class Facts {
  private knownProjects: Projects | undefined
  readonly db: Database
  private readonly files = new Map<number, FileFacts>()
  private readonly origins = new Map<number, OriginFacts>()
  private readonly sessions = new Map<string, SessionFacts>()
  private readonly kin = new Map<string, string[]>()
  private readonly places = new Map<number, Place[]>()

  constructor(db: Database) {
    this.db = db
  }

  /** Reads files, origins and sessions of places at once. */
  fetch(places: readonly Place[]): void {
    this.readFiles(missing(this.files, places.map(fileOf)))
    this.readOrigins(
      missing(
        this.origins,
        places.map(({ origin }) => origin),
      ),
    )
    this.readSessions(
      missing(
        this.sessions,
        places.map(({ session }) => session),
      ),
    )
  }

  /** Of the file that has the event. */
  fileOf(place: Pick<Place, 'event'>): FileFacts | null {
    const id = fileOf(place)
    if (!this.files.has(id)) this.readFiles([id])
    return this.files.get(id) ?? null
  }

  originOf({ origin }: Pick<Place, 'origin'>): OriginFacts | null {
    if (!this.origins.has(origin)) this.readOrigins([origin])
    return this.origins.get(origin) ?? null
  }

  sessionOf(id: string): SessionFacts {
    if (!this.sessions.has(id)) this.readSessions([id])
    return this.sessions.get(id) ?? { title: id, slug: '', started: null, ended: null }
  }

  private readFiles(ids: readonly number[]): void {
    if (ids.length === 0) return
    const sql = `SELECT id, generation, path, number, standing, role, session, name_session, agent,
      stored IS NOT NULL FROM file
      WHERE id IN (SELECT value FROM json_each(?))`
    type Cells = [number, string, string, number, number, string, string | null, string | null, string | null, number]
    for (const row of this.db.prepare(sql).all([JSON.stringify(ids)])) {
      const [id, generation, path, number, standing, role, session, nameSession, agent, stored] = row as Cells
      const names = { role, session, nameSession, agent }
      this.files.set(id, { id, generation, path, number, standing, ...names, stored: stored === 1 })
    }
  }

  private readOrigins(ids: readonly number[]): void {
    if (ids.length === 0) return
    const sql = `SELECT o.id, s.text, t.text, c.text, o.dialect FROM origin o
      JOIN name s ON s.id = o.session JOIN name t ON t.id = o.thread LEFT JOIN name c ON c.id = o.cwd
      WHERE o.id IN (SELECT value FROM json_each(?))`
    for (const row of this.db.prepare(sql).all([JSON.stringify(ids)])) {
      const [id, session, thread, cwd, dialect] = row as [number, string, string, string | null, number]
      this.origins.set(id, { session, thread, cwd, dialect })
    }
  }

  private readSessions(ids: readonly string[]): void {
    if (ids.length === 0) return
    const sql = 'SELECT id, title, slug, started, ended FROM session WHERE id IN (SELECT value FROM json_each(?))'
    for (const row of this.db.prepare(sql).all([JSON.stringify(ids)])) {
      const [id, title, slug, started, ended] = row as [string, string, string, number | null, number | null]
      this.sessions.set(id, { title, slug, started, ended })
    }
  }

  cwdOf(session: string): string | null {
    const row = this.db.prepare(`SELECT ${sessionCwdSql} FROM session x WHERE x.id = ?`).get([session])
    return (row?.[0] ?? null) as string | null
  }

  /** Earlier sessions that have the same answers: this one was copied from them, or continues them. */
  kinOf(session: string): string[] {
    const known = this.kin.get(session)
    if (known !== undefined) return known
    const sql = `SELECT DISTINCT b.session FROM digest a JOIN digest b ON b.value = a.value AND b.what = a.what
      WHERE a.session = ? AND a.what = 'message' AND b.session <> a.session ORDER BY b.session LIMIT 50`
    const started = this.sessionOf(session).started ?? 0
    const ids = this.db.prepare(sql).all([session]) as [string][]
    const found = ids.map(([id]) => id).filter(id => (this.sessionOf(id).started ?? 0) < started)
    this.kin.set(session, found)
    return found
  }

  /** Of all sessions. */
  get projects(): Projects {
    this.knownProjects ??= placedSessions(this.db).projects
    return this.knownProjects
  }

  /** Of a text, the first ones. */
  placesOf(text: number): Place[] {
    const known = this.places.get(text)
    if (known !== undefined) return known
    const found = readPlaces(this.db, placesSql(`(SELECT * FROM text_event WHERE text = ? LIMIT ${mostPlaces}) te`), [
      text,
    ])
    this.places.set(text, found)
    return found
  }
}

/** Where sessions work, by their ids, and their projects, as lists have them. */
export function placedSessions(db: Database): { places: ReadonlyMap<string, Placed>; projects: Projects } {
  const rows = db.prepare(`SELECT x.id, x.slug, ${sessionCwdSql} FROM session x`).all()
  const places = new Map(
    rows.map(([id, slug, cwd]): [string, Placed] => [String(id), { slug: String(slug), cwd: cwd as string | null }]),
  )
  return { places, projects: new Projects(places.values()) }
}

/** `x`: a row of a session. */
const sessionCwdSql = "json_extract(x.facts, '$.cwd')"

export function fileOf({ event }: Pick<Place, 'event'>): number {
  return Math.floor(event / eventsPerFile)
}

function missing<Key>(known: ReadonlyMap<Key, unknown>, keys: readonly Key[]): Key[] {
  return [...new Set(keys)].filter(key => !known.has(key))
}
