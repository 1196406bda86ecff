// Sessions in numbers: one tally over any number of graphs, none of which is held. Tools and files, the parent chain,
// distributions. It counts what the graph says and judges nothing.

import { IdSet } from '../base/id-set.ts'
import { type Instant, toMillis } from '../base/instant.ts'
import { touchedFile } from '../graph/touched-file.ts'
import { hasFlag, type SessionEvent } from '../model/event.ts'
import type { EventId } from '../model/ids.ts'
import { isInherited, SessionSpan } from '../model/origin.ts'
import type { GraphNode, SessionGraph, ToolCall } from '../model/session.ts'
import { noUsage, type UsageCell } from '../model/usage.ts'
import type { Stats } from '../schema/contract-shapes.ts'
import { addCell } from '../usage/session-usage.ts'

/** A session with more events than this is a long one. */
const longSessionEvents = 1000

const messageKinds: ReadonlySet<string> = new Set([
  'prompt',
  'delegation',
  'answer',
  'tool-results',
  'command',
  'command-output',
  'notification',
  'interruption',
  'api-error',
  'compact-summary',
  'preserved',
  'meta',
])

/** Adds up sessions one by one. */
export class StatsTally {
  private readonly tools = new ToolTallies()
  private readonly chain = new ChainTallies()
  private readonly seenCalls = new IdSet()
  private readonly versions = new Map<string, { sessions: number; records: number; types: Map<string, number> }>()
  private readonly types = new Map<string, number>()
  private readonly kinds = new Map<string, number>()
  private readonly triggers = new Map<string, number>()
  private readonly structured = new Map<string, number>()
  private readonly perSession = {
    bytes: [] as number[],
    events: [] as number[],
    messages: [] as number[],
    ms: [] as number[],
    turns: [] as number[],
    compactions: [] as number[],
    compactionsOfLong: [] as number[],
  }
  private readonly perTurn = { ms: [] as number[], calls: [] as number[] }
  private readonly perDelegation = { exchanges: [] as number[], answers: [] as number[], calls: [] as number[] }
  private readonly results = { text: 0, blocks: 0 }
  private emptySessions = 0
  private startedAt: Instant = null
  private endedAt: Instant = null

  /** `bytes`: the size of the session's files; the sum of its records where it is not known. */
  add(graph: SessionGraph, bytes?: number): void {
    this.addEvents(graph, bytes)
    this.addTurns(graph)
    this.addDelegations(graph)
    this.addCompactions(graph)
    this.tools.add(graph, call => this.isCopied(call, graph))
    this.chain.add(graph)
  }

  /** A session whose files have no record: it is one, and has nothing to spread. */
  addEmpty(): void {
    this.emptySessions++
  }

  private addEvents(graph: SessionGraph, bytes: number | undefined): void {
    let ownBytes = 0
    let messages = 0
    const span = new SessionSpan()
    const versions = new Set<string>()
    let events = 0
    for (const event of graph.events) {
      countIn(this.kinds, event.kind)
      if (!hasFlag(event, 'copy')) events++
      if (messageKinds.has(event.kind) && !hasFlag(event, 'copy')) messages++
      if (!hasFlag(event, 'embedded')) {
        ownBytes += event.source.bytes
        countIn(this.types, event.wireType || '(none)')
        if (event.version !== undefined) {
          versions.add(event.version)
          this.countVersion(event.version, event.wireType)
        }
      }
      if (event.kind === 'tool-results') this.countResults(event)
      if (event.kind !== 'malformed' && !hasFlag(event, 'copy')) span.see(event)
    }
    for (const version of versions) (this.versions.get(version) ?? { sessions: 0 }).sessions++
    this.perSession.bytes.push(bytes ?? ownBytes)
    this.perSession.events.push(events)
    this.perSession.messages.push(messages)
    this.countSpan(span)
  }

  private countSpan({ startedAt, endedAt, durationMs }: SessionSpan): void {
    if (durationMs !== undefined) this.perSession.ms.push(durationMs)
    if (startedAt !== null && (this.startedAt === null || startedAt < this.startedAt)) this.startedAt = startedAt
    if (endedAt !== null && (this.endedAt === null || endedAt > this.endedAt)) this.endedAt = endedAt
  }

  private countVersion(version: string, type: string): void {
    let row = this.versions.get(version)
    if (row === undefined) {
      row = { sessions: 0, records: 0, types: new Map() }
      this.versions.set(version, row)
    }
    row.records++
    countIn(row.types, type || '(none)')
  }

  private countResults(event: SessionEvent): void {
    const { texts = 0, blocks = 0, structured = 'absent' } = event.stated.results ?? {}
    this.results.text += texts
    this.results.blocks += blocks
    countIn(this.structured, structured)
  }

  private addTurns(graph: SessionGraph): void {
    let turns = 0
    for (const turn of graph.turns) {
      if (turn.thread !== (graph.session as string) || isInherited(graph.nodes.get(turn.prompt)?.event)) continue
      turns++
      this.perTurn.calls.push(turn.toolCalls.length)
      if (turn.durationMs !== undefined) this.perTurn.ms.push(turn.durationMs)
    }
    this.perSession.turns.push(turns)
  }

  private addDelegations(graph: SessionGraph): void {
    const own = new Map<string, { exchanges: number; isAsked: boolean; answers: Set<string>; calls: number }>()
    for (const { id, kind, isInternal } of graph.threads)
      if (kind === 'subagent' && !isInternal)
        own.set(id, { exchanges: 0, isAsked: false, answers: new Set(), calls: 0 })
    if (own.size === 0) return
    for (const event of graph.events) {
      const tally = own.get(event.thread)
      if (tally === undefined || hasFlag(event, 'copy')) continue
      if (event.kind === 'delegation') tally.isAsked = true
      if (event.kind !== 'answer') continue
      tally.answers.add(event.message?.id ?? event.id)
      if (tally.isAsked) tally.exchanges++
      tally.isAsked = false
    }
    for (const call of graph.toolCalls) {
      const tally = own.get(call.thread)
      if (tally !== undefined) tally.calls++
    }
    for (const { exchanges, answers, calls } of own.values()) {
      this.perDelegation.exchanges.push(exchanges)
      this.perDelegation.answers.push(answers.size)
      this.perDelegation.calls.push(calls)
    }
  }

  private addCompactions(graph: SessionGraph): void {
    const { perSession, triggers } = this
    const own = graph.compactions.filter(({ event }) => !isInherited(graph.nodes.get(event)?.event))
    perSession.compactions.push(own.length)
    if (graph.events.length > longSessionEvents) perSession.compactionsOfLong.push(own.length)
    for (const { trigger } of own) countIn(triggers, trigger ?? '(not stated)')
  }

  /** A fork copies calls with their ids and records. */
  private isCopied(call: ToolCall, graph: SessionGraph): boolean {
    const request = graph.nodes.get(call.requestEvent)?.event
    if (isInherited(request)) return true
    return !this.seenCalls.add(`${call.id} ${request?.stated.uuid ?? graph.session}`)
  }

  /** `cells`: what the sessions sent themselves. */
  report(cells: Iterable<UsageCell>): Stats {
    const { perSession, perTurn, perDelegation } = this
    const compactions = spreadOf(perSession.compactions)
    return {
      sessions: perSession.events.length + this.emptySessions,
      events: spreadOf(perSession.events).sum,
      bytes: spreadOf(perSession.bytes).sum,
      startedAt: this.startedAt,
      endedAt: this.endedAt,
      sessionBytes: spreadOf(perSession.bytes),
      sessionEvents: spreadOf(perSession.events),
      sessionMessages: spreadOf(perSession.messages),
      sessionMs: spreadOf(perSession.ms),
      turns: {
        count: perTurn.calls.length,
        perSession: spreadOf(perSession.turns),
        durationMs: spreadOf(perTurn.ms),
        calls: spreadOf(perTurn.calls),
      },
      tools: this.tools.toolStats(),
      servers: this.tools.serverStats(),
      files: this.tools.fileStats(),
      ...tokenStats(cells),
      versions: this.versionStats(),
      types: Object.fromEntries(largestFirst(this.types)),
      kinds: Object.fromEntries(largestFirst(this.kinds)),
      compactions: {
        count: compactions.sum,
        sessions: perSession.compactions.filter(count => count > 0).length,
        perSession: compactions,
        perLongSession: spreadOf(perSession.compactionsOfLong),
        triggers: Object.fromEntries(largestFirst(this.triggers)),
      },
      orphans: this.chain.orphanStats(),
      order: this.chain.orderStats(),
      chain: this.chain.chainStats(),
      delegations: {
        count: perDelegation.exchanges.length,
        exchanges: spreadOf(perDelegation.exchanges),
        answers: spreadOf(perDelegation.answers),
        calls: spreadOf(perDelegation.calls),
      },
      results: { ...this.results, structured: Object.fromEntries(largestFirst(this.structured)) },
    }
  }

  private versionStats(): Stats['versions'] {
    const rows = [...this.versions].map(([version, { sessions, records, types }]) => ({
      version,
      sessions,
      records,
      types: Object.fromEntries(largestFirst(types)),
    }))
    return rows.sort((a, b) => byVersion(a.version, b.version))
  }
}

/** Every API message once, as `clew usage` counts. */
function tokenStats(cells: Iterable<UsageCell>): Pick<Stats, 'tokens' | 'models'> {
  const tokens: Stats['tokens'] = { ...noUsage(), messages: 0, messagesWithPartialOutput: 0 }
  const models = new Map<string, Stats['models'][number]>()
  for (const cell of cells) {
    if (cell.isSynthetic || cell.isError) continue
    const model = cell.model || '(not stated)'
    const row = models.get(model) ?? { model, messages: 0, usage: noUsage() }
    models.set(model, row)
    row.messages += cell.messages
    addCell(row.usage, cell)
    addCell(tokens, cell)
    tokens.messages += cell.messages
    tokens.messagesWithPartialOutput += cell.partial
  }
  const byMessages = [...models.values()].sort((a, b) => b.messages - a.messages || (a.model < b.model ? -1 : 1))
  return { tokens, models: byMessages }
}

/** `2.1.9` before `2.1.10`. */
function byVersion(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true })
}

class ChainTallies {
  private nodes = 0
  private orphans = 0
  private compactedSessions = 0
  private compactedNodes = 0
  private compactedOrphans = 0
  private withLogicalParent = 0
  private afterCompaction = 0
  private inSubagents = 0
  private readonly order = { parents: 0, previous: 0, steps: 0, backward: 0, edges: 0, earlier: 0 }
  private readonly depths: number[] = []
  private deepest: { session: string; depth: number } | undefined

  add(graph: SessionGraph): void {
    const before = this.orphans
    const followers = afterCompactions(graph)
    for (const node of graph.nodes.values()) if (isOrphan(node.event, graph)) this.countOrphan(node.event, followers)
    this.nodes += graph.nodes.size
    if (graph.compactions.length > 0) {
      this.compactedSessions++
      this.compactedNodes += graph.nodes.size
      this.compactedOrphans += this.orphans - before
    }
    this.countOrder(graph)
    const depth = longestChain(graph)
    this.depths.push(depth)
    if (this.deepest === undefined || depth > this.deepest.depth) this.deepest = { session: graph.session, depth }
  }

  private countOrphan(event: SessionEvent, followers: ReadonlySet<EventId>): void {
    this.orphans++
    if (event.logicalParent !== undefined) this.withLogicalParent++
    if (followers.has(event.id)) this.afterCompaction++
    if (hasFlag(event, 'sidechain')) this.inSubagents++
  }

  private countOrder(graph: SessionGraph): void {
    const { order } = this
    let file: string | undefined
    let previous: EventId | undefined
    let last: number | null = null
    for (const event of graph.events) {
      if (event.source.file !== file) [file, previous, last] = [event.source.file, undefined, null]
      const node = graph.nodes.get(event.id)
      if (node !== undefined && node.event === event) {
        this.countParent(node, previous, graph)
        previous = event.id
      }
      const at = toMillis(event.at)
      if (at === null) continue
      if (last !== null) order.steps++
      if (last !== null && at < last) order.backward++
      last = at
    }
  }

  private countParent({ event, link, parent }: GraphNode, previous: EventId | undefined, graph: SessionGraph): void {
    const { order } = this
    if (link !== 'stated' || parent === null) return
    order.parents++
    if (parent === previous) order.previous++
    const above = graph.nodes.get(parent)?.event.at ?? null
    if (above === null || event.at === null) return
    order.edges++
    if (event.at < above) order.earlier++
  }

  orphanStats(): Stats['orphans'] {
    const { orphans } = this
    return {
      all: shareOf(orphans, this.nodes),
      inCompacted: { sessions: this.compactedSessions, ...shareOf(this.compactedOrphans, this.compactedNodes) },
      withLogicalParent: shareOf(this.withLogicalParent, orphans),
      afterCompaction: shareOf(this.afterCompaction, orphans),
      inSubagents: shareOf(this.inSubagents, orphans),
    }
  }

  orderStats(): Stats['order'] {
    const { order } = this
    return {
      parentIsPrevious: shareOf(order.previous, order.parents),
      backwardTimestamps: shareOf(order.backward, order.steps),
      earlierThanParent: shareOf(order.earlier, order.edges),
    }
  }

  chainStats(): Stats['chain'] {
    const depth = spreadOf(this.depths)
    return this.deepest === undefined ? { depth } : { depth, deepest: this.deepest.session }
  }
}

function isOrphan(event: SessionEvent, graph: SessionGraph): boolean {
  return event.parent !== null && !graph.nodes.has(event.parent)
}

/** The first record of the chain after each border, on the border's thread; what belongs to the border itself is passed over. */
function afterCompactions(graph: SessionGraph): Set<EventId> {
  const borders = new Set<EventId>()
  for (const { event } of graph.compactions) borders.add(event)
  const followers = new Set<EventId>()
  const open = new Set<string>()
  for (const event of graph.events) {
    const { id, kind, thread } = event
    if (borders.has(id)) open.add(thread)
    else if (open.has(thread) && graph.nodes.has(id) && !isOfBorder(kind)) {
      followers.add(id)
      open.delete(thread)
    }
  }
  return followers
}

function isOfBorder(kind: SessionEvent['kind']): boolean {
  return kind === 'compaction' || kind === 'compact-summary' || kind === 'preserved'
}

/** Records on the longest way from a root to a leaf. */
function longestChain(graph: SessionGraph): number {
  let longest = 0
  let level: EventId[] = graph.roots
  while (level.length > 0) {
    longest++
    const next: EventId[] = []
    for (const id of level) for (const child of graph.nodes.get(id)?.children ?? []) next.push(child)
    level = next
  }
  return longest
}

/** How the values of a group lie. All zero where there are none. */
export type Spread = Stats['sessionMs']

export function spreadOf(values: readonly number[]): Spread {
  if (values.length === 0) return { count: 0, sum: 0, min: 0, p50: 0, p90: 0, max: 0, mean: 0 }
  const sorted = Float64Array.from(values).sort()
  const sum = sorted.reduce((total, value) => total + value, 0)
  const count = sorted.length
  return {
    count,
    sum,
    min: sorted[0] ?? 0,
    p50: quantile(sorted, 0.5),
    p90: quantile(sorted, 0.9),
    max: sorted[count - 1] ?? 0,
    mean: sum / count,
  }
}

/** The smallest value that is at least as large as this share of all. */
function quantile(sorted: Float64Array, share: number): number {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0
}

/** How many of how many, and the share (0 where there are none). */
export type Share = Stats['orphans']['all']

export function shareOf(count: number, of: number): Share {
  return { count, of, share: of === 0 ? 0 : count / of }
}

/** Adds to a count by name. */
export function countIn(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1)
}

/** The largest first, equal ones by name. */
function largestFirst(counts: ReadonlyMap<string, number>): [name: string, count: number][] {
  return [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
}

interface ToolTally {
  calls: number
  failed: number
  interrupted: number
  missing: number
  durations: number[]
  resultBytes: number
}

/** The MCP server of a tool's name, where it has one: `mcp__server__tool`. */
function serverOf(name: string): string | undefined {
  if (!name.startsWith('mcp__')) return undefined
  const end = name.indexOf('__', 5)
  return end < 0 ? undefined : name.slice(5, end)
}

class ToolTallies {
  private readonly tools = new Map<string, ToolTally>()
  private readonly files = new Map<string, Stats['files'][number]>()

  /** `isCopied`: whether a call was counted with the session it was copied from. */
  add(graph: SessionGraph, isCopied: (call: ToolCall) => boolean): void {
    for (const call of graph.toolCalls) {
      if (isCopied(call)) continue
      const result = call.resultEvent === undefined ? undefined : graph.nodes.get(call.resultEvent)?.event
      this.count(call, result)
      this.touch(call)
    }
  }

  private count(call: ToolCall, result: SessionEvent | undefined): void {
    let tally = this.tools.get(call.name)
    if (tally === undefined) {
      tally = { calls: 0, failed: 0, interrupted: 0, missing: 0, durations: [], resultBytes: 0 }
      this.tools.set(call.name, tally)
    }
    tally.calls++
    if (call.outcome === 'failed' || call.outcome === 'interrupted' || call.outcome === 'missing') tally[call.outcome]++
    if (call.durationMs !== undefined && call.durationMs >= 0) tally.durations.push(call.durationMs)
    if (result !== undefined) tally.resultBytes += Math.round(result.source.bytes / resultsIn(result))
  }

  private touch(call: ToolCall): void {
    const touched = touchedFile(call)
    if (touched === undefined) return
    const { path, touch } = touched
    const file = this.files.get(path) ?? { path, reads: 0, writes: 0, edits: 0 }
    if (touch === 'read') file.reads++
    else if (touch === 'write') file.writes++
    else file.edits++
    this.files.set(path, file)
  }

  /** The most called first. */
  toolStats(): Stats['tools'] {
    const rows = [...this.tools].map(([name, { durations, ...counts }]) => {
      const server = serverOf(name)
      const named = server === undefined ? { name } : { name, server }
      return { ...named, ...counts, durationMs: spreadOf(durations) }
    })
    return rows.sort((a, b) => b.calls - a.calls || (a.name < b.name ? -1 : 1))
  }

  serverStats(): Stats['servers'] {
    const servers = new Map<string, Stats['servers'][number]>()
    for (const [name, tally] of this.tools) {
      const server = serverOf(name)
      if (server === undefined) continue
      const row = servers.get(server) ?? { server, tools: 0, calls: 0, failed: 0, resultBytes: 0 }
      row.tools++
      row.calls += tally.calls
      row.failed += tally.failed
      row.resultBytes += tally.resultBytes
      servers.set(server, row)
    }
    return [...servers.values()].sort((a, b) => b.calls - a.calls || (a.server < b.server ? -1 : 1))
  }

  /** Those touched most first. */
  fileStats(): Stats['files'] {
    const times = (file: Stats['files'][number]) => file.reads + file.writes + file.edits
    return [...this.files.values()].sort((a, b) => times(b) - times(a) || (a.path < b.path ? -1 : 1))
  }
}

/** Several results may share one record. */
function resultsIn(event: SessionEvent): number {
  let results = 0
  for (const block of event.blocks) if (block.type === 'tool-result') results++
  return Math.max(1, results)
}
