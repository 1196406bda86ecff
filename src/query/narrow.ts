// Where filters can hold: texts outside need not be looked at. Always a superset of what passes; `row-filter` decides.

import type { Database, SqlValue } from '../indexer/port.ts'
import { kindToNumber } from '../indexer/rows.ts'
import { eventsPerFile } from '../indexer/schema.ts'
import type { EventKind } from '../model/event.ts'
import type { Facts } from './facts.ts'
import type { QueryFilters } from './filters.ts'
import { apiErrorKind, errorFlag, failedOutcome, holds, isBelow, isInProject, isNamed, isPath } from './row-filter.ts'

/** Events that a filter leaves: as SQL that gives their ids. */
interface Selection {
  sql: string
  values: SqlValue[]
}

/** Ids of texts, the latest first; null where the filters leave more than `most` events. */
export function narrowTexts(
  filters: QueryFilters,
  roots: readonly string[],
  facts: Facts,
  most: number,
): number[] | null {
  const { db } = facts
  const files = filesFor(filters, roots, facts)
  const selections = selectionsFor(filters, db)
  const sizes = selections.map(selection => sizeOf(db, selection, most))
  const least = Math.min(...sizes)
  const inFiles = files === null ? Number.POSITIVE_INFINITY : eventsIn(files)
  if (Math.min(least, inFiles) > most) return null
  const best = selections[sizes.indexOf(least)]
  const texts = best !== undefined && least <= inFiles ? textsOf(db, best, files) : textsInFiles(db, files ?? [])
  return texts.sort((one, other) => other - one)
}

interface FileSpan {
  id: number
  events: number
}

function eventsIn(files: readonly FileSpan[]): number {
  return files.reduce((sum, { events }) => sum + events, 0)
}

/** Null where no filter speaks of files or sessions. */
function filesFor(filters: QueryFilters, roots: readonly string[], { db }: Facts): FileSpan[] | null {
  const { session, project, since, until, is } = filters
  const isArchived = is?.any.length === 1 && is.any[0] === 'archived'
  const named = session?.any ?? []
  const projects = project?.any ?? []
  const hasTimes = since !== undefined || until !== undefined
  if (named.length + projects.length + roots.length === 0 && !hasTimes && !isArchived) return null
  const wanted = sessionsFor(filters, db)
  const found: FileSpan[] = []
  const rows = db.prepare('SELECT id, events + tail, session, standing, path, role FROM file').all()
  for (const [id, events, owner, standing, path, role] of rows) {
    if (isArchived && standing === 0) continue
    if (roots.length > 0 && !isBelow(String(path), roots)) continue
    // Lines of a prompt history are of any session.
    if (wanted !== null && role !== 'history' && !wanted.has(String(owner))) continue
    found.push({ id: Number(id), events: Number(events) })
  }
  return found
}

/** Null where all of them may be meant. */
function sessionsFor({ session, project, since, until }: QueryFilters, db: Database): Set<string> | null {
  const named = session?.any ?? []
  const projects = project?.any ?? []
  if (named.length + projects.length === 0 && since === undefined && until === undefined) return null
  const inProject = projects.length === 0 ? null : sessionsInProjects(projects, db)
  const wanted = new Set<string>()
  for (const [id, title, slug, started, ended] of db
    .prepare('SELECT id, title, slug, started, ended FROM session')
    .all()) {
    const key = String(id)
    const isNamedSo = (text: string) => key.toLowerCase().startsWith(text.toLowerCase()) || holds(String(title), text)
    if (named.length > 0 && !named.some(isNamedSo)) continue
    if (inProject !== null && !inProject.has(key) && !projects.some(text => isInProject(null, String(slug), text)))
      continue
    if (since !== undefined && ended !== null && Number(ended) < since) continue
    if (until !== undefined && started !== null && Number(started) >= until) continue
    wanted.add(key)
  }
  return wanted
}

/** By the working directories of their events. */
function sessionsInProjects(projects: readonly string[], db: Database): Set<string> {
  const sql = `SELECT DISTINCT s.text, c.text FROM origin o JOIN name s ON s.id = o.session JOIN name c ON c.id = o.cwd`
  const found = new Set<string>()
  for (const [session, cwd] of db.prepare(sql).all()) {
    if (projects.some(text => isInProject(String(cwd), '', text))) found.add(String(session))
  }
  return found
}

function selectionsFor(filters: QueryFilters, db: Database): Selection[] {
  const found: Selection[] = []
  const { kind, tool, model, file, is } = filters
  if (kind !== undefined && kind.any.length > 0) {
    const numbers = kind.any.map(word => kindToNumber(word as EventKind))
    found.push({ sql: `SELECT id FROM event WHERE kind IN (${marks(numbers)})`, values: numbers })
  }
  if (tool !== undefined && tool.any.length > 0) {
    const names = namesLike(db, tool.any, isNamed)
    const sql = `SELECT event FROM call WHERE name IN (${marks(names)}) UNION SELECT event FROM result WHERE name IN (${marks(names)})`
    found.push({ sql, values: [...names, ...names] })
  }
  if (model !== undefined && model.any.length > 0) {
    const names = namesLike(db, model.any, holds)
    found.push({ sql: `SELECT event FROM message WHERE model IN (${marks(names)})`, values: names })
  }
  if (file !== undefined && file.any.length > 0) {
    const names = namesLike(db, file.any, isPath)
    // Its result is the next one of that id in the same file.
    const sql = `SELECT event FROM call WHERE path IN (${marks(names)}) UNION ALL
      SELECT (SELECT r.event FROM result r WHERE r.event > c.event AND r.event < (c.event / ${eventsPerFile} + 1) * ${eventsPerFile}
        AND r.call = c.call ORDER BY r.event LIMIT 1) FROM call c WHERE c.path IN (${marks(names)})`
    found.push({ sql, values: [...names, ...names] })
  }
  if (is?.any.length === 1 && is.any[0] === 'error') {
    const sql = `SELECT event FROM result WHERE outcome = ${failedOutcome}
      UNION SELECT id FROM event WHERE kind = ${apiErrorKind} OR flags & ${errorFlag}`
    found.push({ sql, values: [] })
  }
  return found
}

function marks(values: readonly unknown[]): string {
  return values.map(() => '?').join(', ')
}

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

/** How many events, counted only as far as it matters. */
function sizeOf(db: Database, { sql, values }: Selection, most: number): number {
  const row = db.prepare(`SELECT count(*) FROM (SELECT 1 FROM (${sql}) LIMIT ${most + 1})`).get(values)
  const size = Number(row?.[0])
  return size > most ? Number.POSITIVE_INFINITY : size
}

function textsOf(db: Database, { sql, values }: Selection, files: readonly FileSpan[] | null): number[] {
  const rows = db
    .prepare(`WITH s(id) AS (${sql}) SELECT te.text, te.event FROM s CROSS JOIN text_event te ON te.event = s.id`)
    .all(values)
  const allowed = files === null ? null : new Set(files.map(({ id }) => id))
  const texts = new Set<number>()
  for (const [text, event] of rows) {
    if (allowed === null || allowed.has(Math.floor(Number(event) / eventsPerFile))) texts.add(Number(text))
  }
  return [...texts]
}

function textsInFiles(db: Database, files: readonly FileSpan[]): number[] {
  const texts = new Set<number>()
  const statement = db.prepare('SELECT text FROM text_event WHERE event >= ? AND event < ?')
  for (const { id } of files) {
    for (const [text] of statement.all([id * eventsPerFile, (id + 1) * eventsPerFile])) texts.add(Number(text))
  }
  return [...texts]
}
