// Reads a project folder: session files, agent files next to them, folders that sessions keep their side files in; and the files
// that a home keeps for a session elsewhere (todos, tasks, file history, plans).

import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { bytesToText } from '../../base/bytes.ts'
import { toInstant } from '../../base/instant.ts'
import { asNumber, asObject, asString, type JsonObject, parseJson } from '../../base/json.ts'
import { sessionId } from '../../model/ids.ts'
import {
  type AgentMeta,
  artifactFiles,
  artifactFolders,
  type ClaudeArchived,
  type FileRole,
  type LogFile,
  type SideFile,
} from '../../model/source.ts'
import { type Glance, glance, planNames } from '../read/peek.ts'
import type { Draft, Gathering, MainLog } from './gather.ts'
import { type Entry, type FoundFile, mapLimited, type Walk } from './tree.ts'

// Files looked into at the same time: enough to keep the disk busy, far below any limit of open files.
const filesAtOnce = 16

// A larger `.meta.json` or `archived.json` is not one.
const largestMeta = 1024 * 1024

/** What one discovery works on. */
export interface Search {
  walk: Walk
  gathering: Gathering
  histories: LogFile[]
  strays: LogFile[]
}

/** Folders of artifacts whose main file was not found in their own project folder. */
export interface Leftover {
  project: string
  slug: string
  entry: Entry
}

/**
 * Whether a name is one of a log. `._x.jsonl` is what macOS leaves on foreign disks; `resume-head.jsonl` repeats records of a
 * session for its resume (2.1.325).
 */
export function isLogName(name: string): boolean {
  return /\.jsonl$/i.test(name) && !name.startsWith('._') && name !== 'resume-head.jsonl'
}

/** A log's name without its ending: for a main file, the session id that Claude Code gave it. */
export function stemOf(name: string): string {
  return name.replace(/\.jsonl(\..*)?$/i, '') || name
}

export function roleOf(name: string): FileRole {
  if (/^agent-/i.test(name)) return 'agent'
  return name === 'journal.jsonl' ? 'journal' : 'session'
}

/** Reads a project folder and returns the artifact folders that need a look at the other projects first. */
export async function readProject(search: Search, folder: string, slug: string): Promise<Leftover[]> {
  if (!(await search.walk.enter(folder))) return []
  const entries = await search.walk.list(folder)
  const logs = entries.filter(entry => isLogName(entry.name))
  const mains = logs.filter(entry => roleOf(entry.name) !== 'agent')
  await addMains(search, folder, slug, mains)
  const agents = logs.filter(entry => roleOf(entry.name) === 'agent')
  await addFlatAgents(search, folder, slug, agents)
  await addSiblings(search, folder, entries)
  const leftovers: Leftover[] = []
  for (const entry of entries) {
    if ((entry.kind !== 'folder' && entry.kind !== 'link') || isLogName(entry.name)) continue
    const draft = search.gathering.named(entry.name, folder)
    if (draft?.mains.length) await addArtifacts(search, await folderOf(search, entry), entry.name, draft)
    else leftovers.push({ project: folder, slug, entry })
  }
  return leftovers
}

/** Artifacts of sessions whose main file is in another project, or is gone. Without agent files they name no session. */
export async function addLeftovers(search: Search, leftovers: readonly Leftover[]): Promise<void> {
  for (const { project, slug, entry } of leftovers) {
    const folder = await folderOf(search, entry)
    if (folder === null) continue
    const known = search.gathering.named(entry.name, project)
    if (known === undefined && !(await isArtifactFolder(search.walk, folder))) continue
    const draft = known ?? { id: sessionId(entry.name), slug, mains: [], others: [], side: [] }
    await addArtifacts(search, folder, entry.name, draft)
    if (known === undefined && draft.others.length > 0) {
      const begun = search.gathering.begin(project, slug, entry.name)
      begun.others.push(...draft.others)
      begun.side.push(...draft.side)
    }
  }
}

/** Whether a folder contains what Claude Code stores for one session. */
export async function isArtifactFolder(walk: Walk, folder: string): Promise<boolean> {
  const entries = await walk.list(folder)
  const isKnown = (entry: Entry) => entry.kind !== 'file' && artifactFolders.has(entry.name)
  return entries.some(entry => isKnown(entry) || artifactFiles.has(entry.name))
}

async function folderOf(search: Search, entry: Entry): Promise<string | null> {
  if (entry.kind === 'folder') return entry.path
  const found = await search.walk.look(entry.path, 'folder')
  return found.kind === 'folder' ? found.path : null
}

/** Everything below `<session>/`. */
export async function addArtifacts(search: Search, folder: string | null, name: string, draft: Draft): Promise<void> {
  if (folder === null) return
  const inside = folder + sep
  for await (const file of search.walk.tree(folder)) {
    const { path } = file
    const way = (path.startsWith(inside) ? path.slice(inside.length) : relative(folder, path)).split(sep)
    const role = artifactRole(way)
    if (role === null) {
      const side = sideFile(file, sideKind(way))
      const claudeArchived =
        way.length === 1 && way[0] === 'archived.json' ? readArchived(search.walk, file) : undefined
      draft.side.push(claudeArchived === undefined ? side : { ...side, claudeArchived })
    } else if (search.walk.meet(file)) {
      const log = await agentLog(search.walk, file, role)
      log.nameSession = sessionId(name)
      draft.others.push(log)
    }
  }
}

/** Spilled tool output may itself be called `….jsonl`: it has no records of the session. */
function artifactRole(way: readonly string[]): FileRole | null {
  const name = way.at(-1) ?? ''
  if (!isLogName(name) || way[0] === 'tool-results') return null
  const role = roleOf(name)
  if (role !== 'session') return role
  return way[0] === 'subagents' && way.length > 1 ? 'agent' : null
}

function sideKind(way: readonly string[]): SideFile['kind'] {
  if (way.length === 1) return way[0] === 'custom-title.json' ? 'title' : 'other'
  return artifactFolders.get(way[0] ?? '') ?? 'other'
}

function sideFile(file: FoundFile, kind: SideFile['kind']): SideFile {
  const { path, size, modifiedMs, generation } = file
  const side: SideFile = { path, kind, size, modifiedMs, generation }
  addArchiveFacts(side, file)
  return side
}

export function logFile(file: FoundFile, role: FileRole): LogFile {
  const { path, size, modifiedMs, generation } = file
  const log: LogFile = { path, role, size, modifiedMs, generation }
  addArchiveFacts(log, file)
  return log
}

/** What is only said of files that the archive knows. To copy whatever there is would cost more than all else about a file. */
function addArchiveFacts(to: Pick<LogFile, 'isArchiveOnly' | 'earlier'>, { isArchiveOnly, earlier }: FoundFile): void {
  if (isArchiveOnly !== undefined) to.isArchiveOnly = isArchiveOnly
  if (earlier !== undefined) to.earlier = earlier
}

/** An agent file or journal with what its name and the `.meta.json` next to it say. */
export async function agentLog(walk: Walk, file: FoundFile, role: FileRole): Promise<LogFile> {
  const stem = stemOf(basename(file.path))
  const log = logFile(file, role)
  if (!/^agent-./i.test(stem)) return log
  log.nameAgent = stem.slice('agent-'.length)
  const folder = dirname(file.path)
  const name = `${stem}.meta.json`
  const meta = walk.lacks(folder, name) ? null : await readMeta(walk, join(folder, name))
  if (meta !== null) log.meta = meta
  return log
}

/** `{"agentType":"Explore","description":"…","toolUseId":"toolu_…","spawnDepth":1}`; fields of another type are left out. */
async function readMeta(walk: Walk, path: string): Promise<AgentMeta | null> {
  const found = await walk.look(path, 'file')
  const value = found.kind === 'file' ? readSmall(walk, found.file) : undefined
  if (value === undefined) return null
  const meta: AgentMeta = {}
  for (const key of ['agentType', 'description', 'toolUseId', 'parentAgentId', 'model'] as const) {
    const text = asString(value[key])
    if (text !== undefined) meta[key] = text
  }
  const depth = asNumber(value['spawnDepth'])
  if (depth !== undefined) meta.spawnDepth = depth
  return meta
}

/** `{"archived":true,"at":"2026-11-16T16:51:01.709Z","by":"sdk"}`, written by the agent SDK 0.3.325. */
function readArchived(walk: Walk, file: FoundFile): ClaudeArchived | undefined {
  const value = readSmall(walk, file)
  const at = toInstant(value?.['at'])
  const archived = value?.['archived']
  if (at === null || typeof archived !== 'boolean') return undefined
  const by = asString(value?.['by'])
  return by === undefined ? { archived, at } : { archived, at, by }
}

/** The object in a small JSON file; undefined where there is none. */
function readSmall(walk: Walk, { path, size, generation }: FoundFile): JsonObject | undefined {
  if (size > largestMeta) return undefined
  try {
    return asObject(parseJson(bytesToText(walk.files.source.readSync(generation, 0, largestMeta))))
  } catch (error) {
    walk.noteUnreadable('file', path, error)
    return undefined
  }
}

/** A look into a file; one that cannot be read is reported and left out. */
export async function tryGlance(walk: Walk, file: FoundFile, name?: string): Promise<Glance | null> {
  try {
    return walk.files.known?.(file) ?? (await glance(file, walk.files.source, name))
  } catch (error) {
    walk.noteUnreadable('file', file.path, error)
    return null
  }
}

/** Looks into logs concurrently and returns those that can be read and were not seen before, in order. */
async function glanceAll(
  walk: Walk,
  entries: readonly Entry[],
  isNamed: boolean,
): Promise<{ file: FoundFile; stem: string; seen: Glance }[]> {
  const looked = await mapLimited(entries, filesAtOnce, async entry => {
    const file = await walk.file(entry)
    const stem = stemOf(entry.name)
    const seen = file === null ? null : await tryGlance(walk, file, isNamed ? stem : undefined)
    return file === null || seen === null ? null : { file, stem, seen }
  })
  return looked.filter(found => found !== null).filter(found => walk.meet(found.file))
}

/** Main files of one folder; a prompt history among them is put with its kind. */
export async function addMains(search: Search, folder: string, slug: string, entries: readonly Entry[]): Promise<void> {
  for (const { file, stem, seen } of await glanceAll(search.walk, entries, true)) {
    if (seen.isHistory) {
      search.histories.push(logFile(file, 'history'))
      continue
    }
    const log = logFile(file, 'session')
    log.nameSession = sessionId(stem)
    const main: MainLog = { log }
    if (seen.firstMs !== undefined) main.firstMs = seen.firstMs
    search.gathering.addMain(folder, slug, seen.session ?? stem, stem, main)
  }
}

/** Agent files of clients up to 2.1.1, which are among the session files. Only their records name the session. */
async function addFlatAgents(search: Search, folder: string, slug: string, entries: readonly Entry[]): Promise<void> {
  for (const { file, seen } of await glanceAll(search.walk, entries, false)) {
    const log = await agentLog(search.walk, file, 'agent')
    if (seen.session === undefined) {
      search.strays.push(log)
      continue
    }
    const { gathering } = search
    const draft = gathering.withId(seen.session, folder) ?? gathering.begin(folder, slug, seen.session)
    draft.others.push(log)
  }
}

/** The agent files next to a main file that name its session. */
export async function addAgentsOf(search: Search, folder: string, draft: Draft): Promise<void> {
  const entries = (await search.walk.list(folder)).filter(
    entry => isLogName(entry.name) && roleOf(entry.name) === 'agent' && entry.kind !== 'folder',
  )
  for (const { file, seen } of await glanceAll(search.walk, entries, false)) {
    if (seen.session === draft.id) draft.others.push(await agentLog(search.walk, file, 'agent'))
  }
}

/** `<session>.cast`, `<session>.jsonl.backup` and the like: part of the session, never read as one. */
async function addSiblings(search: Search, folder: string, entries: readonly Entry[]): Promise<void> {
  for (const entry of entries) {
    if (entry.kind !== 'file' || isLogName(entry.name)) continue
    const draft = search.gathering.named(entry.name.split('.', 1)[0] ?? '', folder)
    const file = draft === undefined ? null : await search.walk.file(entry)
    if (file !== null) draft?.side.push(sideFile(file, 'other'))
  }
}

/** The folders of a home whose subfolders are projects: Claude Code's, and the one of specification 000. */
export const projectFolders: readonly string[] = ['projects', 'conversations']

/** Whether a folder is one with projects, by its name; a project may be called `projects` too. */
export function isProjectsFolder(folder: string): boolean {
  const place = resolve(folder)
  return projectFolders.includes(basename(place)) && !projectFolders.includes(basename(dirname(place)))
}

/** Hangs the home's files on the sessions that are known by now. */
export async function addHomeFiles(search: Search, home: string): Promise<void> {
  const { walk, gathering } = search
  await addTodos(walk, gathering, join(home, 'todos'))
  await addFolders(walk, gathering, join(home, 'tasks'), 'task')
  await addFolders(walk, gathering, join(home, 'file-history'), 'file-history')
  await addJobs(walk, gathering, join(home, 'jobs'))
  await addPlans(walk, gathering, join(home, 'plans'))
}

/** `jobs/<id>/…` of a session in the background (2.1.219): the id is the beginning of the session's. */
async function addJobs(walk: Walk, gathering: Gathering, folder: string): Promise<void> {
  for (const entry of await walk.list(folder)) {
    if (entry.kind !== 'folder' && entry.kind !== 'link') continue
    const draft = gathering.all().find(({ id }) => id.startsWith(`${entry.name}-`))
    if (draft === undefined) continue
    for await (const file of walk.tree(entry.path)) draft.side.push(sideFile(file, 'other'))
  }
}

/** `<session>.json` up to 1.0.3, later `<session>-agent-<agent>.json`. */
async function addTodos(walk: Walk, gathering: Gathering, folder: string): Promise<void> {
  for (const entry of await walk.list(folder)) {
    if (!entry.name.endsWith('.json') || entry.kind === 'folder') continue
    const stem = entry.name.slice(0, -'.json'.length)
    const draft = gathering.named(stem) ?? gathering.named(stem.split('-agent-', 1)[0] ?? '')
    if (draft !== undefined) await addSide(walk, entry, draft, 'todo')
  }
}

/** `<folder>/<session>/…`. Tasks of a team lie under the team's name, which is not a session's. */
async function addFolders(walk: Walk, gathering: Gathering, folder: string, kind: SideFile['kind']): Promise<void> {
  for (const entry of await walk.list(folder)) {
    if (entry.kind !== 'folder' && entry.kind !== 'link') continue
    const draft = gathering.named(entry.name)
    if (draft === undefined) continue
    for await (const file of walk.tree(entry.path)) draft.side.push(sideFile(file, kind))
  }
}

/** `<slug>.md` and, for a subagent's plan, `<slug>-agent-<agent>.md`; the session's records name the slug. */
async function addPlans(walk: Walk, gathering: Gathering, folder: string): Promise<void> {
  const plans = (await walk.list(folder)).filter(entry => /\.md$/i.test(entry.name) && entry.kind !== 'folder')
  if (plans.length === 0) return
  const bySlug = new Map<string, Entry[]>()
  for (const plan of plans) {
    const slug = plan.name.slice(0, -'.md'.length).split('-agent-', 1)[0] ?? ''
    bySlug.set(slug, [...(bySlug.get(slug) ?? []), plan])
  }
  for (const draft of gathering.all()) {
    const named = new Set<string>()
    for (const { log } of draft.mains) for (const name of plansOf(walk, log)) named.add(name)
    for (const name of named) {
      for (const plan of bySlug.get(name) ?? []) await addSide(walk, plan, draft, 'plan')
    }
  }
}

/** A log that cannot be read now names none: it could be read when it was found, and its readers report it. */
function plansOf(walk: Walk, log: FoundFile): Iterable<string> {
  try {
    return walk.files.known?.(log)?.plans ?? planNames(log, walk.files.source)
  } catch {
    return []
  }
}

async function addSide(walk: Walk, entry: Entry, draft: Draft, kind: SideFile['kind']): Promise<void> {
  const file = await walk.file(entry)
  if (file !== null) draft.side.push(sideFile(file, kind))
}
