// The list of sessions: rows of the index, filtered, ordered and cut to a page. Before there is an index, a walk finds the
// sessions, and the ends of the newest files say what they are about.

import { coverageOf } from '../../archive/read/tree.ts'
import type { Archive } from '../../archive/store/archive.ts'
import { toMillis } from '../../base/instant.ts'
import { discover } from '../../disk/discover/discover.ts'
import { Retention } from '../../disk/discover/homes.ts'
import { mergeDiscoveries } from '../../disk/discover/resolve.ts'
import { type IndexedSession, indexedSessions } from '../../index/search/sessions.ts'
import type { ThreadMarks } from '../../index/search/thread-marks.ts'
import { readWhen, timeExamples } from '../../index/search/when.ts'
import type { Database } from '../../index/store/port.ts'
import { bytesOf, isOnDisk, lastChange, type SessionFiles, setAsideOf } from '../../model/source.ts'
import { totalTokens } from '../../model/usage.ts'
import { byLatest } from '../../session/latest.ts'
import { type Placed, Projects } from '../../session/projects.ts'
import { type QuickRow, quickRows } from '../../session/scan/quick-rows.ts'
import { SessionSummary, type SummaryRow } from '../../session/summary.ts'
import { inheritedUsage, noSessionUsage, type SessionUsage, shownCost } from '../../usage/session-usage.ts'
import type { Clew } from '../clew.ts'
import { badRequest } from '../error.ts'
import type { Places } from '../knows/fresh-index.ts'
import { scopeOf } from '../scope.ts'
import type { ListedSession, QueryWords, SessionList } from '../shapes.ts'
import { type ListEntry, type OrderContext, orderEntries } from './page-order.ts'

type ListQuery = QueryWords

/** What rows do not contain. */
interface ListContext extends OrderContext {
  version: string
  now: number
  timezone?: string
  /** What each session sent itself; a session that is not counted yet is not in it. */
  costs: ReadonlyMap<string, SessionUsage>
  archive: Archive | null
  /** Where along it things happened; null where that is not known. */
  marksOf(entry: ListEntry): ThreadMarks | null
}

const usualCount = 100
const mostCount = 1_000
const soonMs = 7 * 86_400_000

/** Entries of all sessions in scope, the last used first; recomputed when rows changed. */
export class SessionEntries {
  private readonly clew: Clew
  private version = ''
  private entries: readonly ListEntry[] = []
  private byId: ReadonlyMap<string, ListEntry> = new Map()

  constructor(clew: Clew) {
    this.clew = clew
  }

  all(db: Database, version: string): readonly ListEntry[] {
    if (this.version === version) return this.entries
    const { isInScope } = scopeOf(this.clew)
    const isAny = ({ logs, side }: SessionFiles) => [...logs, ...side].some(file => isInScope?.(file.path) !== false)
    const found = indexedSessions(db, isInScope) ?? indexedSessions(db)?.filter(({ session }) => isAny(session)) ?? []
    const entries = toEntries(found)
    this.entries = entries
    this.byId = new Map(entries.map(entry => [entry.session.id, entry]))
    this.version = version
    return entries
  }

  of(db: Database, version: string, id: string): ListEntry | undefined {
    this.all(db, version)
    return this.byId.get(id)
  }
}

/** The latest first. */
function toEntries(found: readonly IndexedSession[]): ListEntry[] {
  const placed = found.map(({ session, facts }) => ({ slug: session.slug, cwd: facts.cwd }))
  const projects = new Projects(placed)
  return found
    .map(({ session, facts }, at) => {
      const { key, name } = projects.of(placed[at] as Placed)
      return { session, facts, endedAt: facts.endedAt, project: key, projectName: name }
    })
    .sort(byLatest)
}

export function listSessions(entries: readonly ListEntry[], query: ListQuery, context: ListContext): SessionList {
  const retention = new Retention()
  const isArchived = archivedTest(context.archive)
  const tests = testsOf(query, context, retention, isArchived)
  const fitting = entries.filter(entry => tests.every(test => test(entry)))
  const ordered = orderEntries(fitting, query, context)
  const from = numberOf(query.from, 'from', 0)
  const count = Math.min(mostCount, numberOf(query.count, 'count', usualCount))
  const sessions = ordered.slice(from, from + count).map(({ entry, follows }) => {
    const listed = toListed(entry, context, retention, isArchived)
    if (follows !== undefined) listed.follows = follows
    return listed
  })
  const { version } = context
  return { sessions, total: ordered.length, from, projects: projectsOf(entries), isSample: false, version }
}

export function numberOf(text: string | undefined, name: string, usual: number): number {
  if (text === undefined || text === '') return usual
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw badRequest(`"${name}" is not a whole number.`)
}

type Test = (entry: ListEntry) => boolean
type ArchivedTest = (session: SessionFiles) => boolean

export function archivedTest(archive: Archive | null): ArchivedTest {
  return archive?.exists ? coverageOf(archive) : () => false
}

function testsOf(query: ListQuery, context: ListContext, retention: Retention, isArchived: ArchivedTest): Test[] {
  const tests: Test[] = []
  const { project, text } = query
  if (project) tests.push(entry => entry.project === project || entry.session.slug === project)
  for (const word of (text ?? '').toLowerCase().split(/\s+/)) if (word !== '') tests.push(contains(word))
  for (const edge of ['since', 'until'] as const) {
    const at = timeOf(query[edge], edge, context)
    if (at === undefined) continue
    if (edge === 'since') tests.push(entry => (toMillis(entry.endedAt) ?? 0) >= at)
    else tests.push(entry => (toMillis(entry.facts.startedAt) ?? 0) < at)
  }
  for (const word of (query.is ?? '').split(',')) {
    if (word.trim() === '') continue
    const state = states[word.trim().toLowerCase().replace(/s$/, '')]
    if (state === undefined)
      throw badRequest(`Unknown filter "is:${word}".`, `Use one of ${Object.keys(states).join(', ')}.`)
    tests.push(entry => state(entry, { context, retention, isArchived }))
  }
  return tests
}

function contains(word: string): Test {
  return ({ session, facts, project, projectName }) =>
    [facts.title, session.id, project, projectName, facts.gitBranch ?? ''].some(text =>
      text.toLowerCase().includes(word),
    )
}

export function timeOf(
  text: string | undefined,
  edge: 'since' | 'until',
  { now, timezone }: { now: number; timezone?: string },
): number | undefined {
  if (!text) return undefined
  const at = readWhen(text, edge, { now, timezone })
  if (at !== undefined && Number.isFinite(at)) return at
  throw badRequest(`"${edge}" is not a time.`, `Examples: ${timeExamples}.`)
}

interface StateContext {
  context: ListContext
  retention: Retention
  isArchived: ArchivedTest
}

const states: Readonly<Record<string, (entry: ListEntry, context: StateContext) => boolean>> = {
  live: ({ session }, { context }) => context.live.has(session.id),
  error: ({ facts }) => facts.errors > 0,
  subagent: ({ facts }) => facts.subagents > 0,
  compaction: ({ facts }) => facts.compactions > 0,
  image: ({ facts }) => facts.hasImage,
  gone: ({ session }) => !isOnDisk(session),
  programmatic: ({ facts }) => facts.isProgrammatic,
  typed: ({ facts }) => !facts.isProgrammatic,
  'set-aside': isSetAside,
  archived: ({ session }, { isArchived }) => isArchived(session),
  unarchived: ({ session }, { isArchived }) => !isArchived(session),
  expiring: ({ session }, { retention, context }) => {
    const at = isOnDisk(session) ? retention.deletedOn(session) : undefined
    return at !== undefined && at < context.now + soonMs
  },
}

function isSetAside({ session, facts }: ListEntry): boolean {
  return setAsideOf(session, facts.promptedAt) !== undefined
}

function toListed(
  entry: ListEntry,
  context: ListContext,
  retention: Retention,
  isArchived: ArchivedTest,
): ListedSession {
  const { session, facts, project, projectName } = entry
  const onDisk = isOnDisk(session)
  const deletedOn = onDisk ? retention.deletedOn(session) : undefined
  // Before anything is counted, nothing is said of cost.
  const spent = context.costs.get(session.id) ?? (context.costs.size > 0 ? noSessionUsage() : undefined)
  const own = spent?.usage ?? facts.usage
  const inherited = inheritedUsage(own, facts.usage)
  const costUSD = spent === undefined ? undefined : shownCost(spent)
  const listed: ListedSession = {
    id: session.id,
    title: facts.title,
    project,
    projectName,
    slug: session.slug,
    startedAt: facts.startedAt,
    endedAt: facts.endedAt,
    isLive: context.live.has(session.id),
    prompts: facts.prompts,
    calls: facts.toolCalls,
    subagents: facts.subagents,
    compactions: facts.compactions,
    errors: facts.errors,
    models: facts.models,
    tokens: totalTokens(own),
    bytes: bytesOf(session),
    onDisk,
    isArchived: isArchived(session),
  }
  if (facts.gitBranch !== undefined) listed.gitBranch = facts.gitBranch
  if (costUSD !== undefined) listed.costUSD = costUSD
  if (inherited !== undefined) listed.tokensWithInherited = totalTokens(inherited)
  if (facts.tag !== undefined) listed.tag = facts.tag
  const marks = context.marksOf(entry)
  if (marks !== null) listed.marks = marks
  const family = context.families.get(session.id)
  if (family !== undefined) listed.family = family.length
  if (isSetAside(entry)) listed.isSetAside = true
  if (deletedOn !== undefined) listed.deletedOn = new Date(deletedOn).toISOString()
  return listed
}

/** The last used first. */
function projectsOf(entries: readonly ListEntry[]): SessionList['projects'] {
  const found = new Map<string, SessionList['projects'][number]>()
  for (const { project, projectName: name, facts } of entries) {
    const known = found.get(project)
    if (known === undefined) found.set(project, { project, name, sessions: 1, lastAt: facts.endedAt })
    else known.sessions++
  }
  return [...found.values()]
}

/** Without an index, the ends of this many sessions are read at a time, the last written first. */
const readAtOnce = 200

/** The list before there is an index, from the ends of files. It counts nothing. */
export class QuickList {
  private readonly clew: Clew
  private readonly places: () => Places
  private readonly onRead: () => void
  private found: Promise<void> | null = null
  private known: readonly ListEntry[] = []
  private byId: ReadonlyMap<string, ListEntry> = new Map()
  private isEnded = false
  /** How many sessions were read so far. */
  read = 0

  /** `onRead`: called when more sessions have their titles. */
  constructor(clew: Clew, places: () => Places, onRead = () => {}) {
    this.clew = clew
    this.places = places
    this.onRead = onRead
  }

  /** The last used first. All are there at once, the last written with title and project; the others follow. */
  async entries(): Promise<readonly ListEntry[]> {
    this.found ??= this.find()
    await this.found
    return this.known
  }

  /** There is an index. */
  end(): void {
    this.isEnded = true
  }

  async files(id: string): Promise<SessionFiles | null> {
    await this.entries()
    return this.entryOf(id)?.session ?? null
  }

  /** As far as it was found and read. */
  entryOf(id: string): ListEntry | undefined {
    return this.byId.get(id)
  }

  private async find(): Promise<void> {
    const { tree, source } = this.places()
    const discoveries = await Promise.all(scopeOf(this.clew).roots.map(root => discover(root, tree)))
    const sessions = mergeDiscoveries(discoveries, source)
    sessions.sort((one, other) => lastChange(other) - lastChange(one))
    const rows = new Map<SessionFiles, QuickRow>()
    const readOn = () => {
      for (const row of quickRows(sessions.slice(this.read, this.read + readAtOnce), source)) rows.set(row.session, row)
      this.read = Math.min(sessions.length, this.read + readAtOnce)
      this.known = toEntries(sessions.map(session => ({ session, facts: quickFacts(session, rows.get(session)) })))
      this.byId = new Map(this.known.map(entry => [entry.session.id, entry]))
    }
    const next = () => {
      if (this.isEnded || this.read >= sessions.length) return
      readOn()
      this.onRead()
      setImmediate(next)
    }
    readOn()
    setImmediate(next)
  }
}

function quickFacts({ id }: SessionFiles, row: QuickRow | undefined): SummaryRow {
  const facts = new SessionSummary(id).row()
  if (row === undefined) return facts
  const { title, titleFrom, cwd, gitBranch, startedAt, endedAt, tag } = row
  const quick: SummaryRow = { ...facts, title, titleFrom, cwd, startedAt, endedAt, promptedAt: endedAt }
  if (gitBranch !== undefined) quick.gitBranch = gitBranch
  if (tag !== undefined) quick.tag = tag
  return quick
}
