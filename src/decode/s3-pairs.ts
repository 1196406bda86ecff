// Pairs 003's tool lines with the `system` lines that answer them: by parent, else by place before the next answer.

import type { CallId, ThreadId } from '../model/ids.ts'
import { syntheticCallId } from './s3.ts'

interface WaitingCall {
  event: string
  isAborted: boolean
}

export class S3Pairs {
  private readonly waiting = new Map<ThreadId, WaitingCall[]>()
  private readonly lastAnswer = new Map<ThreadId, string>()

  /** A line that calls a tool. */
  call(thread: ThreadId, event: string, isAborted: boolean): void {
    const calls = this.waiting.get(thread) ?? []
    calls.push({ event, isAborted })
    this.waiting.set(thread, calls)
  }

  /** Any other answer or prompt: calls before it are not answered by place any more. */
  goOn(thread: ThreadId): void {
    this.waiting.delete(thread)
  }

  /** The call that a system line answers. `isParentKnown`: its stated parent is a record of the file. */
  answer(thread: ThreadId, event: string, parent: string | undefined, isParentKnown: boolean): CallId | undefined {
    const calls = this.waiting.get(thread)
    if (!calls || calls.length === 0) return undefined
    let at = parent === undefined ? -1 : calls.findIndex(call => call.event === parent)
    const byPlace = parent === undefined || !isParentKnown || parent === this.lastAnswer.get(thread)
    if (at === -1 && byPlace) at = calls.findIndex(call => !call.isAborted)
    const call = calls[at]
    if (!call) return undefined
    calls.splice(at, 1)
    this.lastAnswer.set(thread, event)
    return syntheticCallId(call.event)
  }
}
