// All sessions that are read, with their places, whichever are asked for: what a project is called, and what titles a session
// may have, depends on the others.

import { mergeDiscoveries } from '../../disk/discover/resolve.ts'
import type { Projects } from '../../session/projects.ts'
import { type DatedSession, datedSession } from '../../session/scan/quick-rows.ts'
import type { Clew } from '../clew.ts'
import { discoverRoots } from './find.ts'
import { indexedRows } from './indexed-rows.ts'
import { projectsOf } from './rows.ts'

export async function allSessions(clew: Clew): Promise<readonly DatedSession[]> {
  const known = await indexedRows(clew)
  if (known !== null) return known.rows
  const { discoveries } = await discoverRoots(clew)
  return mergeDiscoveries(discoveries, clew.source).map(session => datedSession(session, clew.source))
}

export async function allProjects(clew: Clew): Promise<Projects> {
  return projectsOf(await allSessions(clew))
}
