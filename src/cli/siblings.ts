// The other sessions of a session's project folder, as far as lineage and titles need them. Without an index, links are
// found within that folder only.

import { dirname } from 'node:path'
import { discover } from '../disk/discover.ts'
import { ReadError } from '../disk/read.ts'
import { loadSession } from '../load/load.ts'
import type { SessionGraph } from '../model/session.ts'
import type { SessionFiles } from '../model/source.ts'
import { sizeText } from '../view/words.ts'
import type { Places } from './places.ts'

/** Folders beyond this size are not read just to draw links. */
export const largestFolderBytes = 256 * 1024 * 1024

export interface Siblings {
  graphs: SessionGraph[]
  /** Set where they were not read: how many bytes they hold. Links to them are then unknown, not absent. */
  unreadBytes?: number
}

export async function siblingsOf(
  session: SessionFiles,
  { tree, source }: Places,
  mostBytes = largestFolderBytes,
): Promise<Siblings> {
  const main = session.logs.find(log => log.role === 'session')
  if (!main || session.slug === '') return { graphs: [] }
  const { sessions } = await discover(dirname(main.path), tree)
  const others = sessions.filter(other => other.id !== session.id)
  const mainsOnly = others.map(other => ({ ...other, logs: other.logs.filter(log => log.role === 'session') }))
  const bytes = mainsOnly.flatMap(other => other.logs).reduce((sum, log) => sum + log.size, 0)
  if (bytes > mostBytes) return { graphs: [], unreadBytes: bytes }
  const graphs: SessionGraph[] = []
  for (const other of mainsOnly) {
    const graph = await loadSession(source, other).catch(error => {
      if (error instanceof ReadError) return null
      throw error
    })
    if (graph) graphs.push(graph)
  }
  return { graphs }
}

/** What is said where links to other sessions were not looked for. */
export function unreadText(bytes: number): string {
  return `links to the folder's other sessions (${sizeText(bytes)}) were not looked for`
}
