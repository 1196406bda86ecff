// What `clew doctor` examines: environment, homes, permissions, retention, clock, archive and index. Every problem has a
// remedy. It prints nothing.

import { existsSync, lstatSync, readdirSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { sessionCounts } from '../../archive/maintain/status.ts'
import type { Archive } from '../../archive/store/archive.ts'
import type { ArchiveMode } from '../../archive/store/mode.ts'
import { errorCode } from '../../base/error-code.ts'
import { countOf } from '../../base/format.ts'
import { toMillis } from '../../base/instant.ts'
import { configPath } from '../../disk/config-file.ts'
import { discover } from '../../disk/discover/discover.ts'
import { cleanupDays, defaultCleanupDays, homeOfLog, Retention } from '../../disk/discover/homes.ts'
import { mergeDiscoveries } from '../../disk/discover/resolve.ts'
import { FileError } from '../../files/error.ts'
import { isSound } from '../../index/search/sessions.ts'
import {
  currentPath,
  databaseBytes,
  isDamage,
  isOnNetwork,
  openToRead,
  UnusableIndexError,
} from '../../index/store/open.ts'
import { NewerIndexError, versionOf } from '../../index/store/schema.ts'
import { indexNumbers } from '../../index/store/status.ts'
import { type Discovery, isOnDisk, type SessionFiles } from '../../model/source.ts'
import type { DoctorReport } from '../../schema/contract-shapes.ts'
import { latestRows } from '../../session/scan/quick-rows.ts'
import { sizeText } from '../../view/words.ts'
import { archiveSettingOf } from '../archive-mode.ts'
import type { Clew } from '../clew.ts'
import { settingsOf } from '../configured.ts'
import { archivedIn, leftOutIn } from '../session/detail.ts'
import { homesOf } from '../settings.ts'
import { settingsFaults } from '../usage/prices.ts'

type Problem = DoctorReport['problems'][number]

/** Where what is printed goes to. */
interface Terminal {
  isTerminal: boolean
  columns: number | null
}

/** Problems in the order in which they are looked for. Whoever asks for a program has no terminal. */
export async function examine(
  clew: Clew,
  terminal: Terminal = { isTerminal: false, columns: null },
): Promise<DoctorReport> {
  const now = Date.now()
  const roots = rootsOf(clew)
  const discoveries = await Promise.all(roots.map(root => discover(root, clew.tree)))
  const sessions = mergeDiscoveries(discoveries, clew.source)
  const live = sessions.filter(isOnDisk)
  const archive = await examineArchive(clew, discoveries)
  const [isArchived, isLeftOut] = [await archivedIn(clew), await leftOutIn(clew)]
  const retention = retentionOf({ sessions: live, roots, now, isArchived, isLeftOut })
  const newest = toMillis(latestRows(live, clew.source, 1)[0]?.endedAt ?? null) ?? undefined
  const own = clew.home
  const index = examineIndex(clew, roots)
  const problems = [
    ...environmentProblems(),
    ...homeProblems(roots, discoveries, clew),
    ...permissionProblems(live, roots),
    ...layoutProblems(discoveries, live),
    ...retention.problems,
    ...archive.problems,
    ...index.problems,
    ...clockProblem(newest, now),
    ...settingsProblems(clew),
    ...ownProblems(own),
  ]
  return {
    environment: { ...environmentOf(clew, now, newest), ...terminal },
    homes: roots.map((path, i) => homeReport(path, discoveries[i], clew)),
    own: { path: own, isThere: isThere(own), index: index.report.path, archive: archive.report.path },
    archive: { ...archive.report, atRisk: retention.atRisk },
    index: index.report,
    retention: retention.retained,
    problems,
  }
}

/** The usual places too where none exists, so that people see where was looked. */
function rootsOf(clew: Clew): string[] {
  const found = homesOf(clew)
  return found.length > 0 ? found : [join(homedir(), '.claude'), join(homedir(), '.config', 'claude')]
}

function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined
}

function homeReport(path: string, discovery: Discovery | undefined, { source }: Clew): DoctorReport['homes'][number] {
  const found = discovery?.sessions.filter(isOnDisk) ?? []
  // One session may have files in several project folders.
  const sessions = mergeDiscoveries(discovery === undefined ? [] : [discovery], source).filter(isOnDisk)
  const logs = found.flatMap(session => session.logs).filter(log => log.isArchiveOnly !== true)
  const bytes = logs.reduce((sum, log) => sum + log.size, 0)
  return { path, isThere: isThere(path), sessions: sessions.length, files: logs.length, bytes }
}

function environmentOf(
  clew: Clew,
  now: number,
  newest: number | undefined,
): Omit<DoctorReport['environment'], keyof Terminal> {
  const { env } = process
  return {
    node: process.versions.node,
    platform: `${process.platform} ${process.arch}`,
    terminal: env['TERM'] ?? null,
    colours: env['NO_COLOR'] ? 'off (NO_COLOR)' : env['FORCE_COLOR'] ? 'on (FORCE_COLOR)' : 'on terminals',
    locale: localeOf() || null,
    timezone: clew.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
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
  const { node } = process.versions
  const [major = 0, minor = 0] = node.split('.').map(Number)
  if (major < 20 || (major === 20 && minor < 19)) {
    problems.push(problem('old-node', 'error', `Node ${node} is older than 20.19.`, 'Install a newer Node.'))
  }
  const locale = localeOf()
  if (process.platform !== 'win32' && locale !== '' && !/utf-?8/i.test(locale)) {
    const message = `The locale is ${locale}: non-ASCII characters may be garbled.`
    problems.push(problem('locale-not-utf8', 'warning', message, 'export LC_ALL=C.UTF-8'))
  }
  if (process.env['TERM'] === 'dumb') {
    const message = 'TERM is dumb: charts and trees are drawn in ASCII.'
    problems.push(problem('dumb-terminal', 'warning', message, 'export TERM=xterm-256color'))
  }
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

function homeProblems(roots: readonly string[], discoveries: readonly Discovery[], clew: Clew): Problem[] {
  const problems: Problem[] = []
  const configured = clew.root.length > 0 ? '--root' : process.env['CLAUDE_CONFIG_DIR'] ? 'CLAUDE_CONFIG_DIR' : ''
  const missing = roots.filter(root => !isThere(root))
  if (configured !== '') {
    for (const root of missing)
      problems.push(problem('home-missing', 'error', `${root} does not exist.`, `Check ${configured}.`))
  } else if (missing.length === roots.length) {
    const message = `No Claude home: ${roots.join(' and ')} do not exist.`
    problems.push(problem('no-home', 'warning', message, 'Set one: clew config set roots PATH'))
  }
  for (const finding of discoveries.flatMap(discovery => discovery.findings)) {
    if (!finding.code.startsWith('unreadable')) continue
    const message = `${finding.file ?? 'A file'}: ${finding.message}`
    const remedy = `chmod u+rX ${inShell(finding.file ?? '')}, or ask its owner`
    problems.push(problem(finding.code, 'error', message, remedy, true))
  }
  return problems
}

const shownPaths = 1

/** Logs contain everything that was read and said: no one else should be able to read them. */
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
      // Gone since it was found: Claude Code cleans up at the same time.
      if (errorCode(error) !== 'ENOENT') throw error
    }
  }
  const places = roots.map(root => inShell(resolve(root))).join(' ')
  const problems: Problem[] = []
  if (open.length > 0) {
    const message = `${countOf(open.length, 'session file')} readable by all users of this machine: ${firstOf(open)}`
    problems.push(problem('world-readable', 'warning', message, `chmod -R go-rwx ${places}`))
  }
  if (foreign.length > 0) {
    const message = `${countOf(foreign.length, 'session file')} of another user: ${firstOf(foreign)}`
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
  const strays = discoveries
    .flatMap(discovery => discovery.strays.filter(log => !log.isArchiveOnly))
    .map(log => log.path)
  if (strays.length > 0) {
    const message = `${strays.length} agent files belong to a session that does not exist: ${firstOf(strays)}`
    problems.push(problem('stray-agent-files', 'warning', message, 'No action needed. To read one: clew events PATH'))
  }
  const headless = sessions
    .filter(session => !session.logs.some(log => log.role === 'session'))
    .map(session => session.id)
  if (headless.length > 0) {
    const message = `${countOf(headless.length, 'session')} with only agent files or artifacts left: ${firstOf(headless)}`
    problems.push(problem('main-file-gone', 'warning', message, 'To read the rest: clew show SESSION'))
  }
  const empty = sessions.flatMap(session => session.logs).filter(log => log.size === 0 && log.role === 'session')
  if (empty.length > 0) {
    const message = `${countOf(empty.length, 'empty session file')}: ${firstOf(empty.map(log => log.path))}`
    problems.push(problem('empty-session-file', 'warning', message, 'You can remove them.'))
  }
  for (const finding of discoveries.flatMap(discovery => discovery.findings)) {
    if (finding.code.startsWith('unreadable') || finding.code === 'no-sessions' || finding.severity === 'error')
      continue
    const message = `${finding.file ?? ''}: ${finding.message}`
    problems.push(problem(finding.code, 'warning', message, 'For details: clew check PATH'))
  }
  return problems
}

function settingsProblems(clew: Clew): Problem[] {
  const { isBroken } = settingsOf(clew)
  const code = isBroken ? 'config-unreadable' : 'config-invalid'
  const remedy = `Clew ignores it until it is fixed: ${configPath(clew.home)}`
  return settingsFaults(clew).map(fault => problem(code, 'error', fault, remedy))
}

function ownProblems(own: string): Problem[] {
  const problems: Problem[] = []
  const facts = statSync(own, { throwIfNoEntry: false })
  if (process.platform !== 'win32' && facts !== undefined && (facts.mode & 0o077) !== 0) {
    const message = `${own} is accessible to other users.`
    problems.push(problem('own-folder-open', 'warning', message, `chmod 700 ${inShell(own)}`))
  }
  return problems
}

async function examineArchive(
  clew: Clew,
  discoveries: readonly Discovery[],
): Promise<{ report: Omit<DoctorReport['archive'], 'atRisk'>; problems: Problem[] }> {
  const report = {
    path: clew.archive?.layout.folder ?? null,
    mode: modeOf(clew),
    sessions: 0,
    gone: 0,
    lastRun: null,
    damage: [],
  }
  const { archive } = clew
  if (archive === undefined) return { report, problems: [] }
  try {
    const damage = archive.manifest.damage.map(({ segment, problem }) => ({ segment, problem }))
    const { sessions, goneSessions: gone } = await sessionCounts(archive, discoveries)
    const archived = { ...report, sessions, gone, lastRun: lastRunOf(archive), damage }
    return { report: archived, problems: damage.length > 0 ? [damaged(archive, damage.length)] : [] }
  } catch (error) {
    if (!(error instanceof FileError)) throw error
    return { report, problems: [unreadable(error.message)] }
  }
}

function modeOf(clew: Clew): ArchiveMode | null {
  return settingsOf(clew).isBroken ? null : archiveSettingOf(clew).mode
}

/** Every run writes down what it saw, also where nothing was new. */
function lastRunOf({ layout, manifest }: Archive): string | null {
  let last = statSync(layout.seen, { throwIfNoEntry: false })?.mtimeMs ?? 0
  for (const { archivedMs, origin } of manifest.catalog.generations.values()) {
    if (origin === undefined) last = Math.max(last, archivedMs)
  }
  return last === 0 ? null : new Date(last).toISOString()
}

function damaged({ layout }: Archive, segments: number): Problem {
  const message = `The archive's manifest is damaged: ${segments} of its files in ${layout.manifest}.`
  const remedy =
    'To list affected sessions: clew archive verify. To archive again what is still on disk: clew archive run'
  return problem('archive-damaged', 'error', message, remedy, true)
}

function unreadable(reason: string): Problem {
  const message = `The archive cannot be read: ${reason.replace(/\.$/, '')}.`
  return problem('archive-unreadable', 'error', message, 'Until then Clew shows only what is on disk.')
}

/** Clocks of two machines that share a home differ a little. */
const allowedMs = 5 * 60_000

function clockProblem(newest: number | undefined, now: number): Problem[] {
  if (newest === undefined || newest <= now + allowedMs) return []
  const message = `The clock says ${new Date(now).toISOString()}, but a record was written at ${new Date(newest).toISOString()}.`
  const remedy = 'Set the clock; until then ages and deletion dates are wrong.'
  return [problem('clock-behind', 'error', message, remedy)]
}

const none: DoctorReport['index'] = {
  path: null,
  bytes: 0,
  format: null,
  sessions: 0,
  pendingBytes: 0,
  refreshed: null,
  isDamaged: false,
  isOnNetwork: false,
  leftovers: [],
}

function examineIndex(clew: Clew, roots: readonly string[]): { report: DoctorReport['index']; problems: Problem[] } {
  const folder = join(clew.home, 'index')
  if (!existsSync(folder)) return { report: none, problems: [] }
  const path = currentPath(clew.home)
  const report: DoctorReport['index'] = {
    ...none,
    path,
    bytes: path === null ? 0 : databaseBytes(path),
    isOnNetwork: isOnNetwork(clew.home),
    leftovers: leftoversIn(folder, path),
  }
  const problem = look(report, clew, roots)
  return { report, problems: [...(problem ?? []), ...placeProblems(report)] }
}

/** Fills in what the database has. */
function look(report: DoctorReport['index'], clew: Clew, roots: readonly string[]): Problem[] | null {
  try {
    const db = openToRead(clew.home)
    if (db === null) return null
    try {
      report.format = versionOf(db)
      const { sessions, pendingBytes, refreshed } = indexNumbers(db, roots)
      Object.assign(report, { sessions, pendingBytes, refreshed })
      if (isSound(db)) return null
    } finally {
      db.close()
    }
  } catch (error) {
    if (error instanceof NewerIndexError) return [notice('index-newer', `${error.message}.`, 'Use the newer Clew.')]
    if (!(error instanceof UnusableIndexError || isDamage(error))) throw error
  }
  report.isDamaged = true
  return [notice('index-damaged', 'The index is damaged or too old.', 'To rebuild it: clew index rebuild')]
}

/** Nothing is lost with an index: it is rebuilt from logs and archive. */
function notice(code: string, message: string, remedy: string): Problem {
  return problem(code, 'warning', message.charAt(0).toUpperCase() + message.slice(1), remedy)
}

function* placeProblems({ isOnNetwork, leftovers }: DoctorReport['index']): Generator<Problem> {
  if (isOnNetwork) {
    const message = 'The index is on a network file system, where SQLite locks are unreliable.'
    yield notice('index-on-network', message, 'Use a local folder: set CLEW_HOME or pass --home.')
  }
  if (leftovers.length > 0) {
    const bytes = leftovers.reduce((sum, path) => sum + (statSync(path, { throwIfNoEntry: false })?.size ?? 0), 0)
    const message = `${leftovers.length} files (${sizeText(bytes)}) next to the index were left by killed processes.`
    yield notice('index-leftovers', message, 'To remove them: clew index refresh')
  }
}

function leftoversIn(folder: string, current: string | null): string[] {
  return readdirSync(folder)
    .filter(name => /\.sqlite(-(wal|shm|journal))?$/.test(name))
    .map(name => join(folder, name))
    .filter(path => current === null || !path.startsWith(current))
    .sort()
}

interface RetentionInput {
  sessions: readonly SessionFiles[]
  roots: readonly string[]
  now: number
  isArchived(session: SessionFiles): boolean
  /** Whether people do not want it archived. */
  isLeftOut(session: SessionFiles): boolean
}

/** A session with the time of its deletion. */
interface Due {
  session: string
  at: number
  archived: boolean
  /** It is not archived, and no one excluded it. */
  isRisk: boolean
}

const dayMs = 86_400_000
const listed = 5

/** `atRisk`: sessions that go within a week and are not archived. */
function retentionOf(input: RetentionInput): {
  retained: DoctorReport['retention']
  atRisk: number
  problems: Problem[]
} {
  const { sessions, roots, now } = input
  const due = dueOf(input)
  const homes = new Set<string>()
  for (const { path, role } of sessions.flatMap(session => session.logs)) {
    const home = role === 'session' ? homeOfLog(path) : null
    if (home !== null) homes.add(home)
  }
  const before = (limit: number) => due.filter(({ at }) => at <= limit)
  const overdue = before(now).length
  const week = before(now + 7 * dayMs)
  const paths = homes.size > 0 ? [...homes] : roots
  const retained: DoctorReport['retention'] = {
    homes: paths.map(path => ({ path, days: cleanupDays(path), isDefault: cleanupDays(path) === defaultCleanupDays })),
    overdue,
    withinWeek: week.length - overdue,
    withinMonth: before(now + 30 * dayMs).length - overdue,
    next: due.slice(0, listed).map(({ session, at, archived }) => {
      return { session, deletedOn: new Date(at).toISOString(), archived }
    }),
  }
  const risky = week.filter(({ isRisk }) => isRisk)
  return { retained, atRisk: risky.length, problems: problemsOf(retained.homes, risky, now) }
}

/** The soonest first. */
function dueOf({ sessions, isArchived, isLeftOut }: RetentionInput): Due[] {
  const times = new Retention()
  const due: Due[] = []
  for (const session of sessions) {
    const at = times.deletedOn(session)
    if (at === undefined) continue
    const archived = isArchived(session)
    due.push({ session: session.id, at, archived, isRisk: !archived && !isLeftOut(session) })
  }
  return due.sort((a, b) => a.at - b.at)
}

function problemsOf(homes: DoctorReport['retention']['homes'], risky: readonly Due[], now: number): Problem[] {
  const settings = `"cleanupPeriodDays": 3650 in ${homes.map(home => `${home.path}/settings.json`).join(' and ')}`
  const remedy = `To archive them now: clew archive run. To archive automatically: clew archive install. Or set ${settings}.`
  const problems: Problem[] = []
  const add = (code: string, message: string) => problems.push(problem(code, 'error', message, remedy, true))
  for (const { path, days } of homes)
    if (days === 0) add('keeps-nothing', `${path}: cleanupPeriodDays is 0, so Claude Code saves no sessions.`)
  const overdue = risky.filter(({ at }) => at <= now).length
  if (overdue > 0) add('deleted-at-next-start', `${sessionsText(overdue)} when it starts next.`)
  if (risky.length > overdue) add('deleted-within-week', `${sessionsText(risky.length - overdue)} within a week.`)
  return problems
}

function sessionsText(count: number): string {
  return `Claude Code will delete ${count} ${count === 1 ? 'session that is' : 'sessions that are'} not archived`
}
