// Looks at everything that may stand between people and their logs, and says how to mend it. It reads; it mends nothing.

import { lstatSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { discover } from '../../../disk/discover/discover.ts'
import { claudeHomes } from '../../../disk/discover/homes.ts'
import { mergeDiscoveries } from '../../../disk/discover/resolve.ts'
import { errorCode } from '../../../disk/read/read.ts'
import type { Discovery, SessionFiles } from '../../../model/source.ts'
import type { GlobalOptions } from '../../command.ts'
import { UserError } from '../../command.ts'
import { ownHome, readConfig } from '../../config.ts'
import { isOnDisk } from '../../list/list-row.ts'
import { archivedIn, leftOutIn } from '../../session/kept-facts.ts'
import { type ArchiveReport, examineArchive } from './doctor-archive.ts'
import { clockProblem, newestRecord } from './doctor-clock.ts'
import { examineIndex, type IndexReport } from './doctor-index.ts'
import type { Problem } from './doctor-problem.ts'
import { type Retained, retentionOf } from './doctor-retention.ts'

export interface HomeReport {
  path: string
  isThere: boolean
  sessions: number
  files: number
  bytes: number
}

/** `clew doctor --json`. */
export interface DoctorReport {
  environment: Record<string, string | number | boolean | null>
  homes: HomeReport[]
  /** Where Clew keeps its own files. */
  own: { path: string; isThere: boolean; index: string | null; archive: string | null }
  archive: ArchiveReport
  index: IndexReport
  retention: Retained
  problems: Problem[]
}

export interface DoctorInput {
  globals: GlobalOptions
  /** The value of `--home`. */
  home: unknown
  now: number
}

export async function examine({ globals, home, now }: DoctorInput): Promise<DoctorReport> {
  const roots = rootsOf(globals)
  const discoveries = await Promise.all(roots.map(root => discover(root, globals.tree)))
  const sessions = mergeDiscoveries(discoveries, globals.source)
  const live = sessions.filter(isOnDisk)
  const archive = await examineArchive(globals, sessions)
  const [isArchived, isLeftOut] = [await archivedIn(globals), await leftOutIn(globals)]
  const retention = retentionOf({ sessions: live, roots, now, isArchived, isLeftOut })
  const newest = await newestRecord(live, globals.source)
  const own = ownHome(home)
  const index = await examineIndex(globals, roots)
  const problems = [
    ...environmentProblems(),
    ...homeProblems(roots, discoveries, globals),
    ...permissionProblems(live, roots),
    ...layoutProblems(discoveries, live),
    ...retention.problems,
    ...archive.problems,
    ...index.problems,
    ...clockProblem(newest, now),
    ...ownProblems(own),
  ]
  return {
    environment: environmentOf(globals, now, newest),
    homes: roots.map((path, i) => homeReport(path, discoveries[i])),
    own: { path: own, isThere: isThere(own), index: index.report.path, archive: archive.report.path },
    archive: { ...archive.report, atRisk: retention.atRisk },
    index: index.report,
    retention: retention.retained,
    problems,
  }
}

/** The usual places too where none exists, so that people see where was looked. */
function rootsOf(globals: GlobalOptions): string[] {
  const found = claudeHomes({ roots: globals.root, env: process.env, homeDir: homedir() })
  return found.length > 0 ? found : [join(homedir(), '.claude'), join(homedir(), '.config', 'claude')]
}

function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined
}

function homeReport(path: string, discovery: Discovery | undefined): HomeReport {
  const sessions = discovery?.sessions.filter(isOnDisk) ?? []
  const logs = sessions.flatMap(session => session.logs).filter(log => log.isKept !== true)
  const bytes = logs.reduce((sum, log) => sum + log.size, 0)
  return { path, isThere: isThere(path), sessions: sessions.length, files: logs.length, bytes }
}

function environmentOf(globals: GlobalOptions, now: number, newest: number | undefined): DoctorReport['environment'] {
  const { env } = process
  return {
    node: process.versions.node,
    platform: `${process.platform} ${process.arch}`,
    terminal: env['TERM'] ?? null,
    isTerminal: process.stdout.isTTY === true,
    columns: process.stdout.columns ?? null,
    colours: env['NO_COLOR']
      ? 'off (NO_COLOR)'
      : env['FORCE_COLOR']
        ? 'on (FORCE_COLOR)'
        : 'where the output is a terminal',
    locale: localeOf() || null,
    timezone: globals.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
    clock: new Date(now).toISOString(),
    newestRecord: newest === undefined ? null : new Date(newest).toISOString(),
    CLAUDE_CONFIG_DIR: env['CLAUDE_CONFIG_DIR'] ?? null,
    CLEW_HOME: env['CLEW_HOME'] ?? null,
  }
}

function localeOf(): string {
  const { env } = process
  return env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || ''
}

function environmentProblems(): Problem[] {
  const problems: Problem[] = []
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major < 20 || (major === 20 && minor < 19))
    problems.push(
      problem('old-node', 'error', `Node ${process.versions.node} is older than 20.19.`, 'Install a newer Node.'),
    )
  const locale = localeOf()
  if (process.platform !== 'win32' && locale !== '' && !/utf-?8/i.test(locale))
    problems.push(
      problem(
        'locale-not-utf8',
        'warning',
        `The locale is ${locale}: letters beyond ASCII may be garbled.`,
        'export LC_ALL=C.UTF-8',
      ),
    )
  if (process.env['TERM'] === 'dumb')
    problems.push(
      problem(
        'dumb-terminal',
        'warning',
        'The terminal says that it is dumb: charts and trees are drawn in ASCII.',
        'export TERM=xterm-256color',
      ),
    )
  return problems
}

function problem(
  code: string,
  severity: Problem['severity'],
  message: string,
  remedy: string,
  losesData = false,
): Problem {
  return { code, severity, losesData, message, remedy }
}

function homeProblems(roots: readonly string[], discoveries: readonly Discovery[], globals: GlobalOptions): Problem[] {
  const problems: Problem[] = []
  const configured = globals.root.length > 0 ? '--root' : process.env['CLAUDE_CONFIG_DIR'] ? 'CLAUDE_CONFIG_DIR' : ''
  const missing = roots.filter(root => !isThere(root))
  if (configured !== '') {
    for (const root of missing)
      problems.push(problem('home-missing', 'error', `${root} is not there.`, `Check what ${configured} says.`))
  } else if (missing.length === roots.length)
    problems.push(
      problem(
        'no-home',
        'warning',
        `No Claude home: ${roots.join(' and ')} are not there.`,
        'Name one: clew config set roots PATH',
      ),
    )
  for (const finding of discoveries.flatMap(discovery => discovery.findings)) {
    if (!finding.code.startsWith('unreadable')) continue
    const message = `${finding.file ?? 'A file'}: ${finding.message}`
    const remedy = `chmod u+rX ${inShell(finding.file ?? '')}, or ask its owner`
    problems.push(problem(finding.code, 'error', message, remedy, true))
  }
  return problems
}

const shownPaths = 1

/** Logs hold everything that was read and said: nobody else should be able to read them. */
function permissionProblems(sessions: readonly SessionFiles[], roots: readonly string[]): Problem[] {
  if (process.platform === 'win32') return []
  const open: string[] = []
  const foreign: string[] = []
  const uid = process.getuid?.()
  for (const { path } of sessions.flatMap(session => session.logs)) {
    try {
      const facts = lstatSync(path)
      if ((facts.mode & 0o004) !== 0) open.push(path)
      if (uid !== undefined && uid !== 0 && facts.uid !== uid) foreign.push(path)
    } catch (error) {
      // Gone since it was found: the client cleans up while we look.
      if (errorCode(error) !== 'ENOENT') throw error
    }
  }
  const places = roots.map(root => inShell(resolve(root))).join(' ')
  const problems: Problem[] = []
  if (open.length > 0) {
    const message = `${open.length} session files can be read by every user of this machine: ${firstOf(open)}`
    problems.push(problem('world-readable', 'warning', message, `chmod -R go-rwx ${places}`))
  }
  if (foreign.length > 0) {
    const message = `${foreign.length} session files belong to another user: ${firstOf(foreign)}`
    problems.push(problem('foreign-owner', 'warning', message, `sudo chown -R "$USER" ${places}`))
  }
  return problems
}

/** A path as a word of a shell. */
function inShell(path: string): string {
  return `'${path.replaceAll("'", "'\\''")}'`
}

function firstOf(paths: readonly string[]): string {
  const more = paths.length > shownPaths ? `, and ${paths.length - shownPaths} more` : ''
  return paths.slice(0, shownPaths).join(', ') + more
}

function layoutProblems(discoveries: readonly Discovery[], sessions: readonly SessionFiles[]): Problem[] {
  const problems: Problem[] = []
  const strays = discoveries.flatMap(discovery => discovery.strays.filter(log => !log.isKept)).map(log => log.path)
  if (strays.length > 0) {
    const message = `${strays.length} agent files belong to no session that is there: ${firstOf(strays)}`
    problems.push(
      problem('stray-agent-files', 'warning', message, 'clew events PATH shows one; nothing needs to be done'),
    )
  }
  const headless = sessions
    .filter(session => !session.logs.some(log => log.role === 'session'))
    .map(session => session.id)
  if (headless.length > 0) {
    const message = `Of ${headless.length} sessions only agent files or artifacts are left: ${firstOf(headless)}`
    problems.push(problem('main-file-gone', 'warning', message, 'clew show SESSION shows what is left'))
  }
  const empty = sessions.flatMap(session => session.logs).filter(log => log.size === 0 && log.role === 'session')
  if (empty.length > 0) {
    const message = `${empty.length} session files are empty: ${firstOf(empty.map(log => log.path))}`
    problems.push(problem('empty-session-file', 'warning', message, 'They may be removed.'))
  }
  for (const finding of discoveries.flatMap(discovery => discovery.findings)) {
    if (finding.code.startsWith('unreadable') || finding.code === 'no-sessions' || finding.severity === 'error')
      continue
    problems.push(
      problem(finding.code, 'warning', `${finding.file ?? ''}: ${finding.message}`, 'clew check PATH tells more'),
    )
  }
  return problems
}

function ownProblems(own: string): Problem[] {
  const problems: Problem[] = []
  try {
    readConfig(own)
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    problems.push(problem('config-unreadable', 'error', error.message, 'Until then everything in it is ignored.'))
  }
  const facts = statSync(own, { throwIfNoEntry: false })
  if (process.platform !== 'win32' && facts !== undefined && (facts.mode & 0o077) !== 0)
    problems.push(problem('own-folder-open', 'warning', `${own} is open to other users.`, `chmod 700 ${inShell(own)}`))
  return problems
}
