// Finds logs by their names, and looks at each with one `stat`: the same choice that discovery makes, without opening any.
// Which of them are worth reading is decided elsewhere.

import { type Dirent, readdirSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { isLogName, roleOf, stemOf } from '../../disk/discover/project.ts'
import { holdsArtifacts, holdsLog, type Place, placeBelow, placeOfRoot } from '../../disk/watch/watch-place.ts'

/** A log as one look at it tells. */
export interface LogLook {
  path: string
  /** The session that its name or folder states; empty where neither does. */
  session: string
  isAgent: boolean
  /** Device and inode. */
  identity: string
  size: number
  modifiedMs: number
}

interface Folder {
  path: string
  place: Place
  /** The session whose folder it is or lies in. */
  session: string
}

/** All logs below the roots, each as it is now. Folders that cannot be read hold none. */
export function lookAtAll(roots: readonly string[]): LogLook[] {
  return explore(roots.flatMap(openRoot))
}

/** A session's log, and those of its subagents. Whoever names another path gets nothing, and no walk over it. */
export function lookAtSession(path: string): LogLook[] {
  if (!isLogName(basename(path))) return []
  const session = stemOf(basename(path))
  const own = lookAt(path, session, false)
  const artifacts: Folder = { path: join(dirname(path), session), place: { kind: 'session' }, session }
  return [...(own === null ? [] : [own]), ...explore([artifacts])]
}

/** Null where there is no regular file. */
export function lookAt(path: string, session: string, isAgent: boolean): LogLook | null {
  try {
    const stat = statSync(path, { throwIfNoEntry: false })
    if (stat === undefined || !stat.isFile()) return null
    return { path, session, isAgent, identity: `${stat.dev}-${stat.ino}`, size: stat.size, modifiedMs: stat.mtimeMs }
  } catch {
    return null
  }
}

function openRoot(root: string): Folder[] {
  const entries = namesIn(root)
  if (entries === null) {
    const folder = dirname(root)
    return isFile(root) ? [{ path: folder, place: { kind: 'file', name: basename(root) }, session: ownerOf(root) }] : []
  }
  const { place, up } = placeOfRoot(root, entries.map(placeEntry), name =>
    (namesIn(join(root, name)) ?? []).map(placeEntry),
  )
  const path = up === 0 ? root : join(root, ...Array<string>(up).fill('..'))
  return [{ path, place, session: '' }]
}

/** The session whose `subagents` folder a file lies in. */
function ownerOf(path: string): string {
  const parts = resolve(path).split(/[\\/]/)
  const at = parts.lastIndexOf('subagents')
  return at > 0 ? (parts[at - 1] ?? '') : ''
}

function explore(folders: readonly Folder[]): LogLook[] {
  const looks: LogLook[] = []
  const linked = new Set<string>()
  const waiting = [...folders]
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    const entries = namesIn(folder.path)
    if (entries === null) continue
    const names = new Set(entries.filter(entry => isLogName(entry.name)).map(entry => stemOf(entry.name)))
    for (const entry of entries) {
      const path = join(folder.path, entry.name)
      if (entry.isDirectory() || (entry.isSymbolicLink() && isNewFolder(path, linked))) {
        const below = folderBelow(folder, entry.name, names)
        if (below !== null) waiting.push(below)
      } else if (folder.place.kind !== 'home' && holdsLog(folder.place, entry.name)) {
        const look = lookAt(path, sessionOf(folder, entry.name), roleIn(folder.place, entry.name) !== 'session')
        if (look !== null) looks.push(look)
      }
    }
  }
  return looks
}

function folderBelow(folder: Folder, name: string, mains: ReadonlySet<string>): Folder | null {
  const place = placeBelow(folder.place, name)
  if (place === null) return null
  const path = join(folder.path, name)
  if (place.kind !== 'session') return { path, place, session: folder.session }
  // Folders that people made themselves lie beside those of sessions.
  const isOfSession = mains.has(name) || holdsArtifacts((namesIn(path) ?? []).map(placeEntry))
  return isOfSession ? { path, place, session: name } : null
}

function roleIn(place: Place, name: string): 'session' | 'agent' {
  return place.kind === 'agents' || roleOf(name) !== 'session' ? 'agent' : 'session'
}

function sessionOf(folder: Folder, name: string): string {
  return roleIn(folder.place, name) === 'session' ? stemOf(name) : folder.session
}

function namesIn(folder: string): Dirent[] | null {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return null
  }
}

function placeEntry(entry: Dirent): { name: string; isFile: boolean } {
  return { name: entry.name, isFile: entry.isFile() }
}

/** Links may lead in circles: a folder is entered by a link once. */
function isNewFolder(path: string, linked: Set<string>): boolean {
  try {
    const stat = statSync(path, { throwIfNoEntry: false })
    const key = `${stat?.dev}-${stat?.ino}`
    if (stat?.isDirectory() !== true || linked.has(key)) return false
    linked.add(key)
    return true
  } catch {
    return false
  }
}

function isFile(path: string): boolean {
  return lookAt(path, '', false) !== null
}
