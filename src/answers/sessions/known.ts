// All sessions that a handle knows, as lists have them, for questions that name one: what it is called, where it is.

import type { Project, Projects } from '../../session/projects.ts'
import type { Clew } from '../clew.ts'
import { ask } from '../knows/ask.ts'
import { memo } from '../memo.ts'
import { noFilters } from './filters.ts'
import { type ListRow, placeOf, projectsOf } from './rows.ts'

/** Of a session, or of a project, that nothing is known of but its usage. */
export const unknownName = '(unknown)'

/** Sessions by id, and their projects. */
export class KnownRows {
  readonly projects: Projects
  private readonly byId: ReadonlyMap<string, ListRow>

  constructor(rows: readonly ListRow[]) {
    this.projects = projectsOf(rows)
    this.byId = new Map(rows.map(row => [row.session.id, row]))
  }

  get ids(): string[] {
    return [...this.byId.keys()]
  }

  get rows(): ListRow[] {
    return [...this.byId.values()]
  }

  row(session: string): ListRow | undefined {
    return this.byId.get(session)
  }

  title(session: string): string {
    return this.byId.get(session)?.title ?? (session || unknownName)
  }

  /** As lists have it; undefined for a session that is not known. */
  project(session: string): Project | undefined {
    const row = this.byId.get(session)
    return row === undefined ? undefined : this.projects.of(placeOf(row))
  }

  /** The key of its project: the directory, else the name of the folder. */
  projectKey(session: string): string {
    return this.project(session)?.key || unknownName
  }

  /** Its own working directory, else the name of its folder. */
  directory(session: string): string {
    const row = this.byId.get(session)
    return row?.cwd || row?.session.slug || unknownName
  }

  /** `wanted`: as filters of lists have it. */
  isInProject(session: string, wanted: string): boolean {
    const row = this.byId.get(session)
    return row !== undefined && this.projects.isMeant(placeOf(row), wanted)
  }
}

/** Without an index, titles are what the ends of files say. */
export const knownRows = memo(async (clew): Promise<KnownRows> => {
  const { rows, isExact } = await ask(clew, knows => knows.sessions({ isFull: false, filters: noFilters }))
  const unplaced = isExact || clew.upkeep !== undefined ? [] : rows.filter(row => row.cwd === null)
  return new KnownRows(unplaced.length === 0 ? rows : [...rows, ...(await placedByRecords(unplaced, clew))])
})

/** The same with the titles that lists print as JSON: without an index, all records are read. */
export const titledRows = memo(async (clew): Promise<KnownRows> => {
  const { rows } = await ask(clew, knows => knows.sessions({ isFull: true, filters: noFilters }))
  return new KnownRows(rows)
})

/** The ends of main files name the project of nearly all; the others are few. */
async function placedByRecords(rows: readonly ListRow[], clew: Clew): Promise<ListRow[]> {
  const { fullRows } = await import('./full-rows.ts')
  const sessions = rows.map(row => row.session)
  return (await fullRows(sessions, {}, clew)).rows
}

/** Which session a log belongs to: some files are not named after theirs. */
export const sessionsByPath = memo(async (clew): Promise<ReadonlyMap<string, string>> => {
  const { rows } = await knownRows(clew)
  return new Map(rows.flatMap(({ session }) => session.logs.map((log): [string, string] => [log.path, session.id])))
})
