// Turns what people name on the command line (paths, sessions, roots, nothing) into files to read.

import { basename, dirname, join, resolve } from 'node:path'
import type { Places } from '../../archive/read/places.ts'
import { columnsOf, cutToColumns, fitColumns } from '../../base/width.ts'
import { discover } from '../../disk/discover/discover.ts'
import { allLogs } from '../../disk/discover/merge.ts'
import { mergeDiscoveries, type Resolution, resolveSession } from '../../disk/discover/resolve.ts'
import { type FileTree, isFile, lookAt } from '../../disk/discover/tree.ts'
import { sameFileKey, streamFile, streamSource } from '../../disk/read/read.ts'
import { sampleHome } from '../../files/package-folder.ts'
import type { Finding } from '../../model/finding.ts'
import { recordedId } from '../../model/ids.ts'
import type { ByteSource, Discovery, LogFile, SessionFiles } from '../../model/source.ts'
import { byLatest } from '../../session/latest.ts'
import type { LoadOptions } from '../../session/load.ts'
import type { Projects } from '../../session/projects.ts'
import { datedSession, latestRows, type QuickRow, quickRows, titlesOf } from '../../session/scan/quick-rows.ts'
import type { Clew } from '../clew.ts'
import { NotFoundError, UserError } from '../error.ts'
import { typedPath } from '../paths.ts'
import { isAnyNamed, noteSample, scopeOf } from '../scope.ts'
import { homesOf } from '../settings.ts'
import { clockFor } from '../times.ts'
import {
  type IndexedList,
  indexedRow,
  indexedRows,
  indexedRowsNamed,
  indexedRowsNamedOrLatest,
} from './indexed-rows.ts'
import { placeOf, projectsOf, whenOf } from './rows.ts'

/** A file to read, with the session it belongs to. */
export interface InputFile {
  log: LogFile
  source: ByteSource
  session?: SessionFiles
}

interface Input {
  files: InputFile[]
  /** What could not be read. */
  findings: Finding[]
}

/** The homes in question, and those that only the archive knows. */
export async function rootsFor(clew: Clew): Promise<{ roots: string[]; archived: string[] }> {
  const roots = homesOf(clew)
  const archived = isAnyNamed(clew) || clew.archive === undefined ? [] : await archivedHomes(clew, roots)
  return { roots, archived }
}

/** What is in them; the bundled sample history where there is nothing. */
export async function discoverRoots(clew: Clew): Promise<{ discoveries: Discovery[]; isSample: boolean }> {
  if (scopeOf(clew).isSample) {
    noteSample(clew)
    return { discoveries: [await discover(sampleHome(), clew.tree)], isSample: true }
  }
  const { roots, archived } = await rootsFor(clew)
  const discoveries = await Promise.all([...roots, ...archived].map(root => discover(root, clew.tree)))
  // Of a home that is gone, only prompts may be archived: that is not a problem.
  for (const discovery of discoveries.slice(roots.length)) {
    discovery.findings = discovery.findings.filter(finding => finding.code !== 'no-sessions')
  }
  return { discoveries, isSample: false }
}

/** Homes with archived sessions, without those that are read anyway; they may no longer exist. */
async function archivedHomes({ archive, tree }: Clew, roots: readonly string[]): Promise<string[]> {
  const { archivedHomePaths } = await import('../../archive/read/tree.ts')
  return archive === undefined ? [] : archivedHomePaths(archive, roots).filter(home => lookAt(home, tree) !== null)
}

/** Files for commands that stream: each path is a file, a folder or `-`; without any, all homes. */
async function filesOf(paths: readonly string[], clew: Clew): Promise<Input> {
  const input: Input = { files: [], findings: [] }
  if (paths.length === 0) {
    const { discoveries } = await discoverRoots(clew)
    for (const discovery of discoveries) addDiscovery(input, discovery, clew)
    return input
  }
  for (const path of paths) {
    if (path === '-') input.files.push({ log: streamFile(), source: streamSource(process.stdin) })
    else await addPath(input, typedPath(path), clew)
  }
  const gone = input.files.filter(({ log }) => log.isArchiveOnly === true).length
  if (gone > 0) clew.listener.note(`${goneText(gone, input.files.length)} no longer on disk; reading the archive`)
  return input
}

function goneText(gone: number, all: number): string {
  return all === 1 ? 'this file is' : `${gone} of ${all} files are`
}

async function addPath(input: Input, path: string, places: Places): Promise<void> {
  const { tree, source } = places
  const discovery = await discover(path, tree)
  if (!isFile(path, tree)) {
    addDiscovery(input, discovery, places)
    return
  }
  input.findings.push(...discovery.findings)
  const query = resolve(path)
  for (const session of discovery.sessions) {
    const log = session.logs.find(file => resolve(file.path) === query)
    if (log) input.files.push({ log, source, session })
  }
  for (const log of [...discovery.histories, ...discovery.strays]) {
    if (resolve(log.path) === query) input.files.push({ log, source })
  }
}

function addDiscovery(input: Input, discovery: Discovery, { source }: Places): void {
  input.findings.push(...discovery.findings)
  for (const session of discovery.sessions) {
    for (const log of session.logs) input.files.push({ log, source, session })
  }
  for (const log of [...discovery.histories, ...discovery.strays]) input.files.push({ log, source })
}

function exists(path: string, tree: FileTree): boolean {
  return lookAt(path, tree) !== null
}

/** Whether a text names a path rather than a session. */
export function isPath(text: string, tree: FileTree): boolean {
  if (isLast(text)) return false
  return text === '-' || /[\\/]/.test(text) || text.endsWith('.jsonl') || exists(text, tree)
}

/** Paths as they are; a single word that is not a path names a session. */
export async function filesOrSession(args: readonly string[], clew: Clew): Promise<Input> {
  const only = args[0]
  const isSession = args.length === 1 && only !== undefined && !isPath(only, clew.tree)
  if (!isSession) return filesOf(args, clew)
  const session = await sessionOf(only, clew)
  const { source } = clew
  return { files: session.logs.map(log => ({ log, source, session })), findings: [] }
}

/**
 * The one session that a text names; an error that lists the candidates where it names several. `ID@2` is the session with
 * the second generation that was archived of its files.
 */
export async function sessionOf(text: string | undefined, clew: Clew): Promise<SessionFiles> {
  const generation = /^(.+)@(\d{1,6})$/s.exec(text ?? '')
  if (generation !== null && clew.archive !== undefined) {
    const places = await generationPlaces(clew, Number(generation[2]))
    const session = await findSession(generation[1], { ...clew, ...places, usesIndex: false })
    refuseMissing(session, Number(generation[2]), clew)
    return session
  }
  const session = await findSession(text, clew)
  noteArchived(session, clew)
  return session
}

/** Finds the session that a fork comes from: next to its log, where forks are written, else among all; null where it is not known. */
export function originFinder(fork: SessionFiles, clew: Clew): LoadOptions['findOrigin'] {
  return async id => {
    // The id is what a log states: it must not lead to another folder.
    if (!/^[\w-]+$/.test(id)) return null
    const other = fork.logs[0] === undefined ? undefined : join(dirname(fork.logs[0].path), `${id}.jsonl`)
    if (other !== undefined && isFile(other, clew.tree)) return sessionOfPath(other, clew)
    const known = await indexedRowsNamed(clew, id)
    const sessions = known?.rows.map(row => row.session) ?? (await discoveredSessions(clew))
    const named = sessions.filter(session => recordedId(session.id) === id)
    return named.find(({ slug }) => slug === fork.slug) ?? named[0] ?? null
  }
}

async function discoveredSessions(clew: Clew): Promise<SessionFiles[]> {
  const { discoveries } = await discoverRoots(clew)
  return mergeDiscoveries(discoveries, clew.source)
}

function noteArchived(session: SessionFiles, { listener }: Clew): void {
  const gone = session.logs.filter(log => log.isArchiveOnly === true)
  if (gone.length === 0) return
  const isWhole = session.logs.every(log => log.role !== 'session' || log.isArchiveOnly === true)
  const what = isWhole ? `${session.id} is` : `${gone.length} of ${session.logs.length} files of ${session.id} are`
  listener.note(`${what} no longer on disk; reading the archive`)
}

/** Only what is archived, with that generation of each file that has one. */
async function generationPlaces({ archive, source }: Clew, number: number): Promise<Partial<Places>> {
  if (archive === undefined) return {}
  const { generationTree } = await import('../../archive/read/tree.ts')
  return { tree: generationTree(archive, source, number) }
}

function refuseMissing(session: SessionFiles, number: number, { archive }: Clew): void {
  const catalog = archive?.manifest.catalog
  const found = session.logs
    .filter(log => log.role === 'session')
    .flatMap(log => catalog?.generations.get(log.generation.slice('kept:'.length)) ?? [])
  if (found.some(generation => generation.number === number)) return
  const latest = Math.max(0, ...found.map(({ home, path }) => catalog?.of(home, path).at(-1)?.number ?? 0))
  throw new UserError(`${session.id} has no generation ${number}; the latest is ${latest}`)
}

async function findSession(text: string | undefined, clew: Clew): Promise<SessionFiles> {
  if (text === '-') throw new UserError('cannot read a session from stdin; to read stdin: clew events -')
  const { tree, source } = clew
  const isPlace = text !== undefined && isPath(text, tree)
  if (isPlace && exists(typedPath(text), tree)) return sessionOfPath(typedPath(text), clew)
  const query = text ?? 'last'
  const known = await indexedSession(query, clew)
  if (known !== null) return known
  const { discoveries } = await discoverRoots(clew)
  const sessions = mergeDiscoveries(discoveries, source)
  const rowsOf: RowsOf = some => quickRows(some, source)
  const latest = isLast(query) ? latestRows(sessions, source, 1)[0]?.session : undefined
  const found = resolveByAny(sessions, query, rowsOf, latest)
  if ('found' in found) return readable(found.found, discoveries, clew)
  // A title may look like a path; what is neither is said to be missing as a path.
  if ('none' in found && isPlace) return sessionOfPath(typedPath(text), clew)
  if ('none' in found) throw new NotFoundError(noneText(query, sessions.length, discoveries))
  const projects = projectsOf(sessions.map(session => datedSession(session, source)))
  throw new UserError(severalText(query, found.candidates, rowsOf, projects, clew))
}

/** A session whose main log cannot be read is not what its subagents say; other files of its that cannot are reported. */
function readable(session: SessionFiles, discoveries: readonly Discovery[], { listener }: Clew): SessionFiles {
  const name = recordedId(session.id)
  const hasMain = session.logs.some(log => log.role === 'session')
  for (const finding of discoveries.flatMap(({ findings }) => findings)) {
    const { code, file = '', message } = finding
    if (!code.startsWith('unreadable') || !file.includes(name)) continue
    if (!hasMain && basename(file) === `${name}.jsonl`) throw new UserError(`${file}: ${message}`)
    listener.unread(finding)
  }
  return session
}

/** Rows of lists, from the index or from the ends of files. */
export type RowsOf = (sessions: readonly SessionFiles[]) => QuickRow[]

function isLast(query: string): boolean {
  return query.trim().toLowerCase() === 'last'
}

/** Null where there is no index that is up to date, or it has no match: then files are searched. Titles are read last. */
async function indexedSession(query: string, clew: Clew): Promise<SessionFiles | null> {
  const text = query.trim()
  const some = isLast(text) ? indexedRowsNamedOrLatest : indexedRowsNamed
  for (const rows of [indexedRow, some, indexedRows]) {
    const known = await rows(clew, text)
    const found = known === null ? null : await foundIn(known, query, clew)
    if (found !== null) return found
  }
  return null
}

async function foundIn(known: IndexedList, query: string, clew: Clew): Promise<SessionFiles | null> {
  if (known.index.isStale) return null
  const byId = new Map(known.rows.map(row => [row.session.id, row]))
  const rowsOf: RowsOf = some => some.flatMap(session => byId.get(session.id) ?? [])
  const sessions = known.rows.map(row => row.session)
  const latest = isLast(query) ? [...known.rows].sort(byLatest)[0]?.session : undefined
  const found = resolveByAny(sessions, query, rowsOf, latest)
  if ('none' in found) return null
  if ('candidates' in found) {
    // What a project is called depends on all of them.
    const projects = projectsOf((await indexedRows(clew))?.rows ?? known.rows)
    throw new UserError(severalText(query, found.candidates, rowsOf, projects, clew))
  }
  return found.found
}

function noneText(query: string, count: number, discoveries: readonly Discovery[]): string {
  if (count > 0) return `no session matches "${query}" (of ${count}); to list them: clew ls`
  const unread = discoveries
    .flatMap(discovery => discovery.findings)
    .find(finding => finding.code.startsWith('unreadable'))
  if (unread !== undefined) return `no sessions found; ${unread.file ?? ''}: ${unread.message} For details: clew doctor`
  return 'no sessions found; pass a Claude home with --root PATH'
}

const listedCandidates = 20
const longestTitle = 60
const longestProject = 24

function severalText(
  query: string,
  candidates: readonly SessionFiles[],
  rowsOf: RowsOf,
  projects: Projects,
  { timezone }: Clew,
): string {
  return `"${query}" matches several sessions:\n${candidateLines(candidates, rowsOf, projects, timezone).join('\n')}`
}

/** Sessions that a text may mean, one per line, the latest first: id, when, where, title. `projects`: of all sessions. */
export function candidateLines(
  candidates: readonly SessionFiles[],
  rowsOf: RowsOf,
  projects: Projects,
  timezone: string | undefined,
): string[] {
  const clock = clockFor(timezone)
  const rows = rowsOf(candidates).sort(byLatest).slice(0, listedCandidates)
  const names = rows.map(row => cutToColumns(projects.of(placeOf(row)).name, longestProject))
  const widest = Math.max(0, ...names.map(columnsOf))
  const lines = rows.map((row, at) => {
    const title = cutToColumns(row.title.replace(/\s+/g, ' '), longestTitle)
    return `  ${row.session.id}  ${clock(whenOf(row))}  ${fitColumns(names[at] ?? '', widest)}  ${title}`
  })
  const rest = candidates.length - lines.length
  return rest > 0 ? [...lines, `  and ${rest} more`] : lines
}

/** By id first; titles are looked at only where no id fits, since that may open every file. */
function resolveByAny(
  sessions: readonly SessionFiles[],
  text: string,
  rowsOf: RowsOf,
  latest: SessionFiles | undefined,
): Resolution {
  const byId = resolveSession(sessions, text, { latest })
  if (!('none' in byId) || text.trim() === '') return byId
  const titles = titlesOf(rowsOf(sessions))
  return resolveSession(sessions, text, { titleOf: session => titles.get(session) })
}

async function sessionOfPath(path: string, clew: Clew): Promise<SessionFiles> {
  const query = resolve(path)
  const discovery = await discover(query, clew.tree)
  const holding = discovery.sessions.find(session => session.logs.some(log => log.path === query))
  const session = holding ?? discovery.sessions[0]
  if (session && (holding || discovery.sessions.length === 1)) {
    return asListed(readable(session, [discovery], clew), clew)
  }
  if (session) throw new UserError(`${path} contains ${discovery.sessions.length} sessions; name one of them`)
  const problem = discovery.findings[0]?.message
  throw new UserError(problem === undefined ? `${path} does not contain a session` : `${path}: ${problem}`)
}

/** With the id that it has in lists, where another session has the one in its records, too. */
async function asListed(session: SessionFiles, clew: Clew): Promise<SessionFiles> {
  const own = new Set(session.logs.map(fileOf))
  if (!(await hasNamesake(session, own, clew))) return session
  const listed = (await discoveredSessions(clew)).find(one => allLogs(one).some(log => own.has(fileOf(log))))
  return listed === undefined ? session : { ...session, id: listed.id }
}

/** Whether another project folder has a log of that name. */
async function hasNamesake(session: SessionFiles, own: ReadonlySet<string>, clew: Clew): Promise<boolean> {
  const { roots, archived } = await rootsFor(clew)
  for (const root of [...roots, ...archived]) {
    const projects = join(root, 'projects')
    const folders = lookAt(projects, clew.tree)?.kind === 'folder' ? await clew.tree.list(projects) : []
    for (const { path } of folders) {
      const found = lookAt(join(path, `${session.id}.jsonl`), clew.tree)
      if (found?.kind === 'file' && !own.has(fileOf(found))) return true
    }
  }
  return false
}

/** The file that a log is, by whatever path. */
export function fileOf({ generation }: Pick<LogFile, 'generation'>): string {
  return sameFileKey(generation) ?? generation
}
