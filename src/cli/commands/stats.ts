// `clew stats`: numbers of one session or of all, from the rows of the index where there is one, else from the logs. The
// text shows what people ask for first; the JSON has all.

import { escapeForLine } from '../../base/escape.ts'
import { mergeDiscoveries } from '../../disk/discover/resolve.ts'
import { ReadError } from '../../disk/read/read.ts'
import type { Finding } from '../../model/finding.ts'
import type { SessionGraph } from '../../model/session.ts'
import type { SessionFiles } from '../../model/source.ts'
import { loadSession } from '../../session/load.ts'
import { type Stats, StatsTally } from '../../session/stats.ts'
import type { CommandDeclaration, CommandInput, ExitCode, GlobalOptions } from '../command.ts'
import { indexFor } from '../index-use.ts'
import { discoverRoots, sessionOf } from '../input.ts'
import { byPlace, indexedRows } from '../list/list-indexed.ts'
import { bytesOf } from '../list/list-row.ts'
import { statsLines } from '../session/stats-text.ts'
import { readFinding } from '../session/verdict.ts'
import { findingLine, isOutputClosed, printJson, printLine, say } from '../terminal/output.ts'
import { startProgress } from '../terminal/progress.ts'

export const declaration: CommandDeclaration = {
  argument: {
    name: '[session]',
    description: 'full id, beginning of one, title, file path, or `last`; all sessions when absent',
  },
  description:
    'Counts what is in one session, or in all of them: turns and how long they took, tools by calls, failures, time and bytes, files touched, models and tokens, compactions, and how the parent chain looks.',
  options: [],
  examples: [
    ['clew stats', 'all your sessions'],
    ['clew stats last', 'the newest one'],
    ['clew stats --json', 'everything, for scripts'],
  ],
  archivesAfterwards: true,
}

export async function run({ args, globals }: CommandInput): Promise<ExitCode> {
  const { sessions, isSample, findings } = await sessionsFor(args[0], globals)
  const { stats, unread } = await tallyUp(sessions, globals)
  for (const finding of [...findings, ...unread])
    if (!globals.quiet || finding.severity === 'error') say(findingLine(finding))
  if (stats.sessions === 0) {
    if (findings.length + unread.length === 0) say(nothingText(args[0]))
    return unread.length > 0 ? 2 : 1
  }
  if (isSample && !globals.quiet && !globals.json)
    say('clew: you have no sessions yet; this is the bundled sample history')
  if (globals.json) await printJson(stats)
  else for (const line of statsLines(stats, globals.timezone)) await printLine(line)
  return unread.length > 0 ? 1 : 0
}

function nothingText(named: string | undefined): string {
  if (named === undefined) return 'clew: no sessions found; --root PATH names a Claude home'
  return `clew: there is nothing to count: the file of "${escapeForLine(named)}" holds no record`
}

interface Wanted {
  sessions: SessionFiles[]
  isSample: boolean
  findings: Finding[]
}

async function sessionsFor(text: string | undefined, globals: GlobalOptions): Promise<Wanted> {
  if (text !== undefined) return { sessions: [await sessionOf(text, globals)], isSample: false, findings: [] }
  const known = await indexedRows(globals)
  if (known !== null) {
    const { rows, index } = known
    const findings = index.findings.filter(finding => finding.code.startsWith('unreadable'))
    return { sessions: rows.map(row => row.session), isSample: index.isSample, findings }
  }
  const { discoveries, isSample } = await discoverRoots(globals)
  const findings = discoveries.flatMap(discovery => discovery.findings)
  return { sessions: mergeDiscoveries(discoveries, globals.source), isSample, findings }
}

/** One session after the other, oldest file first, so that copies are counted with their original; none is kept. */
async function tallyUp(
  sessions: readonly SessionFiles[],
  globals: GlobalOptions,
): Promise<{ stats: Stats; unread: Finding[] }> {
  const tally = new StatsTally()
  const unread: Finding[] = []
  const total = sessions.reduce((sum, session) => sum + bytesOf(session), 0)
  const fromRows = await rowReader(globals)
  const progress = startProgress({ what: 'reading', total, isQuiet: globals.quiet })
  for (const session of [...sessions].sort((a, b) => changed(a) - changed(b) || byPlace(a, b))) {
    if (isOutputClosed()) break
    try {
      const thin = fromRows(session)
      if (thin !== null) progress.add(bytesOf(session))
      const graph =
        thin ?? (await loadSession(globals.source, session, {}, (_log, record) => progress.add(record.bytes)))
      if (graph.events.length > 0) tally.add(graph, bytesOf(session))
    } catch (error) {
      if (!(error instanceof ReadError)) throw error
      unread.push(readFinding(error))
    }
  }
  progress.end()
  return { stats: tally.report(), unread }
}

/** Gives a session's graph without texts; null where its logs have to be read. */
async function rowReader(globals: GlobalOptions): Promise<(session: SessionFiles) => SessionGraph | null> {
  const index = await indexFor(globals)
  if (index === null) return () => null
  const { SessionRows } = await import('../../index/search/session-rows.ts')
  const rows = new SessionRows(index.db)
  return session => rows.graph(session)
}

function changed(session: SessionFiles): number {
  return session.logs.reduce((last, log) => Math.max(last, log.modifiedMs), 0)
}
