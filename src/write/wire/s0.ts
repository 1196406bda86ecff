// Events → records in the vocabulary of 000: `human`, `assistant`, `tool_result`, `compact_prelude`, `compact_recap`; messages
// without a role.

import { asObject, asString } from '../../base/json.ts'
import type { Flag } from '../../model/event.ts'
import { wireBlocks, wireContent, withCommandText } from './content.ts'
import { removedText, type WireDraft, wireFlags } from './draft.ts'
import type { NewBlock, NewEvent } from './new-event.ts'

const flags: readonly Flag[] = ['meta', 'deleted', 'aborted', 'error', 'active']
const sayable: ReadonlySet<NewBlock['type']> = new Set(['text', 'tool-call', 'tool-result', 'image'])

/** The records of an event; none where 000 cannot say it. */
export function s0Drafts(event: NewEvent): WireDraft[] {
  switch (event.kind) {
    case 'prompt':
    case 'delegation':
    case 'command-output':
    case 'notification':
    case 'interruption':
    case 'meta':
      return event.wireType === 'system' ? [] : [draft('human', event)]
    case 'command':
      return event.wireType === 'system' ? [] : [draft('human', withCommandText(event))]
    case 'answer':
      return [draft('assistant', event)]
    case 'tool-results':
      return [draft('tool_result', event)]
    case 'preserved':
      return [draft('compact_prelude', event)]
    case 'compact-summary':
      return [draft('compact_recap', event)]
    case 'compaction':
      return isBorder(event) ? [draft('compact_prelude', event)] : []
    default:
      return []
  }
}

/** 003 also marks how a compaction begins, and that work goes on; 2.1 marks small ones, which keep the chain. */
function isBorder({ detail, blocks = [] }: NewEvent): boolean {
  const phase = detail?.['phase']
  return (phase === undefined || phase === 'done') && blocks.length > 0
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
  const hasResult = blocks.some(({ type }) => type === 'tool-result')
  if (blocks.every(({ type }) => sayable.has(type)) && event.kind !== 'answer' && !hasResult)
    return wireContent(event, { isPlain: true })
  return wireBlocks(event).flatMap((wire, at) => (sayable.has(blocks[at]?.type ?? 'other') ? [withText(wire)] : []))
}

/** A result is one text. */
function withText(wire: unknown): unknown {
  const block = asObject(wire)
  const content = block?.['content']
  if (block?.['type'] !== 'tool_result' || !Array.isArray(content)) return wire
  const texts = content.map(one => asString(asObject(one)?.['text']))
  return { ...block, content: texts.filter(text => text !== undefined).join('\n') }
}

/** Calls and results stay, without what they said. */
function removedContent(event: NewEvent): string | unknown[] {
  const links = (event.blocks ?? []).flatMap((block): NewBlock[] => {
    if (block.type === 'tool-call') return [{ ...block, input: {} }]
    return block.type === 'tool-result' ? [{ ...block, content: [{ type: 'text', text: removedText }] }] : []
  })
  return links.length === 0 ? removedText : wireBlocks({ kind: event.kind, blocks: links })
}
