// Finds the Claude homes inside a backup, by the names of folders alone: whole homes, however deep, or a projects folder or
// a project without its home. Nothing is read and no link is followed.

import { type Dirent, lstatSync, readdirSync } from 'node:fs'
import { basename, join, relative, sep } from 'node:path'
import { attempt } from '../../base/attempt.ts'
import { type Scope, scopeOf } from '../capture/survey.ts'
import { projectFolders } from '../format/session-path.ts'

/** Something that a backup has of a home. */
interface BackupHome {
  scope: Scope
  /** What is before the paths of the scope to make them paths of a home. */
  prefix: string
  /** Where it is in the backup; empty for the backup itself. */
  inner: string
}

/** Homes are at most so deep below the top: `home/user/backup/.claude`. */
const deepest = 4

const sessionName = /^([0-9a-f]{8}-[0-9a-f]{4}-|agent-.*\.jsonl$)/i

/** `name`: what the project is called where the backup is one. */
export function findBackupHomes(root: string, name: string): BackupHome[] {
  const folders = foldersOf(root)
  const candidates = folders.filter(folder => projectFolders.some(part => isFolder(join(folder, part))))
  const homes = candidates.filter(folder => !projectFolders.includes(basename(folder)))
  const sure = homes.filter(isSureHome)
  const taken = sure.length > 0 ? sure : homes.filter(holdsLogs)
  if (taken.length > 0) return taken.flatMap(folder => wholeHome(root, folder))
  return partOfHome(root, name, folders)
}

function wholeHome(root: string, folder: string): BackupHome[] {
  const scope = scopeOf(folder)
  return scope === null ? [] : [{ scope, prefix: '', inner: innerOf(root, folder) }]
}

/** What has sessions without a home around it. */
function partOfHome(root: string, name: string, folders: readonly string[]): BackupHome[] {
  const logs = filesIn(root).filter(file => file.endsWith('.jsonl'))
  if (logs.some(log => log !== 'history.jsonl')) {
    return [{ scope: { home: root, parts: [{ path: '', kind: 'project' }] }, prefix: `projects/${name}/`, inner: '' }]
  }
  if (logs.length > 0) {
    return [{ scope: { home: root, parts: [{ path: 'history.jsonl', kind: 'all' }] }, prefix: '', inner: '' }]
  }
  const projects = folders.find(folder => foldersIn(folder).some(inner => holdsLog(join(folder, inner))))
  if (projects === undefined) return []
  const part = projectFolders.includes(basename(projects)) ? basename(projects) : 'projects'
  const scope: Scope = { home: projects, parts: [{ path: '', kind: 'projects' }] }
  return [{ scope, prefix: `${part}/`, inner: innerOf(root, projects) }]
}

/** The top and what is below it, level by level, but nothing inside a folder of projects. */
function foldersOf(root: string): string[] {
  const all = [root]
  let level = [root]
  for (let depth = 0; depth < deepest; depth++) {
    level = level
      .filter(folder => folder === root || !projectFolders.includes(basename(folder)))
      .flatMap(folder => foldersIn(folder).map(name => join(folder, name)))
    all.push(...level)
  }
  return all
}

/** A folder called `projects` may have anything: sessions, or the name of what it is in, make it a home's. */
function isSureHome(folder: string): boolean {
  if (/^\.?claude/.test(basename(folder))) return true
  return projectsIn(folder).some(project => [...filesIn(project), ...foldersIn(project)].some(n => sessionName.test(n)))
}

function holdsLogs(folder: string): boolean {
  return projectsIn(folder).some(holdsLog)
}

function holdsLog(folder: string): boolean {
  return filesIn(folder).some(file => file.endsWith('.jsonl'))
}

function projectsIn(home: string): string[] {
  return projectFolders.flatMap(part => foldersIn(join(home, part)).map(name => join(home, part, name)))
}

function innerOf(root: string, folder: string): string {
  return relative(root, folder).split(sep).join('/')
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

function foldersIn(folder: string): string[] {
  return namesIn(folder, entry => entry.isDirectory())
}

function filesIn(folder: string): string[] {
  return namesIn(folder, entry => entry.isFile())
}

function namesIn(folder: string, isMeant: (entry: Dirent) => boolean): string[] {
  const entries = attempt(() => readdirSync(folder, { withFileTypes: true })) ?? []
  return entries
    .filter(isMeant)
    .map(entry => entry.name)
    .sort()
}
