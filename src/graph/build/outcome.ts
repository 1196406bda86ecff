// How a tool call ended, as its result tells. Pairing is done before; background work that ended later is weighed by `calls`.

import { asObject, asString } from '../../base/json.ts'
import { hasFlag, type SessionEvent, type ToolResultBlock } from '../../model/event.ts'
import type { CallStatus } from '../../model/session.ts'
import { isErrorResult, wasStopped } from '../../model/stopped.ts'
import { blocksText } from '../../model/text.ts'

export interface CallResult {
  event: SessionEvent
  block: ToolResultBlock
}

/** `followedByInterruption`: the user stopped the turn right at this result. */
export function resultStatus(
  request: SessionEvent,
  { event, block }: CallResult,
  followedByInterruption: boolean,
): CallStatus {
  if (hasFlag(request, 'aborted') || hasFlag(event, 'aborted')) return 'interrupted'
  if (wasStopped(event, block)) return 'interrupted'
  const isError = isErrorResult(event, block)
  if (isError && followedByInterruption) return 'interrupted'
  return isError ? 'failed' : 'done'
}

/** Whether the result only says that work has begun in the background. */
export function isLaunchOnly(block: ToolResultBlock): boolean {
  const structured = asObject(block.structured)
  if (structured?.['isAsync'] === true) return true
  const status = asString(structured?.['status'])
  if (status === 'async_launched') return true
  return structured === undefined && blocksText(block.content).startsWith('Async agent launched successfully')
}

/** Whether what the call started goes on after its result: a subagent, or a command that was put into the background. */
export function runsOn(block: ToolResultBlock): boolean {
  return isLaunchOnly(block) || Boolean(asString(asObject(block.structured)?.['backgroundTaskId']))
}

/** What a task's own last word means for the call that started it; undefined where it says nothing of an end. */
export function taskStatus(status: string | undefined): CallStatus | undefined {
  switch (status?.toLowerCase()) {
    case 'completed':
    case 'success':
    case 'succeeded':
    case 'done':
      return 'done'
    case 'failed':
    case 'error':
    case 'timeout':
      return 'failed'
    case 'killed':
    case 'stopped':
    case 'cancelled':
    case 'canceled':
    case 'interrupted':
    case 'aborted':
      return 'interrupted'
    default:
      return undefined
  }
}
