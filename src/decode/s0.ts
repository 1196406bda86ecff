// The vocabulary of specification 000: `human`, `tool_result`, `compact_prelude`, `compact_recap`, messages without a role,
// times in milliseconds. Never seen in a real log; a file written that way is read like any other.
//
//   {"uuid":"msg_1","parentUuid":null,"sessionId":"s","type":"human","timestamp":1738160130123,
//    "message":{"type":"message","content":"Create a script"}}

import { asObject } from '../base/json.ts'
import { decodeAssistant } from './assistant.ts'
import { decodeContent } from './blocks.ts'
import { type Draft, type DraftInput, otherDraft } from './draft.ts'
import { compactionDetail } from './system.ts'
import { decodeUser } from './user.ts'

export function decodeS0(input: DraftInput): Draft {
  switch (input.record.type) {
    case 'human':
    case 'tool_result':
    case 'user':
      return decodeUser(input)
    case 'assistant':
      return decodeAssistant(input)
    case 'compact_prelude':
      return compactPart(input, 'preserved')
    case 'compact_recap':
      return compactPart(input, 'compact-summary')
    default:
      return otherDraft(input)
  }
}

function compactPart(input: DraftInput, kind: 'preserved' | 'compact-summary'): Draft {
  const draft: Draft = {
    kind,
    actor: 'client',
    blocks: decodeContent(asObject(input.value['message'])?.['content'], input.options),
  }
  const detail = compactionDetail(input.value['compactMetadata'])
  if (Object.keys(detail).length > 0) draft.detail = detail
  return draft
}
