// `clew usage --reconcile`: our cost of sessions next to what Claude Code itself wrote down.

import pc from 'picocolors'
import { countText, moneyText } from '../../base/format.ts'
import { asString } from '../../base/json.ts'
import { ReadError, readFinding } from '../../disk/read/read.ts'
import { blocksText } from '../../model/event.ts'
import type { CsvCell } from '../../render/csv.ts'
import { type Column, tableLines } from '../../render/terminal/table.ts'
import type { Reconciliation } from '../../schema/contract-shapes.ts'
import { readEvents } from '../../session/load.ts'
import { type CostEvidence, EvidenceReader } from '../../usage/evidence.ts'
import { type ClientTotal, clientTotal, explain, explainedCounts, isEqual, reconcile } from '../../usage/reconcile.ts'
import type { GlobalOptions } from '../command.ts'
import { indexFor } from '../index-use.ts'
import { discoverRoots } from '../input.ts'
import { shortIds } from '../list/names.ts'
import type { UsageData } from './data.ts'
import { eventReader } from './lookup.ts'
import type { UsageQuery } from './options.ts'
import { commonOptions } from './rows.ts'

export async function reconciled(query: UsageQuery, data: UsageData, globals: GlobalOptions): Promise<Reconciliation> {
  const clientTotals = await readTotals(data, globals)
  const pricing = commonOptions(query, data)
  const report = reconcile(data.cells, clientTotals, pricing)
  const differing = report.rows.filter(({ totals }) => totals !== undefined && !isEqual(totals))
  const evidenceOf = differing.length === 0 ? null : await evidenceReader(data, globals)
  for (const { session, totals } of differing) {
    if (totals === undefined || evidenceOf === null) continue
    const isOfSession = (one: { session: string }) => one.session === session
    explain(totals, {
      cells: data.cells.filter(isOfSession),
      clientTotals: clientTotals.filter(isOfSession),
      evidence: await evidenceOf(session),
      pricing,
    })
  }
  if (report.totals !== undefined) report.sessions = explainedCounts(report.rows)
  return report
}

/** Running totals that Claude Code wrote into its sessions. */
async function readTotals(data: UsageData, globals: GlobalOptions): Promise<ClientTotal[]> {
  const index = data.from === 'index' ? await indexFor(globals) : null
  if (index !== null) return (await import('../../index/search/usage.ts')).clientTotals(index.db, index.isInScope)
  const read = await eventReader(globals, data.findings)
  const totals: ClientTotal[] = []
  for (const session of data.sessions.ids) {
    const files = data.sessions.row(session)?.session
    if (files === undefined) continue
    await read(files, ({ kind, detail }) => {
      if (kind !== 'state' || detail?.['type'] !== 'cost-state') return
      const total = clientTotal(session, detail)
      if (total !== null) totals.push(total)
    })
  }
  return totals
}

/** Reads what the log of a session shows of causes; null where the session cannot be read. */
type EvidenceOf = (session: string) => Promise<CostEvidence | null>

async function evidenceReader({ sessions, findings }: UsageData, globals: GlobalOptions): Promise<EvidenceOf> {
  const asides = await sideQuestions(globals)
  return async id => {
    const logs = sessions.row(id)?.session.logs
    if (logs === undefined) return null
    const reader = new EvidenceReader()
    try {
      for (const [place, log] of logs.entries()) {
        const file = {
          place,
          isAgentFile: log.role === 'agent',
          ...(log.nameSession && { nameSession: log.nameSession }),
        }
        for await (const event of readEvents(globals.source, log, { session: id })) reader.see(event, file)
      }
    } catch (error) {
      if (!(error instanceof ReadError)) throw error
      findings.push(readFinding(error))
      return null
    }
    for (let count = asides.get(id) ?? 0; count > 0; count--) reader.seeSideQuestion()
    return reader.result(logs.map(({ path }, number) => ({ path, number, session: id })))
  }
}

/** How many `/btw` were typed in each session: no session log has them. */
async function sideQuestions(globals: GlobalOptions): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  const { discoveries } = await discoverRoots(globals)
  for (const log of discoveries.flatMap(({ histories }) => histories)) {
    for await (const event of readEvents(globals.source, log)) {
      const session = asString(event.record.value?.['sessionId'])
      const isAside = event.kind === 'history' && /^\/btw\s/.test(blocksText(event.blocks))
      if (isAside && session) counts.set(session, (counts.get(session) ?? 0) + 1)
    }
  }
  return counts
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
