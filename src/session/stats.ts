// What sessions are like in numbers: one tally over any number of graphs, none of which is kept. It counts what the graph
// found; how it looks on a terminal is decided elsewhere.

import { IdSet } from '../base/id-set.ts'
import { type Instant, toMillis } from '../base/instant.ts'
import { asArray, asObject } from '../base/json.ts'
import { hasFlag, type SessionEvent, type Usage } from '../model/event.ts'
import type { ApiMessage, SessionGraph, ToolCall } from '../model/session.ts'
import { type ChainStats, ChainTallies, type OrderStats, type OrphanStats } from './stats-chain.ts'
import { countIn, largestFirst, type Spread, spreadOf } from './stats-spread.ts'
import { type FileStats, type ServerStats, type ToolStats, ToolTallies } from './stats-tools.ts'

/** A session with more events than this is a long one. */
const longSessionEvents = 1000

export interface ModelStats {
  model: string
  messages: number
  usage: Usage
}

export interface VersionStats {
  version: string
  sessions: number
  records: number
  /** Records by `type`, the most frequent first. */
  types: Record<string, number>
}

/** `clew stats --json`. */
export interface Stats {
  sessions: number
  events: number
  bytes: number
  startedAt: Instant
  endedAt: Instant
  sessionBytes: Spread
  sessionEvents: Spread
  /** Prompts, answers, results and whatever else is said on a thread, by session. */
  sessionMessages: Spread
  /** From the first to the last time of each session. */
  sessionMs: Spread
  turns: { count: number; perSession: Spread; durationMs: Spread; calls: Spread }
  tools: ToolStats[]
  servers: ServerStats[]
  files: FileStats[]
  models: ModelStats[]
  /** Every API message once, whatever the number of its records and copies. */
  tokens: Usage & { messages: number; messagesWithPartialOutput: number }
  versions: VersionStats[]
  types: Record<string, number>
  kinds: Record<string, number>
  compactions: {
    count: number
    sessions: number
    perSession: Spread
    /** Sessions with more than 1,000 events. */
    perLongSession: Spread
    triggers: Record<string, number>
  }
  orphans: OrphanStats
  order: OrderStats
  chain: ChainStats
  delegations: {
    count: number
    /** Messages of the delegating agent that were answered, by subagent. */
    exchanges: Spread
    answers: Spread
    calls: Spread
  }
  /** How the content of results is written, and the `toolUseResult` beside it. */
  results: { text: number; blocks: number; structured: Record<string, number> }
}

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
  private readonly seenMessages = new IdSet()
  private readonly seenCalls = new IdSet()
  private readonly models = new Map<string, ModelStats>()
  private readonly versions = new Map<string, { sessions: number; records: number; types: Map<string, number> }>()
  private readonly types = new Map<string, number>()
  private readonly kinds = new Map<string, number>()
  private readonly triggers = new Map<string, number>()
  private readonly structured = new Map<string, number>()
  private readonly tokens: Stats['tokens'] = { ...noUsage(), messages: 0, messagesWithPartialOutput: 0 }
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
  private startedAt: Instant = null
  private endedAt: Instant = null

  /** `bytes`: the size of the session's files; the sum of its records where it is not known. */
  add(graph: SessionGraph, bytes?: number): void {
    this.addEvents(graph, bytes)
    this.addTurns(graph)
    this.addMessages(graph)
    this.addDelegations(graph)
    this.addCompactions(graph)
    this.tools.add(graph, call => this.isCopied(call, graph))
    this.chain.add(graph)
  }

  private addEvents(graph: SessionGraph, bytes: number | undefined): void {
    let ownBytes = 0
    let messages = 0
    let first: Instant = null
    let last: Instant = null
    const versions = new Set<string>()
    for (const event of graph.events) {
      ownBytes += event.source.bytes
      countIn(this.types, event.wireType || '(none)')
      countIn(this.kinds, event.kind)
      if (messageKinds.has(event.kind) && !hasFlag(event, 'copy')) messages++
      if (event.version !== undefined) {
        versions.add(event.version)
        this.countVersion(event.version, event.wireType)
      }
      if (event.kind === 'tool-results') this.countResults(event)
      if (event.at === null || event.kind === 'malformed') continue
      if (first === null || event.at < first) first = event.at
      if (last === null || event.at > last) last = event.at
    }
    for (const version of versions) (this.versions.get(version) ?? { sessions: 0 }).sessions++
    this.perSession.bytes.push(bytes ?? ownBytes)
    this.perSession.events.push(graph.events.length)
    this.perSession.messages.push(messages)
    this.countSpan(first, last)
  }

  private countSpan(first: Instant, last: Instant): void {
    const from = toMillis(first)
    const to = toMillis(last)
    if (from !== null && to !== null) this.perSession.ms.push(to - from)
    if (first !== null && (this.startedAt === null || first < this.startedAt)) this.startedAt = first
    if (last !== null && (this.endedAt === null || last > this.endedAt)) this.endedAt = last
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
    const value = event.record.value
    for (const block of asArray(asObject(value?.['message'])?.['content'])) {
      const part = asObject(block)
      if (part?.['type'] !== 'tool_result') continue
      if (typeof part['content'] === 'string') this.results.text++
      else if (Array.isArray(part['content'])) this.results.blocks++
    }
    const structured = value?.['toolUseResult']
    countIn(
      this.structured,
      Array.isArray(structured) ? 'array' : structured === undefined ? 'absent' : typeof structured,
    )
  }

  private addTurns(graph: SessionGraph): void {
    let turns = 0
    for (const turn of graph.turns) {
      if (turn.thread !== (graph.session as string)) continue
      turns++
      this.perTurn.calls.push(turn.toolCalls.length)
      if (turn.durationMs !== undefined) this.perTurn.ms.push(turn.durationMs)
    }
    this.perSession.turns.push(turns)
  }

  private addMessages(graph: SessionGraph): void {
    for (const message of graph.messages) {
      if (message.usage === undefined || message.model === '<synthetic>') continue
      // A fork copies answers with their ids; ids of our own making stand for one session only.
      const isOwn = message.id === message.events[0]
      if (!this.seenMessages.add(`${isOwn ? graph.session : ''} ${message.id} ${message.requestId ?? ''}`)) continue
      this.countMessage(message, message.usage)
    }
  }

  private countMessage(message: ApiMessage, usage: Usage): void {
    const model = message.model ?? '(not stated)'
    const row = this.models.get(model) ?? { model, messages: 0, usage: noUsage() }
    this.models.set(model, row)
    row.messages++
    addUsage(row.usage, usage)
    addUsage(this.tokens, usage)
    this.tokens.messages++
    if (!usage.outputFinal) this.tokens.messagesWithPartialOutput++
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
    perSession.compactions.push(graph.compactions.length)
    if (graph.events.length > longSessionEvents) perSession.compactionsOfLong.push(graph.compactions.length)
    for (const { trigger } of graph.compactions) countIn(triggers, trigger ?? '(not stated)')
  }

  /** A fork copies calls with their ids and records. */
  private isCopied(call: ToolCall, graph: SessionGraph): boolean {
    const uuid = graph.nodes.get(call.requestEvent)?.event.record.value?.['uuid']
    return !this.seenCalls.add(`${call.id} ${typeof uuid === 'string' ? uuid : graph.session}`)
  }

  report(): Stats {
    const { perSession, perTurn, perDelegation } = this
    const compactions = spreadOf(perSession.compactions)
    return {
      sessions: perSession.events.length,
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
      models: [...this.models.values()].sort((a, b) => b.messages - a.messages || (a.model < b.model ? -1 : 1)),
      tokens: this.tokens,
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

  private versionStats(): VersionStats[] {
    const rows = [...this.versions].map(([version, { sessions, records, types }]) => ({
      version,
      sessions,
      records,
      types: Object.fromEntries(largestFirst(types)),
    }))
    return rows.sort((a, b) => byVersion(a.version, b.version))
  }
}

/** The numbers of any sessions. */
export function statsOf(graphs: Iterable<SessionGraph>): Stats {
  const tally = new StatsTally()
  for (const graph of graphs) tally.add(graph)
  return tally.report()
}

function noUsage(): Usage {
  return { inputTokens: 0, outputTokens: 0, cacheCreationTokens: 0, cacheReadTokens: 0, outputFinal: true }
}

function addUsage(sum: Usage, usage: Usage): void {
  sum.inputTokens += usage.inputTokens
  sum.outputTokens += usage.outputTokens
  sum.cacheCreationTokens += usage.cacheCreationTokens
  sum.cacheReadTokens += usage.cacheReadTokens
  if (!usage.outputFinal) sum.outputFinal = false
  for (const field of ['cacheCreation5mTokens', 'cacheCreation1hTokens', 'webSearches'] as const) {
    const value = usage[field]
    if (value !== undefined) sum[field] = (sum[field] ?? 0) + value
  }
}

/** `2.1.9` before `2.1.10`. */
function byVersion(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true })
}
