// `clew` alone: what was found, the latest sessions, and what to type next.

import pc from 'picocolors'
import { escapeForLine } from '../base/escape.ts'
import { cutToColumns, fitColumns } from '../base/width.ts'
import { diskSource, ReadError } from '../disk/read.ts'
import { mergeDiscoveries } from '../disk/resolve.ts'
import { sessionDetail } from '../graph/graph.ts'
import { loadSession } from '../load/load.ts'
import type { BranchSummary, SessionDetail, SessionGraph } from '../model/session.ts'
import type { SessionFiles } from '../model/source.ts'
import type { CommandInput, ExitCode } from './command.ts'
import { timeText } from './event-text.ts'
import { discoverRoots } from './input.ts'
import { findingLine, printJson, printLine, say } from './output.ts'

const latest = 10
const latestOfSample = 40

export async function run({ globals }: CommandInput): Promise<ExitCode> {
  const { discoveries, isSample } = await discoverRoots(globals)
  const sessions = mergeDiscoveries(discoveries).sort((a, b) => modified(b) - modified(a))
  const findings = discoveries.flatMap(discovery => discovery.findings)
  if (sessions.length === 0) {
    for (const finding of findings) say(findingLine(finding))
    say('clew: no sessions found; --root PATH names a Claude home')
    return findings.some(finding => finding.severity === 'error') ? 2 : 1
  }
  const shown = await details(sessions.slice(0, isSample ? latestOfSample : latest))
  if (globals.json) {
    await printJson({ roots: discoveries.map(found => found.root), sessions: shown.map(rowOf) })
    return 0
  }
  const bytes = sessions.flatMap(session => session.logs).reduce((sum, log) => sum + log.size, 0)
  const projects = new Set(sessions.map(session => session.slug)).size
  const where = isSample
    ? 'the bundled sample history (you have no sessions yet)'
    : discoveries.map(found => found.root).join(', ')
  await printLine(
    `${pc.bold('clew')} found ${sessions.length} sessions in ${projects} projects, ${sizeText(bytes)}, in ${escapeForLine(where)}`,
  )
  await printLine('')
  for (const line of table(shown, globals.timezone)) await printLine(line)
  await printLine('')
  await printLine(`${pc.dim('next:')} clew show ${shown[0]?.id.slice(0, 8) ?? 'last'} · clew events last · clew check`)
  return 0
}

function modified(session: SessionFiles): number {
  return Math.max(0, ...session.logs.filter(log => log.role === 'session').map(log => log.modifiedMs))
}

async function details(sessions: readonly SessionFiles[]): Promise<SessionDetail[]> {
  const loaded: { session: SessionFiles; graph: SessionGraph }[] = []
  for (const session of sessions) {
    try {
      loaded.push({ session, graph: await loadSession(diskSource(), session) })
    } catch (error) {
      if (!(error instanceof ReadError)) throw error
    }
  }
  const fileSummaries: BranchSummary[] = loaded.flatMap(({ graph }) => graph.summaries)
  const found = loaded.map(({ session, graph }) =>
    sessionDetail(graph, {
      slug: session.slug,
      files: session.logs.map(log => log.path),
      live: false,
      lineage: [],
      fileSummaries,
    }),
  )
  return found.sort((a, b) => ((b.endedAt ?? '') > (a.endedAt ?? '') ? 1 : -1))
}

function rowOf(detail: SessionDetail): object {
  const { id, title, project, startedAt, endedAt, models, files } = detail
  return {
    id,
    title,
    project,
    startedAt,
    endedAt,
    models,
    files: files.length,
    prompts: detail.turns.length,
    toolCalls: detail.toolCalls.length,
  }
}

function* table(rows: readonly SessionDetail[], timezone: string | undefined): Generator<string> {
  const width = Math.max(40, process.stdout.columns ?? 100)
  const titleWidth = Math.max(16, Math.min(56, width - 58))
  yield pc.dim(`${'session'.padEnd(9)} ${'when'.padEnd(17)} ${'title'.padEnd(titleWidth)} turns calls agents project`)
  for (const row of rows) {
    const agents = row.threads.filter(thread => thread.kind === 'subagent').length
    const project = (row.project.cwd ?? row.project.slug).replace(/^.*[\\/]/, '')
    const columns = [
      pc.cyan(fitColumns(shortId(row.id), 9)),
      timeText(row.startedAt, timezone).slice(0, 16).padEnd(17),
      fitColumns(escapeForLine(row.title), titleWidth),
      String(row.turns.length).padStart(5),
      String(row.toolCalls.length).padStart(5),
      String(agents || '').padStart(6),
      cutToColumns(escapeForLine(project), 20),
    ]
    yield columns.join(' ')
  }
}

/** Enough of an id to name the session: the beginning of a UUID, or any other id as far as it fits. */
function shortId(id: string): string {
  return /^[0-9a-f]{8}-/.test(id) ? id.slice(0, 8) : escapeForLine(id)
}

function sizeText(bytes: number): string {
  if (bytes < 1024 * 1024) return `${(bytes / 1024).toFixed(1)} KiB`
  return `${(bytes / 1024 / 1024).toFixed(1)} MiB`
}
