// The rows around an event (its file, origin, session), each read once and only when asked for.

import { asObject, asString, parseJson } from '../../base/json.ts'
import { textFields } from '../../session/indexed-texts.ts'
import type { Database, SqlValue } from '../store/port.ts'
import { eventsPerFile } from '../store/schema.ts'

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
  private readonly places = new Map<number, Place[]>()

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
    const from = 'FROM json_each(?) j CROSS JOIN file f ON f.id = j.value'
    for (const [id, ...row] of readLists(this.db, fileColumns, from, [JSON.stringify(ids)])) {
      this.files.set(Number(id), toFile(Number(id), row))
    }
  }

  private readOrigins(ids: readonly number[]): void {
    for (const id of ids) this.origins.set(id, null)
    const columns = ['o.id', 's.text', 't.text', 'c.text', 'o.dialect']
    const from = `FROM json_each(?) j CROSS JOIN origin o ON o.id = j.value
      JOIN name s ON s.id = o.session JOIN name t ON t.id = o.thread LEFT JOIN name c ON c.id = o.cwd`
    for (const [id, session, thread, cwd, dialect] of readLists(this.db, columns, from, [JSON.stringify(ids)])) {
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
    this.fetchSessions([id])
    return this.sessions.get(id) ?? this.toSession(id, [])
  }

  /** Reads at once what is asked for one by one later. */
  fetchSessions(ids: readonly string[]): void {
    const missing = [...new Set(ids)].filter(id => !this.sessions.has(id))
    if (missing.length === 0) return
    for (const id of missing) this.sessions.set(id, this.toSession(id, []))
    const columns = ['s.id', 's.title', 's.slug', 's.started', 's.ended']
    const from = 'FROM json_each(?) j CROSS JOIN session s ON s.id = j.value'
    for (const [id, ...row] of readLists(this.db, columns, from, [JSON.stringify(missing)])) {
      this.sessions.set(String(id), this.toSession(String(id), row))
    }
  }

  private toSession(id: string, [title, slug, started, ended]: readonly Cell[]): SessionFacts {
    const cwd = () => this.cwdOf(id)
    let directory: string | null | undefined
    return {
      title: textOf(title) ?? id,
      slug: textOf(slug) ?? '',
      // Few are asked for theirs.
      get cwd() {
        if (directory === undefined) directory = cwd()
        return directory
      },
      started: numberOf(started),
      ended: numberOf(ended),
    }
  }

  private cwdOf(session: string): string | null {
    const json = textOf(this.db.prepare('SELECT facts FROM session WHERE id = ?').get([session])?.[0])
    const row = json === null ? undefined : asObject(parseJson(json))
    return asString(asObject(row?.['project'])?.['cwd'] ?? row?.['cwd']) ?? this.firstCwd(session)
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

  /** Of a text, the first ones. */
  placesOf(text: number): Place[] {
    const known = this.places.get(text)
    if (known !== undefined) return known
    const first = `SELECT * FROM text_event WHERE text = ? LIMIT ${mostPlaces}`
    const found = readPlaces(this.db, `FROM (${first}) te CROSS JOIN event e ON e.id = te.event`, [text])
    this.places.set(text, found)
    return found
  }

  private firstCwd(session: string): string | null {
    const sql = `SELECT c.text FROM name s JOIN origin o ON o.session = s.id JOIN name c ON c.id = o.cwd
      WHERE s.text = ? ORDER BY o.id LIMIT 1`
    return textOf(this.db.prepare(sql).get([session])?.[0])
  }
}

/** A text that stands in more places than this is said to stand in so many. */
const mostPlaces = 100

const fileColumns = [
  'f.id',
  'f.generation',
  'f.path',
  'f.number',
  'f.standing',
  'f.role',
  'f.session',
  'f.name_session',
  'f.agent',
]

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

function textOf(value: SqlValue | undefined): string | null {
  return typeof value === 'string' ? value : null
}

function numberOf(value: SqlValue | undefined): number | null {
  return value === null || value === undefined ? null : Number(value)
}

export interface Place {
  text: number
  event: number
  /** Which of the event's texts. */
  n: number
  /** By its place in `textFields`. */
  field: number
  /** Milliseconds since 1970. */
  at: number | null
  /** By its number. */
  kind: number
  /** Bits. */
  flags: number
  origin: number
}

export const inputField = textFields.indexOf('input')
export const outputField = textFields.indexOf('output')
export const titleField = textFields.indexOf('title')

const placeColumns = ['te.text', 'te.event', 'te.n', 'te.field', 'e.at', 'e.kind', 'e.flags', 'e.origin']

/** `from`: SQL from FROM on, with tables called `te` (text and event) and `e` (event). */
export function readPlaces(db: Database, from: string, values: readonly SqlValue[]): Place[] {
  const columns = readColumns(db, placeColumns, from, values) as (number | null)[][]
  const [texts = [], events = [], ns = [], fields = [], ats = [], kinds = [], flags = [], origins = []] = columns
  return texts.map((text, at) => ({
    text: text ?? 0,
    event: events[at] ?? 0,
    n: ns[at] ?? 0,
    field: fields[at] ?? 0,
    at: ats[at] ?? null,
    kind: kinds[at] ?? 0,
    flags: flags[at] ?? 0,
    origin: origins[at] ?? 0,
  }))
}

/** A number or text of a row. */
export type Cell = number | string | null

/** Each column as one list. All of it in few pieces of JSON: to hand over cell by cell takes far longer. */
export function readColumns(
  db: Database,
  columns: readonly string[],
  from: string,
  values: readonly SqlValue[],
): Cell[][] {
  const lists = columns.map(column => `json_group_array(${column})`).join(', ')
  const row = db.prepare(`SELECT ${lists} ${from}`).get(values)
  return columns.map((_, at) => JSON.parse(String(row?.[at] ?? '[]')))
}

/** The same, row by row. */
export function readLists(
  db: Database,
  columns: readonly string[],
  from: string,
  values: readonly SqlValue[],
): Cell[][] {
  const [first = [], ...others] = readColumns(db, columns, from, values)
  return first.map((cell, at) => [cell, ...others.map(column => column[at] ?? null)])
}

/** Single numbers that a query gives as `number`. */
export function readNumbers(db: Database, sql: string, values: readonly SqlValue[]): number[] {
  const json = db.prepare(`SELECT json_group_array(number) FROM (${sql})`).get(values)?.[0]
  return typeof json === 'string' ? JSON.parse(json) : []
}

/** The id of the latest text: about as many there are. To count them means to go through all. */
export function newestText(db: Database): number {
  return Number(db.prepare('SELECT max(id) FROM text').get()?.[0] ?? 0)
}
