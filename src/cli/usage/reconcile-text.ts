// How `clew usage --reconcile` is printed: a table, its notes, comma-separated values. It compares nothing itself.

import pc from 'picocolors'
import { shortIds } from '../../answers/sessions/names.ts'
import type { UsageData } from '../../answers/usage/data.ts'
import { countText, moneyText } from '../../base/format.ts'
import type { CsvCell } from '../../render/csv.ts'
import { type Column, tableLines } from '../../render/terminal/table.ts'
import type { Reconciliation } from '../../schema/contract-shapes.ts'

/** One comparison: of the messages that state a cost, or of the whole session. */
interface Line {
  session: string
  what: string
  ours: number
  client: number
  difference: number
}

const ofMessages = 'messages'
const ofSession = 'session'

function linesOf(session: string, { stated, totals }: Pick<Reconciliation, 'stated' | 'totals'>): Line[] {
  const lines: Line[] = []
  if (stated !== undefined) lines.push({ session, what: ofMessages, ...stated })
  if (totals !== undefined) lines.push({ session, what: ofSession, ...totals })
  return lines
}

export function reconcileLines(report: Reconciliation, data: UsageData, width: number): string[] {
  const rows = report.rows.flatMap(row => linesOf(row.session, row))
  const sums = linesOf('', report)
  const shortId = shortIds([...data.sessions.ids, ...report.rows.map(row => row.session)])
  const isSum = (line: Line) => line.session === ''
  const money = (name: string, of: (line: Line) => number, keep?: number): Column<Line> => ({
    name,
    ...(keep === undefined ? {} : { keep }),
    cell: line => moneyText(of(line)),
    align: 'right',
    paint: (text, line) => (isSum(line) ? pc.bold(text) : text),
  })
  const columns: Column<Line>[] = [
    {
      name: 'session',
      cell: line => (isSum(line) ? 'total' : shortId(line.session)),
      least: 8,
      most: 12,
      paint: pc.cyan,
    },
    {
      name: 'title',
      cell: line => (isSum(line) ? '' : data.sessions.title(line.session)),
      least: 10,
      most: 44,
      keep: 40,
    },
    { name: 'compared', cell: line => line.what, paint: pc.dim },
    money('Clew', line => line.ours, 50),
    money('Claude', line => line.client),
    money('difference', line => line.difference),
  ]
  const compared = tableLines([...rows, ...sums], columns, width, pc.dim)
  return [...compared, ...causeLines(report, shortId, width)].map(line => line.trimEnd())
}

/** A cause, or what none explains. */
interface CauseLine {
  session: string
  usd: number
  text: string
}

function causeLines(report: Reconciliation, shortId: (id: string) => string, width: number): string[] {
  const lines = report.rows.flatMap(({ session, totals }) => causesOf(totals).map(cause => ({ session, ...cause })))
  if (lines.length === 0) return []
  const columns: Column<CauseLine>[] = [
    { name: 'session', cell: line => shortId(line.session), least: 8, most: 12, paint: pc.cyan },
    { name: 'part', cell: line => exactMoney(line.usd), align: 'right' },
    { name: 'cause of the difference', cell: line => line.text, least: 10 },
  ]
  return ['', ...tableLines(lines, columns, width, pc.dim)]
}

function causesOf(totals: Reconciliation['rows'][number]['totals']): Omit<CauseLine, 'session'>[] {
  const lines = (totals?.causes ?? []).map(cause => ({ usd: cause.usd, text: causeText(cause) }))
  const left = totals?.unexplained ?? 0
  return left === 0 ? lines : [...lines, { usd: left, text: 'unexplained' }]
}

/** Parts of a difference are often less than a cent. */
function exactMoney(usd: number): string {
  const size = Math.abs(usd)
  if (size >= 1) return moneyText(usd)
  return `${usd < 0 ? '-' : ''}$${size.toFixed(size >= 0.0001 ? 4 : 6)}`
}

type Cause = NonNullable<NonNullable<Reconciliation['rows'][number]['totals']>['causes']>[number]

function causeText({ cause, model = '', calls }: Cause): string {
  switch (cause) {
    case 'calls-not-in-log':
      return `${calls?.map(callText).join(', ') ?? 'side calls'} by ${model}, not in the log`
    case 'shared-history':
      return 'history shared with another session, which counts it'
    case 'interrupted-answer':
      return 'interrupted answers, which Claude Code does not count'
    case 'after-total':
      return 'answers after the last total of Claude Code'
    case 'before-total':
      return 'answers before Claude Code began to count'
    case 'price':
      return `another price of ${model}`
    case 'not-chosen':
      return 'answers that this report leaves out'
  }
}

function callText({ kind, count }: NonNullable<Cause['calls']>[number]): string {
  const ending = count === 1 ? '' : kind.endsWith('h') ? 'es' : 's'
  return `${countText(count)} ${kind.replace('-', ' ')}${ending}`
}

export function reconcileNotes({ sessions }: Reconciliation): string[] {
  const note = 'messages: answers that state what they cost; session: the last total of each run of Claude Code'
  if (sessions === undefined) return [note]
  const { equal, explained, partly, unexplained } = sessions
  const counts = [
    `${equal} equal`,
    `${explained} explained`,
    `${partly} explained in part`,
    `${unexplained} unexplained`,
  ]
  return [note, `sessions with a total: ${counts.join(', ')}`]
}

export function reconcileCsv(report: Reconciliation): CsvCell[][] {
  const cells = report.rows.flatMap(row =>
    linesOf(row.session, row).map(line => {
      const totals = line.what === ofSession ? row.totals : undefined
      const causes = (totals?.causes ?? []).map(cause => `${exactMoney(cause.usd)} ${causeText(cause)}`).join('; ')
      return [line.session, line.what, line.ours, line.client, line.difference, causes, totals?.unexplained ?? 0]
    }),
  )
  const header = ['session', 'of', 'ours_usd', 'client_usd', 'difference_usd', 'causes', 'unexplained_usd']
  return [header, ...cells]
}
