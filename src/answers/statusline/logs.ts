// Finds logs by their names and looks at each with one `stat`: a status line has no time for discovery, which reads the first
// bytes of every log. Only agent files next to a session's log are opened, since their names state no session. Which of them are worth reading is decided in `window.ts`.

import { type Dirent, readdirSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { isLogName, projectFolders, roleOf, stemOf } from '../../disk/discover/project.ts'
import { glanceAtEnds, readerEnds } from '../../disk/read/peek.ts'
import type { RangeReader } from '../../model/source.ts'

/** A log as one `stat` shows it. */
export interface LogStat {
  path: string
  /** The session that its name or folder states; empty where neither does. */
  session: string
  isAgent: boolean
  /** Device and inode. */
  identity: string
  size: number
  modifiedMs: number
}

/** All logs below the roots. Folders that cannot be read have none. */
export function logsBelow(roots: readonly string[]): LogStat[] {
  const found: LogStat[] = []
  const linked = new Set<string>()
  for (const root of roots) {
    const projects = namesIn(root).filter(({ name }) => projectFolders.includes(name))
    const folders = projects.length > 0 ? projects.map(({ name }) => join(root, name)) : [root]
    for (const folder of folders) addLogs(folder, found, linked)
    if (isLogName(root)) found.push(...statLog(root))
  }
  return found
}

/** A session's log, and those of its subagents: in its folder, or next to it where their records name it. */
export function logsOfSession(path: string, open: (path: string) => RangeReader): LogStat[] {
  if (!isLogName(basename(path))) return []
  const stem = stemOf(basename(path))
  const found = statLog(path)
  const agents = logsIn(dirname(path)).filter(log => log.isAgent)
  const [main] = found
  const id = agents.length === 0 || main === undefined ? undefined : (sessionNamedIn(main, open, stem) ?? stem)
  for (const log of agents) if (sessionNamedIn(log, open) === id) found.push({ ...log, session: stem })
  addLogs(join(dirname(path), stem), found, new Set())
  return found
}

/** As discovery has it; `name`: what its file name suggests. Undefined where the log cannot be read. */
function sessionNamedIn(log: LogStat, open: (path: string) => RangeReader, name?: string): string | undefined {
  try {
    const reader = open(log.path)
    try {
      return glanceAtEnds(readerEnds(reader, log.size), name).session
    } finally {
      reader.close()
    }
  } catch {
    return undefined
  }
}

/** The logs right in a folder. */
export function logsIn(folder: string): LogStat[] {
  return namesIn(folder).flatMap(({ name }) => (isLogName(name) ? statLog(join(folder, name)) : []))
}

/** Empty where there is no regular file. */
export function statLog(path: string): LogStat[] {
  try {
    const stat = statSync(path, { throwIfNoEntry: false })
    if (stat === undefined || !stat.isFile()) return []
    const name = basename(path)
    const owner = /([^\\/]+)[\\/]subagents[\\/]/.exec(path)?.[1]
    const isAgent = owner !== undefined || roleOf(name) !== 'session'
    const session = owner ?? (isAgent ? '' : stemOf(name))
    return [{ path, session, isAgent, identity: `${stat.dev}-${stat.ino}`, size: stat.size, modifiedMs: stat.mtimeMs }]
  } catch {
    return []
  }
}

/** `linked`: folders that were linked through a link, since links may lead in circles. */
function addLogs(folder: string, found: LogStat[], linked: Set<string>): void {
  for (const entry of namesIn(folder)) {
    const path = join(folder, entry.name)
    if (entry.isDirectory() || (entry.isSymbolicLink() && isNewFolder(path, linked))) addLogs(path, found, linked)
    else if (isLogName(entry.name)) found.push(...statLog(path))
  }
}

function isNewFolder(path: string, linked: Set<string>): boolean {
  const stat = statSync(path, { throwIfNoEntry: false })
  const identity = `${stat?.dev}-${stat?.ino}`
  if (stat?.isDirectory() !== true || linked.has(identity)) return false
  linked.add(identity)
  return true
}

function namesIn(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}
