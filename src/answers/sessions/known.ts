// All sessions that a handle knows, as lists have them, for questions that name one: what it is called, where it is.

import type { Project, Projects } from '../../session/projects.ts'
import { ask } from '../knows/ask.ts'
import { memo } from '../memo.ts'
import { noFilters } from './filters.ts'
import { type ListRow, placeOf } from './rows.ts'

export interface KnownRows {
  rows: readonly ListRow[]
  projects: Projects
  row(session: string): ListRow | undefined
  /** As lists have it; undefined for a session that is not known. */
  project(session: string): Project | undefined
}

export const knownRows = memo(async (clew): Promise<KnownRows> => {
  const { rows, projects } = await ask(clew, knows => knows.sessions({ isFull: false, filters: noFilters }))
  const byId = new Map(rows.map(row => [row.session.id as string, row]))
  return {
    rows,
    projects,
    row: session => byId.get(session),
    project(session) {
      const row = byId.get(session)
      return row === undefined ? undefined : projects.of(placeOf(row))
    },
  }
})

/** Which session a log belongs to: some files are not named after theirs. */
export const sessionsByPath = memo(async (clew): Promise<ReadonlyMap<string, string>> => {
  const { rows } = await knownRows(clew)
  return new Map(rows.flatMap(({ session }) => session.logs.map((log): [string, string] => [log.path, session.id])))
})
