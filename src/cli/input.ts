// Turns what people name on the command line (paths, sessions, roots, nothing) into files to read.

import { stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { resolve } from 'node:path'
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
export async function filesOf(paths: readonly string[], globals: GlobalOptions): Promise<Input> {
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

/** The one session that a text names; an error that lists the candidates where it names several. */
export async function sessionOf(text: string | undefined, globals: GlobalOptions): Promise<SessionFiles> {
  const isPlace = text !== undefined && (await isPath(text))
  if (isPlace && (await exists(expandTilde(text, homedir())))) return sessionOfPath(expandTilde(text, homedir()))
  const wanted = text ?? 'last'
  const { discoveries } = await discoverRoots(globals)
  const sessions = mergeDiscoveries(discoveries)
  const found = await resolveByAny(sessions, wanted)
  if ('found' in found) return found.found
  // A title may look like a path; what is neither is said to be missing as a path.
  if ('none' in found && isPlace) return sessionOfPath(expandTilde(text, homedir()))
  if ('none' in found) throw new UserError(`no session matches "${wanted}" (of ${sessions.length} found)`)
  const { quickTitles } = await import('./list-quick.ts')
  const titles = quickTitles(found.candidates)
  const list = found.candidates.slice(0, 20).map(session => `  ${session.id}  ${titles.get(session) ?? session.slug}`)
  if (found.candidates.length > 20) list.push(`  and ${found.candidates.length - 20} more`)
  throw new UserError(`"${wanted}" is not unique; it matches\n${list.join('\n')}`)
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
