// All sessions that are read, with their places, whichever are asked for: what a project is called, and what titles a session
// may have, depends on the others.

import { mergeDiscoveries } from '../../disk/discover/resolve.ts'
import type { Projects } from '../../session/projects.ts'
import { type DatedSession, datedSession } from '../../session/scan/quick-rows.ts'
import type { GlobalOptions } from '../command.ts'
import { discoverRoots } from '../input.ts'
import { indexedRows } from './indexed-rows.ts'
import { projectsOf } from './rows.ts'

export async function allSessions(globals: GlobalOptions): Promise<readonly DatedSession[]> {
  const known = await indexedRows(globals)
  if (known !== null) return known.rows
  const { discoveries } = await discoverRoots(globals)
  return mergeDiscoveries(discoveries, globals.source).map(session => datedSession(session, globals.source))
}

export async function allProjects(globals: GlobalOptions): Promise<Projects> {
  return projectsOf(await allSessions(globals))
}
