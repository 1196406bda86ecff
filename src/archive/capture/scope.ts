// Decides which part of which home a root means, by the names of folders alone. It lists no files: that is `survey`.

import { lstatSync, readdirSync, realpathSync, type Stats, statSync } from 'node:fs'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { isLogName } from '../../disk/discover/project.ts'

/** The folders of a home whose subfolders are projects: the client's, and the one of specification 000. */
export const projectFolders: readonly string[] = ['projects', 'conversations']

/** What the client keeps for sessions beside their projects; its settings, caches and logs are not taken. */
export const sideFolders: readonly string[] = [
  'todos',
  'tasks',
  'file-history',
  'plans',
  'teams',
  'paste-cache',
  'image-cache',
]

/** Signs of a Claude home, beside its projects: a home folder may hold a folder `projects` of another kind. */
const homeSigns: readonly string[] = ['history.jsonl', 'file-history', 'shell-snapshots', 'statsig', 'session-env']

/** Signs that anybody's folder may hold: they count together with projects that are called like the client's. */
const weakSigns: readonly string[] = ['settings.json', 'todos', 'tasks', 'plans']

/** `-home-mira-choir`, `C--Users-mira-choir`. */
const slugPattern = /^(-|[A-Za-z]--)/

/** A part of a home that is looked through in its own way. */
export interface Part {
  /** From the home, with `/`. */
  path: string
  /** `projects`: folders of sessions. `project`: sessions and what lies beside them. `all`: whatever is there. */
  kind: 'projects' | 'project' | 'all'
  /** The home is surely one: all that lies beside a log is a session's. */
  isSure?: true
}

export interface Scope {
  /** Absolute, links resolved. */
  home: string
  parts: Part[]
}

/**
 * A home: what sessions own in it. A projects folder, a project or a file inside a home: that part of the home. Any other
 * folder or file: its logs and those of its folders, as if it were a home. Null where there is nothing.
 */
export function scopeOf(root: string): Scope | null {
  const place = realPlace(root)
  if (place === null) return null
  if (!isFolder(place)) return scopeOfFile(place)
  const names = namesIn(place)
  const projects = projectFolders.filter(name => names.includes(name) && isRealFolder(join(place, name)))
  if (projects.length > 0 && !projectFolders.includes(basename(place))) return scopeOfHome(place, names)
  return scopeInHome(place, 'projects') ?? scopeOfLinkedHome(place, names) ?? scopeOfLoose(place, names)
}

/** The same kinds of folders as `discover` tells apart. */
function scopeOfLoose(place: string, names: readonly string[]): Scope {
  const hasLogs = names.some(name => isLogName(name) && name !== 'history.jsonl')
  if (!hasLogs && isSureHome(place, names)) return scopeOfHome(place, names)
  if (!hasLogs && holdsArtifacts(place)) {
    const path = basename(place)
    return { home: dirname(place), parts: [path, `${path}.jsonl`].map(part => ({ path: part, kind: 'all' })) }
  }
  const isProject = hasLogs || names.some(name => holdsArtifacts(join(place, name)))
  return { home: place, parts: [{ path: '', kind: isProject ? 'project' : 'projects' }] }
}

/** Whether a folder is surely a Claude home, not just one with a folder of that name. */
function isSureHome(home: string, names: readonly string[]): boolean {
  if (/^(\.claude|claude[-_.])/.test(basename(home))) return true
  if (homeSigns.some(sign => names.includes(sign))) return true
  if (!weakSigns.some(sign => names.includes(sign))) return false
  return projectFolders.some(folder => namesIn(join(home, folder)).some(name => slugPattern.test(name)))
}

function scopeOfHome(home: string, names: readonly string[]): Scope {
  const sure = isSureHome(home, names) ? { isSure: true as const } : {}
  const parts: Part[] = projectFolders
    .filter(name => names.includes(name))
    .map(path => ({ path, kind: 'projects', ...sure }))
  if (sure.isSure) {
    for (const path of [...sideFolders, 'history.jsonl']) if (names.includes(path)) parts.push({ path, kind: 'all' })
  }
  return { home, parts }
}

/** A home whose folder of projects is a link: the survey tells that it is not followed. */
function scopeOfLinkedHome(place: string, names: readonly string[]): Scope | null {
  return projectFolders.some(name => names.includes(name)) ? scopeOfHome(place, names) : null
}

/** A place somewhere below a folder of projects. */
function scopeInHome(place: string, ownKind: Part['kind']): Scope | null {
  const parts = place.split(sep)
  const at = parts.findLastIndex((part, index) => projectFolders.includes(part) && index > 0)
  if (at < 0) return null
  const home = parts.slice(0, at).join(sep) || sep
  const path = parts.slice(at).join('/')
  const depth = parts.length - at
  const sure = isSureHome(home, namesIn(home)) ? { isSure: true as const } : {}
  if (depth === 1) return { home, parts: [{ path, kind: ownKind, ...sure }] }
  if (depth === 2) return { home, parts: [{ path, kind: 'project', ...sure }] }
  const name = parts[at + 2] ?? ''
  const isSession = isFile(join(home, parts[at] ?? '', parts[at + 1] ?? '', `${name}.jsonl`)) || holdsArtifacts(place)
  if (isLogName(name)) return { home, parts: [{ path, kind: 'all' }] }
  if (!isSession) return null
  const own = depth === 3 ? [path, `${path}.jsonl`] : [path]
  return { home, parts: own.map(part => ({ path: part, kind: 'all' })) }
}

/** A session file brings the folder of its artifacts along; another one called like it, outside of a home, is no such. */
function scopeOfFile(place: string): Scope {
  const inHome = scopeInHome(place, 'all')
  const home = inHome?.home ?? dirname(place)
  const path = inHome?.parts[0]?.path ?? basename(place)
  const parts: Part[] = [{ path, kind: 'all' }]
  const beside = place.replace(/\.jsonl$/i, '')
  if (beside !== place && (inHome !== null || holdsArtifacts(beside))) {
    parts.push({ path: path.replace(/\.jsonl$/i, ''), kind: 'all' })
  }
  return { home, parts }
}

const artifactFolders: readonly string[] = ['subagents', 'tool-results', 'workflows', 'custom-title.json']

/** Whether a folder holds what the client keeps for one session, by the names in it. */
export function holdsArtifacts(folder: string): boolean {
  return namesIn(folder).some(name => artifactFolders.includes(name))
}

/** Whether it holds the logs of subagents: a folder of code may have `workflows`, but not those. */
export function holdsAgents(folder: string): boolean {
  return namesIn(join(folder, 'subagents')).some(isLogName)
}

/** Names of files that are kept wherever they lie. */
const loosePattern = /\.(jsonl(\.[^.]+)?|meta\.json|cast)$|^(sessions-index\.json|\.session-aliases)$/i
const sessionPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/**
 * Whether a path of a home is one where the client, or whoever keeps logs elsewhere, has something of a session. An export
 * names any home it likes: nothing else of it may come in, since a restore would put it there.
 */
export function isSessionPath(path: string): boolean {
  const folders = path.split('/')
  const name = folders.pop() ?? ''
  if (loosePattern.test(name)) return true
  const [top = ''] = folders
  if (projectFolders.includes(top) || sideFolders.includes(top)) return true
  return folders.some(folder => sessionPattern.test(folder) || artifactFolders.includes(folder))
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort()
  } catch {
    return []
  }
}

function isFolder(path: string): boolean {
  return factsAt(path, statSync)?.isDirectory() === true
}

function isFile(path: string): boolean {
  return factsAt(path, statSync)?.isFile() === true
}

function isRealFolder(path: string): boolean {
  return factsAt(path, lstatSync)?.isDirectory() === true
}

/** What cannot be looked at is for the survey to tell. */
function factsAt(path: string, look: (path: string) => Stats): Stats | undefined {
  try {
    return look(path)
  } catch {
    return undefined
  }
}

/** Absolute, links resolved; null where nothing is there. */
export function realPlace(path: string): string | null {
  try {
    return realpathSync(resolve(path))
  } catch {
    return null
  }
}
