// Finds everything under one root that belongs to sessions: the only place that decides what a root is. It reads a few
// bytes of each log to learn its session, and never fails: what cannot be read becomes a finding.

import { basename, dirname, join, resolve } from 'node:path'
import { sessionId } from '../../model/ids.ts'
import type { Discovery, SessionFiles } from '../../model/source.ts'
import { Gathering } from './gather.ts'
import {
  addAgentsOf,
  addArtifacts,
  addHomeFiles,
  addLeftovers,
  addMains,
  agentLog,
  isArtifactFolder,
  isLogName,
  isProjectsFolder,
  type Leftover,
  logFile,
  projectFolders,
  readProject,
  roleOf,
  type Search,
  stemOf,
  tryGlance,
} from './project.ts'
import { diskTree, type Entry, type FileTree, type FoundFile, Walk } from './tree.ts'

/** `root`: a Claude home, a projects folder, one project folder, the folder of one session's artifacts, or one file. */
export async function discover(root: string, tree: FileTree = diskTree): Promise<Discovery> {
  const walk = new Walk(root, tree)
  const search: Search = { walk, gathering: new Gathering(), histories: [], strays: [] }
  const found = await walk.look(root, 'folder')
  if (found.kind === 'file') await readOneFile(search, found.file)
  if (found.kind === 'folder') await readFolder(search, root)
  const sessions = search.gathering.sessions()
  if (found.kind === 'folder' && sessions.length === 0 && !walk.findings.some(finding => finding.file === root)) {
    walk.note('no-sessions', root, 'No session files were found in this folder.')
  }
  return { root, sessions, histories: search.histories, strays: search.strays, findings: walk.findings }
}

/** The other sessions of the project folder that a session is in, whatever their ids. */
export async function othersInFolder(session: SessionFiles, tree: FileTree): Promise<SessionFiles[]> {
  const main = session.logs.find(log => log.role === 'session')
  if (main === undefined || session.slug === '') return []
  const own = new Set(session.logs.map(log => log.path))
  const { sessions } = await discover(dirname(main.path), tree)
  return sessions.filter(({ logs }) => !logs.some(log => own.has(log.path)))
}

async function readFolder(search: Search, root: string): Promise<void> {
  const { walk } = search
  const entries = await walk.list(root)
  const has = (name: string) => entries.some(entry => entry.name === name && entry.kind !== 'file')
  if (projectFolders.some(has) && !isProjectsFolder(root)) return readHome(search, root)
  if (isProjectsFolder(root)) return readProjectsAlone(search, root)
  if (entries.some(entry => isLogName(entry.name) && entry.name !== 'history.jsonl')) {
    return basename(resolve(root)) === 'subagents' ? readArtifacts(search, join(root, '..')) : readAlone(search, root)
  }
  if (await isArtifactFolder(walk, root)) return readArtifacts(search, root)
  if (await holdsArtifacts(walk, entries)) return readAlone(search, root)
  await readProjectsAlone(search, root)
}

async function readHome(search: Search, home: string): Promise<void> {
  await addHistory(search, home)
  for (const name of projectFolders) {
    const found = await search.walk.look(join(home, name), 'folder')
    if (found.kind === 'folder') await readProjects(search, found.path)
  }
  await addHomeFiles(search, home)
}

async function addHistory(search: Search, home: string): Promise<void> {
  const found = await search.walk.look(join(home, 'history.jsonl'), 'file')
  if (found.kind === 'file') search.histories.push(logFile(found.file, 'history'))
}

/** A folder of projects, in a home or not. */
async function readProjectsAlone(search: Search, folder: string): Promise<void> {
  await readProjects(search, folder)
  await addFilesOfHomeAbove(search, folder)
}

/**
 * Every subfolder is a project; a log that is outside of them has no slug. Artifacts wait to the end, since their
 * session may lie in a later project.
 */
async function readProjects(search: Search, folder: string): Promise<void> {
  if (!(await search.walk.enter(folder))) return
  const leftovers: Leftover[] = []
  const entries = await search.walk.list(folder)
  const loose = entries.filter(entry => isLogName(entry.name) && entry.kind !== 'folder')
  await addMains(search, folder, '', loose)
  for (const entry of entries) {
    if (entry.kind !== 'folder' && (entry.kind !== 'link' || isLogName(entry.name))) continue
    const found = await search.walk.look(entry.path, 'folder')
    if (found.kind === 'folder') leftovers.push(...(await readProject(search, found.path, entry.name)))
  }
  await addLeftovers(search, leftovers)
}

/** One project folder, in a home or not. */
async function readAlone(search: Search, folder: string): Promise<void> {
  const leftovers = await readProject(search, folder, basename(resolve(folder)))
  await addLeftovers(search, leftovers)
  await addFilesOfHomeAbove(search, join(folder, '..'))
}

/** `<session>/`, together with the main file next to it where there is one. */
async function readArtifacts(search: Search, folder: string): Promise<void> {
  const name = basename(resolve(folder))
  const project = join(folder, '..')
  const found = await search.walk.look(join(project, `${name}.jsonl`), 'file')
  if (found.kind === 'file') return readOneFile(search, found.file)
  const entry: Entry = { name, path: folder, kind: 'folder' }
  await addLeftovers(search, [{ project, slug: slugOf(project), entry }])
  await addFilesOfHomeAbove(search, join(project, '..'))
}

/** One file is one session, whatever its name, with the agent files and artifacts next to it. */
async function readOneFile(search: Search, file: FoundFile): Promise<void> {
  const { walk, gathering, histories } = search
  const name = basename(file.path)
  const stem = stemOf(name)
  const seen = await tryGlance(walk, file, stem)
  if (seen === null) return
  walk.meet(file)
  if (seen.isHistory) {
    histories.push(logFile(file, 'history'))
    return
  }
  const folder = dirname(file.path)
  const role = roleOf(name)
  if (role !== 'session') {
    const owner = ownerOf(file.path)
    const draft = gathering.begin(folder, slugOf(folder), seen.session ?? owner ?? stem)
    const log = await agentLog(walk, file, role)
    draft.others.push({ ...log, ...(owner !== null && { nameSession: sessionId(owner) }) })
    return
  }
  const log = { ...logFile(file, role), nameSession: sessionId(stem) }
  const draft = gathering.addMain(folder, slugOf(folder), seen.session ?? stem, stem, { log })
  if (!isLogName(name)) return
  const artifacts = await walk.list(join(folder, stem))
  if (artifacts.length > 0) await addArtifacts(search, join(folder, stem), stem, draft)
  await addAgentsOf(search, folder, draft)
  await addFilesOfHomeAbove(search, join(folder, '..'))
}

/** The session whose `subagents` folder a file is in. */
function ownerOf(path: string): string | null {
  const parts = resolve(path).split(/[\\/]/)
  const at = parts.lastIndexOf('subagents')
  return at > 0 ? (parts[at - 1] ?? null) : null
}

/** The project folder's name where it is in a home, else empty. */
function slugOf(folder: string): string {
  const place = resolve(folder)
  return projectFolders.includes(basename(dirname(place))) ? basename(place) : ''
}

/** A root inside a home still gets the home's files for its sessions. */
async function addFilesOfHomeAbove(search: Search, projects: string): Promise<void> {
  const place = resolve(projects)
  if (projectFolders.includes(basename(place))) await addHomeFiles(search, dirname(place))
}

/** Whether the folder is a project of which only artifacts are left. */
async function holdsArtifacts(walk: Walk, entries: readonly Entry[]): Promise<boolean> {
  for (const entry of entries) {
    if (entry.kind === 'folder' && (await isArtifactFolder(walk, entry.path))) return true
  }
  return false
}
