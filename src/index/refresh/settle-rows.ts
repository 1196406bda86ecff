// Events of a session's files → what is said of it as a whole, as rows: its row in lists, its threads and turns, and what links
// it to others. It works on thin events, with the same analysis that reads files.

import { toMillis } from '../../base/instant.ts'
import { buildBranches } from '../../graph/build/branches.ts'
import { buildCalls } from '../../graph/build/calls.ts'
import { buildNodes } from '../../graph/build/nodes.ts'
import type { Skeleton } from '../../graph/build/skeleton.ts'
import { readState, readSummaries } from '../../graph/build/state.ts'
import { buildThreads } from '../../graph/build/threads.ts'
import { buildTurns } from '../../graph/build/turns.ts'
import { titleOf } from '../../graph/lineage/title.ts'
import { hasFlag, type SessionEvent } from '../../model/event.ts'
import type { SessionId } from '../../model/ids.ts'
import type { BranchSummary, GraphFile, ToolCall, Turn } from '../../model/session.ts'
import type { Title } from '../../model/title.ts'
import { SessionSummary, type SummaryRow, type SummaryState } from '../../session/summary.ts'
import type { SqlValue } from '../store/port.ts'
import { type DigestRow, digestRows, firstIds, missingKept } from './settle-digest.ts'
import {
  type Before,
  type Border,
  isPlain,
  lastBorder,
  type Mark,
  nextMark,
  openBefore,
  type Span,
} from './settle-mark.ts'

/** What is said of one session, as rows without its id. Plain data: it may be made in another thread than it is written in. */
export interface Settled {
  facts: SummaryRow
  summaries: BranchSummary[]
  /** id, kind, events, started, ended, agent. */
  threads: SqlValue[][]
  /** n, prompt, thread, started, ended, duration, events, calls. */
  turns: SqlValue[][]
  digest: DigestRow[]
  /** Turns before this one are as they were. */
  from: number
  /** From where on it can be settled the next time. */
  mark: Mark | null
}

/** From all events. `sure`: how many of the first file's will not be told anew; 0 where no mark is wanted. */
export function wholeRows(session: SessionId, files: readonly GraphFile[], sure: number): Settled {
  return settledRows(session, files, sure, null) as Settled
}

/** `before`: the first file lacks the events that it stands for; null where what is asked for cannot be told without them. */
export function settledRows(
  session: SessionId,
  files: readonly GraphFile[],
  sure: number,
  before: Before | null,
): Settled | null {
  const { skeleton, events } = buildNodes(session, files)
  const log = files[0]?.events ?? []
  const isParted = (before !== null || sure > 0) && isPlain(log)
  if (before !== null && !(isParted && before.isApart(skeleton, events))) return null
  const border = isParted ? lastBorder(log, sure - (before?.mark.events ?? 0), skeleton) : null
  const summary = new SessionSummary(session, before?.mark.summary)
  const saved = seeAll(summary, files, border)
  const facts = summary.row()
  // Which branch is active only all nodes tell.
  if (!facts.isTitleSure && before !== null) return null
  if (!facts.isTitleSure) Object.assign(facts, titleOfNodes(skeleton, events))
  const summaries = summary.summaries()
  const threads = threadRows(skeleton, events, files, before)
  const digest = joinedDigest(digestRows(skeleton, events, summaries), before)
  if (threads === null || digest === null) return null
  // Threads and turns need the nodes and their parents, not the whole graph.
  const turns = buildTurns(skeleton, events, requestsOf(events))
  const from = before?.mark.turns ?? 0
  const next = border && saved && markAt(border, saved, { skeleton, events, turns, before })
  return { facts, summaries, threads, turns: turnRows(turns, from), digest, from, mark: next ?? before?.mark ?? null }
}

function titleOfNodes(skeleton: Skeleton, events: SessionEvent[]): Title {
  const { session, main, index } = skeleton
  const state = readState(events)
  const summaries = readSummaries(events)
  const branches = buildBranches(skeleton, state, summaries)
  return titleOf({ session, events, state, summaries, branches, nodes: index, threads: [{ id: main }] }, [])
}

/** Gives what was gathered before the border. */
function seeAll(summary: SessionSummary, files: readonly GraphFile[], border: Border | null): SummaryState | null {
  let saved: SummaryState | null = null
  for (const { events } of files) {
    const isParted = border !== null && events === files[0]?.events
    const at = isParted ? border.at : events.length
    for (let n = 0; n < at; n++) summary.see(events[n] as SessionEvent)
    if (!isParted) continue
    saved = summary.save()
    for (let n = at; n < events.length; n++) summary.see(events[n] as SessionEvent)
  }
  return saved
}

function turnRows(turns: readonly Turn[], from: number): SqlValue[][] {
  return turns.map(({ index, prompt, thread, startedAt, endedAt, durationMs = null, events: own, toolCalls }) => {
    const times = [toMillis(startedAt), toMillis(endedAt), durationMs]
    return [from + index, prompt, thread, ...times, own.length, toolCalls.length]
  })
}

/** Null where more is missing than is kept: which of them are is decided by their order. */
function joinedDigest(rows: readonly DigestRow[], before: Before | null): DigestRow[] | null {
  if (before === null) return [...rows]
  const all = new Map<string, DigestRow>()
  for (const row of [...before.mark.digest, ...newRows(rows, before)]) all.set(row.join(' '), row)
  const joined = [...all.values()]
  return joined.filter(([what]) => what === 'missing').length < missingKept ? joined : null
}

/** Those that are not of the part before. */
function newRows(rows: readonly DigestRow[], before: Before | null): DigestRow[] {
  if (before === null) return [...rows]
  return rows.filter(([what, value]) => !firstIds.includes(what) && !(what === 'missing' && before.has(value)))
}

interface Worked {
  skeleton: Skeleton
  events: readonly SessionEvent[]
  turns: readonly Turn[]
  before: Before | null
}

/** Null where something reaches over the border. */
function markAt(border: Border, summary: SummaryState, { skeleton, events, turns, before }: Worked): Mark | null {
  const open = openBefore(border, skeleton, events)
  const own = turns.findIndex(({ prompt }) => prompt === events[border.prompt]?.id)
  if (open === null || own === -1) return null
  const beside = new Set<string>(events.slice(border.at, border.prompt).map(({ id }) => id))
  const first = events.slice(0, border.at)
  const nodes = { ...skeleton, events: skeleton.events.slice(0, border.node) }
  const found = {
    summary,
    span: spanOf(first),
    turns: turns.slice(0, own).filter(({ prompt }) => !beside.has(prompt)).length,
    digest: newRows(digestRows(nodes, first, []), before),
    open: open.filter(id => before?.has(id) !== true),
  }
  return nextMark(before?.mark, border, found, events.slice(border.at))
}

function spanOf(events: readonly SessionEvent[]): Span {
  const span: Span = { count: 0, from: null, to: null }
  for (const event of events) addTo(span, event)
  return span
}

function addTo(span: Span, event: SessionEvent): void {
  if (hasFlag(event, 'copy')) return
  span.count++
  const { at } = event
  if (at === null || event.kind === 'malformed') return
  if (span.from === null || at < span.from) span.from = at
  if (span.to === null || at > span.to) span.to = at
}

/** As the graph divides them; journals are left out. Null where only all events would tell of agents. */
function threadRows(
  skeleton: Skeleton,
  events: readonly SessionEvent[],
  files: readonly GraphFile[],
  before: Before | null,
): SqlValue[][] | null {
  const main: string = skeleton.main
  const none: Span = { count: 0, from: null, to: null }
  const threads = new Map<string, Span>([[main, { ...(before?.mark.span ?? none) }]])
  const journals = new Set(files.filter(file => file.role === 'journal').map(file => file.path))
  for (const event of events) {
    if (journals.size > 0 && journals.has(event.source.file)) continue
    let span = threads.get(event.thread)
    if (span === undefined) {
      span = { ...none }
      threads.set(event.thread, span)
    }
    addTo(span, event)
  }
  const agents = agentsOf(skeleton, events, files, { threads: [...threads.keys()], isPart: before !== null })
  if (agents === null) return null
  return [...threads].map(([id, { count, from, to }]) => {
    const isMain = id === main
    const agent = isMain ? null : (agents.get(id) ?? null)
    return [id, isMain ? 'main' : 'subagent', count, toMillis(from), toMillis(to), agent]
  })
}

/** Kinds of agents by thread. What stands beside their files is known; else the calls that started them tell, if all are there. */
function agentsOf(
  skeleton: Skeleton,
  events: readonly SessionEvent[],
  files: readonly GraphFile[],
  { threads, isPart }: { threads: readonly string[]; isPart: boolean },
): Map<string, string> | null {
  const agents = new Map<string, string>()
  for (const { agent, meta } of files) {
    if (agent !== undefined && meta?.agentType !== undefined) agents.set(agent, meta.agentType)
  }
  if (threads.every(id => id === skeleton.main || agents.has(id))) return agents
  if (isPart) return null
  for (const { id, agentType } of buildThreads(skeleton, events, files, buildCalls(skeleton, events))) {
    if (agentType !== undefined) agents.set(id, agentType)
  }
  return agents
}

/** Calls as turns count them. A replayed request (same id, same message) is one call. */
function requestsOf(events: readonly SessionEvent[]): ToolCall[] {
  const calls: ToolCall[] = []
  const seen = new Set<string>()
  for (const event of events) {
    if (event.blocks.length === 0 || hasFlag(event, 'copy')) continue
    for (const block of event.blocks) {
      if (block.type !== 'tool-call') continue
      const key = `${block.callId} ${event.message?.id ?? event.id}`
      if (seen.has(key)) continue
      seen.add(key)
      const { callId: id, name, input } = block
      const { thread, id: requestEvent } = event
      calls.push({ id, name, input, status: 'missing', thread, requestEvent, pairing: 'id', progress: [] })
    }
  }
  return calls
}
