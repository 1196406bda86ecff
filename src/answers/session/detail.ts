// What a session's graph cannot know: its files, which other sessions it continues or branches from, whether it is in use,
// and what the archive has of it. It paints nothing.

import { relative, resolve, sep } from 'node:path'
import type { Generation } from '../../archive/format/catalog.ts'
import type { Places } from '../../archive/read/places.ts'
import type { Archive } from '../../archive/store/archive.ts'
import type { Instant } from '../../base/instant.ts'
import { othersInFolder } from '../../disk/discover/discover.ts'
import { foldersOf } from '../../disk/discover/folder-titles.ts'
import { homeOfLog } from '../../disk/discover/homes.ts'
import { ReadError } from '../../disk/read/read.ts'
import { digestSession, linkSessions } from '../../graph/graph.ts'
import type { Finding } from '../../model/finding.ts'
import type { BranchSummary, SessionDigest, SessionGraph } from '../../model/session.ts'
import { isBeingWritten, isOnDisk, type LogFile, type SessionFiles } from '../../model/source.ts'
import { goneNote } from '../../render/words.ts'
import type { SessionDetail } from '../../schema/contract-shapes.ts'
import { sessionDetail } from '../../session/detail.ts'
import type { GraphUsage } from '../../session/graph-usage.ts'
import { loadSession } from '../../session/load.ts'
import { sizeText } from '../../view/words.ts'
import type { Clew } from '../clew.ts'
import { indexFor } from '../knows/index-use.ts'
import type { UsedIndex } from '../knows/used-index.ts'
import { memo } from '../memo.ts'
import { relativesOf } from '../sessions/copied.ts'

/** The finding that says that lineage is not known. */
export const lineageNotSearched = 'lineage-not-searched'

/** `clew show --json`. */
export interface ShownDetail extends SessionDetail, ArchiveFacts {}

/** `mostBytes`: how large the folder may be whose sessions are searched for links where there is no index. */
export async function detailOf(
  graph: SessionGraph,
  session: SessionFiles,
  places: ArchivePlaces & KinPlaces,
  mostBytes?: number,
): Promise<ShownDetail> {
  const { digests, summaries: fileSummaries, others, unreadBytes } = await siblingsOf(graph, session, places, mostBytes)
  const lineage = linkSessions([digestSession(graph), ...digests]).get(graph.session) ?? []
  const files = [...session.logs, ...session.side].map(file => file.path)
  const usage = await usageOf(graph, session, others, places)
  const own = sessionDetail(graph, { slug: session.slug, files, live: false, lineage, fileSummaries, usage })
  const live = isBeingWritten(session, own.endedAt, Date.now())
  const detail: ShownDetail = { ...own, live, ...(await archiveFactsOf(session, places)) }
  if (unreadBytes === undefined) return detail
  const finding: Finding = { code: lineageNotSearched, severity: 'info', message: unreadText(unreadBytes) }
  return { ...detail, diagnostics: [...detail.diagnostics, finding] }
}

/** `others`: sessions that may share messages with it, where there is no index. */
async function usageOf(
  graph: SessionGraph,
  session: SessionFiles,
  others: readonly SessionFiles[],
  places: KinPlaces,
): Promise<GraphUsage | undefined> {
  if (!('home' in places)) return undefined
  const { usageOfSession } = await import('../usage/sessions.ts')
  return usageOfSession(graph, session, others, places)
}

/** Folders beyond this size are not read just to draw links. */
export const largestFolderBytes = 256 * 1024 * 1024

interface Siblings {
  digests: SessionDigest[]
  /** Titles of branches in other sessions of the folder. */
  summaries: BranchSummary[]
  /** The other sessions of the folder, where there is no index. */
  others: readonly SessionFiles[]
  /** Set where they were not read: how many bytes they have. Links to them are then unknown, not absent. */
  unreadBytes?: number
}

/** Places, with what is needed to open the index of them. */
type KinPlaces = Places | Clew

/** `mostBytes`: how large the folder may be where there is no index. */
export async function siblingsOf(
  graph: SessionGraph,
  session: SessionFiles,
  places: KinPlaces,
  mostBytes = largestFolderBytes,
): Promise<Siblings> {
  const index = 'home' in places ? await indexFor(places) : null
  return index === null ? siblingsInFiles(session, places, mostBytes) : indexedSiblings(graph, session, index)
}

async function indexedSiblings(graph: SessionGraph, session: SessionFiles, index: UsedIndex): Promise<Siblings> {
  const { kinOf, summariesInFolders } = await import('../../index/search/sessions.ts')
  const { SessionRows } = await import('../../index/search/session-rows.ts')
  const { db, isInScope } = index
  const rows = new SessionRows(db, isInScope)
  const digests = rows.mainGraphs(kinOf(db, digestSession(graph))).map(digestSession)
  const summaries = session.slug === '' ? [] : summariesInFolders(db, session.id, foldersOf(session))
  return { digests, summaries, others: [] }
}

async function siblingsInFiles(session: SessionFiles, places: KinPlaces, mostBytes: number): Promise<Siblings> {
  const { tree, source } = places
  const others = 'home' in places ? await relativesOf(session, places) : await othersInFolder(session, tree)
  const mainsOnly = others.map(other => ({ ...other, logs: other.logs.filter(log => log.role === 'session') }))
  const bytes = mainsOnly.flatMap(other => other.logs).reduce((sum, log) => sum + log.size, 0)
  if (bytes > mostBytes) return { digests: [], summaries: [], others: [], unreadBytes: bytes }
  const found: Siblings = { digests: [], summaries: [], others }
  for (const other of mainsOnly) {
    const graph = await loadSession(source, other).catch(error => {
      if (error instanceof ReadError) return null
      throw error
    })
    if (graph === null) continue
    found.digests.push(digestSession(graph))
    found.summaries.push(...graph.summaries.filter(({ leaf }) => !graph.nodes.has(leaf)))
  }
  return found
}

/** What is said where links to other sessions were not looked for. */
export function unreadText(bytes: number): string {
  return `other sessions of the folder (${sizeText(bytes)}) were not searched for links`
}

/** Places of which some may have an archive. */
export interface ArchivePlaces extends Places {
  archive?: Archive
}

/** One life of a file's content that is archived. */
interface ArchivedGeneration {
  /** As in `clew show ID@1`. */
  number: number
  size: number
  modified: Instant
  /** The file is in it now, or was when it was last seen. */
  current: boolean
}

/** Keys that `clew show --json` adds. */
interface ArchiveFacts {
  /** The archive has all bytes of all its logs. */
  archived: boolean
  /** Any of its main files is there. */
  onDisk: boolean
  /** Of its main file; absent where nothing of it is archived. */
  generations?: ArchivedGeneration[]
  /** Number of the generation that is shown, where that is an earlier one. */
  generation?: number
}

/** Whether the archive has all logs of a session, as far as size and time show. */
export async function archivedIn(places: ArchivePlaces): Promise<(session: SessionFiles) => boolean> {
  return 'home' in places ? covered(places as Clew) : coveredBy(places)
}

const covered = memo(coveredBy)

async function coveredBy({ archive }: ArchivePlaces): Promise<(session: SessionFiles) => boolean> {
  if (archive === undefined) return () => false
  const { coverageOf } = await import('../../archive/read/tree.ts')
  return coverageOf(archive)
}

/** Whether users want sessions left out: they were forgotten, or a rule left them out at the last run. */
export async function leftOutIn({ archive }: ArchivePlaces): Promise<(session: SessionFiles) => boolean> {
  if (archive === undefined) return () => false
  const { leftOut, readSeen, seenKey } = await import('../../archive/capture/seen.ts')
  const { canonicalPlace } = await import('../../files/place.ts')
  const { FileError } = await import('../../files/error.ts')
  let seen: ReturnType<typeof readSeen> | undefined
  const wasLeftOut = ({ path }: LogFile) => {
    if (seen === undefined) seen = readSeen(archive.layout)
    const home = homeOfLog(path)
    if (home === null) return false
    const below = relative(home, resolve(path)).split(sep).join('/')
    return seen?.files.get(seenKey(canonicalPlace(home), below))?.generation === leftOut
  }
  return session => {
    try {
      if (archive.manifest.catalog.forgotten.has(session.id)) return true
    } catch (error) {
      if (!(error instanceof FileError)) throw error
    }
    const mains = session.logs.filter(log => log.role === 'session')
    return mains.length > 0 && mains.every(wasLeftOut)
  }
}

export async function archiveFactsOf(session: SessionFiles, places: ArchivePlaces): Promise<ArchiveFacts> {
  const { archive } = places
  const isArchived = await archivedIn(places)
  const facts: ArchiveFacts = { archived: isArchived(session), onDisk: isOnDisk(session) || isThere(session, places) }
  const main = mainLog(session)
  if (archive === undefined || main === undefined) return facts
  const { currentOf } = await import('../../archive/format/catalog.ts')
  const archived = await generationsOf(main, archive)
  if (archived.length === 0) return facts
  const current = currentOf(archived)
  facts.generations = archived.map(generation => ({
    number: generation.number,
    size: generation.size,
    modified: new Date(generation.modifiedMs).toISOString(),
    current: generation === current,
  }))
  const shown = archived.find(generation => main.generation === `kept:${generation.id}`)
  if (shown !== undefined && shown !== current) facts.generation = shown.number
  return facts
}

/** What people should know before they read a session; nothing where it is on disk as ever. */
export function archiveNotes({ onDisk, generations = [], generation }: ArchiveFacts, id: string): string[] {
  if (generation !== undefined) {
    return [`archived: generation ${generation} of ${generations.length}; for the latest: clew show ${id}`]
  }
  const notes = onDisk ? [] : [goneNote]
  const [first] = generations
  if (generations.length > 1 && first !== undefined) {
    notes.push(`generations: ${generations.length} archived; for the first: clew show ${id}@${first.number}`)
  }
  return notes
}

/** The one that carries the session's name, else the first. */
function mainLog({ id, logs }: SessionFiles): LogFile | undefined {
  const mains = logs.filter(log => log.role === 'session')
  return mains.find(log => log.nameSession === id) ?? mains[0]
}

/** An earlier generation is read from the archive while the file itself may be there. */
function isThere({ logs }: SessionFiles, { tree }: Places): boolean {
  return logs.some(({ role, path }) => {
    if (role !== 'session') return false
    try {
      const facts = tree.stat(path)
      return facts.kind === 'file' && facts.isArchiveOnly !== true
    } catch {
      return false
    }
  })
}

async function generationsOf(log: LogFile, archive: Archive): Promise<readonly Generation[]> {
  const { canonicalPlace } = await import('../../files/place.ts')
  const { FileError } = await import('../../files/error.ts')
  try {
    const { catalog } = archive.manifest
    const place = canonicalPlace(log.path)
    for (const home of catalog.homes()) {
      const found = catalog.of(home, relative(home, place).split(sep).join('/'))
      if (found.length > 0) return found
    }
  } catch (error) {
    if (!(error instanceof FileError)) throw error
  }
  return []
}
