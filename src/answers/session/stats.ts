// Numbers of one session or of all: turns, tools, files, models, tokens and the shape of the parent chain. From the rows of the
// index where there is one, else from the logs.

import { mergeDiscoveries } from '../../disk/discover/resolve.ts'
import { ReadError, readFinding } from '../../disk/read/read.ts'
import type { Finding } from '../../model/finding.ts'
import type { SessionGraph } from '../../model/session.ts'
import { bytesOf, type SessionFiles } from '../../model/source.ts'
import type { UsageCell } from '../../model/usage.ts'
import type { Stats } from '../../schema/contract-shapes.ts'
import { loadSession } from '../../session/load.ts'
import { StatsTally } from '../../session/stats.ts'
import { bundledPrices } from '../../usage/prices.ts'
import type { Clew } from '../clew.ts'
import { indexFor } from '../knows/index-use.ts'
import { type CopiedParts, copiedPartsIn, loadOptionsFor } from '../sessions/copied.ts'
import { discoverRoots, originFinder, sessionOf } from '../sessions/find.ts'
import { indexedGraphs, indexedRows } from '../sessions/indexed-rows.ts'
import { byPlace } from '../sessions/rows.ts'
import { usageCells } from '../usage/data.ts'

export interface StatsAnswer {
  stats: Stats
  /** Of homes and folders. */
  findings: readonly Finding[]
  /** Sessions that could not be read: they are not counted. */
  unread: readonly Finding[]
}

/** `word` names the session; all of them where absent. `isStopped`: no one waits for the answer any more. */
export async function statsOf(
  clew: Clew,
  word: string | undefined,
  isStopped: () => boolean = () => false,
): Promise<StatsAnswer> {
  const { sessions, findings } = await sessionsFor(word, clew)
  const { tally, unread } = await tallyUp(sessions, clew, isStopped)
  const stats = tally.report(await cellsOf(sessions, word !== undefined, clew))
  return { stats, findings, unread }
}

async function sessionsFor(
  word: string | undefined,
  clew: Clew,
): Promise<{ sessions: SessionFiles[]; findings: Finding[] }> {
  if (word !== undefined) return { sessions: [await sessionOf(word, clew)], findings: [] }
  const known = await indexedRows(clew)
  if (known !== null) {
    const findings = known.index.findings.filter(finding => finding.code.startsWith('unreadable'))
    return { sessions: known.rows.map(row => row.session), findings }
  }
  const { discoveries } = await discoverRoots(clew)
  const findings = discoveries.flatMap(discovery => discovery.findings)
  return { sessions: mergeDiscoveries(discoveries, clew.source), findings }
}

/** One session after the other, oldest file first, so that copies are counted with their original; none is kept. */
async function tallyUp(
  sessions: readonly SessionFiles[],
  clew: Clew,
  isStopped: () => boolean,
): Promise<{ tally: StatsTally; unread: Finding[] }> {
  const tally = new StatsTally()
  const unread: Finding[] = []
  const total = sessions.reduce((sum, session) => sum + bytesOf(session), 0)
  const fromRows = await indexedGraphs(clew)
  const isCompared = sessions.length > 1 && (await indexFor(clew)) === null
  const copied = isCompared ? await copiedPartsIn(sessions, clew.source) : null
  const progress = clew.listener.progress('reading', total)
  for (const session of [...sessions].sort((a, b) => changed(a) - changed(b) || byPlace(a, b))) {
    if (isStopped()) break
    try {
      const known = fromRows(session)
      if (known !== null) progress.add(bytesOf(session))
      const graph = known ?? (await loaded(session, copied, clew, bytes => progress.add(bytes)))
      if (graph.events.length > 0) tally.add(graph, bytesOf(session))
      else tally.addEmpty()
    } catch (error) {
      if (!(error instanceof ReadError)) throw error
      unread.push(readFinding(error))
    }
  }
  progress.end()
  return { tally, unread }
}

/** `copied`: what all sessions copied, where they were compared. */
async function loaded(
  session: SessionFiles,
  copied: CopiedParts | null,
  clew: Clew,
  onBytes: (bytes: number) => void,
): Promise<SessionGraph> {
  const options =
    copied === null
      ? await loadOptionsFor(session, clew)
      : { findOrigin: originFinder(session, clew), copied: copied.get(session.id) }
  return loadSession(clew.source, session, options, (_log, record) => onBytes(record.bytes))
}

/** What the sessions sent themselves. `isOne`: only one of all sessions was named. */
async function cellsOf(sessions: readonly SessionFiles[], isOne: boolean, clew: Clew): Promise<readonly UsageCell[]> {
  const { promptSteps } = bundledPrices
  const only = isOne ? sessions[0]?.id : undefined
  return (await usageCells(clew, { promptSteps, withTools: false, only })).cells
}

function changed(session: SessionFiles): number {
  return session.logs.reduce((last, log) => Math.max(last, log.modifiedMs), 0)
}
