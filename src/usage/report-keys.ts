// What a report is grouped by: for each grouping the text that names a cell's line, and the field that the text is printed
// in. Adding up and ordering are not here.

import type { UsageCell } from '../model/spent.ts'
import type { Calendar } from './calendar.ts'
import { quarterMillis } from './cells.ts'
import type { PriceTable } from './prices.ts'
import { shownModel } from './report-sums.ts'

/** All groupings, as they are asked for. */
export const usageGroupings = [
  'daily',
  'weekly',
  'monthly',
  'session',
  'project',
  'model',
  'tool',
  'subagent',
  'branch',
  'git-branch',
] as const
export type UsageGrouping = (typeof usageGroupings)[number]

/** What cells do not say themselves. A name that is null or not asked for is shown as missing. */
export interface UsageNames {
  projectOf?(session: string): string | null
  /** Null for the main thread. */
  agentOf?(session: string, thread: string): string | null
  branchOf?(cell: UsageCell): string | null
  gitBranchOf?(cell: UsageCell): string | null
}

/** The line of messages without a time; it is always the last. */
export const noDate = 'unknown'

/** What names lines; of each report one field, of a grouped one two. */
export interface RowKeys {
  date?: string
  /** A week by its first day, or a month as `2026-02`. */
  period?: string
  session?: string
  project?: string
  model?: string
  tool?: string
  subagent?: string
  branch?: string
  gitBranch?: string
}

export interface KeyContext {
  calendar: Calendar
  names: UsageNames
  prices: PriceTable
}

export interface Keyer {
  field: keyof RowKeys
  isTime: boolean
  /** `tool`: of the share that the cell is. */
  keyOf(cell: UsageCell, tool: string): string
}

export function keyerOf(grouping: UsageGrouping, context: KeyContext): Keyer {
  const { calendar, names, prices } = context
  const time = (field: 'date' | 'period', text: (day: number) => string): Keyer => {
    return { field, isTime: true, keyOf: dayKey(calendar, text) }
  }
  const name = (field: keyof RowKeys, keyOf: Keyer['keyOf']): Keyer => ({ field, isTime: false, keyOf })
  switch (grouping) {
    case 'daily':
      return time('date', day => calendar.dateText(day))
    case 'weekly':
      return time('period', day => calendar.dateText(calendar.weekOf(day)))
    case 'monthly':
      return time('period', day => calendar.monthText(day))
    case 'session':
      return name('session', cell => cell.session)
    case 'project':
      return name('project', cell => names.projectOf?.(cell.session) ?? '(no project)')
    case 'model':
      return name('model', cell => shownModel(cell, prices))
    case 'tool':
      return name('tool', (_, tool) => tool)
    case 'subagent':
      return name('subagent', cell => names.agentOf?.(cell.session, cell.thread) ?? '(main thread)')
    case 'branch':
      return name('branch', cell => names.branchOf?.(cell) ?? '(no branch)')
    case 'git-branch':
      return name('gitBranch', cell => names.gitBranchOf?.(cell) ?? '(no branch)')
  }
}

/** Texts of days are made once; a report has many cells of each. */
function dayKey(calendar: Calendar, text: (day: number) => string): Keyer['keyOf'] {
  const texts = new Map<number, string>()
  return cell => {
    if (cell.quarter === null) return noDate
    const day = calendar.dayOf(cell.quarter * quarterMillis)
    let known = texts.get(day)
    if (known === undefined) {
      known = text(day)
      texts.set(day, known)
    }
    return known
  }
}
