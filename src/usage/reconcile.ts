// Our costs next to what Claude Code itself wrote down: the cost of single messages, and running totals of its processes. It
// says how far they are apart, not who is right.

import type { UsageCell } from '../model/usage.ts'
import type { Reconciliation } from '../schema/contract-shapes.ts'
import { CostSum } from './prices.ts'
import { chooser, compareTexts, type Pricing, type Selection } from './report.ts'

/** One `cost-state` record: what a process of Claude Code had cost by then. */
export interface ClientTotal {
  session: string
  /** When the process began, as the record states it; a later record of the same process replaces earlier ones. */
  startTime: number | null
  /** USD. */
  usd: number
}

export interface ReconcileOptions extends Selection, Omit<Pricing, 'mode'> {}

interface SessionSums {
  all: CostSum
  ofStated: CostSum
  stated: CostSum
  messages: number
}

/** `clientTotals`: in the order of the log. A total is about whole sessions: spans of time do not part it. */
export function reconcile(
  cells: Iterable<UsageCell>,
  clientTotals: Iterable<ClientTotal>,
  options: ReconcileOptions,
): Reconciliation {
  const sums = sumsBySession(cells, options)
  const clients = clientsBySession(clientTotals)
  const result: Reconciliation = { rows: [] }
  for (const [session, sum] of [...sums].sort(([a], [b]) => compareTexts(a, b))) {
    const row: Reconciliation['rows'][number] = { session, calculated: sum.all.usd() }
    if (sum.messages > 0) {
      row.stated = { ...compared(sum.ofStated.usd(), sum.stated.usd()), messages: sum.messages }
    }
    const client = clients.get(session)
    if (client !== undefined) row.totals = { ...compared(row.calculated, client.usd), processes: client.processes }
    if (row.stated !== undefined || row.totals !== undefined) result.rows.push(row)
  }
  addSums(result)
  return result
}

function sumsBySession(cells: Iterable<UsageCell>, options: ReconcileOptions): Map<string, SessionSums> {
  const { prices } = options
  const isChosen = chooser(options)
  const sums = new Map<string, SessionSums>()
  const newSum = (mode: 'calculate' | 'display'): CostSum => new CostSum(prices, { ...options, mode })
  for (const cell of cells) {
    if (!isChosen(cell)) continue
    let sum = sums.get(cell.session)
    if (sum === undefined) {
      sum = { all: newSum('calculate'), ofStated: newSum('calculate'), stated: newSum('display'), messages: 0 }
      sums.set(cell.session, sum)
    }
    sum.all.add(cell)
    if (!cell.hasStated || cell.isSynthetic || cell.isError) continue
    sum.ofStated.add(cell)
    sum.stated.add(cell)
    sum.messages += cell.messages
  }
  return sums
}

/** The last total of each process; those without a start are one process. */
function clientsBySession(totals: Iterable<ClientTotal>): Map<string, { usd: number; processes: number }> {
  const last = new Map<string, Map<number | null, number>>()
  for (const { session, startTime, usd } of totals) {
    const ofSession = last.get(session) ?? new Map<number | null, number>()
    ofSession.set(startTime, usd)
    last.set(session, ofSession)
  }
  const sums = new Map<string, { usd: number; processes: number }>()
  for (const [session, processes] of last) {
    let usd = 0
    for (const each of processes.values()) usd += each
    sums.set(session, { usd, processes: processes.size })
  }
  return sums
}

/** In USD. */
function compared(ours: number, client: number) {
  return { ours, client, difference: ours - client }
}

function addSums(result: Reconciliation): void {
  const stated = { ours: 0, client: 0, messages: 0 }
  const totals = { ours: 0, client: 0, processes: 0 }
  for (const row of result.rows) {
    stated.ours += row.stated?.ours ?? 0
    stated.client += row.stated?.client ?? 0
    stated.messages += row.stated?.messages ?? 0
    totals.ours += row.totals?.ours ?? 0
    totals.client += row.totals?.client ?? 0
    totals.processes += row.totals?.processes ?? 0
  }
  if (stated.messages > 0) result.stated = { ...compared(stated.ours, stated.client), messages: stated.messages }
  if (totals.processes > 0) result.totals = { ...compared(totals.ours, totals.client), processes: totals.processes }
}
