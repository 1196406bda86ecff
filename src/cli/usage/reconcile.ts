// `clew usage --reconcile`: our cost of sessions next to what Claude Code itself wrote down.

import pc from 'picocolors'
import { moneyText } from '../../base/format.ts'
import { asNumber } from '../../base/json.ts'
import type { CsvCell } from '../../render/csv.ts'
import { type Column, tableLines } from '../../render/terminal/table.ts'
import type { Reconciliation } from '../../schema/contract-shapes.ts'
import { type ClientTotal, reconcile } from '../../usage/reconcile.ts'
import type { GlobalOptions } from '../command.ts'
import { indexFor } from '../index-use.ts'
import { shortIds } from '../list/names.ts'
import type { UsageData } from './data.ts'
import { eventReader } from './lookup.ts'
import type { UsageQuery } from './options.ts'
import { commonOptions } from './rows.ts'

export async function reconciled(query: UsageQuery, data: UsageData, globals: GlobalOptions): Promise<Reconciliation> {
  const totals = await clientTotals(data, globals)
  return reconcile(data.cells, totals, commonOptions(query, data))
}

/** Running totals that Claude Code wrote into the sessions that have cells. */
async function clientTotals(data: UsageData, globals: GlobalOptions): Promise<ClientTotal[]> {
  const index = data.from === 'index' ? await indexFor(globals) : null
  if (index !== null) return (await import('../../index/search/usage.ts')).clientTotals(index.db, index.isInScope)
  const read = await eventReader(globals, data.findings)
  const totals: ClientTotal[] = []
  for (const session of new Set(data.cells.map(cell => cell.session))) {
    const files = data.sessions.row(session)?.session
    if (files === undefined) continue
    await read(files, ({ kind, detail }) => {
      if (kind !== 'state' || detail?.['type'] !== 'cost-state') return
      const usd = asNumber(detail['totalCostUSD'])
      if (usd !== undefined) totals.push({ session, startTime: asNumber(detail['startTime']) ?? null, usd })
    })
  }
  return totals
}

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
    money('ours', line => line.ours, 50),
    money('client', line => line.client),
    money('difference', line => line.difference),
  ]
  return [...tableLines([...rows, ...sums], columns, width, pc.dim)].map(line => line.trimEnd())
}

export const reconcileNote =
  'messages: answers that state what they cost; session: the last total of each run of Claude Code, which also counts what no record shows'

export function reconcileCsv(report: Reconciliation): CsvCell[][] {
  const lines = report.rows.flatMap(row => linesOf(row.session, row))
  const cells = lines.map(line => [line.session, line.what, line.ours, line.client, line.difference])
  return [['session', 'of', 'ours_usd', 'client_usd', 'difference_usd'], ...cells]
}
