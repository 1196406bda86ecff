// Reports what is archived, what it takes, what is not archived yet, and what Claude Code will delete when. It looks at every
// live file once, and into those that share a session id only.

import { readdirSync } from 'node:fs'
import { attempt } from '../../base/attempt.ts'
import type { FileFacts } from '../../disk/discover/facts.ts'
import type { Retention } from '../../disk/discover/homes.ts'
import { isLogName } from '../../disk/discover/project.ts'
import { placesOf } from '../../disk/discover/same-session.ts'
import { diskTree } from '../../disk/discover/tree.ts'
import { FolderPlaces } from '../../files/place.ts'
import type { Discovery, SessionFiles } from '../../model/source.ts'
import type { ArchiveStatus } from '../../schema/contract-shapes.ts'
import { MovedFiles } from '../capture/moved.ts'
import { inOrder, RuleReasons } from '../capture/rules.ts'
import { isAsSeen, leftOut, readSeen, type Sight, sightOf, stateText } from '../capture/seen.ts'
import { type LiveFile, scopeOf, survey } from '../capture/survey.ts'
import { Catalog, type Generation } from '../format/catalog.ts'
import { isPackName } from '../format/layout.ts'
import { archivedAndLive, LiveSessions } from '../read/sessions.ts'
import type { Archive } from '../store/archive.ts'
import { folderBytes } from './prune.ts'

interface StatusOptions {
  roots: readonly string[]
  /** What is on disk below the roots. */
  discoveries: readonly Discovery[]
  exclude?: readonly string[]
  retention: Retention
}

/** All that `clew archive status` prints but the settings. */
export type ArchiveStatusReport = Omit<ArchiveStatus, 'folder' | 'exists' | 'mode' | 'schedule'>
/** A live session that Claude Code will delete. */
export type ExpiringSession = ArchiveStatus['expiring'][number]
/** A live file with something that is not archived. */
export type PendingFile = ArchiveStatus['notKept'][number]

export async function archiveStatus(archive: Archive, options: StatusOptions): Promise<ArchiveStatusReport> {
  const places = new FolderPlaces()
  const scopes = options.roots.map(scopeOf).filter(scope => scope !== null)
  const { discoveries, exclude = [] } = options
  const live = compareWithArchive(archive, survey(scopes).files, { discoveries, exclude, places })
  const isRule = ({ reason }: PendingFile) => reason === 'excluded' || reason === 'forgotten'
  return {
    ...archiveCounts(archive),
    ...(await sessionCounts(archive, discoveries)),
    unarchivedBytes: live.notKept.reduce((sum, file) => sum + (isRule(file) ? 0 : file.bytes), 0),
    expiring: expiringSessions(options, live, places),
    leftOut: live.notKept.filter(isRule).length,
    notKept: live.notKept,
  }
}

function archiveCounts(archive: Archive) {
  const manifest = archive.exists ? archive.manifest : null
  const catalog = manifest?.catalog ?? new Catalog()
  let bytes = 0
  let last = 0
  for (const { size, archivedMs, origin } of catalog.generations.values()) {
    bytes += size
    if (origin === undefined) last = Math.max(last, archivedMs)
  }
  let once = 0
  for (const id of catalog.liveFrames()) once += catalog.frames.get(id)?.bytes ?? 0
  const files = [...catalog.files()].length
  return {
    files,
    generations: catalog.generations.size,
    earlierGenerations: catalog.generations.size - files,
    bytes,
    sharedBytes: Math.max(0, bytes - once),
    storedBytes: folderBytes(archive.layout.folder),
    homes: [...catalog.homes()].sort(),
    packs: (attempt(() => readdirSync(archive.layout.packs)) ?? []).filter(isPackName).length,
    segments: manifest?.segments.length ?? 0,
    lastRun: last === 0 ? null : new Date(last).toISOString(),
    damage: (manifest?.damage ?? []).map(({ segment, problem }) => ({ segment, problem })),
    brokenGenerations: catalog.broken.size,
  }
}

/** How many sessions are archived, and how many of those are no longer on disk. */
export async function sessionCounts(
  archive: Archive,
  discoveries: readonly Discovery[],
): Promise<Pick<ArchiveStatus, 'sessions' | 'goneSessions'>> {
  const known = await archivedAndLive(archive, discoveries)
  const sessions = known.homes.flatMap(home => home.sessions)
  const live = new LiveSessions(known.discoveries)
  const all = idsOf(sessions).size
  return { sessions: all, goneSessions: all - idsOf(sessions.filter(session => live.isOnDisk(session))).size }
}

/** A session that is in several homes or folders is one. */
function idsOf(sessions: readonly { id: string }[]): Set<string> {
  return new Set(sessions.map(({ id }) => id))
}

function expiringSessions(options: StatusOptions, live: LiveComparison, places: FolderPlaces): ExpiringSession[] {
  const found: { at: number; row: ExpiringSession }[] = []
  for (const session of wholeSessions(options.discoveries)) {
    const at = options.retention.deletedOn(session)
    const main = session.logs.find(log => log.role === 'session' && log.isArchiveOnly !== true)
    if (at === undefined || main === undefined) continue
    const deletedOn = new Date(at).toISOString()
    const archived = isWhollyArchived(session, live, places)
    found.push({ at, row: { session: session.id, file: main.path, deletedOn, archived } })
  }
  return found.sort((a, b) => a.at - b.at || (a.row.file < b.row.file ? -1 : 1)).map(({ row }) => row)
}

/** With its files in all homes and folders: it is there until the last one is deleted. */
function wholeSessions(discoveries: readonly Discovery[]): SessionFiles[] {
  const byId = new Map<string, SessionFiles>()
  for (const session of placesOf(discoveries, diskTree.source)) {
    const known = byId.get(session.id)
    if (known === undefined) byId.set(session.id, { ...session, logs: [...session.logs], side: [...session.side] })
    else {
      known.logs.push(...session.logs)
      known.side.push(...session.side)
    }
  }
  return [...byId.values()]
}

function isWhollyArchived(session: SessionFiles, live: LiveComparison, places: FolderPlaces): boolean {
  return [...session.logs, ...session.side].every(
    file => file.isArchiveOnly === true || live.archived.has(places.of(file.path)),
  )
}

interface LiveComparison {
  notKept: PendingFile[]
  /** FolderPlaces of the files whose every byte is archived. */
  archived: Set<string>
}

function compareWithArchive(
  archive: Archive,
  files: readonly LiveFile[],
  options: { discoveries: readonly Discovery[]; exclude: readonly string[]; places: FolderPlaces },
): LiveComparison {
  const catalog = archive.exists ? archive.manifest.catalog : new Catalog()
  const seen = readSeen(archive.layout)
  const owners = ownersByPlace(options.discoveries, options.places)
  const moved = new MovedFiles(catalog, files)
  const rules = new RuleReasons(options.exclude, catalog.forgotten, catalog.forgottenFiles.keys())
  const found: LiveComparison = { notKept: [], archived: new Set() }
  for (const file of inOrder(files)) {
    const sight = sightOf(file, seen)
    const here = catalog.current(file.home, file.path)
    const owner = owners.get(file.place)
    const known = here ?? moved.takeNamed(file) ?? moved.take(file)
    const missing = missingOf(file, known, here !== undefined, sight, catalog)
    const rule = rules.reasonFor(file.home, file.path, factsFor(file, here, owner))
    // What the last run left out is believed: it had looked into the file.
    const wasExcluded = sight?.generation === leftOut && isAsSeen(file, seen) && options.exclude.length > 0
    if (missing === null) found.archived.add(file.place)
    else {
      const { bytes, reason } = missing
      found.notKept.push({
        ...(owner !== undefined && { session: owner }),
        file: file.place,
        bytes,
        reason: rule ?? (wasExcluded ? 'excluded' : reason),
      })
    }
  }
  return found
}

/** Null where all of it is archived. */
function missingOf(
  file: LiveFile,
  known: Generation | undefined,
  isHere: boolean,
  sight: Sight | undefined,
  catalog: Catalog,
): { bytes: number; reason: 'new' | 'grown' | 'changed' } | null {
  const { size, identity, mtimeMs } = file.state
  if (known === undefined) return { bytes: size, reason: 'new' }
  if (catalog.broken.has(known.id)) return { bytes: size, reason: isHere ? 'changed' : 'new' }
  if (sight?.state === stateText(file.state) && catalog.generations.has(sight.generation)) return null
  if (size > known.size) return { bytes: size - known.size, reason: 'grown' }
  if (size < known.size) return { bytes: size, reason: 'changed' }
  const isTouched = known.identity !== identity || known.modifiedMs !== Math.trunc(mtimeMs)
  return isTouched ? { bytes: 0, reason: 'changed' } : null
}

/** What is known of a log without a look into it. A prompt history belongs to no session. */
function factsFor(file: LiveFile, here: Generation | undefined, owner: string | undefined): FileFacts | undefined {
  if (!isLogName(file.path) || file.path === 'history.jsonl') return undefined
  if (here?.facts !== undefined) return here.facts
  return { isHistory: false, plans: [], ...(owner !== undefined && { session: owner }) }
}

function ownersByPlace(discoveries: readonly Discovery[], places: FolderPlaces): Map<string, string> {
  const owners = new Map<string, string>()
  for (const { sessions } of discoveries) {
    for (const { id, logs, side } of sessions)
      for (const file of [...logs, ...side]) owners.set(places.of(file.path), id)
  }
  return owners
}
