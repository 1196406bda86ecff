// Events → records in the vocabulary of 000: `human`, `assistant`, `tool_result`, `compact_prelude`, `compact_recap`; messages
// without a role.

import { asArray, asObject } from '../../base/json.ts'
import type { Flag } from '../../model/event.ts'
import { wireBlocks, wireContent } from './content.ts'
import { removedText, type WireDraft, wireFlags } from './draft.ts'
import type { NewBlock, NewEvent } from './new-event.ts'

const flags: readonly Flag[] = ['meta', 'deleted', 'aborted', 'error', 'active']
const sayable: ReadonlySet<NewBlock['type']> = new Set(['text', 'tool-call', 'tool-result', 'image'])

/** The records of an event; none where 000 cannot say it. */
export function s0Drafts(event: NewEvent): WireDraft[] {
  switch (event.kind) {
    case 'prompt':
    case 'delegation':
    case 'command':
    case 'command-output':
    case 'notification':
    case 'interruption':
    case 'meta':
      return event.wireType === 'system' ? [] : [draft('human', event)]
    case 'answer':
      return [draft('assistant', event)]
    case 'tool-results':
      return [draft('tool_result', event)]
    case 'preserved':
      return [draft('compact_prelude', event)]
    case 'compact-summary':
      return [draft('compact_recap', event)]
    default:
      return []
  }
}

function draft(type: string, event: NewEvent): WireDraft {
  const isRemoved = event.flags?.includes('deleted') === true
  const meta = event.kind === 'meta' ? { isMeta: true } : {}
  const metadata = asObject(event.raw?.['compactMetadata']) ?? asObject(event.detail?.['compactMetadata'])
  return {
    type,
    isChain: true,
    fields: {
      ...meta,
      ...wireFlags(event, flags),
      ...(metadata !== undefined && { compactMetadata: metadata }),
      message: { type: 'message', content: isRemoved ? removedContent(event) : contentOf(event) },
    },
  }
}

function contentOf(event: NewEvent): string | unknown[] {
  const blocks = event.blocks ?? []
  if (blocks.every(({ type }) => sayable.has(type)) && event.kind !== 'answer')
    return wireContent(event, { isPlain: true })
  const wire = wireBlocks(event)
  return asArray(blocks).flatMap((block, at) => (sayable.has((block as NewBlock).type) ? [wire[at]] : []))
}

/** Calls and results stay, without what they said. */
function removedContent(event: NewEvent): string | unknown[] {
  const links = (event.blocks ?? []).flatMap((block): NewBlock[] => {
    if (block.type === 'tool-call') return [{ ...block, input: {} }]
    return block.type === 'tool-result' ? [{ ...block, content: [{ type: 'text', text: removedText }] }] : []
  })
  return links.length === 0 ? removedText : wireBlocks({ kind: event.kind, blocks: links })
}
