// The other sessions of a session's project folder, as far as lineage and titles need them. Without an index, links are
// found within that folder only.

import { dirname } from 'node:path'
import { diskSource, ReadError } from '../disk/read.ts'
import { loadSession } from '../load/load.ts'
import type { SessionGraph } from '../model/session.ts'
import type { Discovery, SessionFiles } from '../model/source.ts'

/** Folders beyond this size are not read just to draw links. */
const largestFolderBytes = 256 * 1024 * 1024

export async function siblingGraphs(
  session: SessionFiles,
  discover: (root: string) => Promise<Discovery>,
): Promise<SessionGraph[]> {
  const main = session.logs.find(log => log.role === 'session')
  if (!main || session.slug === '') return []
  const { sessions } = await discover(dirname(main.path))
  const others = sessions.filter(other => other.id !== session.id)
  const mainsOnly = others.map(other => ({ ...other, logs: other.logs.filter(log => log.role === 'session') }))
  const bytes = mainsOnly.flatMap(other => other.logs).reduce((sum, log) => sum + log.size, 0)
  if (bytes > largestFolderBytes) return []
  const graphs: SessionGraph[] = []
  for (const other of mainsOnly) {
    const graph = await loadSession(diskSource(), other).catch(error => {
      if (error instanceof ReadError) return null
      throw error
    })
    if (graph) graphs.push(graph)
  }
  return graphs
}
