// What the log of one session shows about a difference to Claude Code's own total: answers that only one of the two counts,
// and calls of the API whose answers are not in the log. What that explains in money is decided in `reconcile.ts`.

import { instantToMillis } from '../base/instant.ts'
import { asObject } from '../base/json.ts'
import { hasFlag, type SessionEvent } from '../model/event.ts'
import type { Stated } from '../model/stated.ts'
import { believableCount, type MessageUsage, type UsageFile } from '../model/usage.ts'
import { UsageMerge } from './message.ts'
import { keyOfId, statedMessage, type UsagePlace, usageStatement } from './statement.ts'

/** Calls whose answers Claude Code counts and does not log, in the order in which they are named. */
export const unloggedCalls = ['compaction', 'title', 'web-search', 'web-fetch', 'side-question', 'lost-answer'] as const
export type UnloggedCall = (typeof unloggedCalls)[number]

export interface CostEvidence {
  /** All answers in the session's own files, copied history included, each once. */
  messages: MessageUsage[]
  /** Keys of answers that were interrupted before the API stated their end. */
  interrupted: ReadonlySet<number>
  /** The last time that the log states before the last total, in milliseconds since 1970; null without a total or a time. */
  totalAt: number | null
  /** How many calls of each kind the log gives a reason for. */
  calls: ReadonlyMap<UnloggedCall, number>
  /** Tokens of the largest prompt that the log knows of. */
  largestPrompt: number
}

/** Takes the events of one session, file by file in their order. */
export class EvidenceReader {
  private readonly merge = new UsageMerge()
  private readonly interrupted = new Set<number>()
  private readonly counts = new Map<UnloggedCall, number>()
  private readonly requests = new Set<string>()
  private readonly answered = new Set<string>()
  private readonly titles = new Set<string>()
  /** A background session is named by a process that counts apart; its name is written as a title too. */
  private readonly agentNames = new Set<string>()
  /** Of the file that is read. */
  private lastAt: number | null = null
  private lastOpen: number | null = null
  private place = -1
  private totalAt: number | null = null
  private largestPrompt = 0

  see(event: SessionEvent, file: UsagePlace): void {
    if (file.place !== this.place) {
      this.place = file.place
      this.lastAt = null
      this.lastOpen = null
    }
    if (event.at !== null) this.lastAt = Math.max(this.lastAt ?? 0, instantToMillis(event.at))
    const statement = usageStatement(event, file)
    if (statement !== null) this.merge.add(statement)
    if (hasFlag(event, 'copy') || event.stated.forkedFrom !== undefined) return
    this.seeAnswer(event)
    this.seeRequest(event.stated)
    this.seeCall(event)
    if (event.wireType === 'cost-state') this.totalAt = this.lastAt
  }

  /** A question that was asked aside: only the history of prompts has it. */
  seeSideQuestion(): void {
    this.count('side-question')
  }

  result(files: readonly UsageFile[]): CostEvidence {
    const messages = this.merge.messages(files)
    for (const message of messages) this.largestPrompt = Math.max(this.largestPrompt, promptOf(message))
    const calls = new Map(this.counts)
    const lost = [...this.requests].filter(id => !this.answered.has(id)).length
    if (lost > 0) calls.set('lost-answer', lost)
    const titles = [...this.titles].filter(title => !this.agentNames.has(title)).length
    if (titles > 0) calls.set('title', titles)
    const { interrupted, totalAt, largestPrompt } = this
    return { messages, interrupted, totalAt, calls, largestPrompt }
  }

  private seeAnswer(event: SessionEvent): void {
    if (event.kind === 'interruption' && this.lastOpen !== null) this.interrupted.add(this.lastOpen)
    if (event.kind === 'interruption' || event.kind === 'prompt') this.lastOpen = null
    if (event.kind !== 'answer') return
    const id = statedMessage(event)
    const isOpen = event.stated.isOpen === true && !hasFlag(event, 'synthetic')
    this.lastOpen = isOpen && id !== undefined ? keyOfId(event, id) : null
  }

  /** `api-request` has an `id`, and the answer's `requestRef` names it. */
  private seeRequest({ request, answered }: Stated): void {
    if (request !== undefined) this.requests.add(request)
    if (answered !== undefined) this.answered.add(answered)
  }

  private seeCall({ kind, detail, blocks }: SessionEvent): void {
    if (kind === 'compaction' && detail?.phase === 'done') {
      this.count('compaction')
      this.largestPrompt = Math.max(this.largestPrompt, believableCount(detail.preTokens) ?? 0)
    }
    if (kind === 'title' && detail?.title) {
      if (detail.titleFrom === 'ai') this.titles.add(detail.title)
      if (detail.titleFrom === 'agent-name') this.agentNames.add(detail.title)
    }
    const first = blocks.find(block => block.type === 'tool-result')
    const result = asObject(first?.structured)
    if (result?.['query'] !== undefined && result['durationSeconds'] !== undefined) this.count('web-search')
    if (result?.['url'] !== undefined && result['codeText'] !== undefined) this.count('web-fetch')
  }

  private count(call: UnloggedCall): void {
    this.counts.set(call, (this.counts.get(call) ?? 0) + 1)
  }
}

function promptOf({ inputTokens, cacheCreationTokens, cacheReadTokens }: MessageUsage): number {
  return inputTokens + cacheCreationTokens + cacheReadTokens
}
