// Pairs 003's tool lines with the `system` lines that answer them: by parent, else by place before the next answer.

import type { CallId, ThreadId } from '../model/ids.ts'
import { syntheticCallId } from './s3.ts'

/** Calls of one thread that may be answered by place, in file order; those before `next` have their answer. */
interface Waiting {
  events: string[]
  next: number
}

/** Plain data, from which a later reader goes on. */
export interface S3PairsState {
  open: string[]
  waiting: [ThreadId, Waiting][]
  lastAnswer: [ThreadId, string][]
}

export class S3Pairs {
  /** Events of all calls without an answer. */
  private readonly open: Set<string>
  private readonly waiting: Map<ThreadId, Waiting>
  private readonly lastAnswer: Map<ThreadId, string>

  constructor(state?: S3PairsState) {
    this.open = new Set(state?.open)
    this.waiting = new Map(state?.waiting)
    this.lastAnswer = new Map(state?.lastAnswer)
  }

  save(): S3PairsState {
    return { open: [...this.open], waiting: [...this.waiting], lastAnswer: [...this.lastAnswer] }
  }

  /** A line that calls a tool. */
  call(thread: ThreadId, event: string, isAborted: boolean): void {
    this.open.add(event)
    if (isAborted) return
    const waiting = this.waiting.get(thread)
    if (waiting) waiting.events.push(event)
    else this.waiting.set(thread, { events: [event], next: 0 })
  }

  /** Any other answer or prompt: calls before it are not answered by place any more. */
  goOn(thread: ThreadId): void {
    this.waiting.delete(thread)
  }

  /** The call that a system line answers. `isParentKnown`: its stated parent is a record of the file. */
  answer(thread: ThreadId, event: string, parent: string | undefined, isParentKnown: boolean): CallId | undefined {
    const isByParent = parent !== undefined && this.open.has(parent)
    const call = isByParent ? parent : this.byPlace(thread, parent, isParentKnown)
    if (call === undefined) return undefined
    this.open.delete(call)
    this.lastAnswer.set(thread, event)
    return syntheticCallId(call)
  }

  /** Results may hang on each other instead of on their calls; any other parent says that the line is no result. */
  private byPlace(thread: ThreadId, parent: string | undefined, isParentKnown: boolean): string | undefined {
    if (parent !== undefined && isParentKnown && parent !== this.lastAnswer.get(thread)) return undefined
    const waiting = this.waiting.get(thread)
    if (waiting === undefined) return undefined
    while (waiting.next < waiting.events.length && !this.open.has(waiting.events[waiting.next] as string))
      waiting.next++
    return waiting.events[waiting.next]
  }
}
