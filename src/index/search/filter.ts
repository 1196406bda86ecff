// Which places pass the filters of a query, as one condition of SQL: the one statement of what filters mean. It also finds the
// filter that leaves few events, so that a query can begin there. It ranks nothing.

import { errorMessageKinds } from '../../model/event.ts'
import { ownFields, type TextKind, textFields, textsCalled } from '../../session/text-kinds.ts'
import { dialectToNumber, flagsToNumber, kindToNumber, outcomes } from '../ingest/rows.ts'
import type { Database, SqlValue } from '../store/port.ts'
import { eventsPerFile } from '../store/schema.ts'
import { inputField, outputField, placedSessions, readJson, sessionSql, storedEventsSql, timeSql } from './facts.ts'
import type { QueryFilters, TextFilter } from './query.ts'

/** A piece of SQL with the values of its question marks. */
export interface Sql {
  sql: string
  values: SqlValue[]
}

const failed = outcomes.indexOf('failed')
const errorFlag = flagsToNumber(['error'])
/** Kinds whose texts are not searched. */
const wordless = (['snapshot', 'malformed'] as const).map(kindToNumber).join(', ')

const messageKinds = errorMessageKinds.map(kindToNumber).join(', ')
/** 003 answers a call with a line of the client. */
const isAnswerOf003 = `e.kind = ${kindToNumber('notice')} AND o.dialect = ${dialectToNumber('s3')}`

/** What lists count as errors: messages that are errors, and calls that failed, where their result says so. */
const isErrorSql = `(e.flags & ${errorFlag} AND (e.kind IN (${messageKinds}) OR (${isAnswerOf003}))) OR (te.field = ${outputField}
  AND EXISTS (SELECT 1 FROM result r WHERE r.event = e.id AND r.outcome = ${failed}))`

export class Filter {
  readonly db: Database
  readonly filters: QueryFilters
  private readonly roots: readonly string[]
  /** That a place passes, over the tables of `placesSql`. */
  readonly condition: Sql

  /** `roots`: only logs below these paths; none for all. */
  constructor(db: Database, filters: QueryFilters, roots: readonly string[]) {
    this.db = db
    this.filters = filters
    this.roots = roots
    this.condition = all([...this.textConditions(), ...timeConditions(filters), belowRoots(roots)])
  }

  private textConditions(): Sql[] {
    const found: Sql[] = []
    for (const name of ['kind', 'is', 'session', 'thread', 'project', 'tool', 'model', 'file'] as const) {
      const { any = [], none = [] } = this.filters[name] ?? {}
      if (any.length > 0) found.push(this.anyOf(name, any))
      if (none.length > 0) found.push(not(this.anyOf(name, none)))
    }
    return found
  }

  private anyOf(name: TextFilter, values: readonly string[]): Sql {
    switch (name) {
      case 'kind':
        return joined(
          ' OR ',
          values.map(value => textsOfKind(value as TextKind)),
        )
      case 'is':
        return joined(
          ' OR ',
          values.map(value => ({ sql: value === 'error' ? isErrorSql : 'f.standing > 0', values: [] })),
        )
      case 'session':
        return inList(sessionSql, this.sessionsNamed(values))
      case 'thread':
        return joined(
          ' OR ',
          values.map(value => this.ofThread(value.toLowerCase())),
        )
      case 'project':
        return joined(' OR ', [
          inList(sessionSql, this.sessionsIn(values)),
          all([{ sql: 'f.session IS NULL', values: [] }, inList('o.cwd', this.directoriesIn(values))]),
        ])
      case 'tool':
        return ofCalls(this.namesLike(values, isNamed), 'c.name', 'r.name')
      case 'model':
        return inList('(SELECT m.model FROM message m WHERE m.event = e.id)', this.namesLike(values, contains))
      case 'file':
        return ofCalls(this.namesLike(values, isPath), 'c.path', pathOfResult)
    }
  }

  private ofThread(wanted: string): Sql {
    if (wanted === 'main') {
      // A log may be of another session than its lines say.
      const sql = 'o.thread = o.session OR (SELECT t.text FROM name t WHERE t.id = o.thread) = f.session'
      return { sql, values: [] }
    }
    const rows = this.db.prepare('SELECT id, text FROM name WHERE id IN (SELECT thread FROM origin)').all()
    const ids = rows.filter(([, text]) => String(text).toLowerCase().startsWith(wanted)).map(([id]) => Number(id))
    return inList('o.thread', ids)
  }

  /** Sessions by the beginning of their id, or by a part of their title. */
  private sessionsNamed(values: readonly string[]): string[] {
    const sql = `SELECT k.id, coalesce(x.title, k.id) FROM (SELECT session AS id FROM file WHERE session IS NOT NULL
      UNION SELECT text FROM name WHERE id IN (SELECT session FROM origin)) k LEFT JOIN session x ON x.id = k.id`
    const rows = this.db.prepare(sql).all() as [string, string][]
    const isMeant = (id: string, title: string, value: string) =>
      id.toLowerCase().startsWith(value.toLowerCase()) || contains(title, value)
    return rows.filter(([id, title]) => values.some(value => isMeant(id, title, value))).map(([id]) => id)
  }

  /** As lists select them. */
  private sessionsIn(values: readonly string[]): string[] {
    const { projects, places } = this.placed()
    return [...places].flatMap(([id, place]) => (values.some(value => projects.isMeant(place, value)) ? id : []))
  }

  /** Of lines of a prompt history. */
  private directoriesIn(values: readonly string[]): number[] {
    const { projects } = this.placed()
    const sql = `SELECT DISTINCT o.cwd, n.text FROM origin o JOIN name n ON n.id = o.cwd WHERE o.dialect = ?`
    const rows = this.db.prepare(sql).all([dialectToNumber('history')]) as [number, string][]
    const isMeant = (cwd: string) => values.some(value => projects.isMeant({ cwd, slug: '' }, value))
    return rows.filter(([, cwd]) => isMeant(cwd)).map(([id]) => id)
  }

  private placed(): ReturnType<typeof placedSessions> {
    this.known ??= placedSessions(this.db)
    return this.known
  }

  private known: ReturnType<typeof placedSessions> | undefined

  /**
   * Ids of names that are meant by one of the values, whatever they are names of. `texts`: of which one is in each of those
   * names.
   */
  private namesLike(
    values: readonly string[],
    isMeant: (name: string, value: string) => boolean,
    texts: readonly string[] = values,
  ): number[] {
    const parts = texts.map(text => text.toLowerCase().replaceAll('\\', '/').replace(/\/+$/, ''))
    // SQLite knows small letters of ASCII only.
    const isPlain = parts.every(part => /^[ -~]*$/.test(part))
    const part = "instr(replace(lower(text), '\\', '/'), ?) > 0"
    const where = isPlain ? `WHERE ${parts.map(() => part).join(' OR ')}` : ''
    const rows = readJson(this.db, 'json_array(id, text)', `FROM name ${where}`, isPlain ? parts : [])
    return (rows as [number, string][])
      .filter(([, text]) => values.some(value => isMeant(text, value)))
      .map(([id]) => id)
  }

  /** Tools that the query names and no session calls. */
  unknownTools(): string[] {
    const { any = [], none = [] } = this.filters.tool ?? {}
    const isCalled = 'SELECT 1 FROM call WHERE name IN (SELECT value FROM json_each(?)) LIMIT 1'
    return [...any, ...none].filter(value => {
      const names = JSON.stringify(this.namesLike([value], isNamed))
      return this.db.prepare(isCalled).get([names]) === undefined
    })
  }

  /** All tools that sessions call. */
  tools(): string[] {
    const sql = 'SELECT n.text FROM (SELECT DISTINCT name FROM call) c JOIN name n ON n.id = c.name ORDER BY n.text'
    return this.db
      .prepare(sql)
      .all()
      .map(([text]) => String(text))
  }

  /** Of all filters the one that leaves the fewest events, as SQL that gives each `id` once; null where each leaves more. */
  narrow(most: number): Sql | null {
    let best: Sql | null = null
    let least = most
    for (const { sql, values } of this.selections()) {
      const counting = `SELECT count(*) FROM (SELECT 1 FROM (${sql}) LIMIT ${least + 1})`
      const size = least < 0 ? 0 : Number(this.db.prepare(counting).get(values)?.[0])
      if (size > least) continue
      least = size
      best = { sql: `${sql} UNION ${storedEventsSql}`, values }
    }
    return best
  }

  /** SQL that gives a superset of the events that pass, some more than once, for each filter that an index serves. */
  private selections(): Sql[] {
    const { kind, tool, model, file, is, since, until } = this.filters
    const found: Sql[] = []
    if (kind !== undefined && kind.any.length > 0) {
      const events = kind.any.map(value => eventsOfKind(value as TextKind))
      if (!events.includes(null)) found.push({ sql: events.join(' UNION ALL '), values: [] })
    }
    if (tool !== undefined && tool.any.length > 0) {
      const names = this.namesLike(tool.any, isNamed)
      found.push(joined(' UNION ALL ', [eventsBy('call', 'name', names), eventsBy('result', 'name', names)], ''))
    }
    if (model !== undefined && model.any.length > 0) {
      found.push(eventsBy('message', 'model', this.namesLike(model.any, contains)))
    }
    if (file !== undefined && file.any.length > 0) {
      const paths = this.namesLike(file.any, isPath)
      const next = `SELECT r.event FROM result r WHERE r.event > c.event AND r.call = c.call
        AND r.event < (c.event / ${eventsPerFile} + 1) * ${eventsPerFile} ORDER BY r.event LIMIT 1`
      const results = inList('c.path', paths)
      const answers = { ...results, sql: `SELECT (${next}) AS id FROM call c WHERE ${results.sql}` }
      found.push(joined(' UNION ALL ', [eventsBy('call', 'path', paths), answers], ''))
    }
    if (is?.any.length === 1 && is.any[0] === 'error') found.push(errors)
    if (since !== undefined || until !== undefined) {
      const sql = `SELECT id FROM event WHERE at >= ? AND at < ? UNION ALL
        SELECT id FROM event WHERE at IS NULL AND kind NOT IN (${wordless})`
      found.push({ sql, values: [since ?? Number.MIN_SAFE_INTEGER, until ?? Number.MAX_SAFE_INTEGER] })
    }
    const files = this.files()
    return files === null ? found : [...found, files]
  }

  /** Events of the files that may pass; null where no filter is about files. Lines of a prompt history are of any session. */
  private files(): Sql | null {
    const { session, project, is } = this.filters
    const conditions: Sql[] = []
    if (session !== undefined && session.any.length > 0) {
      conditions.push(inList('f.session', this.sessionsNamed(session.any)))
    }
    if (project !== undefined && project.any.length > 0) {
      conditions.push(inList('f.session', this.sessionsIn(project.any)))
    }
    if (conditions.length > 0) {
      conditions.splice(
        0,
        conditions.length,
        joined(' OR ', [{ sql: 'f.session IS NULL', values: [] }, all(conditions)]),
      )
    }
    if (is?.any.length === 1 && is.any[0] === 'archived') conditions.push({ sql: 'f.standing > 0', values: [] })
    if (this.roots.length > 0) conditions.push(belowRoots(this.roots))
    if (conditions.length === 0) return null
    const { sql, values } = all(conditions)
    const events = `te.event >= f.id * ${eventsPerFile} AND te.event < (f.id + 1) * ${eventsPerFile}`
    return { sql: `SELECT te.event AS id FROM file f CROSS JOIN text_event te ON ${events} WHERE ${sql}`, values }
  }
}

const errors: Sql = {
  sql: `SELECT event AS id FROM result WHERE outcome = ${failed} AND outcome <> 0 UNION ALL SELECT id FROM event WHERE flags & ${errorFlag}`,
  values: [],
}

/** A result says only which call it answers: the last one of that id before it in the file. */
const pathOfResult = `(SELECT c.path FROM call c WHERE c.event < r.event AND c.call = r.call
  AND c.event >= r.event / ${eventsPerFile} * ${eventsPerFile} ORDER BY c.event DESC LIMIT 1)`

/** Input of calls and output of results with one of these names. */
function ofCalls(names: readonly number[], ofCall: string, ofResult: string): Sql {
  const [call, result] = [inList(ofCall, names), inList(ofResult, names)]
  const sql = `(te.field = ${inputField} AND EXISTS (SELECT 1 FROM call c WHERE c.event = e.id AND ${call.sql}))
    OR (te.field = ${outputField} AND EXISTS (SELECT 1 FROM result r WHERE r.event = e.id AND ${result.sql}))`
  return { sql, values: [...call.values, ...result.values] }
}

const ownFieldNumbers = ownFields.map(field => textFields.indexOf(field)).join(', ')

function textsOfKind(name: TextKind): Sql {
  const { field, kind } = textsCalled(name)
  const conditions: string[] = []
  if (field !== undefined) conditions.push(`te.field = ${textFields.indexOf(field)}`)
  if (kind !== undefined) conditions.push(`(e.kind = ${kindToNumber(kind)} AND te.field NOT IN (${ownFieldNumbers}))`)
  return { sql: conditions.join(' OR '), values: [] }
}

/** A superset of the events that have such texts; null where no index has them. */
function eventsOfKind(name: TextKind): string | null {
  const { kind } = textsCalled(name)
  if (name === 'call') return 'SELECT event AS id FROM call'
  if (kind === undefined) return null
  const ofKind = `SELECT id FROM event WHERE kind = ${kindToNumber(kind)}`
  return name === 'result' ? `${ofKind} UNION ALL SELECT event FROM result` : ofKind
}

function eventsBy(table: string, column: string, names: readonly number[]): Sql {
  const list = inList(column, names)
  return { sql: `SELECT event AS id FROM ${table} WHERE ${list.sql}`, values: list.values }
}

function timeConditions({ since, until }: QueryFilters): Sql[] {
  return [
    ...(since === undefined ? [] : [{ sql: `${timeSql} >= ?`, values: [since] }]),
    ...(until === undefined ? [] : [{ sql: `${timeSql} < ?`, values: [until] }]),
  ]
}

/** `f`: the file. */
export function belowRoots(roots: readonly string[]): Sql {
  if (roots.length === 0) return { sql: '1', values: [] }
  const one = roots.map(root => {
    const starts = /[\\/]$/.test(root) ? [root] : [`${root}/`, `${root}\\`]
    const sql = ['f.path = ?', ...starts.map(() => 'substr(f.path, 1, length(?)) = ?')].join(' OR ')
    return { sql, values: [root, ...starts.flatMap(start => [start, start])] }
  })
  return joined(' OR ', one)
}

function inList(column: string, values: readonly (number | string)[]): Sql {
  return { sql: `${column} IN (SELECT value FROM json_each(?))`, values: [JSON.stringify(values)] }
}

function joined(operator: string, parts: readonly Sql[], around = '()'): Sql {
  const [open = '', close = ''] = around
  const sql = parts.map(part => `${open}${part.sql}${close}`).join(operator)
  return { sql: `${open}${sql}${close}`, values: parts.flatMap(part => part.values) }
}

function all(parts: readonly Sql[]): Sql {
  return joined(' AND ', [...parts, { sql: '1', values: [] }])
}

/** What is not known does not pass, so it passes the opposite. */
function not({ sql, values }: Sql): Sql {
  return { sql: `NOT coalesce((${sql}), 0)`, values }
}

function contains(text: string, part: string): boolean {
  return text.toLowerCase().includes(part.toLowerCase())
}

function slashed(path: string): string {
  return path.replaceAll('\\', '/')
}

/** By its name, the end of its path or any part of it. */
function isPath(path: string, value: string): boolean {
  return contains(slashed(path), slashed(value))
}

/** A tool's whole name, or the part of an MCP tool's name that its server gave it. */
function isNamed(name: string, value: string): boolean {
  const [lower, text] = [name.toLowerCase(), value.toLowerCase()]
  return lower === text || lower.endsWith(`__${text}`) || lower.startsWith(`${text}__`)
}
