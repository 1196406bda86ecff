// Which thread a record belongs to, and which parent it has when it states none, as far as it is known while reading a file
// from top to bottom. The graph looks again with the whole session in view.

import type { IdSet } from '../base/id-set.ts'
import { asObject, asString, isObject, type JsonObject } from '../base/json.ts'
import type { Block } from '../model/event.ts'
import type { CallId, EventId, ThreadId } from '../model/ids.ts'
import { threadId } from '../model/ids.ts'
import type { Dialect } from '../model/record.ts'
import { delegatingTools } from '../model/session.ts'

/** Plain data, from which a later reader continues. */
export interface ThreadState {
  sides: [string, ThreadId][]
  openDelegations: CallId[]
  lastSide?: ThreadId
  delegators: string[]
  hasMainSince: boolean
  lastInThread: [ThreadId, EventId][]
}

export class ThreadReader {
  private readonly agent: string | undefined
  private readonly seen: IdSet
  /** Thread of every sidechain record, by uuid. */
  private readonly sides: Map<string, ThreadId>
  /** Calls that started a subagent and have no result yet. */
  private readonly openDelegations: Set<CallId>
  private lastSide: ThreadId | undefined
  /** Sidechain records that start a subagent of their own. */
  private readonly delegators: Set<string>
  /** Whether the main thread continued since the last sidechain record. */
  private hasMainSince: boolean
  private readonly lastInThread: Map<ThreadId, EventId>

  constructor(agent: string | undefined, seen: IdSet, state?: ThreadState) {
    this.agent = agent
    this.seen = seen
    this.sides = new Map(state?.sides)
    this.openDelegations = new Set(state?.openDelegations)
    this.lastSide = state?.lastSide
    this.delegators = new Set(state?.delegators)
    this.hasMainSince = state?.hasMainSince ?? false
    this.lastInThread = new Map(state?.lastInThread)
  }

  save(): ThreadState {
    return {
      sides: [...this.sides],
      openDelegations: [...this.openDelegations],
      ...(this.lastSide !== undefined && { lastSide: this.lastSide }),
      delegators: [...this.delegators],
      hasMainSince: this.hasMainSince,
      lastInThread: [...this.lastInThread],
    }
  }

  /** `isChain`: the record has a place in the conversation. */
  threadOf(value: JsonObject, id: EventId, dialect: Dialect, main: ThreadId, isChain: boolean): ThreadId {
    const agent = asString(value['agentId'])
    if (this.agent !== undefined) return threadId(agent ?? this.agent)
    const isSide = value['isSidechain']
    // Where a record does not say which side it is on, its agent does.
    if (isSide !== true && (isSide !== undefined || agent === undefined || !isChain)) {
      if (isChain) this.hasMainSince = true
      return main
    }
    const thread = agent === undefined ? this.sideThread(value, id, dialect, main) : threadId(agent)
    if (typeof value['uuid'] === 'string') this.sides.set(value['uuid'], thread)
    this.lastSide = thread
    this.hasMainSince = false
    return thread
  }

  private sideThread(value: JsonObject, id: EventId, dialect: Dialect, main: ThreadId): ThreadId {
    const parent = asString(value['parentUuid'])
    if (parent === undefined) return this.unlinkedThread(value) ?? threadId(id)
    const known = this.sides.get(parent)
    if (known !== undefined) return this.delegators.has(parent) && isTask(value) ? threadId(id) : known
    return dialect === 'client' && this.isAlternate(value, parent) ? main : threadId(id)
  }

  /** 003 writes lines without any id: they continue with the sidechain before them, unless a new task is given. */
  private unlinkedThread(value: JsonObject): ThreadId | undefined {
    if ('uuid' in value || 'parentUuid' in value) return undefined
    return this.hasMainSince && value['type'] === 'user' ? undefined : this.lastSide
  }

  /** 004: a sidechain line that continues from the main thread while no delegation is open is another branch of it. */
  private isAlternate(value: JsonObject, parent: string): boolean {
    if (!this.seen.has(parent) || this.openDelegations.size > 0) return false
    return isObject(value['message'])
  }

  /** The event before it on its thread, for a record that states neither uuid nor parent. */
  parentByPlace(thread: ThreadId): EventId | null {
    return this.lastInThread.get(thread) ?? null
  }

  /** Takes note of a decoded event of the chain. */
  note(thread: ThreadId, id: EventId, blocks: readonly Block[], isMain: boolean): void {
    this.lastInThread.set(thread, id)
    for (const block of blocks) {
      if (block.type === 'tool-call' && delegatingTools.has(block.name)) {
        if (isMain) this.openDelegations.add(block.callId)
        else this.delegators.add(id)
      } else if (block.type === 'tool-result' && isMain) {
        this.openDelegations.delete(block.callId)
      }
    }
  }
}

/** A text of the user's side, as opposed to the result of a call. */
function isTask(value: JsonObject): boolean {
  if (value['type'] !== 'user' && value['type'] !== 'human') return false
  const content = asObject(value['message'])?.['content']
  return !Array.isArray(content) || !content.some(block => asObject(block)?.['type'] === 'tool_result')
}
