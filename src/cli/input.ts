// Turns what people name on the command line (paths, sessions, roots, nothing) into files to read.

import { stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { resolve } from 'node:path'
import { cutToColumns } from '../base/width.ts'
import { discover } from '../disk/discover.ts'
import { claudeHomes, expandTilde } from '../disk/homes.ts'
import { diskSource } from '../disk/read.ts'
import { mergeDiscoveries, type Resolution, resolveSession } from '../disk/resolve.ts'
import { streamFile, streamSource } from '../disk/stdin.ts'
import type { Finding } from '../model/finding.ts'
import type { ByteSource, Discovery, LogFile, SessionFiles } from '../model/source.ts'
import { type GlobalOptions, UserError } from './command.ts'
import { sampleHome } from './sample.ts'

/** A file to read, with the session it belongs to. */
export interface InputFile {
  log: LogFile
  source: ByteSource
  session?: SessionFiles
}

export interface Input {
  files: InputFile[]
  /** What could not be read. */
  findings: Finding[]
}

/** The homes in question; the bundled sample history where there are none. */
export async function discoverRoots(globals: GlobalOptions): Promise<{ discoveries: Discovery[]; isSample: boolean }> {
  const roots = claudeHomes({ roots: globals.root, env: process.env, homeDir: homedir() })
  const discoveries = await Promise.all(roots.map(root => discover(root)))
  const hasSessions = discoveries.some(discovery => discovery.sessions.length > 0)
  if (hasSessions || globals.root.length > 0 || process.env['CLAUDE_CONFIG_DIR'])
    return { discoveries, isSample: false }
  return { discoveries: [await discover(sampleHome())], isSample: true }
}

/** Files for commands that stream: each path is a file, a folder or `-`; without any, all homes. */
async function filesOf(paths: readonly string[], globals: GlobalOptions): Promise<Input> {
  const input: Input = { files: [], findings: [] }
  if (paths.length === 0) {
    const { discoveries } = await discoverRoots(globals)
    for (const discovery of discoveries) addDiscovery(input, discovery)
    return input
  }
  for (const path of paths) {
    if (path === '-') input.files.push({ log: streamFile(), source: streamSource(process.stdin) })
    else await addPath(input, expandTilde(path, homedir()))
  }
  return input
}

async function addPath(input: Input, path: string): Promise<void> {
  const discovery = await discover(path)
  if (!(await isFile(path))) {
    addDiscovery(input, discovery)
    return
  }
  input.findings.push(...discovery.findings)
  const wanted = resolve(path)
  for (const session of discovery.sessions) {
    const log = session.logs.find(file => resolve(file.path) === wanted)
    if (log) input.files.push({ log, source: diskSource(), session })
  }
  for (const log of [...discovery.histories, ...discovery.strays]) {
    if (resolve(log.path) === wanted) input.files.push({ log, source: diskSource() })
  }
}

function addDiscovery(input: Input, discovery: Discovery): void {
  const source = diskSource()
  input.findings.push(...discovery.findings)
  for (const session of discovery.sessions) {
    for (const log of session.logs) input.files.push({ log, source, session })
  }
  for (const log of [...discovery.histories, ...discovery.strays]) input.files.push({ log, source })
}

export async function isFile(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null))?.isDirectory() === false
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null)) !== null
}

/** Whether a text names a path rather than a session. */
export async function isPath(text: string): Promise<boolean> {
  return text === '-' || /[\\/]/.test(text) || text.endsWith('.jsonl') || (await exists(text))
}

/** Paths as they are; a single word that is no path names a session. */
export async function filesOrSession(args: readonly string[], globals: GlobalOptions): Promise<Input> {
  const only = args[0]
  const isSession = args.length === 1 && only !== undefined && !(await isPath(only))
  if (!isSession) return filesOf(args, globals)
  const session = await sessionOf(only, globals)
  const source = diskSource()
  return { files: session.logs.map(log => ({ log, source, session })), findings: [] }
}

/** The one session that a text names; an error that lists the candidates where it names several. */
export async function sessionOf(text: string | undefined, globals: GlobalOptions): Promise<SessionFiles> {
  if (text === '-') throw new UserError('a session is read from its file, not from stdin; clew events - takes stdin')
  const isPlace = text !== undefined && (await isPath(text))
  if (isPlace && (await exists(expandTilde(text, homedir())))) return sessionOfPath(expandTilde(text, homedir()))
  const wanted = text ?? 'last'
  const { discoveries } = await discoverRoots(globals)
  const sessions = mergeDiscoveries(discoveries)
  const found = await resolveByAny(sessions, wanted)
  if ('found' in found) return wanted.trim().toLowerCase() === 'last' ? latestOf(found.found, sessions) : found.found
  // A title may look like a path; what is neither is said to be missing as a path.
  if ('none' in found && isPlace) return sessionOfPath(expandTilde(text, homedir()))
  if ('none' in found) throw new UserError(noneText(wanted, sessions.length, discoveries))
  throw new UserError(await severalText(wanted, found.candidates))
}

/** Files that changed within this time of each other were copied, unpacked or checked out together. */
const togetherMs = 10_000
const mostTogether = 200

/** Where many files changed at once, their times say nothing: the latest is then the one whose records are, as in lists. */
async function latestOf(newest: SessionFiles, sessions: readonly SessionFiles[]): Promise<SessionFiles> {
  const { lastChange, whenOf } = await import('./list-row.ts')
  // A session that is called `last` was not found by its time.
  if (sessions.some(session => lastChange(session) > lastChange(newest))) return newest
  const together = sessions.filter(session => lastChange(session) >= lastChange(newest) - togetherMs)
  if (together.length < 2) return newest
  const { quickRows } = await import('./list-quick.ts')
  const rows = quickRows(together.slice(0, mostTogether)).filter(row => row.endedAt !== null)
  return rows.sort((one, other) => whenOf(other) - whenOf(one))[0]?.session ?? newest
}

function noneText(wanted: string, count: number, discoveries: readonly Discovery[]): string {
  if (count > 0) return `no session matches "${wanted}" (of ${count} found); clew ls lists them`
  const unread = discoveries
    .flatMap(discovery => discovery.findings)
    .find(finding => finding.code.startsWith('unreadable'))
  if (unread !== undefined) return `no sessions found; ${unread.file ?? ''}: ${unread.message} clew doctor tells more`
  return 'no sessions found; --root PATH names a Claude home'
}

const listedCandidates = 20
const longestTitle = 80

async function severalText(wanted: string, candidates: readonly SessionFiles[]): Promise<string> {
  const { quickTitles } = await import('./list-quick.ts')
  const shown = candidates.slice(0, listedCandidates)
  const titles = quickTitles(shown)
  const list = shown.map(session => {
    const title = (titles.get(session) ?? session.slug).replace(/\s+/g, ' ')
    return `  ${session.id}  ${cutToColumns(title, longestTitle)}`
  })
  if (candidates.length > shown.length) list.push(`  and ${candidates.length - shown.length} more`)
  return `"${wanted}" is not unique; it matches\n${list.join('\n')}`
}

/** By id first; titles are looked at only where no id fits, since that opens every file. */
async function resolveByAny(sessions: readonly SessionFiles[], text: string): Promise<Resolution> {
  const byId = resolveSession(sessions, text)
  if (!('none' in byId) || text.trim() === '') return byId
  const { quickTitles } = await import('./list-quick.ts')
  const titles = quickTitles(sessions)
  return resolveSession(sessions, text, { titleOf: session => titles.get(session) })
}

async function sessionOfPath(path: string): Promise<SessionFiles> {
  const discovery = await discover(path)
  const wanted = resolve(path)
  const holding = discovery.sessions.find(session => session.logs.some(log => resolve(log.path) === wanted))
  const session = holding ?? discovery.sessions[0]
  if (session && (holding || discovery.sessions.length === 1)) return session
  if (session) throw new UserError(`${path} holds ${discovery.sessions.length} sessions; name one`)
  const problem = discovery.findings[0]?.message
  throw new UserError(problem === undefined ? `${path} holds no session` : `${path}: ${problem}`)
}
