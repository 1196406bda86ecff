// A session's graph → what `clew show --json` prints: the same things, by id and count instead of by content.

import { hasFlag, type SessionEvent, type Usage } from '../../model/event.ts'
import { SessionSpan } from '../../model/origin.ts'
import type { Dialect } from '../../model/record.ts'
import type { BranchSummary, LineageLink, SessionGraph } from '../../model/session.ts'
import type { SessionDetail } from '../../schema/contract-shapes.ts'
import { titleOf } from '../lineage/title.ts'
import { sumUsage } from './turns.ts'

/** What the graph cannot know: where the session is, whether it is being written, and its kin. */
export interface DetailExtra {
  slug: string
  files: string[]
  live: boolean
  lineage: LineageLink[]
  /** Branch titles found in the folder's other files. */
  fileSummaries?: BranchSummary[]
}

/** A session as `clew show --json` prints it. `extra` is what the events themselves do not contain. */
export function sessionDetail(graph: SessionGraph, extra: DetailExtra): SessionDetail {
  const { title, titleFrom } = titleOf(graph, extra.fileSummaries ?? [])
  const facts = gather(graph.events)
  return {
    id: graph.session,
    title,
    titleFrom,
    project: { cwd: facts.cwd, slug: extra.slug },
    files: extra.files,
    startedAt: facts.span.startedAt,
    endedAt: facts.span.endedAt,
    live: extra.live,
    models: [...facts.models],
    versions: [...facts.versions],
    dialects: [...facts.dialects],
    threads: threadRows(graph),
    turns: turnRows(graph),
    toolCalls: callRows(graph),
    branches: branchRows(graph),
    compactions: graph.compactions.map(({ postTokens: _postTokens, ...row }) => row),
    lineage: extra.lineage,
    usage: usageOf(graph),
    diagnostics: graph.findings,
  }
}

interface Facts {
  cwd: string | null
  span: SessionSpan
  models: Set<string>
  versions: Set<string>
  dialects: Set<Dialect>
}

function gather(events: readonly SessionEvent[]): Facts {
  const facts: Facts = {
    cwd: null,
    span: new SessionSpan(),
    models: new Set(),
    versions: new Set(),
    dialects: new Set(),
  }
  for (const event of events) {
    if (event.kind === 'malformed' || hasFlag(event, 'copy')) continue
    facts.cwd ??= event.cwd ?? null
    facts.dialects.add(event.dialect)
    if (event.version !== undefined) facts.versions.add(event.version)
    if (event.message?.model !== undefined && !hasFlag(event, 'synthetic')) facts.models.add(event.message.model)
    facts.span.see(event)
  }
  return facts
}

function threadRows(graph: SessionGraph): SessionDetail['threads'] {
  return graph.threads.map(thread => {
    const { id, kind, agentType, parentThread, call, linkedBy, async, isInternal, description, events } = thread
    const row: SessionDetail['threads'][number] = { id, kind, eventCount: events.length }
    if (agentType !== undefined) row.agentType = agentType
    if (parentThread !== undefined) row.parentThread = parentThread
    if (call !== undefined) row.call = call
    if (linkedBy !== undefined) row.linkedBy = linkedBy
    if (async !== undefined) row.async = async
    if (isInternal) row.internal = true
    if (description !== undefined) row.description = description
    return row
  })
}

function turnRows(graph: SessionGraph): SessionDetail['turns'] {
  return graph.turns.map(turn => ({ ...turn, events: turn.events.length, toolCalls: turn.toolCalls.length }))
}

function callRows(graph: SessionGraph): SessionDetail['toolCalls'] {
  return graph.toolCalls.map(call => {
    const { id, name, status, thread, requestEvent, pairing } = call
    const row: SessionDetail['toolCalls'][number] = { id, name, status, thread, requestEvent, pairing }
    if (call.resultEvent !== undefined) row.resultEvent = call.resultEvent
    if (call.durationMs !== undefined) row.durationMs = call.durationMs
    if (call.messageId !== undefined) row.messageId = call.messageId
    if (call.subagent !== undefined) row.subagent = call.subagent
    if (call.notification !== undefined) row.notification = call.notification
    if (call.spillFile !== undefined) row.spillFile = call.spillFile
    if (call.progress.length > 0) row.progress = call.progress.length
    if (call.isRemoved) row.removed = true
    return row
  })
}

function branchRows(graph: SessionGraph): SessionDetail['branches'] {
  return graph.branches.map(({ leaf, isActive, title, forkedAt, eventCount }) => {
    const row: SessionDetail['branches'][number] = { leaf, active: isActive, eventCount }
    if (title !== undefined) row.title = title
    if (forkedAt !== undefined) row.forkedAt = forkedAt
    return row
  })
}

/** Every message once; the cost only as far as the log itself states it. */
function usageOf(graph: SessionGraph): Usage & { costUSD?: number } {
  const usage: Usage & { costUSD?: number } = sumUsage(graph.messages)
  for (const { costUSD } of graph.messages) {
    if (costUSD !== undefined) usage.costUSD = (usage.costUSD ?? 0) + costUSD
  }
  return usage
}
