// A session's graph → what `clew show --json` prints: the same things, by id and count instead of by content.

import { hasFlag, type SessionEvent } from '../model/event.ts'
import type { EventId } from '../model/ids.ts'
import { isInherited } from '../model/origin.ts'
import type { Dialect } from '../model/record.ts'
import type { BranchSummary, LineageLink, SessionGraph } from '../model/session.ts'
import type { SessionDetail } from '../schema/contract-shapes.ts'
import { bundledPrices } from '../usage/prices.ts'
import { inheritedUsage, type SessionUsage, shownCost } from '../usage/session-usage.ts'
import { type GraphUsage, graphUsage } from './graph-usage.ts'
import { graphSummary } from './summary.ts'

/** What the graph cannot know: where the session is, whether it is being written, and its kin. */
export interface DetailExtra {
  slug: string
  files: string[]
  live: boolean
  lineage: LineageLink[]
  /** Branch titles found in the folder's other files. */
  fileSummaries?: BranchSummary[]
  /** What it used, where that is known over all sessions; else what its own records say. */
  usage?: GraphUsage | undefined
}

/** A session as `clew show --json` prints it. `extra` is what the events themselves do not contain. */
export function sessionDetail(graph: SessionGraph, extra: DetailExtra): SessionDetail {
  const row = graphSummary(graph, extra.fileSummaries)
  const { versions, dialects } = writtenBy(graph.events)
  const { own, all } = extra.usage ?? graphUsage(graph, { prices: bundledPrices })
  const inherited = inheritedUsage(own.usage, all.usage)
  return {
    id: graph.session,
    title: row.title,
    titleFrom: row.titleFrom,
    project: { cwd: row.cwd, slug: extra.slug },
    files: extra.files,
    startedAt: row.startedAt,
    endedAt: row.endedAt,
    live: extra.live,
    models: row.models,
    versions: [...versions],
    dialects: [...dialects],
    ...detailRows(graph),
    branches: branchRows(graph),
    lineage: extra.lineage,
    usage: pricedUsage(own),
    ...(inherited !== undefined && { withInherited: pricedUsage(all) }),
    diagnostics: graph.findings,
  }
}

/** What is in it, in rows; of a part of a session only what that part has. */
export function detailRows(
  graph: SessionGraph,
): Pick<SessionDetail, 'threads' | 'turns' | 'toolCalls' | 'compactions'> {
  return {
    threads: threadRows(graph),
    turns: turnRows(graph),
    toolCalls: callRows(graph),
    compactions: graph.compactions.map(({ postTokens: _postTokens, ...row }) => ({
      ...row,
      ...inheritedMark(graph, row.event),
    })),
  }
}

/** Says of what a session has from another one that it counts there. */
function inheritedMark(graph: SessionGraph, event: EventId | undefined): { inherited?: true } {
  return event !== undefined && isInherited(graph.nodes.get(event)?.event) ? { inherited: true } : {}
}

function pricedUsage(spent: SessionUsage): SessionDetail['usage'] {
  const costUSD = shownCost(spent)
  return { ...spent.usage, ...(costUSD !== undefined && { costUSD }) }
}

/** Which versions of Claude Code, and in which dialects. */
export function writtenBy(events: readonly SessionEvent[]): { versions: Set<string>; dialects: Set<Dialect> } {
  const versions = new Set<string>()
  const dialects = new Set<Dialect>()
  for (const event of events) {
    if (event.kind === 'malformed' || hasFlag(event, 'copy')) continue
    dialects.add(event.dialect)
    if (event.version !== undefined) versions.add(event.version)
  }
  return { versions, dialects }
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
    if (kind === 'subagent') Object.assign(row, inheritedMark(graph, events[0]))
    if (description !== undefined) row.description = description
    return row
  })
}

function turnRows(graph: SessionGraph): SessionDetail['turns'] {
  return graph.turns.map(({ events, toolCalls, ...turn }) => ({
    ...turn,
    lastEvent: events.at(-1) ?? turn.prompt,
    events: events.length,
    toolCalls: toolCalls.length,
    ...inheritedMark(graph, turn.prompt),
  }))
}

function callRows(graph: SessionGraph): SessionDetail['toolCalls'] {
  return graph.toolCalls.map(call => {
    const { id, name, outcome: status, thread, requestEvent, pairing } = call
    const row: SessionDetail['toolCalls'][number] = { id, name, status, thread, requestEvent, pairing }
    if (call.resultEvent !== undefined) row.resultEvent = call.resultEvent
    if (call.durationMs !== undefined) row.durationMs = call.durationMs
    if (call.messageId !== undefined) row.messageId = call.messageId
    if (call.subagent !== undefined) row.subagent = call.subagent
    if (call.notification !== undefined) row.notification = call.notification
    if (call.spillFile !== undefined) row.spillFile = call.spillFile
    if (call.progress.length > 0) row.progress = call.progress.length
    if (call.isRemoved) row.removed = true
    Object.assign(row, inheritedMark(graph, requestEvent))
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
