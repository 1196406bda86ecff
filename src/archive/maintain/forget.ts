// Erases a session from the archive, and remembers only that it is not to be archived again. It reports what remains and where;
// it touches no live file and cannot reach copies that were exported.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { newline } from '../../base/bytes.ts'
import type { Discovery } from '../../model/source.ts'
import { ExcludeRules, inRuleOrder } from '../capture/rules.ts'
import { type Catalog, fileKey, type Generation } from '../format/catalog.ts'
import { appendSegment, type Manifest } from '../format/manifest.ts'
import { type ArchivedHome, archivedHomes, ownersBy } from '../read/sessions.ts'
import { archivedBytes } from '../read/source.ts'
import type { Archive } from '../store/archive.ts'
import { dropping, type Freed, forgetSights, refuseDamaged } from './prune.ts'
import { tidy } from './tidy.ts'

interface ForgetOptions {
  /** What is on disk, for naming the live files that remain. */
  discoveries?: readonly Discovery[]
  /** Continue although the manifest is damaged and what its lost lines described is lost with them. */
  evenIfDamaged?: boolean
}

/** An archived file that names the session and is not the session's alone. */
export interface Mention {
  home: string
  path: string
  number: number
  /** Lines that name the session. */
  lines: number
  /** Of a prompt history: lines of early clients, which name no session, so that their session is unknown. */
  linesWithoutSession?: number
  /** It is damaged: what it names is unknown. */
  isUnreadable?: true
}

export interface ForgetPlan {
  session: string
  /** False for a session that the archive does not have: only the mark is set. */
  isKept: boolean
  /** It was marked before. */
  wasForgotten: boolean
  homes: string[]
  files: { home: string; path: string; generations: number; bytes: number }[]
  generations: number
  /** Raw bytes of all generations that go. */
  bytes: number
  /** Frames that nothing else needs: they are erased. */
  freed: Freed
  remains: {
    /** Files of Claude Code on disk; they are not touched. */
    live: string[]
    /** Frames that other sessions have too, and which. */
    shared: { frames: number; bytes: number; sessions: string[]; files: string[] }
    /** Whole files that another session owns too: they stay. */
    sharedFiles: { home: string; path: string; sessions: string[] }[]
    mentions: Mention[]
  }
}

interface ForgetReport extends ForgetPlan {
  /** Packs that still hold erased frames, since another frame in them is damaged and they could not be rewritten. */
  packsLeft: string[]
}

/** What `forget` would do. Nothing is changed. */
export async function planForget(archive: Archive, session: string, options: ForgetOptions = {}): Promise<ForgetPlan> {
  const homes = await archivedHomes(archive)
  if (!archive.exists) return emptyPlan(session, options)
  return (await prepare(archive, archive.manifest.catalog, homes, session, options)).plan
}

/** Erases all that is archived of a session, in all homes, and marks it so that later runs leave it out. */
export async function forget(archive: Archive, session: string, options: ForgetOptions = {}): Promise<ForgetReport> {
  return archive.change('forget', async manifest => {
    if (options.evenIfDamaged !== true) refuseDamaged(manifest)
    const { catalog } = manifest
    const { plan, dropped, erased } = await prepare(archive, catalog, await archivedHomes(archive), session, options)
    if (dropped.length === 0) {
      if (!plan.wasForgotten) appendSegment(archive.ops, archive.layout, manifest, [{ forgotten: session }])
      catalog.forgotten.add(session)
      return { ...plan, packsLeft: [] }
    }
    const packs = new Set([...erased].flatMap(frame => catalog.frames.get(frame)?.pack ?? []))
    catalog.forgotten.add(session)
    for (const { id } of dropped) catalog.drop(id)
    await tidy(archive, manifest, true)
    forgetSights(archive, dropped)
    return { ...plan, packsLeft: [...packs].filter(pack => existsSync(join(archive.layout.packs, pack))) }
  })
}

/** Undoes it: the next run archives the session again if it is on disk. False where it was not forgotten. */
export async function remember(archive: Archive, session: string): Promise<boolean> {
  if (!archive.exists || !archive.manifest.catalog.forgotten.has(session)) return false
  return archive.change('remember', async (manifest: Manifest) => {
    if (!manifest.catalog.forgotten.has(session)) return false
    appendSegment(archive.ops, archive.layout, manifest, [{ remembered: session }])
    manifest.catalog.forgotten.delete(session)
    return true
  })
}

async function prepare(
  archive: Archive,
  catalog: Catalog,
  homes: readonly ArchivedHome[],
  session: string,
  options: ForgetOptions,
): Promise<{ plan: ForgetPlan; dropped: Generation[]; erased: ReadonlySet<string> }> {
  const owners = ownersBy(homes, ({ id }) => id)
  const { dropped, sharedFiles } = generationsOf(catalog, homes, owners, session)
  const ids = new Set(dropped.map(({ id }) => id))
  const { freed, erased, shared } = dropping(catalog, ids)
  const plan: ForgetPlan = {
    ...emptyPlan(session, options),
    isKept: dropped.length > 0,
    wasForgotten: catalog.forgotten.has(session),
    homes: [...new Set(dropped.map(({ home }) => home))].sort(),
    files: filesOf(dropped),
    generations: dropped.length,
    bytes: dropped.reduce((sum, { size }) => sum + size, 0),
    freed,
  }
  plan.remains.shared = sharersOf(catalog, shared, ids, owners)
  plan.remains.sharedFiles = sharedFiles
  plan.remains.mentions = await mentionsOf(archive, catalog, homes, ids, session)
  return { plan, dropped, erased }
}

function emptyPlan(session: string, options: ForgetOptions): ForgetPlan {
  return {
    session,
    isKept: false,
    wasForgotten: false,
    homes: [],
    files: [],
    generations: 0,
    bytes: 0,
    freed: { frames: 0, bytes: 0, stored: 0 },
    remains: {
      live: liveFilesOf(session, options.discoveries ?? []),
      shared: { frames: 0, bytes: 0, sessions: [], files: [] },
      sharedFiles: [],
      mentions: [],
    },
  }
}

function liveFilesOf(session: string, discoveries: readonly Discovery[]): string[] {
  const paths = discoveries
    .flatMap(discovery => discovery.sessions)
    .filter(({ id }) => id === session)
    .flatMap(({ logs, side }) => [...logs, ...side])
    .filter(file => file.isArchiveOnly !== true)
    .map(file => file.path)
  return [...new Set(paths)].sort()
}

/**
 * What the walk gives the session, what the rules would leave out for its sake, and generations whose own records name it:
 * the file may have become another session's since.
 */
function generationsOf(
  catalog: Catalog,
  homes: readonly ArchivedHome[],
  owners: ReadonlyMap<string, string[]>,
  session: string,
): { dropped: Generation[]; sharedFiles: ForgetPlan['remains']['sharedFiles'] } {
  const found = new Set<string>()
  for (const archived of homes.flatMap(home => home.sessions)) {
    if (archived.id === session) for (const { id } of archived.generations) found.add(id)
  }
  const rules = new ExcludeRules([], new Set([session]))
  for (const { id, home, path, facts } of inRuleOrder(catalog.generations.values(), ({ path }) => path)) {
    if (rules.leavesOut(home, path, facts)) found.add(id)
  }
  const dropped: Generation[] = []
  const sharedFiles = new Map<string, ForgetPlan['remains']['sharedFiles'][number]>()
  for (const id of found) {
    const generation = catalog.generations.get(id)
    if (generation === undefined) continue
    const others = (owners.get(id) ?? []).filter(owner => owner !== session)
    const isOwn = others.length === 0 || generation.facts?.session === session
    if (isOwn) dropped.push(generation)
    else {
      const { home, path } = generation
      sharedFiles.set(fileKey(home, path), { home, path, sessions: [...new Set(others)].sort() })
    }
  }
  return { dropped, sharedFiles: [...sharedFiles.values()] }
}

function filesOf(generations: readonly Generation[]): ForgetPlan['files'] {
  const files = new Map<string, ForgetPlan['files'][number]>()
  for (const { home, path, size } of generations) {
    const key = fileKey(home, path)
    const file = files.get(key) ?? { home, path, generations: 0, bytes: 0 }
    file.generations++
    file.bytes += size
    files.set(key, file)
  }
  return [...files.values()]
}

function sharersOf(
  catalog: Catalog,
  shared: ReadonlySet<string>,
  dropped: ReadonlySet<string>,
  owners: ReadonlyMap<string, string[]>,
): ForgetPlan['remains']['shared'] {
  const sessions = new Set<string>()
  const files = new Set<string>()
  for (const { id, path, frames } of catalog.generations.values()) {
    if (dropped.has(id) || !frames.some(frame => shared.has(frame))) continue
    const own = owners.get(id)
    if (own === undefined) files.add(path)
    else for (const owner of own) sessions.add(owner)
  }
  let bytes = 0
  for (const frame of shared) bytes += catalog.frames.get(frame)?.bytes ?? 0
  return { frames: shared.size, bytes, sessions: [...sessions].sort(), files: [...files].sort() }
}

/** Files that belong to no session and may name many: prompt histories, lists of sessions. */
async function mentionsOf(
  archive: Archive,
  catalog: Catalog,
  homes: readonly ArchivedHome[],
  dropped: ReadonlySet<string>,
  session: string,
): Promise<Mention[]> {
  const found: Mention[] = []
  for (const other of homes.flatMap(home => home.others)) {
    const isHistory = other.facts?.isHistory === true || other.path === 'history.jsonl'
    const isText = isHistory || /(\.jsonl?|\/\.session-aliases)$/.test(other.path)
    if (dropped.has(other.id) || !isText || catalog.broken.has(other.id)) continue
    const { home, path, number } = other
    try {
      const { lines, linesWithoutSession } = await countMentions(archive, other, session)
      const unknown = isHistory ? linesWithoutSession : 0
      if (lines === 0 && unknown === 0) continue
      found.push({ home, path, number, lines, ...(unknown > 0 && { linesWithoutSession: unknown }) })
    } catch {
      found.push({ home, path, number, lines: 0, isUnreadable: true })
    }
  }
  return found
}

interface Mentions {
  /** Lines that name it. */
  lines: number
  /** Lines that name no session at all, as early clients wrote their prompt histories: they may be of any. */
  linesWithoutSession: number
}

async function countMentions(archive: Archive, generation: Generation, session: string): Promise<Mentions> {
  const found: Mentions = { lines: 0, linesWithoutSession: 0 }
  const see = (line: Buffer) => {
    if (line.includes(session)) found.lines++
    else if (line.length > 0 && !line.includes('"sessionId"')) found.linesWithoutSession++
  }
  let open: Buffer[] = []
  for await (const chunk of archivedBytes(archive, generation)) {
    let at = 0
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, at)) {
      see(Buffer.concat([...open, chunk.subarray(at, end)]))
      open = []
      at = end + 1
    }
    open.push(chunk.subarray(at))
  }
  see(Buffer.concat(open))
  return found
}
