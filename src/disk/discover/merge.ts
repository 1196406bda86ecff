// Makes one session of what several places have under one id: synced homes, overlapping roots, copies. It compares the
// ends of files that look like copies; it never decodes them.

import { basename, sep } from 'node:path'
import type { ByteSource, LogFile, SessionFiles, SideFile } from '../../model/source.ts'
import { glanceAtEnds, withEndsOf } from '../read/peek.ts'
import { sameFileKey } from '../read/read.ts'
import { byStart, type MainLog } from './gather.ts'
import { homeOfLog } from './homes.ts'

/** A session with all its places. */
export interface PlacedSession extends SessionFiles {
  /** Logs whose content is the beginning of one in `logs`: the same file elsewhere, nothing of its own in it. */
  twins: LogFile[]
}

/** Every file that is a log of the session, copies too. */
export function allLogs({ logs, twins = [] }: SessionFiles & Partial<Pick<PlacedSession, 'twins'>>): LogFile[] {
  return [...logs, ...twins]
}

const sampleBytes = 64 * 1024

/** One session of the places it was found in; `places` has at least one. */
export function mergePlaces(places: readonly [SessionFiles, ...SessionFiles[]], source: ByteSource): PlacedSession {
  const first = places[0]
  // Named one by one: a copy of all there is has a hidden class of its own, which takes more memory than what is in it.
  if (places.length === 1) return { id: first.id, slug: first.slug, logs: first.logs, side: first.side, twins: [] }
  const { kept, twins } = splitTwins(
    places.flatMap(place => place.logs),
    source,
  )
  const home = places.find(place => place.logs.some(log => log === kept[0])) ?? first
  return { id: first.id, slug: home.slug, logs: kept, side: mergeSide(places), twins }
}

/** Of logs with one name the longest counts, and any other that has something of its own. */
function splitTwins(logs: readonly LogFile[], source: ByteSource): { kept: LogFile[]; twins: LogFile[] } {
  const groups = new Map<string, LogFile[]>()
  for (const log of withoutLinks(logs)) {
    const key = `${log.role} ${wayTo(log)}`
    groups.set(key, [...(groups.get(key) ?? []), log])
  }
  const kept: LogFile[] = []
  const twins: LogFile[] = []
  for (const all of groups.values()) {
    const { group, former } = withoutFormer(all)
    twins.push(...former)
    const [longest, ...rest] = group.sort(longestFirst)
    if (longest === undefined) continue
    kept.push(longest)
    for (const log of rest) (isBeginningOf(log, longest, source) ? twins : kept).push(log)
  }
  return { kept: inReadingOrder(kept, source), twins }
}

/** A file that is on disk elsewhere in its home was moved: what the archive has at its former place is not a second file. */
function withoutFormer(logs: readonly LogFile[]): { group: LogFile[]; former: LogFile[] } {
  const homes = new Set(logs.filter(log => log.isArchiveOnly !== true).map(log => homeOfLog(log.path)))
  const isFormer = (log: LogFile) =>
    log.isArchiveOnly === true && log.role === 'session' && homes.has(homeOfLog(log.path))
  return { group: logs.filter(log => !isFormer(log)), former: logs.filter(isFormer) }
}

/** Of two that are as long, the one on disk. */
function longestFirst(a: LogFile, b: LogFile): number {
  const onDisk = Number(a.isArchiveOnly === true) - Number(b.isArchiveOnly === true)
  return b.size - a.size || onDisk || b.modifiedMs - a.modifiedMs
}

/** Where a log is as seen from its session: runs of workflows have files of equal names in folders of their own. */
function wayTo(log: LogFile): string {
  const parts = log.path.split(sep)
  const folder = log.nameSession === undefined ? -1 : parts.lastIndexOf(log.nameSession)
  return folder < 0 ? basename(log.path) : parts.slice(folder + 1).join(sep)
}

/** Overlapping roots and links find the same file twice. */
function withoutLinks(logs: readonly LogFile[]): LogFile[] {
  const seen = new Map<string, LogFile>()
  for (const log of logs) {
    const key = sameFileKey(log.generation) ?? log.generation
    if (!seen.has(key)) seen.set(key, log)
  }
  return [...seen.values()]
}

/** As in one folder, main files by their start. */
function inReadingOrder(logs: readonly LogFile[], source: ByteSource): LogFile[] {
  const isSplit = logs.filter(log => log.role === 'session').length > 1
  const placed = logs.map((log): MainLog => {
    const firstMs = isSplit && log.role === 'session' ? startOf(log, source) : undefined
    return firstMs === undefined ? { log } : { log, firstMs }
  })
  return placed.sort(mainsFirst).map(({ log }) => log)
}

/** What is on disk comes before what is archived elsewhere: of two records with one uuid the first counts. */
function mainsFirst(a: MainLog, b: MainLog): number {
  const role = Number(a.log.role !== 'session') - Number(b.log.role !== 'session')
  const place = role || Number(a.log.isArchiveOnly === true) - Number(b.log.isArchiveOnly === true)
  return place || (a.log.role === 'session' ? byStart(a, b) : 0)
}

/** Undefined where the file cannot be read, or names no time. */
function startOf(log: LogFile, source: ByteSource): number | undefined {
  try {
    return withEndsOf(log, source, ends => glanceAtEnds(ends, log.nameSession).firstMs)
  } catch {
    return undefined
  }
}

/** Judged by both ends of the shorter file: a log only grows, so two that went apart differ at its end. */
function isBeginningOf(shorter: LogFile, longer: LogFile, source: ByteSource): boolean {
  if (shorter.size === 0) return true
  return [0, Math.max(0, shorter.size - sampleBytes)].every(from => {
    const length = Math.min(sampleBytes, shorter.size - from)
    const bytes = readSample(source, shorter, from, length)
    return bytes !== null && readSample(source, longer, from, length)?.equals(bytes) === true
  })
}

/** Null where the file cannot be read: then it stays, and its reader reports why. */
function readSample(source: ByteSource, log: LogFile, from: number, length: number): Buffer | null {
  try {
    const { buffer, byteOffset, length: found } = source.readSync(log.generation, from, from + length)
    return found === length ? Buffer.from(buffer, byteOffset, found) : null
  } catch {
    return null
  }
}

/** What an earlier place has under the same name, with the same kind and size, is not listed again. */
function mergeSide(places: readonly SessionFiles[]): SideFile[] {
  const merged: SideFile[] = []
  const known = new Set<string>()
  const keyOf = (file: SideFile) => `${file.kind} ${basename(file.path)} ${file.size}`
  for (const { side } of places) {
    const fresh = side.filter(file => !known.has(keyOf(file)))
    for (const file of fresh) known.add(keyOf(file))
    merged.push(...fresh)
  }
  return merged
}
