// What a list says of a session, gathered while its events go by: title, times, counts, models, tokens. It builds no graph
// and keeps no event; what it counts is what the graph of the same events would count.

import { IdSet } from '../base/id-set.ts'
import type { Instant } from '../base/instant.ts'
import { titleOf } from '../graph/lineage/title.ts'
import { isOwnAgent, isTask, isWork, taskText } from '../model/agent.ts'
import { type Block, hasFlag, isChainEvent, isErrorMessage, type SessionEvent, type Usage } from '../model/event.ts'
import { eventId, type SessionId } from '../model/ids.ts'
import { copiedFrom, isSent, SessionSpan, senderOf } from '../model/origin.ts'
import { QueueReader } from '../model/queue.ts'
import type { BranchSummary, SessionGraph, TitleSource } from '../model/session.ts'
import { chooseTitle, noteTitle, PromptTitles, type TitleState, tagIn } from '../model/title.ts'
import { StreamUsage } from '../usage/stream.ts'
import { CompactionCount } from './compaction-count.ts'
import { FailedCalls } from './failed-calls.ts'

/** The part of a session's row that comes from its events. */
export interface SummaryRow {
  id: SessionId
  title: string
  titleFrom: TitleSource
  /** False where several summaries of branches compete: only the graph knows which branch is active. */
  isTitleSure: boolean
  /** The first working directory that its own records name; where none does, the first that copied ones name. */
  cwd: string | null
  /** The last branch of the repository that its records name. */
  gitBranch?: string
  startedAt: Instant
  endedAt: Instant
  /** From its first own event to the last. */
  durationMs?: number
  /** When a prompt or command was last sent. */
  promptedAt: Instant
  /** Only programs sent prompts; false where any was typed, or nothing states who sent them. */
  isProgrammatic: boolean
  /** The last `tag`; absent where it was taken off. */
  tag?: string
  events: number
  /** How many of those a fork copied from the session it comes from. */
  copiedEvents: number
  /** What humans typed in it as prompts, those that are only in the queue included; commands do not count. */
  prompts: number
  toolCalls: number
  /** Threads of its own besides the main one, without those that Claude Code starts for itself. */
  subagents: number
  compactions: number
  /** Messages that are errors, and calls that failed; a try of the API that was made again is no error. */
  errors: number
  models: string[]
  /** Names of the tools that were called. */
  tools: string[]
  hasImage: boolean
  /** Of all messages in its files, those that a fork copied included; what it sent itself is in `usage/session-usage.ts`. */
  usage: Usage
}

/** What is remembered of a thread besides the main one. */
interface AgentThread {
  /** Its first instruction. */
  task?: string
  /** It did more than answer. */
  isBusy: boolean
}

/** Make one per session and let it see all events of its files: main files in reading order, then agent files. */
export class SessionSummary {
  private readonly session: SessionId
  private readonly uuids = new IdSet()
  private readonly calls = new IdSet()
  private readonly usage = new StreamUsage()
  private readonly compactions = new CompactionCount()
  private readonly titles: TitleState = {}
  private readonly promptTitles = new PromptTitles()
  /** Titles of branches by leaf, the last for each; many leaves lie in other sessions of the folder. */
  private readonly leaves = new Map<string, string>()
  private readonly threads = new Map<string, AgentThread>()
  private readonly models = new Set<string>()
  /** Of what it copied: for a session without an answer of its own. */
  private readonly copiedModels = new Set<string>()
  private readonly tools = new Set<string>()
  /** The first one that its own records name, and the first that copied ones do. */
  private readonly cwds: { own?: string; copied?: string } = {}
  /** The last one named on the main thread, and on any other. */
  private readonly branches: { main?: string; other?: string } = {}
  private readonly span = new SessionSpan()
  private promptedAt: Instant = null
  private readonly senders = { program: false, person: false }
  private tag = ''
  private events = 0
  private copiedEvents = 0
  private prompts = 0
  private readonly queue = new QueueReader()
  private toolCalls = 0
  private errors = 0
  private readonly failures = new FailedCalls()
  private hasImage = false
  private readonly logged: ReadonlySet<string>
  /** Lines of those subagents in logs of others. */
  private embedded: SessionEvent[] = []

  /** `logged`: subagents whose own logs will be seen. */
  constructor(session: SessionId, logged: ReadonlySet<string> = new Set()) {
    this.session = session
    this.logged = logged
  }

  see(event: SessionEvent): void {
    // The subagent's own log comes after the one that carries its lines, and says more.
    if (hasFlag(event, 'embedded') && this.logged.has(event.thread)) this.embedded.push(event)
    else this.add(event)
  }

  private add(event: SessionEvent): void {
    const isOwn = copiedFrom(event) === undefined
    if (isOwn) this.seeThread(event)
    this.seeTitle(event)
    if (this.isCopy(event)) return
    this.events++
    if (!isOwn) this.copiedEvents++
    if (event.kind !== 'malformed') this.seeEnvelope(event, isOwn)
    this.usage.see(event)
    this.seeSender(event)
    if (isOwn) this.seeOwn(event)
  }

  /** What counts for the session that did it, not for those that copied it. */
  private seeOwn(event: SessionEvent): void {
    this.compactions.see(event)
    if (event.kind === 'prompt' && event.actor === 'human') this.prompts++
    if (event.thread === (this.session as string)) this.queue.see(event)
    if (isErrorMessage(event)) this.errors++
    this.failures.see(event)
    for (const block of event.blocks) this.seeBlock(event, block)
  }

  private seeThread(event: SessionEvent): void {
    if (event.thread === (this.session as string)) return
    let thread = this.threads.get(event.thread)
    if (thread === undefined) {
      thread = { isBusy: false }
      this.threads.set(event.thread, thread)
    }
    if (!isChainEvent(event)) return
    thread.isBusy ||= isWork(event)
    if (thread.task === undefined && isTask(event)) thread.task = taskText(event)
  }

  /** A record that repeats the uuid of an earlier one adds nothing. */
  private isCopy(event: SessionEvent): boolean {
    if (hasFlag(event, 'copy')) return true
    const uuid = isChainEvent(event) ? event.stated.uuid : undefined
    return uuid !== undefined && !this.uuids.add(uuid)
  }

  private seeTitle(event: SessionEvent): void {
    if (event.thread === (this.session as string)) {
      noteTitle(this.titles, event)
      this.tag = tagIn(event) ?? this.tag
      this.promptTitles.see(event)
    } else {
      this.promptTitles.seeAgent(event)
    }
    if (event.kind !== 'title' || event.detail?.titleFrom !== 'summary') return
    const { title, leaf } = event.detail
    if (!title || leaf === undefined) return
    this.leaves.delete(leaf)
    this.leaves.set(leaf, title)
  }

  private seeEnvelope(event: SessionEvent, isOwn: boolean): void {
    if (event.cwd !== undefined) this.cwds[isOwn ? 'own' : 'copied'] ??= event.cwd
    const isMain = event.thread === (this.session as string)
    if (event.gitBranch !== undefined) this.branches[isMain ? 'main' : 'other'] = event.gitBranch
    const model = event.message?.model
    if (model !== undefined && !hasFlag(event, 'synthetic')) (isOwn ? this.models : this.copiedModels).add(model)
    this.span.see(event)
  }

  private seeSender(event: SessionEvent): void {
    const sender = senderOf(event)
    if (sender !== undefined) this.senders[sender] = true
    if (!isSent(event)) return
    // What a fork copied was sent before it began.
    if (event.at === null || copiedFrom(event) !== undefined) return
    if (this.promptedAt === null || event.at > this.promptedAt) this.promptedAt = event.at
  }

  private seeBlock(event: SessionEvent, block: Block): void {
    if (block.type === 'tool-call') {
      // A replayed request (same id, same message) is one call; the same id in another message is another.
      if (!this.calls.add(`${block.callId} ${event.message?.id ?? event.id}`)) return
      this.toolCalls++
      this.tools.add(block.name)
    } else if (block.type === 'tool-result') {
      if (!this.hasImage) this.hasImage = block.content.some(inner => inner.type === 'image')
    } else if (block.type === 'image') {
      this.hasImage = true
    }
  }

  /** Whether a record of the session has this uuid. */
  has(uuid: string): boolean {
    return this.uuids.has(uuid)
  }

  /** Titles of branches that its files have, of its own branches and of other sessions'. */
  summaries(): BranchSummary[] {
    return [...this.leaves].map(([leaf, title]) => ({ leaf: eventId(leaf), title }))
  }

  /** Those of other sessions' branches. What names a record of its own names no other's: uuids are unique within a session. */
  othersSummaries(): BranchSummary[] {
    return this.summaries().filter(({ leaf }) => !this.uuids.has(leaf))
  }

  /** `folder`: summaries that the folder's other files have, for a session that has no title of its own. */
  row(folder: readonly BranchSummary[] = []): SummaryRow {
    for (const event of this.embedded.splice(0)) if (!this.has(event.id)) this.add(event)
    const summaries = this.ownSummaries(folder)
    const named = chooseTitle(this.session, this.titles, {
      ...this.promptTitles.fallbacks(),
      summary: summaries.at(-1),
    })
    const row: SummaryRow = {
      id: this.session,
      ...named,
      isTitleSure: named.titleFrom !== 'summary' || new Set(summaries).size === 1,
      cwd: this.cwds.own ?? this.cwds.copied ?? null,
      startedAt: this.span.startedAt,
      endedAt: this.span.endedAt,
      promptedAt: this.promptedAt,
      isProgrammatic: this.senders.program && !this.senders.person,
      events: this.events,
      copiedEvents: this.copiedEvents,
      prompts: this.prompts + this.queue.prompts().length,
      toolCalls: this.toolCalls,
      subagents: [...this.threads].filter(([id, { task, isBusy }]) => !isOwnAgent(id, task ?? '', isBusy)).length,
      compactions: this.compactions.count,
      errors: this.errors + this.failures.count(this.session),
      models: [...(this.models.size > 0 ? this.models : this.copiedModels)],
      tools: [...this.tools],
      hasImage: this.hasImage,
      usage: this.usage.total(),
    }
    const gitBranch = this.branches.main ?? this.branches.other
    if (gitBranch !== undefined) row.gitBranch = gitBranch
    if (this.tag !== '') row.tag = this.tag
    const { durationMs } = this.span
    if (durationMs !== undefined) row.durationMs = durationMs
    return row
  }

  /** Titles of the branches of this session: those in its own files, else those in the folder's. */
  private ownSummaries(folder: readonly BranchSummary[]): string[] {
    const own = [...this.leaves].filter(([leaf]) => this.uuids.has(leaf)).map(([, title]) => title)
    if (own.length > 0) return own
    return folder.filter(({ leaf }) => this.uuids.has(leaf)).map(({ title }) => title)
  }
}

/** The same row from a session's graph, which knows which branch is active. `folder`: as in `row`. */
export function graphSummary(graph: SessionGraph, folder: readonly BranchSummary[] = []): SummaryRow {
  const summary = new SessionSummary(graph.session)
  for (const event of graph.events) summary.see(event)
  return { ...summary.row(folder), ...titleOf(graph, folder), isTitleSure: true }
}
