// Which thread a record belongs to, and which parent it has when it states none, as far as can be told while reading a file
// from top to bottom. The graph looks again with the whole session in view.

import type { IdSet } from '../base/id-set.ts'
import { asObject, asString, isObject, type JsonObject } from '../base/json.ts'
import type { Block } from '../model/event.ts'
import type { CallId, EventId, ThreadId } from '../model/ids.ts'
import { threadId } from '../model/ids.ts'
import type { Dialect } from '../model/record.ts'

/** Tools that start a subagent. */
export const delegatingTools: ReadonlySet<string> = new Set(['Task', 'Agent'])

export class ThreadReader {
  private readonly agent: string | undefined
  private readonly seen: IdSet
  /** Thread of every sidechain record without an agent id, by uuid. */
  private readonly sides = new Map<string, ThreadId>()
  /** Calls that started a subagent and have no result yet: id → prompt. */
  private readonly openDelegations = new Map<CallId, string>()
  private lastSide: ThreadId | undefined
  private readonly lastInThread = new Map<ThreadId, EventId>()

  constructor(agent: string | undefined, seen: IdSet) {
    this.agent = agent
    this.seen = seen
  }

  threadOf(value: JsonObject, id: EventId, dialect: Dialect, main: ThreadId): ThreadId {
    const agent = asString(value['agentId'])
    if (this.agent !== undefined) return threadId(agent ?? this.agent)
    if (value['isSidechain'] !== true) {
      if (typeof value['uuid'] !== 'string')
        this.lastSide = value['isSidechain'] === undefined ? this.lastSide : undefined
      return main
    }
    if (agent !== undefined) return threadId(agent)
    const thread = this.sideThread(value, id, dialect, main)
    if (typeof value['uuid'] === 'string') this.sides.set(value['uuid'], thread)
    this.lastSide = thread
    return thread
  }

  private sideThread(value: JsonObject, id: EventId, dialect: Dialect, main: ThreadId): ThreadId {
    const parent = asString(value['parentUuid'])
    const known = parent === undefined ? undefined : this.sides.get(parent)
    if (known !== undefined) return known
    if (parent === undefined && typeof value['uuid'] !== 'string' && this.lastSide !== undefined) return this.lastSide
    if (dialect === 'client' && parent !== undefined && this.isAlternate(value, parent)) return main
    return threadId(id)
  }

  /** 004: a sidechain line that goes on from the main thread while no delegation is open is another branch of it. */
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
      if (block.type === 'tool-call' && isMain && delegatingTools.has(block.name)) {
        this.openDelegations.set(block.callId, asString(asObject(block.input)?.['prompt']) ?? '')
      } else if (block.type === 'tool-result' && isMain) {
        this.openDelegations.delete(block.callId)
      }
    }
  }
}
