// What the client will delete, and when. It reads the client's settings and the times of files; it deletes nothing.

import { cleanupDays, defaultCleanupDays, homeOfLog, Retention } from '../disk/retention.ts'
import type { SessionFiles } from '../model/source.ts'
import type { Problem } from './doctor-problem.ts'

export interface Retained {
  /** `cleanupPeriodDays` of each home that holds sessions. */
  homes: { path: string; days: number; isDefault: boolean }[]
  /** Sessions that the client deletes when it is started next. */
  overdue: number
  withinWeek: number
  withinMonth: number
  /** Those that go first. */
  next: { session: string; deletedOn: string }[]
}

const dayMs = 86_400_000
const listed = 5

export function retentionOf(
  sessions: readonly SessionFiles[],
  roots: readonly string[],
  now: number,
): { retained: Retained; problems: Problem[] } {
  const times = new Retention()
  const due: { session: string; at: number }[] = []
  const homes = new Set<string>()
  for (const session of sessions) {
    for (const { path, role } of session.logs) {
      const home = role === 'session' ? homeOfLog(path) : null
      if (home !== null) homes.add(home)
    }
    const at = times.deletedOn(session)
    if (at !== undefined) due.push({ session: session.id, at })
  }
  due.sort((a, b) => a.at - b.at)
  const before = (limit: number) => due.filter(({ at }) => at <= limit).length
  const overdue = before(now)
  const withinWeek = before(now + 7 * dayMs)
  const paths = homes.size > 0 ? [...homes] : roots
  const retained: Retained = {
    homes: paths.map(path => ({ path, days: cleanupDays(path), isDefault: cleanupDays(path) === defaultCleanupDays })),
    overdue,
    withinWeek: withinWeek - overdue,
    withinMonth: before(now + 30 * dayMs) - overdue,
    next: due.slice(0, listed).map(({ session, at }) => ({ session, deletedOn: new Date(at).toISOString() })),
  }
  return { retained, problems: problemsOf(retained) }
}

function problemsOf({ homes, overdue, withinWeek }: Retained): Problem[] {
  const remedy = `Set "cleanupPeriodDays": 3650 in ${homes.map(home => `${home.path}/settings.json`).join(' and ')}, or copy the sessions elsewhere.`
  const problems: Problem[] = []
  const add = (code: string, message: string) =>
    problems.push({ code, severity: 'error', losesData: true, message, remedy })
  for (const { path, days } of homes)
    if (days === 0) add('keeps-nothing', `${path}: cleanupPeriodDays is 0, so the client keeps no session.`)
  if (overdue > 0) add('deleted-at-next-start', `${sessionsText(overdue)} when it is started next.`)
  if (withinWeek > 0) add('deleted-within-week', `${sessionsText(withinWeek)} within a week.`)
  return problems
}

function sessionsText(count: number): string {
  return `The client will delete ${count} ${count === 1 ? 'session' : 'sessions'}`
}
