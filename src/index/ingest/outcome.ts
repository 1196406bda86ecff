// How a tool's result came out, as the index keeps it. What a stopped call is, is decided in the model.

import { asObject } from '../../base/json.ts'
import { hasFlag, isErrorResult, type SessionEvent, type ToolResultBlock, wasStopped } from '../../model/event.ts'
import { headOf } from '../refresh/thin-facts.ts'

/** 0 done, 1 failed by itself, 2 stopped by somebody. */
export function outcomeOf(event: SessionEvent, block: ToolResultBlock): number {
  const isError = isErrorResult(event, block)
  if (hasFlag(event, 'aborted') || (isError ? wasStopped(event, block) : isStoppedFromStart(event, block))) return 2
  return isError ? 1 : 0
}

/** What is no error says that it was stopped only by how it begins, if not in a field. */
function isStoppedFromStart(event: SessionEvent, block: ToolResultBlock): boolean {
  const { value } = event.record
  const isPlain = asObject(block.structured)?.['interrupted'] !== true && value?.['toolDenialKind'] === undefined
  // Cheap to ask, and false for nearly all.
  if (isPlain && !beginsLikeStop.test(headOf(block, 1))) return false
  return wasStopped(event, beginningOf(block))
}

const beginsLikeStop = /^[[TEU]/i

function beginningOf(block: ToolResultBlock): ToolResultBlock {
  return { ...block, content: [{ type: 'text', text: headOf(block, 100) }] }
}
