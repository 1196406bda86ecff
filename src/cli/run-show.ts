// `clew show`: a session's shape. The JSON is the whole contract; the text is an outline of it.

import { basename } from 'node:path'
import pc from 'picocolors'
import { escapeForLine } from '../base/escape.ts'
import { cutToColumns } from '../base/width.ts'
import { discover } from '../disk/discover.ts'
import { diskSource } from '../disk/read.ts'
import { digestSession, linkSessions, sessionDetail } from '../graph/graph.ts'
import { loadSession } from '../load/load.ts'
import type { LineageLink, SessionDetail, SessionGraph } from '../model/session.ts'
import type { SessionFiles } from '../model/source.ts'
import type { CommandInput, ExitCode, GlobalOptions } from './command.ts'
import { timeText } from './event-text.ts'
import { sessionOf } from './input.ts'
import { printJson, printLine } from './output.ts'
import { siblingGraphs } from './siblings.ts'
import { FileVerdict } from './verdict.ts'

/** A session that changed within this time is taken to be in use. */
const liveWithinMs = 5 * 60 * 1000

export async function run({ args, globals }: CommandInput): Promise<ExitCode> {
  const session = await sessionOf(args[0], globals)
  const verdict = new FileVerdict(session.logs[0])
  const detail = await detailOf(session, verdict)
  if (verdict.isHopeless) return verdict.report(0)
  if (globals.json) await printJson(detail)
  else for (const line of outline(detail, globals)) await printLine(line)
  return 0
}

async function detailOf(session: SessionFiles, verdict: FileVerdict): Promise<SessionDetail> {
  const graph = await loadSession(diskSource(), session, {}, (_file, record) => verdict.see(record))
  const siblings = await siblingGraphs(session, discover)
  const lineage = lineageOf(graph, siblings)
  const fileSummaries = siblings.flatMap(sibling => sibling.summaries)
  const modifiedMs = Math.max(0, ...session.logs.map(log => log.modifiedMs))
  const files = [...session.logs, ...session.side].map(file => file.path)
  const live = Date.now() - modifiedMs < liveWithinMs
  return sessionDetail(graph, { slug: session.slug, files, live, lineage, fileSummaries })
}

function lineageOf(graph: SessionGraph, siblings: readonly SessionGraph[]): LineageLink[] {
  const digests = [graph, ...siblings].map(digestSession)
  return linkSessions(digests).get(graph.session) ?? []
}

function* outline(detail: SessionDetail, globals: GlobalOptions): Generator<string> {
  const time = (at: string | null) => timeText(at, globals.timezone)
  yield pc.bold(escapeForLine(detail.title))
  yield pc.dim(`${escapeForLine(detail.id)} · title from ${detail.titleFrom}`)
  yield `project    ${escapeForLine(detail.project.cwd ?? detail.project.slug)}`
  yield `when       ${time(detail.startedAt)} to ${time(detail.endedAt)}${detail.live ? pc.green('  in use') : ''}`
  yield `client     ${escapeForLine(detail.versions.join(', ') || '-')}   models ${escapeForLine(detail.models.join(', ') || '-')}`
  yield `files      ${detail.files.map(file => escapeForLine(basename(file))).join(', ')}`
  yield* turnLines(detail, time)
  yield* threadLines(detail)
  yield* callLines(detail)
  for (const compaction of detail.compactions) {
    yield `compaction ${time(compaction.at)} ${compaction.trigger ?? ''} ${compaction.preTokens ?? ''}`.trimEnd()
  }
  if (detail.branches.length > 1) {
    for (const branch of detail.branches) {
      yield `branch     ${branch.active ? pc.green('active') : 'other '} ${branch.eventCount} events ${escapeForLine(branch.title ?? '')}`.trimEnd()
    }
  }
  for (const link of detail.lineage)
    yield `lineage    ${link.relation} ${escapeForLine(link.session)} (${escapeForLine(link.how)})`
  const { usage } = detail
  const bound = usage.outputFinal ? '' : ' (output is a lower bound: the client logged only a placeholder)'
  yield `tokens     ${usage.inputTokens} in, ${usage.outputTokens} out, ${usage.cacheCreationTokens} cache write, ${usage.cacheReadTokens} cache read${bound}`
  if (detail.diagnostics.length > 0)
    yield pc.yellow(`noticed    ${detail.diagnostics.length} things; \`clew check\` lists them`)
}

function* turnLines(detail: SessionDetail, time: (at: string | null) => string): Generator<string> {
  yield `turns      ${detail.turns.length}`
  for (const turn of detail.turns.slice(0, 50)) {
    yield pc.dim(`           ${turn.index}. ${time(turn.startedAt)}  ${turn.events} events, ${turn.toolCalls} calls`)
  }
  if (detail.turns.length > 50) yield pc.dim(`           … ${detail.turns.length - 50} more; --json has all`)
}

function* threadLines(detail: SessionDetail): Generator<string> {
  for (const thread of detail.threads) {
    if (thread.kind === 'main') continue
    const link = thread.linkedBy === undefined ? 'not linked to a call' : `linked by ${thread.linkedBy}`
    yield `subagent   ${cutToColumns(escapeForLine(thread.id), 40)} ${escapeForLine(thread.agentType ?? '')} ${thread.eventCount} events, ${link}`
  }
}

function* callLines(detail: SessionDetail): Generator<string> {
  const byName = new Map<string, { count: number; failed: number }>()
  for (const call of detail.toolCalls) {
    const entry = byName.get(call.name) ?? { count: 0, failed: 0 }
    entry.count++
    if (call.status === 'failed') entry.failed++
    byName.set(call.name, entry)
  }
  const parts = [...byName].sort((a, b) => b[1].count - a[1].count)
  const text = parts.map(
    ([name, { count, failed }]) => `${escapeForLine(name)} ${count}${failed > 0 ? pc.red(` (${failed} failed)`) : ''}`,
  )
  yield `calls      ${text.join(', ') || '-'}`
}
