// What the client will delete, when, and whether it is kept. It reads the client's settings and the times of files; it
// deletes nothing.

import { cleanupDays, defaultCleanupDays, homeOfLog, Retention } from '../../../disk/discover/homes.ts'
import type { SessionFiles } from '../../../model/source.ts'
import type { Problem } from './doctor-problem.ts'

export interface Retained {
  /** `cleanupPeriodDays` of each home that holds sessions. */
  homes: { path: string; days: number; isDefault: boolean }[]
  /** Sessions that the client deletes when it is started next. */
  overdue: number
  withinWeek: number
  withinMonth: number
  /** Those that go first. */
  next: { session: string; deletedOn: string; archived: boolean }[]
}

export interface RetentionInput {
  sessions: readonly SessionFiles[]
  roots: readonly string[]
  now: number
  isArchived(session: SessionFiles): boolean
  /** Whether people do not want it kept. */
  isLeftOut(session: SessionFiles): boolean
}

/** A session with the time of its deletion. */
interface Due {
  session: string
  at: number
  archived: boolean
  /** Nobody keeps it, and nobody asked for that. */
  isRisk: boolean
}

const dayMs = 86_400_000
const listed = 5

/** `atRisk`: sessions that go within a week and are not kept. */
export function retentionOf(input: RetentionInput): { retained: Retained; atRisk: number; problems: Problem[] } {
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
  const retained: Retained = {
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

function problemsOf(homes: Retained['homes'], risky: readonly Due[], now: number): Problem[] {
  const settings = `"cleanupPeriodDays": 3650 in ${homes.map(home => `${home.path}/settings.json`).join(' and ')}`
  const remedy = `clew archive run keeps them, clew archive install does so by itself from then on; or set ${settings}.`
  const problems: Problem[] = []
  const add = (code: string, message: string) =>
    problems.push({ code, severity: 'error', losesData: true, message, remedy })
  for (const { path, days } of homes)
    if (days === 0) add('keeps-nothing', `${path}: cleanupPeriodDays is 0, so the client keeps no session.`)
  const overdue = risky.filter(({ at }) => at <= now).length
  if (overdue > 0) add('deleted-at-next-start', `${sessionsText(overdue)} when it is started next.`)
  if (risky.length > overdue) add('deleted-within-week', `${sessionsText(risky.length - overdue)} within a week.`)
  return problems
}

function sessionsText(count: number): string {
  return `The client will delete ${count} ${count === 1 ? 'session that is' : 'sessions that are'} not kept`
}
