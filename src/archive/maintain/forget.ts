// Erases a session from the archive, and remembers only that it is not to be archived again. It reports what remains and where;
// it touches no live file and cannot reach copies that were exported.

import { existsSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, sep } from 'node:path'
import { attempt } from '../../base/attempt.ts'
import { newline } from '../../base/bytes.ts'
import { canonicalPlace, placeOf } from '../../files/place.ts'
import { recordedId } from '../../model/ids.ts'
import type { Discovery } from '../../model/source.ts'
import { linesOf, scanHistory } from '../capture/history-lines.ts'
import { ExcludeRules, inRuleOrder } from '../capture/rules.ts'
import { Catalog, fileKey, forgottenFileLine, type Generation, newGenerationId } from '../format/catalog.ts'
import { FrameCutter } from '../format/cut.ts'
import { hashOf } from '../format/lines.ts'
import { appendSegment, type Manifest } from '../format/manifest.ts'
import { writePacks } from '../format/pack.ts'
import { type ArchivedHome, archivedHomes, ownersBy } from '../read/sessions.ts'
import { archivedBytes } from '../read/source.ts'
import type { Archive } from '../store/archive.ts'
import { dropping, type Freed, forgetSights, refuseDamaged } from './prune.ts'
import { tidy } from './tidy.ts'
import { type HistoryTrace, historyTraces, homesInQuestion, isHistory, namedFiles, ownFiles } from './traces.ts'

interface ForgetOptions {
  /** What is on disk, for naming the live files that remain. */
  discoveries?: readonly Discovery[]
  /** Continue although the manifest is damaged and what its lost lines described is lost with them. */
  evenIfDamaged?: boolean
  /** Only this file of the session, where it has several. */
  file?: ForgottenFile
  /** Folders of Clew's own in which a file may name the session: those files are removed. */
  ownFolders?: readonly string[]
}

/** One of several files of a session, by whole paths. */
export interface ForgottenFile {
  place: string
  /** The folder that is called after it, with subagents and spilled output; absent where that is another file's as well. */
  folder?: string
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
  /** Only this one of its files is meant. */
  file?: string
  /** False for a session that the archive does not have: only the mark is set. */
  isKept: boolean
  /** It was marked before. */
  wasForgotten: boolean
  homes: string[]
  files: { home: string; path: string; generations: number; bytes: number }[]
  generations: number
  /** Archived contents of prompt histories, from which the session's lines are erased. */
  histories: { home: string; path: string; number: number; lines: number }[]
  /** Files of Clew's own that go. */
  own: string[]
  /** Ids of all generations that go or are replaced, for the index. */
  generationIds: string[]
  /** Raw bytes of all generations that go. */
  bytes: number
  /** Frames that nothing else needs: they are erased. */
  freed: Freed
  remains: {
    /** Files of Claude Code on disk; they are not touched. */
    live: string[]
    /** Prompt histories on disk, and how many of their lines name it. */
    liveMentions: { path: string; lines: number }[]
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
  return (await prepare(archive, archive.exists ? archive.manifest.catalog : new Catalog(), homes, session, options))
    .plan
}

/** Whether nothing is left that forgetting would erase. */
export function isDone({ isKept, wasForgotten, histories, own }: ForgetPlan): boolean {
  return wasForgotten && !isKept && histories.length === 0 && own.length === 0
}

/** Names under which an index has, or will have again, what is still on disk of it: see `Erased`. */
export function namesOnDisk({ session, file, remains: { live, liveMentions } }: ForgetPlan): string[] {
  if (file !== undefined) return live
  if (live.length + liveMentions.length === 0) return []
  return [session, ...live.filter(path => basename(dirname(path)) === 'paste-cache').map(path => basename(path))]
}

/** Erases all that is archived of a session, in all homes, and marks it so that later runs leave it out. */
export async function forget(archive: Archive, session: string, options: ForgetOptions = {}): Promise<ForgetReport> {
  return archive.change('forget', async manifest => {
    if (options.evenIfDamaged !== true) refuseDamaged(manifest)
    const { catalog } = manifest
    const prepared = await prepare(archive, catalog, await archivedHomes(archive), session, options)
    const { plan, dropped, erased, rewritten, files } = prepared
    for (const path of plan.own) attempt(() => archive.ops.unlink(path))
    // A file that is forgotten alone is marked by its own place: its session is archived as before.
    const marked = plan.file ?? session
    if (dropped.length + rewritten.length === 0) {
      const lines = files.filter(file => !catalog.forgottenFiles.has(file)).map(file => forgottenFileLine(file, marked))
      const marks = plan.wasForgotten || plan.file !== undefined ? lines : [{ forgotten: session }, ...lines]
      if (marks.length > 0) appendSegment(archive.ops, archive.layout, manifest, marks)
      noteForgotten(catalog, plan, files)
      return { ...plan, packsLeft: [] }
    }
    const packs = new Set([...erased].flatMap(frame => catalog.frames.get(frame)?.pack ?? []))
    const without = await withoutLines(archive, manifest, rewritten, session)
    noteForgotten(catalog, plan, files)
    for (const { id } of [...dropped, ...rewritten]) catalog.drop(id)
    for (const generation of without) catalog.put(generation)
    await tidy(archive, manifest, true)
    forgetSights(archive, [...dropped, ...rewritten])
    return { ...plan, packsLeft: [...packs].filter(pack => existsSync(join(archive.layout.packs, pack))) }
  })
}

function noteForgotten(catalog: Catalog, { session, file: only }: ForgetPlan, files: readonly string[]): void {
  if (only === undefined) catalog.forgotten.add(session)
  for (const file of files) catalog.forgottenFiles.set(file, only ?? session)
}

/** The same generations without the lines that name the session; their frames are stored, and they are not yet listed. */
async function withoutLines(
  archive: Archive,
  manifest: Manifest,
  generations: readonly Generation[],
  session: string,
): Promise<Generation[]> {
  const { catalog } = manifest
  const found: Generation[] = []
  const placed = await writePacks(archive.ops, archive.layout, async packs => {
    const stored = new Set<string>()
    const put = async (raw: Buffer) => {
      const id = hashOf(raw)
      if (!catalog.frames.has(id) && !stored.has(id)) await packs.add(id, Buffer.from(raw))
      stored.add(id)
      return id
    }
    for (const { identity: _, ...generation } of generations) {
      const cutter = new FrameCutter()
      const frames: string[] = []
      let size = 0
      let erasedLines = 0
      let at = 0
      for await (const line of linesOf(archivedBytes(archive, generation))) {
        at += line.length + 1
        if (line.includes(session)) {
          erasedLines++
          continue
        }
        // The last line may have no end.
        const whole = at > generation.size ? line : Buffer.concat([line, lineEnd])
        size += whole.length
        for (const frame of cutter.push(whole)) frames.push(await put(frame))
      }
      const closed = size - cutter.waiting
      const rest = cutter.end()
      if (rest.length > 0) frames.push(await put(rest))
      const facts = { isHistory: true, plans: [] }
      const more = { ...generation.more, erasedLines }
      found.push({ ...generation, id: newGenerationId(), size, closed, frames, facts, more })
    }
  })
  for (const [id, place] of placed) catalog.frames.set(id, place)
  return found.filter(({ size }) => size > 0)
}

const lineEnd = Buffer.from([newline])

/** Ids of forgotten sessions, and the places of files that were forgotten alone. */
export function forgottenNames({ forgotten, forgottenFiles }: Catalog): string[] {
  return [...forgotten, ...new Set([...forgottenFiles.values()].filter(owner => isAbsolute(owner)))].sort()
}

/** Undoes it: the next run archives the session, or the file, again if it is on disk. False where it was not forgotten. */
export async function remember(archive: Archive, name: string): Promise<boolean> {
  const isForgotten = ({ catalog }: Manifest) => forgottenNames(catalog).includes(name)
  if (!archive.exists || !isForgotten(archive.manifest)) return false
  return archive.change('remember', async (manifest: Manifest) => {
    if (!isForgotten(manifest)) return false
    appendSegment(archive.ops, archive.layout, manifest, [{ remembered: name }])
    manifest.catalog.remember(name)
    return true
  })
}

async function prepare(
  archive: Archive,
  catalog: Catalog,
  homes: readonly ArchivedHome[],
  session: string,
  options: ForgetOptions,
): Promise<Prepared> {
  const owners = ownersBy(homes, ({ id }) => id)
  if (options.file !== undefined) return prepareFile(catalog, owners, session, options.file, options)
  const found = generationsOf(catalog, homes, owners, session)
  const traces = await historyTraces(archive, homesInQuestion(archive, options.discoveries ?? []), session)
  const pastes = pastesOf(catalog, traces, session)
  const dropped = [...found.dropped, ...pastes.dropped]
  const sharedFiles = [...found.sharedFiles, ...pastes.sharedFiles]
  const rewritten = traces.flatMap(trace => (isErasable(catalog, trace, traces) ? (trace.generation ?? []) : []))
  const ids = new Set([...dropped, ...rewritten].map(({ id }) => id))
  const { freed, erased, shared } = dropping(catalog, ids)
  const plan: ForgetPlan = {
    ...emptyPlan(session, options),
    isKept: dropped.length > 0,
    wasForgotten: catalog.forgotten.has(session),
    homes: [...new Set(dropped.map(({ home }) => home))].sort(),
    files: filesOf(dropped),
    generations: dropped.length,
    histories: rewritten.map(({ id, home, path, number }) => {
      const lines = traces.find(({ generation }) => generation?.id === id)?.scan?.lines ?? 0
      return { home, path, number, lines }
    }),
    generationIds: [...ids],
    bytes: dropped.reduce((sum, { size }) => sum + size, 0),
    freed,
  }
  plan.remains.live = [...new Set([...plan.remains.live, ...pastes.live])].sort()
  plan.remains.liveMentions = liveMentionsOf(traces)
  plan.remains.shared = sharersOf(catalog, shared, ids, owners)
  plan.remains.sharedFiles = sharedFiles
  const gone = new Set(dropped.map(({ id }) => id))
  plan.remains.mentions = await mentionsOf(archive, catalog, homes, { gone, cleaned: ids }, session)
  return { plan, dropped, erased, rewritten, files: pastes.files }
}

/** One file, and what is in the folder that is called after it. Prompts and pasted texts are the session's, which stays. */
function prepareFile(
  catalog: Catalog,
  owners: ReadonlyMap<string, string[]>,
  session: string,
  file: ForgottenFile,
  options: ForgetOptions,
): Prepared {
  const { place, folder } = file
  const isMeant = (path: string) => path === place || (folder !== undefined && path.startsWith(folder + sep))
  const dropped = [...catalog.generations.values()].filter(generation => isMeant(placeOf(generation)))
  const ids = new Set(dropped.map(({ id }) => id))
  const { freed, erased, shared } = dropping(catalog, ids)
  const empty = emptyPlan(session, { ...options, ownFolders: [] })
  const plan: ForgetPlan = {
    ...empty,
    file: place,
    isKept: dropped.length > 0,
    wasForgotten: catalog.forgottenFiles.has(place),
    homes: [...new Set(dropped.map(({ home }) => home))].sort(),
    files: filesOf(dropped),
    generations: dropped.length,
    own: ownFiles(options.ownFolders ?? [], place),
    generationIds: [...ids],
    bytes: dropped.reduce((sum, { size }) => sum + size, 0),
    freed,
    remains: {
      ...empty.remains,
      live: empty.remains.live.filter(path => isMeant(canonicalPlace(path))),
      shared: sharersOf(catalog, shared, ids, owners),
    },
  }
  return { plan, dropped, erased, rewritten: [], files: folder === undefined ? [place] : [place, folder] }
}

interface Prepared {
  plan: ForgetPlan
  dropped: Generation[]
  /** Prompt histories that stay without the session's lines. */
  rewritten: Generation[]
  erased: ReadonlySet<string>
  /** Pasted texts of this session alone, by path from their home. */
  files: string[]
}

/** A content that the file still has, lines and all, would be archived again as it is: it is named instead. */
function isErasable(
  catalog: Catalog,
  { home, path, generation, scan }: HistoryTrace,
  traces: readonly HistoryTrace[],
): boolean {
  if (generation === undefined || scan === undefined || scan.lines === 0) return false
  if (catalog.current(home, path)?.id !== generation.id) return true
  const live = traces.find(other => other.generation === undefined && other.home === home && other.path === path)
  return live === undefined || live.scan?.lines === 0
}

function liveMentionsOf(traces: readonly HistoryTrace[]): ForgetPlan['remains']['liveMentions'] {
  return traces
    .filter(({ generation, scan }) => generation === undefined && (scan?.lines ?? 0) > 0)
    .map(({ home, path, scan }) => ({ path: join(home, path), lines: scan?.lines ?? 0 }))
}

interface Pastes {
  dropped: Generation[]
  sharedFiles: ForgetPlan['remains']['sharedFiles']
  /** On disk. */
  live: string[]
  files: string[]
}

/** Texts that were pasted into the session's prompts. One that another prompt has too stays. */
function pastesOf(catalog: Catalog, traces: readonly HistoryTrace[], session: string): Pastes {
  const known = [...catalog.forgottenFiles].filter(([, owner]) => owner === session).map(([file]) => file)
  const found: Pastes = { dropped: [], sharedFiles: [], live: [], files: [] }
  for (const file of new Set([...known, ...traces.flatMap(({ scan }) => [...(scan?.pastes ?? [])])])) {
    const others = new Set(traces.flatMap(({ scan }) => [...(scan?.others.get(file) ?? [])]))
    if (others.size === 0) found.files.push(file)
    for (const home of new Set([...traces.map(trace => trace.home), ...catalog.homes()])) {
      const generations = catalog.of(home, file)
      if (others.size === 0) found.dropped.push(...generations)
      else if (generations.length > 0) {
        const sessions = [...others].map(id => id || 'a prompt that names no session').sort()
        found.sharedFiles.push({ home, path: file, sessions })
      }
      if (existsSync(join(home, file))) found.live.push(join(home, file))
    }
  }
  return found
}

function emptyPlan(session: string, options: ForgetOptions): ForgetPlan {
  return {
    session,
    isKept: false,
    wasForgotten: false,
    homes: [],
    files: [],
    generations: 0,
    histories: [],
    own: ownFiles(options.ownFolders ?? [], session),
    generationIds: [],
    bytes: 0,
    freed: { frames: 0, bytes: 0, stored: 0 },
    remains: {
      live: liveFilesOf(session, options.discoveries ?? []),
      liveMentions: [],
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
  // What cannot be read is there all the same.
  const unread = discoveries
    .flatMap(({ findings }) => findings)
    .flatMap(({ code, file }) => (code === 'unreadable-file' && file !== undefined ? [file] : []))
    .filter(path => path.includes(recordedId(session)))
  const homes = discoveries.flatMap(({ root, histories }) => [root, ...histories.map(({ path }) => dirname(path))])
  return [...new Set([...paths, ...unread, ...namedFiles([...new Set(homes)], session)])].sort()
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
  { gone, cleaned }: { gone: ReadonlySet<string>; cleaned: ReadonlySet<string> },
  session: string,
): Promise<Mention[]> {
  const found: Mention[] = []
  for (const other of homes.flatMap(home => home.others)) {
    const isText = isHistory(other) || /(\.jsonl?|\/\.session-aliases)$/.test(other.path)
    if (gone.has(other.id) || !isText || catalog.broken.has(other.id)) continue
    const { home, path, number } = other
    try {
      const scan = await scanHistory(archivedBytes(archive, other), new Set([session]))
      const { linesWithoutSession } = scan
      const lines = cleaned.has(other.id) ? 0 : scan.lines
      const unknown = isHistory(other) ? linesWithoutSession : 0
      if (lines === 0 && unknown === 0) continue
      found.push({ home, path, number, lines, ...(unknown > 0 && { linesWithoutSession: unknown }) })
    } catch {
      found.push({ home, path, number, lines: 0, isUnreadable: true })
    }
  }
  return found
}
