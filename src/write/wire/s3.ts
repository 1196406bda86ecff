// Events → records in the vocabulary of 003: messages are strings, a call is a line of its own without an id, a `system` line
// answers it.

import { asNumber, asObject, asString, isObject } from '../../base/json.ts'
import type { Flag } from '../../model/event.ts'
import { plainText, textOf } from './content.ts'
import { removedText, type WireDraft, wireFlags } from './draft.ts'
import type { NewBlock, NewEvent } from './new-event.ts'

const flags: readonly Flag[] = ['meta', 'deleted', 'aborted']

/** The records of an event; none where 003 cannot say it. */
export function s3Drafts(event: NewEvent): WireDraft[] {
  switch (event.kind) {
    case 'prompt':
    case 'notification':
    case 'interruption':
    case 'meta':
    case 'compact-summary':
    case 'preserved':
    case 'command-output':
      return event.wireType === 'system' ? [] : [userDraft(event)]
    case 'delegation':
      return [userDraft(event)]
    case 'command':
      return event.wireType === 'system' ? [] : [userDraft(withTypedCommand(event), { subtype: 'command' })]
    case 'answer':
      return (event.blocks ?? []).flatMap(block => answerDraft(event, block))
    case 'tool-results':
      return (event.blocks ?? []).flatMap(block => resultDraft(event, block))
    case 'notice':
      return textOf(event) === '' ? [] : [draft('system', event, { message: textOf(event) })]
    case 'compaction':
      return event.detail?.['phase'] === 'micro' ? [] : compactDrafts(event)
    default:
      return []
  }
}

function draft(type: string, event: NewEvent, fields: Record<string, unknown>): WireDraft {
  const isRemoved = event.flags?.includes('deleted') === true
  return {
    type,
    isChain: true,
    fields: {
      ...fields,
      ...(isRemoved && 'message' in fields && { message: removedText }),
      ...(event.kind === 'meta' && { isMeta: true }),
      ...wireFlags(event, flags),
    },
  }
}

function userDraft(event: NewEvent, fields: Record<string, unknown> = {}): WireDraft {
  const userType = event.agent === undefined ? 'human' : 'external'
  return draft('user', event, { ...fields, message: textOf(event), userType })
}

/** As a person types it. */
function withTypedCommand(event: NewEvent): NewEvent {
  if ((event.blocks ?? []).length > 0) return event
  const { command, args } = event.detail ?? {}
  const typed = [asString(command), asString(args)].filter(part => part !== undefined && part !== '')
  return { ...event, blocks: [{ type: 'text', text: typed.join(' ') }] }
}

function answerDraft(event: NewEvent, block: NewBlock): WireDraft[] {
  if (block.type === 'tool-call') {
    const isRemoved = event.flags?.includes('deleted') === true
    const given = isObject(block.input) ? block.input : { input: block.input ?? null }
    return [
      draft('assistant', event, { subtype: 'tool_use', toolName: block.name, toolArguments: isRemoved ? {} : given }),
    ]
  }
  const text = plainText(block)
  if (text === undefined || (block.type === 'thinking' && text === '')) return []
  return [draft('assistant', event, { message: text, subtype: block.type === 'thinking' ? 'thinking' : 'response' })]
}

function resultDraft(event: NewEvent, block: NewBlock): WireDraft[] {
  if (block.type !== 'tool-result') return []
  const text = plainText(block) ?? ''
  return [draft('system', event, { message: text, ...(block.isError && { isError: true }) })]
}

const phases: Readonly<Record<string, string>> = {
  start: 'conversation_compacting',
  done: 'conversation_compacted',
  restored: 'conversation_restored',
}

/** A compaction begins before it is done; Claude Code marks only that it is done. */
function compactDrafts(event: NewEvent): WireDraft[] {
  const done = compactDraft(event)
  if (event.wireType !== 'system') return [done]
  return [draft('compact_system', event, { message: phases['start'] }), done]
}

function compactDraft(event: NewEvent): WireDraft {
  const { phase, preservedMessages, preserved, totalMessages } = { ...event.detail }
  const kept = asNumber(preservedMessages) ?? uuidCount(preserved)
  const total = asNumber(totalMessages)
  const metadata = kept === undefined || total === undefined ? undefined : { preservedMessages: kept, totalMessages }
  const message = phases[asString(phase) ?? 'done'] ?? 'conversation_compacted'
  return draft('compact_system', event, {
    message,
    ...(message === phases['done'] && metadata !== undefined && { metadata }),
  })
}

function uuidCount(preserved: unknown): number | undefined {
  const uuids = asObject(preserved)?.['uuids']
  return Array.isArray(uuids) ? uuids.length : undefined
}
