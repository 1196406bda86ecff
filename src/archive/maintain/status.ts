// Tells how things stand: what is kept, what it takes, what is not kept yet, and what the client will delete when. It looks
// at every live file once and opens none.

import { readdirSync } from 'node:fs'
import type { Instant } from '../../base/instant.ts'
import type { Retention } from '../../disk/discover/homes.ts'
import type { Discovery, SessionFiles } from '../../model/source.ts'
import { scopeOf } from '../capture/scope.ts'
import { survey } from '../capture/survey.ts'
import { compareWithKept, type LiveComparison, Places, type UnkeptFile } from '../capture/unkept.ts'
import { Catalog } from '../format/catalog.ts'
import { isPackName } from '../format/layout.ts'
import { LiveSessions } from '../read/on-disk.ts'
import { type KeptHome, keptHomes } from '../read/sessions.ts'
import type { Archive } from '../store/archive.ts'
import { folderBytes } from './freed.ts'

export interface StatusOptions {
  roots: readonly string[]
  /** What lies on disk below the roots. */
  discoveries: readonly Discovery[]
  exclude?: readonly string[]
  retention: Retention
}

/** A live session that the client will delete. */
export interface ExpiringSession {
  session: string
  /** Its main file. */
  file: string
  deletedOn: Instant
  /** Whether every byte of its files is kept. */
  archived: boolean
}

export interface ArchiveStatusReport {
  /** Files of which something is kept. */
  files: number
  generations: number
  /** Raw bytes of all generations. */
  bytes: number
  /** What the archive's folder takes on the disk. */
  storedBytes: number
  /** Bytes on disk that the next run would keep. */
  unarchivedBytes: number
  /** Soonest first. */
  expiring: ExpiringSession[]
  homes: string[]
  sessions: number
  packs: number
  segments: number
  /** Raw bytes that are not stored because the same frames are stored already. */
  sharedBytes: number
  /** Sessions that are kept and no longer on disk. */
  goneSessions: number
  earlierGenerations: number
  /** Live files that rules leave out. */
  leftOut: number
  /** When something was last kept; null where nothing was. */
  lastRun: Instant
  notKept: UnkeptFile[]
  damage: { segment: string; problem: string }[]
  /** Generations that damage of the manifest made incomplete. */
  brokenGenerations: number
}

export async function archiveStatus(archive: Archive, options: StatusOptions): Promise<ArchiveStatusReport> {
  const places = new Places()
  const scopes = options.roots.map(scopeOf).filter(scope => scope !== null)
  const { discoveries, exclude = [] } = options
  const live = compareWithKept(archive, survey(scopes).files, { discoveries, exclude, places })
  const isRule = ({ reason }: UnkeptFile) => reason === 'excluded' || reason === 'forgotten'
  return {
    ...keptCounts(archive),
    ...sessionCounts(await keptHomes(archive), discoveries),
    unarchivedBytes: live.notKept.reduce((sum, file) => sum + (isRule(file) ? 0 : file.bytes), 0),
    expiring: expiringSessions(options, live, places),
    leftOut: live.notKept.filter(isRule).length,
    notKept: live.notKept,
  }
}

function keptCounts(archive: Archive) {
  const manifest = archive.exists ? archive.manifest : null
  const catalog = manifest?.catalog ?? new Catalog()
  let bytes = 0
  let last = 0
  for (const { size, keptMs, origin } of catalog.generations.values()) {
    bytes += size
    if (origin === undefined) last = Math.max(last, keptMs)
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
    packs: packCount(archive),
    segments: manifest?.segments.length ?? 0,
    lastRun: last === 0 ? null : new Date(last).toISOString(),
    damage: (manifest?.damage ?? []).map(({ segment, problem }) => ({ segment, problem })),
    brokenGenerations: catalog.broken.size,
  }
}

function packCount(archive: Archive): number {
  try {
    return readdirSync(archive.layout.packs).filter(isPackName).length
  } catch {
    return 0
  }
}

function sessionCounts(homes: readonly KeptHome[], discoveries: readonly Discovery[]) {
  const sessions = homes.flatMap(home => home.sessions)
  const live = new LiveSessions(discoveries)
  return {
    sessions: sessions.length,
    goneSessions: sessions.filter(session => live.changedMs(session) === null).length,
  }
}

function expiringSessions(options: StatusOptions, live: LiveComparison, places: Places): ExpiringSession[] {
  const found: { at: number; row: ExpiringSession }[] = []
  for (const session of options.discoveries.flatMap(discovery => discovery.sessions)) {
    const at = options.retention.deletedOn(session)
    const main = session.logs.find(log => log.role === 'session' && log.isKept !== true)
    if (at === undefined || main === undefined) continue
    const deletedOn = new Date(at).toISOString()
    const archived = isWhollyKept(session, live, places)
    found.push({ at, row: { session: session.id, file: main.path, deletedOn, archived } })
  }
  return found.sort((a, b) => a.at - b.at || (a.row.file < b.row.file ? -1 : 1)).map(({ row }) => row)
}

function isWhollyKept(session: SessionFiles, live: LiveComparison, places: Places): boolean {
  return [...session.logs, ...session.side].every(file => file.isKept === true || live.kept.has(places.of(file.path)))
}
