// The sessions that may be kin of one, as far as lineage and titles need them: found through the index wherever they lie,
// without one among the sessions of its project folder.

import { dirname } from 'node:path'
import type { Places } from '../../archive/read/places.ts'
import { discover } from '../../disk/discover/discover.ts'
import { foldersOf } from '../../disk/discover/folder-titles.ts'
import { ReadError } from '../../disk/read/read.ts'
import { digestSession } from '../../graph/graph.ts'
import type { BranchSummary, SessionDigest, SessionGraph } from '../../model/session.ts'
import type { SessionFiles } from '../../model/source.ts'
import { loadSession } from '../../session/load.ts'
import { sizeText } from '../../view/words.ts'
import type { GlobalOptions } from '../command.ts'
import { indexFor, type UsedIndex } from '../index-use.ts'

/** Folders beyond this size are not read just to draw links. */
export const largestFolderBytes = 256 * 1024 * 1024

export interface Siblings {
  digests: SessionDigest[]
  /** Titles of branches that other sessions of the folder hold. */
  summaries: BranchSummary[]
  /** Set where they were not read: how many bytes they hold. Links to them are then unknown, not absent. */
  unreadBytes?: number
}

/** Places, with what is needed to open the index of them. */
export type KinPlaces = Places | GlobalOptions

/** `mostBytes`: how large the folder may be where there is no index. */
export async function siblingsOf(
  graph: SessionGraph,
  session: SessionFiles,
  places: KinPlaces,
  mostBytes = largestFolderBytes,
): Promise<Siblings> {
  const index = 'home' in places ? await indexFor(places) : null
  return index === null ? folderSiblings(session, places, mostBytes) : indexedSiblings(graph, session, index)
}

async function indexedSiblings(graph: SessionGraph, session: SessionFiles, index: UsedIndex): Promise<Siblings> {
  const { kinOf, summariesBeside } = await import('../../index/search/lineage.ts')
  const { SessionRows } = await import('../../index/search/session-rows.ts')
  const { db, isInScope } = index
  const rows = new SessionRows(db, isInScope)
  const digests = rows.mainGraphs(kinOf(db, digestSession(graph))).map(digestSession)
  return { digests, summaries: session.slug === '' ? [] : summariesBeside(db, session.id, foldersOf(session)) }
}

async function folderSiblings(session: SessionFiles, { tree, source }: Places, mostBytes: number): Promise<Siblings> {
  const main = session.logs.find(log => log.role === 'session')
  if (!main || session.slug === '') return { digests: [], summaries: [] }
  const { sessions } = await discover(dirname(main.path), tree)
  const others = sessions.filter(other => other.id !== session.id)
  const mainsOnly = others.map(other => ({ ...other, logs: other.logs.filter(log => log.role === 'session') }))
  const bytes = mainsOnly.flatMap(other => other.logs).reduce((sum, log) => sum + log.size, 0)
  if (bytes > mostBytes) return { digests: [], summaries: [], unreadBytes: bytes }
  const found: Siblings = { digests: [], summaries: [] }
  for (const other of mainsOnly) {
    const graph = await loadSession(source, other).catch(error => {
      if (error instanceof ReadError) return null
      throw error
    })
    if (graph === null) continue
    found.digests.push(digestSession(graph))
    found.summaries.push(...graph.summaries)
  }
  return found
}

/** What is said where links to other sessions were not looked for. */
export function unreadText(bytes: number): string {
  return `links to the folder's other sessions (${sizeText(bytes)}) were not looked for`
}
