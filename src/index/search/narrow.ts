// Where filters can hold: what is outside need not be looked at. Always a superset of what passes; `row-filter` decides.

import type { EventKind } from '../../model/event.ts'
import { kindToNumber } from '../ingest/rows.ts'
import type { Database, SqlValue } from '../store/port.ts'
import { eventsPerFile } from '../store/schema.ts'
import type { Facts } from './facts.ts'
import type { QueryFilters } from './filters.ts'
import { inputField, outputField, type Place, readLists, readPlaces } from './places.ts'
import { apiErrorKind, errorFlag, failedOutcome, holds, isBelow, isInProject, isNamed, isPath } from './row-filter.ts'

/** SQL that gives ids of events, and the column in it that a range of events may be put on. */
interface Part {
  sql: string
  column: string
  values: SqlValue[]
}

/** Events that one filter leaves: those of any part. */
export interface Selection {
  parts: Part[]
  /** How much more it costs to find them than those of the first part. */
  cost: number
}

export interface FileSpan {
  id: number
  events: number
}

/** Where to look: in these files (null: in all), and there only at these events (null: at all). */
export interface Narrowed {
  files: FileSpan[] | null
  selection: Selection | null
}

/** Texts that may be meant: SQL from FROM on, with a table called `te` (text and event), open for more conditions. */
export interface NarrowTexts {
  from: string
  values: SqlValue[]
}

/** Null where the filters leave more than `most` events. */
export function narrowTexts(
  filters: QueryFilters,
  roots: readonly string[],
  facts: Facts,
  most: number,
): NarrowTexts | null {
  const { files, selection } = selectionFor(filters, roots, facts, most)
  if (selection !== null) {
    const sql = selection.parts.map(part => part.sql).join(' UNION ALL ')
    const values = selection.parts.flatMap(part => part.values)
    return { from: `FROM (${sql}) s CROSS JOIN text_event te WHERE te.event = s.id`, values }
  }
  if (files === null || eventsIn(files) > most) return null
  const from = `FROM json_each(?) f CROSS JOIN text_event te
    WHERE te.event >= f.value * ${eventsPerFile} AND te.event < (f.value + 1) * ${eventsPerFile}`
  return { from, values: [JSON.stringify(files.map(({ id }) => id))] }
}

/** What the filters say of a text's field and of its event, as conditions for SQL. */
export function plainConditions({ kind, is, tool, file, since, until }: QueryFilters): string {
  const all: string[] = []
  if (kind !== undefined && kind.any.length > 0) all.push(`e.kind IN (${numbersOf(kind.any)})`)
  if (kind !== undefined && kind.none.length > 0) all.push(`e.kind NOT IN (${numbersOf(kind.none)})`)
  const isOfCall = [tool, file].some(values => values !== undefined && values.any.length > 0)
  if (isOfCall) all.push(`te.field IN (${inputField}, ${outputField})`)
  if (is?.any.length === 1 && is.any[0] === 'error') {
    all.push(`(te.field = ${outputField} OR e.kind = ${apiErrorKind} OR e.flags & ${errorFlag})`)
  }
  // A line without a time is as old as its session.
  if (since !== undefined) all.push(`(e.at >= ${since} OR e.at IS NULL)`)
  if (until !== undefined) all.push(`(e.at < ${until} OR e.at IS NULL)`)
  return all.map(condition => ` AND ${condition}`).join('')
}

function numbersOf(kinds: readonly string[]): string {
  return kinds.map(kind => kindToNumber(kind as EventKind)).join(', ')
}

/** Places of so many of the latest events. */
export function latestOf(selection: Selection, count: number, db: Database): Place[] {
  const { sql, values } = selected(selection)
  // The plus sign: events are gone through by time.
  const from = `FROM (SELECT id FROM event WHERE +id IN (${sql}) ORDER BY at DESC LIMIT ?) s
    CROSS JOIN text_event te ON te.event = s.id CROSS JOIN event e ON e.id = te.event`
  return readPlaces(db, from, [...values, count])
}

/** Of all filters the one that leaves least. `most`: a filter that leaves more is not worth it. */
export function selectionFor(
  filters: QueryFilters,
  roots: readonly string[],
  facts: Facts,
  most = Number.MAX_SAFE_INTEGER - 1,
): Narrowed {
  const files = filesFor(filters, roots, facts)
  let least = files === null ? most : Math.min(most, eventsIn(files))
  let selection: Selection | null = null
  for (const candidate of selectionsFor(filters, facts.db)) {
    const size = sizeOf(facts.db, candidate, least)
    if (size > least) continue
    least = size
    selection = candidate
  }
  return { files, selection }
}

function eventsIn(files: readonly FileSpan[]): number {
  return files.reduce((sum, { events }) => sum + events, 0)
}

/** Null where no filter speaks of files or sessions. */
function filesFor(filters: QueryFilters, roots: readonly string[], { db }: Facts): FileSpan[] | null {
  const isArchived = isOnly(filters, 'archived')
  const wanted = sessionsFor(filters, db)
  if (wanted === null && roots.length === 0 && !isArchived) return null
  const found: FileSpan[] = []
  const columns = ['id', 'events + tail', 'session', roots.length > 0 ? 'path' : "''"]
  const from = `FROM file WHERE ${isArchived ? 'standing > 0' : '1'}`
  for (const [id, events, owner, path] of readLists(db, columns, from, [])) {
    if (roots.length > 0 && !isBelow(String(path), roots)) continue
    // Lines of a prompt history are of any session.
    if (wanted !== null && owner !== null && !wanted.has(String(owner))) continue
    found.push({ id: Number(id), events: Number(events) })
  }
  return found
}

function isOnly({ is }: QueryFilters, state: string): boolean {
  return is?.any.length === 1 && is.any[0] === state
}

/** Null where all of them may be meant. */
function sessionsFor({ session, project, since, until }: QueryFilters, db: Database): Set<string> | null {
  const named = session?.any ?? []
  const projects = project?.any ?? []
  if (named.length + projects.length === 0 && since === undefined && until === undefined) return null
  const inProject = projects.length === 0 ? null : sessionsInProjects(projects, db)
  const wanted = new Set<string>()
  const columns = ['id', 'title', 'slug', 'started', 'ended']
  for (const [id, title, slug, started, ended] of readLists(db, columns, 'FROM session', [])) {
    const key = String(id)
    const isNamedSo = (text: string) => key.toLowerCase().startsWith(text.toLowerCase()) || holds(String(title), text)
    if (named.length > 0 && !named.some(isNamedSo)) continue
    if (inProject !== null && !inProject.has(key) && !projects.some(text => isInProject(null, String(slug), text))) {
      continue
    }
    if (since !== undefined && ended !== null && Number(ended) < since) continue
    if (until !== undefined && started !== null && Number(started) >= until) continue
    wanted.add(key)
  }
  return wanted
}

/** By the working directories of their events. */
function sessionsInProjects(projects: readonly string[], db: Database): Set<string> {
  const sql = `SELECT s.text, c.text FROM (SELECT DISTINCT session, cwd FROM origin) o JOIN name s ON s.id = o.session
    JOIN name c ON c.id = o.cwd`
  const found = new Set<string>()
  for (const [session, cwd] of db.prepare(sql).all()) {
    if (projects.some(text => isInProject(String(cwd), '', text))) found.add(String(session))
  }
  return found
}

function selectionsFor(filters: QueryFilters, db: Database): Selection[] {
  const found: Selection[] = []
  const { kind, tool, model, file, since, until } = filters
  if (kind !== undefined && kind.any.length > 0) {
    const numbers = kind.any.map(word => kindToNumber(word as EventKind))
    found.push(anyOf({ sql: `SELECT id FROM event WHERE kind IN (${marks(numbers)})`, column: 'id', values: numbers }))
  }
  if (tool !== undefined && tool.any.length > 0) {
    const names = namesLike(db, tool.any, isNamed)
    found.push(anyOf(byName('call', 'name', names), byName('result', 'name', names)))
  }
  if (model !== undefined && model.any.length > 0) {
    found.push(anyOf(byName('message', 'model', namesLike(db, model.any, holds))))
  }
  if (file !== undefined && file.any.length > 0) {
    found.push(callsAndResults(namesLike(db, file.any, isPath)))
  }
  if (isOnly(filters, 'error')) found.push(errors)
  if (since !== undefined || until !== undefined) found.push(inTime(since, until))
  return found
}

function anyOf(...parts: Part[]): Selection {
  return { parts, cost: parts.length }
}

function marks(values: readonly unknown[]): string {
  return values.map(() => '?').join(', ')
}

function byName(table: string, column: string, names: number[]): Part {
  const sql = `SELECT event AS id FROM ${table} WHERE ${column} IN (${marks(names)})`
  return { sql, column: 'event', values: names }
}

/** The result of a call is the next one of that id in the same file. */
function callsAndResults(paths: number[]): Selection {
  const next = `SELECT r.event FROM result r WHERE r.event > c.event AND r.call = c.call
    AND r.event < (c.event / ${eventsPerFile} + 1) * ${eventsPerFile} ORDER BY r.event LIMIT 1`
  const sql = `SELECT (${next}) AS id FROM call c WHERE c.path IN (${marks(paths)})`
  return { parts: [byName('call', 'path', paths), { sql, column: 'c.event', values: paths }], cost: 4 }
}

/** Lines without a time may be as old as their session. */
function inTime(since = Number.MIN_SAFE_INTEGER, until = Number.MAX_SAFE_INTEGER): Selection {
  const sql = 'SELECT id FROM event WHERE at >= ? AND at < ?'
  const timeless = `SELECT id FROM event WHERE at IS NULL AND kind NOT IN (${wordless.join(', ')})`
  const parts = [
    { sql, column: 'id', values: [since, until] },
    { sql: timeless, column: 'id', values: [] },
  ]
  return { parts, cost: 1 }
}

/** Kinds whose texts are not searched. */
const wordless = (['progress', 'snapshot', 'state', 'malformed'] as const).map(kindToNumber)

const errors: Selection = anyOf(
  {
    sql: `SELECT event AS id FROM result WHERE outcome = ${failedOutcome} AND outcome <> 0`,
    column: 'event',
    values: [],
  },
  { sql: `SELECT id FROM event WHERE kind = ${apiErrorKind}`, column: 'id', values: [] },
  { sql: `SELECT id FROM event WHERE flags & ${errorFlag}`, column: 'id', values: [] },
)

/** Ids of names that are meant by one of the words, whatever they are names of. */
function namesLike(db: Database, words: readonly string[], isMeant: (name: string, word: string) => boolean): number[] {
  // SQLite knows small letters of ASCII only.
  const isPlain = words.every(word => /^[ -~]*$/.test(word))
  const part = "instr(replace(lower(text), '\\', '/'), ?) > 0"
  const where = isPlain ? `WHERE ${words.map(() => part).join(' OR ')}` : ''
  const values = isPlain ? words.map(word => word.toLowerCase().replaceAll('\\', '/')) : []
  const found: number[] = []
  for (const [id, text] of db.prepare(`SELECT id, text FROM name ${where}`).all(values)) {
    if (words.some(word => isMeant(String(text), word))) found.push(Number(id))
    if (found.length >= mostNames) break
  }
  return found
}

/** SQLite takes some thousand values. */
const mostNames = 8000

/** As one query that gives `id`. `range`: SQL for the first event and for what is behind the last. */
export function selected(
  { parts }: Selection,
  range?: readonly [from: string, to: string],
): { sql: string; values: SqlValue[] } {
  const within = (column: string) => (range === undefined ? '' : `${column} >= ${range[0]} AND ${column} < ${range[1]}`)
  const queries = parts.map(({ sql, column }) =>
    range === undefined ? sql : `SELECT id FROM (${sql} AND ${within(column)}) WHERE ${within('id')}`,
  )
  return { sql: queries.join(' UNION '), values: parts.flatMap(({ values }) => values) }
}

/** How many events, about, counted only as far as it matters. */
function sizeOf(db: Database, { parts: [first], cost }: Selection, most: number): number {
  if (first === undefined) return 0
  const limit = Math.min(most + 1, Number.MAX_SAFE_INTEGER)
  const sql = `SELECT count(*) FROM (SELECT 1 FROM (${first.sql}) LIMIT ${limit})`
  return cost * Number(db.prepare(sql).get(first.values)?.[0])
}
