// The list of sessions: rows of the index, filtered, ordered and cut to a page. No log is opened for it.

import { ArchiveError } from '../../archive/format/error.ts'
import { coverageOf } from '../../archive/read/kept.ts'
import type { Archive } from '../../archive/store/archive.ts'
import { toMillis } from '../../base/instant.ts'
import { Retention } from '../../disk/discover/homes.ts'
import { type IndexedSession, indexedSessions } from '../../index/search/sessions.ts'
import { readWhen } from '../../index/search/when.ts'
import type { Database } from '../../index/store/port.ts'
import { bytesOf, isOnDisk, type LogFile, lastChange, type SessionFiles } from '../../model/source.ts'
import { totalTokens } from '../../model/usage.ts'
import { badQuestion } from '../http/problem.ts'
import type { ListedSession, Routes, SessionList } from './api.ts'
import type { SessionCost } from './costs.ts'
import type { Scope } from './scope.ts'

export type ListQuery = Partial<Routes['GET /api/sessions']['query']>

/** A session with what it is ordered by. */
export interface ListEntry extends IndexedSession {
  /** When it was last used. */
  whenMs: number
  project: string
}

/** What is known beside rows. */
export interface Standing {
  version: string
  now: number
  timezone?: string
  live: ReadonlySet<string>
  costs: ReadonlyMap<string, SessionCost>
  archive: Archive | null
}

const usualCount = 100
const mostCount = 1_000
const soonMs = 7 * 86_400_000

/** Entries of all sessions in scope, the last used first; made anew when rows changed. */
export class SessionEntries {
  private readonly scope: Scope
  private version = ''
  private entries: readonly ListEntry[] = []
  private byId: ReadonlyMap<string, ListEntry> = new Map()

  constructor(scope: Scope) {
    this.scope = scope
  }

  all(db: Database, version: string): readonly ListEntry[] {
    if (this.version === version) return this.entries
    const { isInScope } = this.scope
    const isAny = ({ logs, side }: SessionFiles) => [...logs, ...side].some(file => isInScope?.(file.path) !== false)
    const found = indexedSessions(db, isInScope) ?? indexedSessions(db)?.filter(({ session }) => isAny(session)) ?? []
    const entries = found.map(toEntry)
    entries.sort((one, other) => other.whenMs - one.whenMs || (one.session.id < other.session.id ? -1 : 1))
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

export function toEntry({ session, facts }: IndexedSession): ListEntry {
  const whenMs = toMillis(facts.endedAt) ?? lastChange(session)
  return { session, facts, whenMs, project: facts.cwd ?? session.slug }
}

export function listSessions(entries: readonly ListEntry[], query: ListQuery, standing: Standing): SessionList {
  const retention = new Retention()
  const isKept = keptTest(standing.archive)
  const tests = testsOf(query, standing, retention, isKept)
  const fitting = entries.filter(entry => tests.every(test => test(entry)))
  const { live } = standing
  const ordered =
    live.size === 0 ? fitting : [...fitting.filter(isIn(live)), ...fitting.filter(entry => !isIn(live)(entry))]
  const from = numberOf(query.from, 'from', 0)
  const count = Math.min(mostCount, numberOf(query.count, 'count', usualCount))
  const sessions = ordered.slice(from, from + count).map(entry => toListed(entry, standing, retention, isKept))
  const { version } = standing
  return { sessions, total: ordered.length, from, projects: projectsOf(entries), isSample: false, version }
}

function isIn(ids: ReadonlySet<string>): (entry: ListEntry) => boolean {
  return ({ session }) => ids.has(session.id)
}

export function numberOf(text: string | undefined, name: string, usual: number): number {
  if (text === undefined || text === '') return usual
  const number = Number(text)
  if (/^\d{1,9}$/.test(text) && Number.isSafeInteger(number)) return number
  throw badQuestion(`"${name}" is a whole number from 0 on.`)
}

type Test = (entry: ListEntry) => boolean
type KeptTest = (session: SessionFiles) => boolean

/** Whether the archive holds all of a session's logs, as far as size and time show. */
export function keptTest(archive: Archive | null): KeptTest {
  if (archive === null || !archive.exists) return () => false
  const covers = coverageOf(archive)
  return ({ logs, side }) => {
    if (logs.length === 0) return side.length > 0 && side.every(file => file.isKept === true)
    try {
      return logs.every((log: LogFile) => covers(log))
    } catch (error) {
      if (error instanceof ArchiveError) return false
      throw error
    }
  }
}

function testsOf(query: ListQuery, standing: Standing, retention: Retention, isKept: KeptTest): Test[] {
  const tests: Test[] = []
  const { project, text } = query
  if (project) tests.push(entry => entry.project === project || entry.session.slug === project)
  for (const word of (text ?? '').toLowerCase().split(/\s+/)) if (word !== '') tests.push(holds(word))
  for (const edge of ['since', 'until'] as const) {
    const at = timeOf(query[edge], edge, standing)
    if (at === undefined) continue
    if (edge === 'since') tests.push(entry => entry.whenMs >= at)
    else tests.push(entry => (toMillis(entry.facts.startedAt) ?? entry.whenMs) < at)
  }
  for (const word of (query.is ?? '').split(',')) {
    if (word.trim() === '') continue
    const state = states[word.trim().toLowerCase().replace(/s$/, '')]
    if (state === undefined)
      throw badQuestion(`There is no "is:${word}".`, `It is one of ${Object.keys(states).join(', ')}.`)
    tests.push(entry => state(entry, { standing, retention, isKept }))
  }
  return tests
}

function holds(word: string): Test {
  return ({ session, facts, project }) =>
    [facts.title, session.id, project, facts.gitBranch ?? ''].some(text => text.toLowerCase().includes(word))
}

export function timeOf(
  text: string | undefined,
  edge: 'since' | 'until',
  { now, timezone }: { now: number; timezone?: string },
): number | undefined {
  if (!text) return undefined
  const at = readWhen(text, edge, { now, timezone })
  if (at !== undefined && Number.isFinite(at)) return at
  throw badQuestion(`"${edge}" is no time.`, 'These are: 2026-02-17, 7d, 24h, today, yesterday.')
}

interface StateContext {
  standing: Standing
  retention: Retention
  isKept: KeptTest
}

const states: Readonly<Record<string, (entry: ListEntry, context: StateContext) => boolean>> = {
  live: ({ session }, { standing }) => standing.live.has(session.id),
  error: ({ facts }) => facts.errors > 0,
  subagent: ({ facts }) => facts.subagents > 0,
  compaction: ({ facts }) => facts.compactions > 0,
  image: ({ facts }) => facts.hasImage,
  gone: ({ session }) => !isOnDisk(session),
  kept: ({ session }, { isKept }) => isKept(session),
  unkept: ({ session }, { isKept }) => !isKept(session),
  expiring: ({ session }, { retention, standing }) => {
    const at = isOnDisk(session) ? retention.deletedOn(session) : undefined
    return at !== undefined && at < standing.now + soonMs
  },
}

function toListed(entry: ListEntry, standing: Standing, retention: Retention, isKept: KeptTest): ListedSession {
  const { session, facts, project } = entry
  const onDisk = isOnDisk(session)
  const deletedOn = onDisk ? retention.deletedOn(session) : undefined
  const cost = standing.costs.get(session.id)
  const listed: ListedSession = {
    id: session.id,
    title: facts.title,
    project,
    slug: session.slug,
    startedAt: facts.startedAt,
    endedAt: facts.endedAt,
    isLive: standing.live.has(session.id),
    prompts: facts.prompts,
    calls: facts.toolCalls,
    subagents: facts.subagents,
    compactions: facts.compactions,
    errors: facts.errors,
    models: facts.models,
    tokens: totalTokens(facts.usage),
    bytes: bytesOf(session),
    onDisk,
    isKept: isKept(session),
  }
  if (facts.gitBranch !== undefined) listed.gitBranch = facts.gitBranch
  // Where no price is known, no cost is.
  if (cost !== undefined && (cost.costUSD > 0 || cost.unknownModels.length === 0)) listed.costUSD = cost.costUSD
  if (deletedOn !== undefined) listed.deletedOn = new Date(deletedOn).toISOString()
  return listed
}

/** The last used first. */
function projectsOf(entries: readonly ListEntry[]): SessionList['projects'] {
  const found = new Map<string, SessionList['projects'][number]>()
  for (const { project, facts } of entries) {
    const known = found.get(project)
    if (known === undefined) found.set(project, { project, sessions: 1, lastAt: facts.endedAt })
    else known.sessions++
  }
  return [...found.values()]
}
