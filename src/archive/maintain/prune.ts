// Removes archived content, by explicit rules and after a plan that shows exactly what: whole sessions, or earlier
// generations of files. Forgetting a session, so that it is not archived again either, is decided in `forget.ts`.

import { readdirSync, statSync } from 'node:fs'
import { join, sep } from 'node:path'
import { attempt } from '../../base/attempt.ts'
import { writeWhole } from '../../files/durable.ts'
import { FileError } from '../../files/error.ts'
import type { Discovery } from '../../model/source.ts'
import { slugOf } from '../capture/rules.ts'
import { leftOut, readSeen, seenBytes, seenKey } from '../capture/seen.ts'
import { type Catalog, currentOf, fileKey, type Generation } from '../format/catalog.ts'
import type { Manifest } from '../format/manifest.ts'
import { type ArchivedHome, type ArchivedSession, archivedAndLive, LiveSessions } from '../read/sessions.ts'
import type { Archive } from '../store/archive.ts'
import { tidy } from './tidy.ts'

/** At least one must be given. A session must fit all that are. */
export interface PruneRule {
  /** Sessions that were last changed before this moment, milliseconds since 1970. */
  changedBeforeMs?: number
  /** Sessions of these projects: a working directory with all below it, or the beginning of a project folder's name. */
  projects?: readonly string[]
  /** Only sessions that are no longer on disk. */
  goneOnly?: boolean
  /** Instead of whole sessions: all but this many of the last generations of each file. */
  keepGenerations?: number
}

export interface PrunedSession {
  session: string
  home: string
  slug: string
  cwd?: string
  /** Its last change. */
  modifiedMs: number
  files: number
  generations: number
  bytes: number
  /** It is still on disk: the next run archives it again. */
  returns: boolean
}

export interface PrunePlan {
  /** Sessions of which something goes. */
  sessions: PrunedSession[]
  /** Files of which something goes. */
  files: number
  /** What goes, as it was when the plan was made. */
  generations: { id: string; home: string; path: string; number: number; size: number; isCurrent: boolean }[]
  /** Raw bytes of what goes. */
  bytes: number
  /** What that frees: frames that nothing else needs. */
  freed: Freed
}

interface PruneReport {
  generations: number
  /** Generations of the plan that were changed since it was made: they stay. */
  skipped: number
  /** What the archive took on the disk before and takes now. */
  storedBefore: number
  storedAfter: number
}

/** What would go. Nothing is changed. */
export async function planPrune(
  archive: Archive,
  rule: PruneRule,
  discoveries: readonly Discovery[] = [],
): Promise<PrunePlan> {
  checkRule(rule)
  const known = await archivedAndLive(archive, discoveries)
  const { homes } = known
  const live = new LiveSessions(known.discoveries)
  const chosen = homes.flatMap(home => home.sessions).filter(session => fits(session, rule, live))
  const catalog = archive.exists ? archive.manifest.catalog : null
  if (catalog === null) return { sessions: [], files: 0, generations: [], bytes: 0, freed: nothing }
  const ids = idsToDrop(catalog, homes, chosen, rule)
  const generations = [...ids].flatMap(id => catalog.generations.get(id) ?? [])
  return {
    sessions: chosen.flatMap(session => toPruned(session, ids, live, catalog)),
    files: filesOf(generations),
    generations: generations.map(generation => toPlanned(generation, catalog)),
    bytes: bytesOf(generations),
    freed: dropping(catalog, ids).freed,
  }
}

const nothing: Freed = { frames: 0, bytes: 0, stored: 0 }

/** Does what a plan says, as far as it still applies. */
export async function prune(
  archive: Archive,
  plan: PrunePlan,
  options: { evenIfDamaged?: boolean } = {},
): Promise<PruneReport> {
  const storedBefore = folderBytes(archive.layout.folder)
  const report: PruneReport = { generations: 0, skipped: 0, storedBefore, storedAfter: storedBefore }
  if (plan.generations.length === 0) return report
  await archive.change('prune', async manifest => {
    if (options.evenIfDamaged !== true) refuseDamaged(manifest)
    const { catalog } = manifest
    // Judged before any goes: what is current changes as they go.
    const holding = plan.generations.filter(planned => isAsPlanned(planned, catalog))
    for (const { id } of holding) catalog.drop(id)
    report.generations = holding.length
    report.skipped = plan.generations.length - holding.length
    // The list first: after a kill, what is left to do is in the manifest, and a file that was not seen is only read again.
    forgetSights(archive, holding)
    if (holding.length > 0) await tidy(archive, manifest, true)
  })
  report.storedAfter = folderBytes(archive.layout.folder)
  return report
}

/** The list of what was seen names files too. */
export function forgetSights(archive: Archive, dropped: readonly Pick<Generation, 'id' | 'home' | 'path'>[]): void {
  const seen = readSeen(archive.layout)
  if (seen === null) return
  const files = new Map(seen.files)
  for (const { id, home, path } of dropped) {
    const sight = files.get(seenKey(home, path))?.generation
    if (sight === id || sight === leftOut) files.delete(seenKey(home, path))
  }
  if (files.size < seen.files.size)
    writeWhole(archive.ops, archive.layout.seen, seenBytes({ fingerprint: seen.fingerprint, files }))
}

/** Rewriting the manifest would lose for good what its damaged lines described. */
export function refuseDamaged(manifest: Manifest): void {
  const [first] = manifest.damage
  if (first === undefined) return
  throw new FileError(
    'damaged-manifest',
    `The archive's manifest is damaged (${first.segment}: ${first.problem}). What it no longer names would be lost for good.`,
  )
}

function checkRule(rule: PruneRule): void {
  const { changedBeforeMs, projects, goneOnly, keepGenerations } = rule
  const isAny =
    changedBeforeMs !== undefined || projects !== undefined || goneOnly === true || keepGenerations !== undefined
  if (!isAny) throw new FileError('no-rule', 'Nothing is pruned without a rule that says what.')
  if (keepGenerations !== undefined && !(Number.isInteger(keepGenerations) && keepGenerations >= 1)) {
    throw new FileError('bad-rule', `${keepGenerations} is not a number of generations: at least 1.`)
  }
}

function fits(session: ArchivedSession, rule: PruneRule, live: LiveSessions): boolean {
  const { changedBeforeMs, projects, goneOnly } = rule
  const liveMs = live.changedMs(session)
  if (goneOnly === true && liveMs !== null) return false
  if (changedBeforeMs !== undefined && Math.max(session.modifiedMs, liveMs ?? 0) >= changedBeforeMs) return false
  return projects === undefined || projects.some(project => isOfProject(session, project))
}

/** A working directory counts with those below it; where none is known, the folder it would have is looked for. */
function isOfProject(session: ArchivedSession, project: string): boolean {
  const { slug } = session
  if (!/^([/\\]|[A-Za-z]:[/\\])/.test(project)) return slug === project || slug.startsWith(`${project}-`)
  const whole = project.length > 1 ? project.replace(/[/\\]+$/, '') : project
  const cwd = cwdOf(session)
  if (cwd === undefined) return slug !== '' && slug === slugOf(whole)
  return cwd === whole || cwd.startsWith(whole.endsWith(sep) ? whole : whole + sep)
}

function cwdOf(session: ArchivedSession): string | undefined {
  for (const { facts } of session.generations) if (facts?.cwd !== undefined) return facts.cwd
  return undefined
}

/** What another session owns too stays. */
function idsToDrop(
  catalog: Catalog,
  homes: readonly ArchivedHome[],
  chosen: readonly ArchivedSession[],
  rule: PruneRule,
): Set<string> {
  const { keepGenerations, ...sessionRules } = rule
  if (keepGenerations === undefined) return wholeSessions(homes, chosen)
  const isForAll = Object.values(sessionRules).every(value => value === undefined || value === false)
  const files = new Map<string, readonly Generation[]>()
  const named = isForAll ? catalog.generations.values() : chosen.flatMap(session => session.generations)
  for (const { home, path } of named) files.set(fileKey(home, path), catalog.of(home, path))
  const ids = new Set<string>()
  for (const generations of files.values()) {
    const current = currentOf(generations)
    const earlier = generations.filter(({ id }) => id !== current?.id).sort((a, b) => b.number - a.number)
    for (const { id } of earlier.slice(keepGenerations - 1)) ids.add(id)
  }
  return ids
}

function wholeSessions(homes: readonly ArchivedHome[], chosen: readonly ArchivedSession[]): Set<string> {
  const going = new Set(chosen)
  const ids = new Set(chosen.flatMap(session => session.generations.map(({ id }) => id)))
  for (const session of homes.flatMap(home => home.sessions)) {
    if (!going.has(session)) for (const { id } of session.generations) ids.delete(id)
  }
  return ids
}

function toPruned(
  session: ArchivedSession,
  ids: ReadonlySet<string>,
  live: LiveSessions,
  catalog: Catalog,
): PrunedSession[] {
  const going = session.generations.filter(({ id }) => ids.has(id))
  if (going.length === 0) return []
  const liveMs = live.changedMs(session)
  const cwd = cwdOf(session)
  return [
    {
      session: session.id,
      home: session.home,
      slug: session.slug,
      ...(cwd !== undefined && { cwd }),
      modifiedMs: Math.max(session.modifiedMs, liveMs ?? 0),
      files: filesOf(going),
      generations: going.length,
      bytes: bytesOf(going),
      // Earlier generations are nowhere else.
      returns: liveMs !== null && going.some(({ id, home, path }) => catalog.current(home, path)?.id === id),
    },
  ]
}

function toPlanned(generation: Generation, catalog: Catalog): PrunePlan['generations'][number] {
  const { id, home, path, number, size } = generation
  return { id, home, path, number, size, isCurrent: catalog.current(home, path)?.id === id }
}

function isAsPlanned(planned: PrunePlan['generations'][number], catalog: Catalog): boolean {
  const now = catalog.generations.get(planned.id)
  if (now === undefined || now.size !== planned.size || now.path !== planned.path) return false
  return (catalog.current(now.home, now.path)?.id === now.id) === planned.isCurrent
}

function filesOf(generations: readonly Generation[]): number {
  return new Set(generations.map(({ home, path }) => fileKey(home, path))).size
}

function bytesOf(generations: readonly Generation[]): number {
  return generations.reduce((sum, { size }) => sum + size, 0)
}

export interface Freed {
  frames: number
  /** Raw bytes of the frames that nothing else needs. */
  bytes: number
  /** What they take on the disk. */
  stored: number
}

interface Dropping {
  freed: Freed
  /** Frames that nothing else needs. */
  erased: Set<string>
  /** Frames that stay because other generations hold them too. */
  shared: Set<string>
}

export function dropping(catalog: Catalog, dropped: ReadonlySet<string>): Dropping {
  const needed = new Set<string>()
  for (const { id, frames } of catalog.generations.values()) {
    if (!dropped.has(id)) for (const frame of frames) needed.add(frame)
  }
  const erased = new Set<string>()
  const shared = new Set<string>()
  for (const id of dropped) {
    for (const frame of catalog.generations.get(id)?.frames ?? []) (needed.has(frame) ? shared : erased).add(frame)
  }
  const freed: Freed = { frames: erased.size, bytes: 0, stored: 0 }
  for (const frame of erased) {
    const { bytes = 0, stored = 0 } = catalog.frames.get(frame) ?? {}
    freed.bytes += bytes
    freed.stored += stored
  }
  return { freed, erased, shared }
}

/** Bytes of all files below a folder; one that vanishes meanwhile counts nothing. */
export function folderBytes(folder: string): number {
  let bytes = 0
  const waiting = [folder]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const entry of attempt(() => readdirSync(next, { withFileTypes: true })) ?? []) {
      const path = join(next, entry.name)
      if (entry.isDirectory()) waiting.push(path)
      else if (entry.isFile()) bytes += statSync(path, { throwIfNoEntry: false })?.size ?? 0
    }
  }
  return bytes
}
