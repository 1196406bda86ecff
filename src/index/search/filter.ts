// Whether a place passes the filters of a query: the one statement of what they mean. Looking only where they can hold is
// `narrow`'s business.

import { type EventKind, eventKinds } from '../../model/event.ts'
import { flagsToNumber, kindToNumber, outcomes } from '../ingest/rows.ts'
import type { Database, SqlValue } from '../store/port.ts'
import { eventsPerFile } from '../store/schema.ts'
import {
  type Cell,
  type Facts,
  inputField,
  outputField,
  type Place,
  readColumns,
  readLists,
  readPlaces,
} from './facts.ts'
import type { FilterValues, QueryFilters, TextFilter } from './query.ts'

type Check = (place: Place) => boolean

export const apiErrorKind = kindToNumber('api-error')
export const errorFlag = flagsToNumber(['error'])
export const failedOutcome = outcomes.indexOf('failed')

/** Which of the places pass. */
export type Keep = (places: readonly Place[]) => readonly Place[]

/** Null where every place passes. */
export function filterFor(filters: QueryFilters, roots: readonly string[], facts: Facts): Keep | null {
  const checks: Check[] = []
  const rows = new CallRows(facts.db)
  const tests: Record<TextFilter, (place: Place, value: string) => boolean> = {
    kind: ({ kind }, value) => eventKinds[kind] === (value as EventKind),
    is: (place, value) => (value === 'error' ? isError(place, rows) : isArchived(place, facts)),
    session: (place, value) => isSession(facts, facts.sessionIdOf(place.event, place.origin), value),
    thread: (place, value) => isThread(place, value, facts),
    project: (place, value) => isOfProject(place, value, facts),
    tool: (place, value) => rows.toolsOf(place).some(name => isNamed(name, value)),
    model: (place, value) => holds(rows.modelOf(place) ?? '', value),
    file: (place, value) => rows.pathsOf(place).some(path => isPath(path, value)),
  }
  // The cheap ones first.
  for (const name of ['kind', 'is', 'session', 'thread', 'project', 'tool', 'model', 'file'] as const) {
    const values = filters[name]
    if (values === undefined) continue
    const check: Check = place => passes(values, value => tests[name](place, value))
    checks.push(name === 'session' || name === 'thread' || name === 'project' ? onceAnOrigin(check) : check)
  }
  const { since, until } = filters
  if (since !== undefined) checks.push(place => (timeOf(place, facts) ?? Number.NEGATIVE_INFINITY) >= since)
  if (until !== undefined) checks.push(place => (timeOf(place, facts) ?? Number.POSITIVE_INFINITY) < until)
  if (roots.length > 0) checks.push(onceAFile(({ event }) => isBelow(facts.fileOf(event)?.path ?? '', roots)))
  if (checks.length === 0) return null
  const isOfSession = filters.session !== undefined || filters.project !== undefined
  const isTimed = since !== undefined || until !== undefined
  return places => {
    facts.fetch(places)
    const asked = isOfSession ? places : places.filter(({ at }) => isTimed && at === null)
    facts.fetchSessions(asked.map(({ event, origin }) => facts.sessionIdOf(event, origin)))
    return checks.reduce<readonly Place[]>((left, check) => {
      rows.next(left)
      return left.filter(check)
    }, places)
  }
}

function onceAFile(check: Check): Check {
  const known = new Map<number, boolean>()
  return place => {
    const file = Math.floor(place.event / eventsPerFile)
    const isPassed = known.get(file) ?? check(place)
    known.set(file, isPassed)
    return isPassed
  }
}

/** For what is the same of all places in one file that have the same origin. */
function onceAnOrigin(check: Check): Check {
  const known = new Map<number, boolean>()
  return place => {
    const key = Math.floor(place.event / eventsPerFile) * eventsPerFile + place.origin
    const found = known.get(key)
    if (found !== undefined) return found
    const isPassed = check(place)
    known.set(key, isPassed)
    return isPassed
  }
}

function passes({ any, none }: FilterValues, test: (value: string) => boolean): boolean {
  return (any.length === 0 || any.some(test)) && !none.some(test)
}

/** A line without a time is as old as the last of its session. */
function timeOf({ at, event, origin }: Place, facts: Facts): number | null {
  return at ?? facts.sessionOf(facts.sessionIdOf(event, origin)).ended
}

function isError(place: Place, rows: CallRows): boolean {
  if (place.kind === apiErrorKind || (place.flags & errorFlag) !== 0) return true
  return place.field === outputField && rows.hasFailed(place)
}

function isArchived({ event }: Place, facts: Facts): boolean {
  return (facts.fileOf(event)?.standing ?? 0) > 0
}

/** By the beginning of its id, or by a part of its title. */
function isSession(facts: Facts, id: string, wanted: string): boolean {
  return id.toLowerCase().startsWith(wanted.toLowerCase()) || holds(facts.sessionOf(id).title, wanted)
}

function isThread({ event, origin }: Place, wanted: string, facts: Facts): boolean {
  const found = facts.originOf(origin)
  if (found === null) return false
  if (wanted.toLowerCase() !== 'main') return found.thread.toLowerCase().startsWith(wanted.toLowerCase())
  return found.thread === found.session || found.thread === facts.fileOf(event)?.session
}

function isOfProject({ event, origin }: Place, wanted: string, facts: Facts): boolean {
  const session = facts.sessionOf(facts.sessionIdOf(event, origin))
  const cwd = facts.originOf(origin)?.cwd ?? null
  return isInProject(cwd, session.slug, wanted) || isInProject(session.cwd, session.slug, wanted)
}

/** A whole path with a slash at its end means that folder and all below it; other text any part of directory or slug. */
export function isInProject(cwd: string | null, slug: string, wanted: string): boolean {
  if (/^([a-z]:)?[\\/].*[\\/]$/i.test(wanted)) return cwd !== null && `${slashed(cwd)}/`.startsWith(slashed(wanted))
  const text = wanted.length > 1 ? wanted.replace(/[\\/]+$/, '') : wanted
  return holds(cwd ?? '', text) || holds(slug, text)
}

export function holds(text: string, part: string): boolean {
  return text.toLowerCase().includes(part.toLowerCase())
}

function slashed(path: string): string {
  return path.replaceAll('\\', '/')
}

/** By its name, the end of its path or any part of it. */
export function isPath(path: string, wanted: string): boolean {
  return holds(slashed(path), slashed(wanted))
}

/** A tool's whole name, or the part of an MCP tool's name that its server gave it. */
export function isNamed(name: string, wanted: string): boolean {
  const [lower, text] = [name.toLowerCase(), wanted.toLowerCase()]
  return lower === text || lower.endsWith(`__${text}`) || lower.startsWith(`${text}__`)
}

export function isBelow(path: string, roots: readonly string[]): boolean {
  return roots.some(
    root => path === root || path.startsWith(/[\\/]$/.test(root) ? root : `${root}/`) || path.startsWith(`${root}\\`),
  )
}

/** Rows of calls, results and messages of events, read for many events at once. */
class CallRows {
  private readonly db: Database
  private places: readonly Place[] = []
  private readonly read = new Map<string, Map<number, Cell[]>>()

  constructor(db: Database) {
    this.db = db
  }

  /** Which places will be asked for. */
  next(places: readonly Place[]): void {
    this.places = places
    this.read.clear()
  }

  toolsOf({ event, field }: Place): string[] {
    if (field === inputField) return this.texts('n.text', 'CROSS JOIN call c ON c.event = j.value', 'c.name', event)
    if (field !== outputField) return []
    return this.texts('n.text', 'CROSS JOIN result c ON c.event = j.value', 'c.name', event)
  }

  pathsOf({ event, field }: Place): string[] {
    if (field === inputField) return this.texts('n.text', 'CROSS JOIN call c ON c.event = j.value', 'c.path', event)
    if (field !== outputField) return []
    // A result says only which call it answers: the last one of that id before it in the file.
    const path = `(SELECT c.path FROM call c WHERE c.event < r.event AND c.call = r.call
      AND c.event >= r.event / ${eventsPerFile} * ${eventsPerFile} ORDER BY c.event DESC LIMIT 1)`
    return this.texts('n.text', 'CROSS JOIN result r ON r.event = j.value', path, event)
  }

  modelOf({ event }: Place): string | undefined {
    return this.texts('n.text', 'CROSS JOIN message m ON m.event = j.value', 'm.model', event)[0]
  }

  hasFailed({ event }: Place): boolean {
    const from = `CROSS JOIN result r ON r.event = j.value AND r.outcome = ${failedOutcome}`
    return this.cells('1', from, event).length > 0
  }

  private texts(column: string, from: string, name: string, event: number): string[] {
    return this.cells(column, `${from} CROSS JOIN name n ON n.id = ${name}`, event).map(String)
  }

  private cells(column: string, from: string, event: number): Cell[] {
    let found = this.read.get(from)
    if (found === undefined) {
      found = this.readAll(column, from)
      this.read.set(from, found)
    }
    return found.get(event) ?? []
  }

  private readAll(column: string, from: string): Map<number, Cell[]> {
    const events = JSON.stringify([...new Set(this.places.map(({ event }) => event))])
    const columns = ['j.value', column]
    const [keys = [], cells = []] = readColumns(this.db, columns, `FROM json_each(?) j ${from}`, [events])
    const byEvent = new Map<number, Cell[]>()
    keys.forEach((key, at) => {
      const event = Number(key)
      const known = byEvent.get(event)
      const cell = cells[at] ?? null
      if (known === undefined) byEvent.set(event, [cell])
      else known.push(cell)
    })
    return byEvent
  }
}

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
