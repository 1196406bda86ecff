// What the address of the Usage screen asks for, and the question to the server that it becomes. Everything that can be
// chosen on the screen is in the address.

import type { Routes } from '../../src/server/api/api.ts'
import { dayOf } from '../shell/when.ts'

export const groupings = [
  ['daily', 'Days'],
  ['weekly', 'Weeks'],
  ['monthly', 'Months'],
  ['blocks', 'Blocks'],
  ['model', 'Models'],
  ['project', 'Projects'],
  ['session', 'Sessions'],
  ['tool', 'Tools'],
  ['subagent', 'Subagents'],
] as const

export type Grouping = (typeof groupings)[number][0]

export const ranges = [
  ['', 'All time'],
  ['7d', '7 days'],
  ['30d', '30 days'],
  ['90d', '90 days'],
] as const

export interface UsageAsk {
  by: Grouping
  /** `7d`: the last seven days with today; a day; empty: from the beginning. */
  since: string
  until: string
  project: string
  model: string
  isEstimated: boolean
  measure: 'cost' | 'tokens'
}

type Query = Record<string, string>

export function readAsk(query: Query): UsageAsk {
  const by = groupings.find(([name]) => name === query['by'])?.[0] ?? 'daily'
  return {
    by,
    since: query['since'] ?? '',
    until: query['until'] ?? '',
    project: query['project'] ?? '',
    model: query['model'] ?? '',
    isEstimated: query['estimate'] === '1',
    measure: query['measure'] === 'tokens' ? 'tokens' : 'cost',
  }
}

/** The address with one choice changed; defaults are left out. */
export function withPart(query: Query, part: Partial<Record<string, string>>): Query {
  const next: Query = { ...query }
  for (const [name, value] of Object.entries(part)) {
    if (value === undefined || value === '') delete next[name]
    else next[name] = value
  }
  if (next['by'] === 'daily') delete next['by']
  if (next['measure'] === 'cost') delete next['measure']
  return next
}

/** The question to the server. A span of days begins at midnight, as `clew usage --last` has it. */
export function questionOf(ask: UsageAsk, now: number): Routes['GET /api/usage']['query'] {
  const { by, project, model, until, isEstimated } = ask
  const since = sinceDay(ask.since, now)
  return {
    by,
    ...(since !== '' && { since }),
    ...(until !== '' && { until }),
    ...(project !== '' && { project }),
    ...(model !== '' && { model }),
    ...(isEstimated && { estimate: '1' }),
  }
}

export function sinceDay(since: string, now: number): string {
  const days = /^(\d{1,4})d$/.exec(since)?.[1]
  return days === undefined ? since : dayOf(now, Math.max(0, Number(days) - 1))
}

/** A time that no chip names, in words; undefined where one does. */
export function otherTime({ since, until }: UsageAsk): string | undefined {
  if (until === '') return ranges.some(([range]) => range === since) ? undefined : `since ${since}`
  if (since === until) return `on ${since}`
  return since === '' ? `until ${until}` : `${since} to ${until}`
}

/** Whether rows are stretches of time, and so a chart of columns. */
export function isOfTime(by: Grouping): boolean {
  return by === 'daily' || by === 'weekly' || by === 'monthly' || by === 'blocks'
}
