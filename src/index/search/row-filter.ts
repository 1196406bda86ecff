// Whether a place passes the filters of a query: the one statement of what they mean. Looking only where they can hold is
// `narrow`'s business.

import { type EventKind, eventKinds } from '../../model/event.ts'
import { flagsToNumber, kindToNumber, outcomes } from '../ingest/rows.ts'
import type { Database } from '../store/port.ts'
import { eventsPerFile } from '../store/schema.ts'
import type { Facts } from './facts.ts'
import type { FilterValues, QueryFilters, TextFilter } from './filters.ts'
import { type Cell, inputField, outputField, type Place, readColumns } from './places.ts'

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
