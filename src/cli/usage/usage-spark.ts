// A small picture of cost over time for each row of a report that is not by time itself: as many bars as there are days, weeks
// or months. Sums come from the report.

import { toMillis } from '../../base/instant.ts'
import { isPlainTerminal } from '../../render/terminal/charts.ts'
import { Calendar } from '../../usage/calendar.ts'
import { type ReportOptions, reportUsage } from '../../usage/report.ts'
import type { UsageData } from './usage-data.ts'
import type { UsageAsk } from './usage-options.ts'
import { commonOptions, keyOf, type NamedReport, type RowForm } from './usage-rows.ts'

const bars = '▁▂▃▄▅▆▇█'
const mostBars = 24
const pictured: ReadonlySet<RowForm> = new Set(['project', 'model', 'tool', 'subagent', 'git-branch'])
const steps = [
  { by: 'daily', text: (calendar: Calendar, day: number) => calendar.dateText(day) },
  { by: 'weekly', text: (calendar: Calendar, day: number) => calendar.dateText(calendar.weekOf(day)) },
  { by: 'monthly', text: (calendar: Calendar, day: number) => calendar.monthText(day) },
] as const

/** By the row's name; empty where there is no room, or nothing to compare. */
export function sparks(
  report: NamedReport,
  form: RowForm,
  ask: UsageAsk,
  data: UsageData,
  width: number,
): Map<string, string> {
  const pictures = new Map<string, string>()
  if (!pictured.has(form) || ask.isCompact || width < 120 || isPlainTerminal()) return pictures
  const step = stepFor(report, ask)
  if (step === null) return pictures
  const options: ReportOptions = { ...commonOptions(ask, data), by: step.by, group: form }
  const costs = new Map<string, Map<string, number>>()
  for (const row of reportUsage(data.cells, options).rows) {
    const own = costs.get(keyOf(row, form)) ?? new Map<string, number>()
    own.set(row.date ?? row.period ?? '', row.totalCost)
    costs.set(keyOf(row, form), own)
  }
  for (const [name, own] of costs) pictures.set(name, picture(step.times.map(time => own.get(time) ?? 0)))
  return pictures
}

/** The finest step that has not too many bars. */
function stepFor({ bounds }: NamedReport, ask: UsageAsk): { by: (typeof steps)[number]['by']; times: string[] } | null {
  const [from, to] = [toMillis(bounds.from), toMillis(bounds.to)]
  if (from === null || to === null) return null
  const calendar = new Calendar(ask)
  const [first, last] = [calendar.dayOf(from), calendar.dayOf(to)]
  // Records with wild times are no reason to count through millions of days.
  if (last - first > mostBars * 366) return null
  for (const { by, text } of steps) {
    const times = new Set<string>()
    for (let day = first; day <= last && times.size <= mostBars; day++) times.add(text(calendar, day))
    if (times.size <= mostBars) return times.size > 1 ? { by, times: [...times] } : null
  }
  return null
}

/** Highest for the row's own largest value; a blank for nothing. */
function picture(values: readonly number[]): string {
  const largest = Math.max(...values)
  if (largest <= 0) return ''
  return values
    .map(value => (value <= 0 ? ' ' : (bars[Math.min(7, Math.floor((value / largest) * 8))] ?? ' ')))
    .join('')
    .trimEnd()
}
