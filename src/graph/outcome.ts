// How a tool call ended, as its result tells. Pairing is done before; background work that ended later is weighed by `calls`.

import { asObject, asString } from '../base/json.ts'
import { hasFlag, type SessionEvent, type ToolResultBlock } from '../model/event.ts'
import type { CallStatus } from '../model/session.ts'
import { blocksText } from './text.ts'

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
  const isError = block.isError || (hasFlag(event, 'error') && isOnlyResult(event))
  if (isError && followedByInterruption) return 'interrupted'
  return isError ? 'failed' : 'done'
}

/** The event's error flag speaks of all its results together. */
function isOnlyResult(event: SessionEvent): boolean {
  return event.blocks.filter(block => block.type === 'tool-result').length === 1
}

const stoppedKinds: ReadonlySet<unknown> = new Set(['interrupted', 'cancelled', 'user-rejected'])
const stoppedText =
  /\[Request interrupted by user|The user doesn't want to (proceed|take this action)|^(Error: )?User rejected|\[Tool call interrupted/i

function wasStopped(event: SessionEvent, block: ToolResultBlock): boolean {
  const { structured } = block
  if (asObject(structured)?.['interrupted'] === true) return true
  if (stoppedKinds.has(event.record.value?.['toolDenialKind'])) return true
  // A file that was read may hold the same words: only an error, or a text that begins with them, says so of itself.
  const text = blocksText(block.content)
  const at = stoppedText.exec(text)?.index
  if (at !== undefined && (block.isError || at === 0)) return true
  return typeof structured === 'string' && block.isError && stoppedText.test(structured)
}

/** Whether the result only says that work has begun in the background. */
export function isLaunchOnly(block: ToolResultBlock): boolean {
  const structured = asObject(block.structured)
  if (structured?.['isAsync'] === true) return true
  const status = asString(structured?.['status'])
  if (status === 'async_launched') return true
  return structured === undefined && blocksText(block.content).startsWith('Async agent launched successfully')
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
