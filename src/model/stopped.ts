// Whether a tool's result says that the user stopped or refused the call, which is no failure of the tool.

import { asObject } from '../base/json.ts'
import { hasFlag, type SessionEvent, type ToolResultBlock } from './event.ts'
import { blocksText } from './text.ts'

const stoppedKinds: ReadonlySet<unknown> = new Set(['interrupted', 'cancelled', 'user-rejected'])
const stoppedText =
  /\[Request interrupted by user|The user doesn't want to (proceed|take this action)|^(Error: )?User rejected|\[Tool call interrupted/i

/** `event`: the one that holds the result. */
export function wasStopped(event: SessionEvent, block: ToolResultBlock): boolean {
  const { structured } = block
  if (asObject(structured)?.['interrupted'] === true) return true
  if (stoppedKinds.has(event.record.value?.['toolDenialKind'])) return true
  // A file that was read may hold the same words: only an error, or a text that begins with them, says so of itself.
  const text = blocksText(block.content)
  const at = stoppedText.exec(text)?.index
  if (at !== undefined && (block.isError || at === 0)) return true
  return typeof structured === 'string' && block.isError && stoppedText.test(structured)
}

/** Whether the result is marked as an error; the event's own mark speaks of all its results together. */
export function isErrorResult(event: SessionEvent, block: ToolResultBlock): boolean {
  return block.isError || (hasFlag(event, 'error') && isOnlyResult(event))
}

function isOnlyResult(event: SessionEvent): boolean {
  return event.blocks.filter(block => block.type === 'tool-result').length === 1
}
