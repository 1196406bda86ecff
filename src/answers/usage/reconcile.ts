// `clew usage --reconcile`: our cost of sessions next to what Claude Code itself wrote down, with the causes of differences.

import { ReadError, readFinding } from '../../disk/read/read.ts'
import { blocksText } from '../../model/event.ts'
import type { Reconciliation } from '../../schema/contract-shapes.ts'
import { readEvents } from '../../session/load.ts'
import { type CostEvidence, EvidenceReader } from '../../usage/evidence.ts'
import { type ClientTotal, clientTotal, explain, explainedCounts, isEqual, reconcile } from '../../usage/reconcile.ts'
import type { Clew } from '../clew.ts'
import { indexFor } from '../knows/index-use.ts'
import { discoverRoots } from '../sessions/find.ts'
import type { UsageData } from './data.ts'
import { eventReader } from './lookup.ts'
import type { UsageQuery } from './options.ts'
import { commonOptions } from './rows.ts'

export async function reconciled(query: UsageQuery, data: UsageData, clew: Clew): Promise<Reconciliation> {
  const clientTotals = await readTotals(data, clew)
  const pricing = commonOptions(query, data)
  const report = reconcile(data.cells, clientTotals, pricing)
  const differing = report.rows.filter(({ totals }) => totals !== undefined && !isEqual(totals))
  const evidenceOf = differing.length === 0 ? null : await evidenceReader(data, clew)
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
async function readTotals(data: UsageData, clew: Clew): Promise<ClientTotal[]> {
  const index = data.from === 'index' ? await indexFor(clew) : null
  if (index !== null) return (await import('../../index/search/usage.ts')).clientTotals(index.db, index.isInScope)
  const read = await eventReader(clew, data.findings)
  const totals: ClientTotal[] = []
  for (const session of data.sessions.ids) {
    const files = data.sessions.row(session)?.session
    if (files === undefined) continue
    await read(files, ({ kind, detail }) => {
      if (kind !== 'state' || detail?.type !== 'cost-state') return
      const total = clientTotal(session, detail)
      if (total !== null) totals.push(total)
    })
  }
  return totals
}

/** Reads what the log of a session shows of causes; null where the session cannot be read. */
type EvidenceOf = (session: string) => Promise<CostEvidence | null>

async function evidenceReader({ sessions, findings }: UsageData, clew: Clew): Promise<EvidenceOf> {
  const asides = await sideQuestions(clew)
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
        for await (const event of readEvents(clew.source, log, { session: id })) reader.see(event, file)
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
async function sideQuestions(clew: Clew): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  const { discoveries } = await discoverRoots(clew)
  for (const log of discoveries.flatMap(({ histories }) => histories)) {
    for await (const event of readEvents(clew.source, log)) {
      const { session } = event.stated
      const isAside = event.kind === 'history' && /^\/btw\s/.test(blocksText(event.blocks))
      if (isAside && session) counts.set(session, (counts.get(session) ?? 0) + 1)
    }
  }
  return counts
}
