// What the archive has of sessions that are shown or listed: whether it holds them, whether they are still on disk, and
// which generations there are. Its code is loaded only where there is one; no pack is read.

import { relative, resolve, sep } from 'node:path'
import type { Generation } from '../../archive/format/catalog.ts'
import type { Places } from '../../archive/read/places.ts'
import type { Archive } from '../../archive/store/archive.ts'
import type { Instant } from '../../base/instant.ts'
import { homeOfLog } from '../../disk/discover/homes.ts'
import type { LogFile, SessionFiles } from '../../model/source.ts'
import { isOnDisk } from '../list/list-row.ts'

/** Places of which some may have an archive. */
export interface KeptPlaces extends Places {
  archive?: Archive
}

/** One life of a file's content that is kept. */
export interface KeptGeneration {
  /** As in `clew show ID@1`. */
  number: number
  size: number
  modified: Instant
  /** The file is in it now, or was when it was last seen. */
  current: boolean
}

/** Keys that `clew show --json` adds. */
export interface KeptFacts {
  /** The archive holds all bytes of all its logs. */
  archived: boolean
  /** Any of its main files is there. */
  onDisk: boolean
  /** Of its main file; absent where nothing of it is kept. */
  generations?: KeptGeneration[]
  /** Number of the generation that is shown, where that is an earlier one. */
  generation?: number
}

/** Tells of sessions whether the archive holds all of their logs, as far as size and time show. */
export async function archivedIn({ archive }: KeptPlaces): Promise<(session: SessionFiles) => boolean> {
  if (archive === undefined) return () => false
  const { coverageOf } = await import('../../archive/read/kept.ts')
  const { ArchiveError } = await import('../../archive/format/error.ts')
  const covers = coverageOf(archive)
  return ({ logs, side }) => {
    if (logs.length === 0) return side.length > 0 && side.every(file => file.isKept === true)
    try {
      return logs.every(covers)
    } catch (error) {
      // Whoever walked the tree was told that it cannot be read.
      if (error instanceof ArchiveError) return false
      throw error
    }
  }
}

/** Tells of sessions whether people want them left out: they were forgotten, or a rule left them out at the last run. */
export async function leftOutIn({ archive }: KeptPlaces): Promise<(session: SessionFiles) => boolean> {
  if (archive === undefined) return () => false
  const { leftOut, readSeen, seenKey } = await import('../../archive/capture/seen.ts')
  const { canonicalPlace } = await import('../../archive/store/place.ts')
  const { ArchiveError } = await import('../../archive/format/error.ts')
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
      if (!(error instanceof ArchiveError)) throw error
    }
    const mains = session.logs.filter(log => log.role === 'session')
    return mains.length > 0 && mains.every(wasLeftOut)
  }
}

export async function keptFactsOf(session: SessionFiles, places: KeptPlaces): Promise<KeptFacts> {
  const { archive } = places
  const isArchived = await archivedIn(places)
  const facts: KeptFacts = { archived: isArchived(session), onDisk: isOnDisk(session) || isThere(session, places) }
  const main = mainLog(session)
  if (archive === undefined || main === undefined) return facts
  const { currentOf } = await import('../../archive/format/catalog.ts')
  const kept = await generationsOf(main, archive)
  if (kept.length === 0) return facts
  const current = currentOf(kept)
  facts.generations = kept.map(generation => ({
    number: generation.number,
    size: generation.size,
    modified: new Date(generation.modifiedMs).toISOString(),
    current: generation === current,
  }))
  const shown = kept.find(generation => main.generation === `kept:${generation.id}`)
  if (shown !== undefined && shown !== current) facts.generation = shown.number
  return facts
}

/** What people should know before they read a session; nothing where it is on disk as ever. */
export function keptNotes({ onDisk, generations = [], generation }: KeptFacts, id: string): string[] {
  if (generation !== undefined) {
    return [
      `kept: generation ${generation} of ${generations.length}, read from the archive; clew show ${id} shows the latest`,
    ]
  }
  const notes = onDisk ? [] : ['kept: no longer on disk, read from the archive']
  const [first] = generations
  if (generations.length > 1 && first !== undefined) {
    notes.push(`generations: ${generations.length} are kept; clew show ${id}@${first.number} shows the first`)
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
      return facts.kind === 'file' && facts.isKept !== true
    } catch {
      return false
    }
  })
}

async function generationsOf(log: LogFile, archive: Archive): Promise<readonly Generation[]> {
  const { canonicalPlace } = await import('../../archive/store/place.ts')
  const { ArchiveError } = await import('../../archive/format/error.ts')
  try {
    const { catalog } = archive.manifest
    const place = canonicalPlace(log.path)
    for (const home of catalog.homes()) {
      const found = catalog.of(home, relative(home, place).split(sep).join('/'))
      if (found.length > 0) return found
    }
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error
  }
  return []
}
