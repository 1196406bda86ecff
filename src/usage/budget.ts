// Budgets: this many dollars a day, week or month, or in all, and which periods went over. What to do about it is for others.

import type { UsageCell } from '../model/usage.ts'
import type { UsageBudget } from '../schema/contract-shapes.ts'
import { noDate, type ReportOptions, reportUsage } from './report.ts'

/** This many dollars; `report`: for all that a report is about. */
export type Budget = Pick<UsageBudget, 'usd' | 'per'>

/** `20`, `$20`, `12.50/day`, `100/week`, `500/month`; null where it is not a budget. */
export function readBudget(text: string): Budget | null {
  const found = /^\$?\s*(\d+(?:\.\d+)?|\.\d+)\s*(?:usd|\$)?\s*(?:\/\s*(day|week|month|d|w|m))?$/i.exec(text.trim())
  if (!found) return null
  const words = { d: 'day', w: 'week', m: 'month' } as const
  const letter = (found[2] ?? '').toLowerCase().charAt(0)
  const per = letter === 'd' || letter === 'w' || letter === 'm' ? words[letter] : 'report'
  return { usd: Number(found[1]), per }
}

const groupings = { day: 'daily', week: 'weekly', month: 'monthly' } as const

/** Messages without a time are in no period, but in the whole. */
export function checkBudget(
  cells: Iterable<UsageCell>,
  options: Omit<ReportOptions, 'by' | 'group' | 'sort' | 'order'>,
  { usd, per }: Budget,
): UsageBudget {
  const grouping = per === 'report' ? 'monthly' : groupings[per]
  const report = reportUsage(cells, { ...options, by: grouping, group: undefined, sort: 'key', order: 'asc' })
  const rows =
    per === 'report'
      ? [{ period: 'all', cost: report.totals.totalCost }]
      : report.rows.map(row => ({ period: row.date ?? row.period ?? noDate, cost: row.totalCost }))
  const periods = rows.filter(row => row.period !== noDate).map(row => ({ ...row, isOver: row.cost > usd }))
  return { usd, per, periods, isExceeded: periods.some(period => period.isOver) }
}
