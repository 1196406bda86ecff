// The vocabulary of specification 003: messages are plain strings, a tool call is a line of its own without an id, and a
// `system` line answers it: paired by parent, else by place before the next answer.

import { asObject, asString, isObject } from '../base/json.ts'
import type { Block } from '../model/event.ts'
import { type CallId, callId, type ThreadId } from '../model/ids.ts'
import { decodeAssistant } from './assistant.ts'
import { decodeContent } from './blocks.ts'
import { type Draft, type DraftInput, otherDraft, ownFields } from './draft.ts'
import { compactionDetail } from './system.ts'
import { userDraft } from './user.ts'

/** The id that a call without one gets. */
export function syntheticCallId(event: string): CallId {
  return callId(`s3:${event}`)
}

/** `answers`: the call that this system line is taken to answer, if any. */
export function decodeS3(input: DraftInput, answers: CallId | undefined): Draft {
  switch (input.record.type) {
    case 'user':
      return decodeUserLine(input)
    case 'assistant':
      return decodeAssistantLine(input)
    case 'system':
      return decodeSystemLine(input, answers)
    case 'compact_system':
      return decodeCompactLine(input)
    default:
      return { ...otherDraft(input), blocks: messageBlocks(input) }
  }
}

function messageBlocks(input: DraftInput): Block[] {
  const message = input.value['message']
  if (typeof message === 'string') return message === '' ? [] : [{ type: 'text', text: message }]
  return decodeContent(asObject(message)?.['content'], input.options)
}

function decodeUserLine(input: DraftInput): Draft {
  const blocks = messageBlocks(input)
  if (input.value['subtype'] === 'command' && input.value['isMeta'] !== true) {
    return { kind: 'command', actor: input.isSubagent ? 'agent' : 'human', blocks }
  }
  return userDraft(input, blocks)
}

function decodeAssistantLine(input: DraftInput): Draft {
  const { value } = input
  const draft: Draft = isObject(value['message'])
    ? decodeAssistant(input)
    : { kind: 'answer', actor: 'agent', blocks: messageBlocks(input) }
  const name = asString(value['toolName'])
  if (name !== undefined) {
    const given = value['toolArguments'] ?? {}
    draft.blocks.push({ type: 'tool-call', callId: syntheticCallId(input.id), name, input: given, inferredId: true })
  } else if (value['subtype'] === 'tool_use' || 'toolArguments' in value) {
    draft.blocks.push({ type: 'other', wireType: 'tool_use', raw: value })
  } else if (value['subtype'] === 'thinking') {
    draft.blocks = draft.blocks.map(block =>
      block.type === 'text' ? { type: 'thinking', text: block.text, logged: true } : block,
    )
  }
  return draft
}

function decodeSystemLine(input: DraftInput, answers: CallId | undefined): Draft {
  const content = messageBlocks(input)
  const isError = input.value['isError'] === true
  if (answers === undefined) return { kind: 'notice', actor: 'client', blocks: content, detail: ownDetail(input) }
  return {
    kind: 'tool-results',
    actor: 'tool',
    blocks: [{ type: 'tool-result', callId: answers, isError, content }],
    flags: ['inferred'],
  }
}

function ownDetail(input: DraftInput): Record<string, unknown> {
  const { message: _message, ...own } = ownFields(input.value)
  return own
}

const phases: ReadonlyMap<string, string> = new Map([
  ['conversation_compacting', 'start'],
  ['conversation_compacted', 'done'],
  ['conversation_restored', 'restored'],
])

function decodeCompactLine(input: DraftInput): Draft {
  const message = asString(input.value['message']) ?? ''
  const metadata = input.value['metadata'] ?? input.value['compactMetadata']
  const detail = { ...compactionDetail(metadata), phase: phases.get(message) ?? 'other' }
  return { kind: 'compaction', actor: 'client', blocks: messageBlocks(input), detail }
}

/** Calls of one thread that may be answered by place, in file order; those before `next` have their answer. */
interface Waiting {
  events: string[]
  next: number
}

/** Plain data, from which a later reader continues. */
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

  /** Results may hang on each other instead of on their calls; any other parent says that the line is not a result. */
  private byPlace(thread: ThreadId, parent: string | undefined, isParentKnown: boolean): string | undefined {
    if (parent !== undefined && isParentKnown && parent !== this.lastAnswer.get(thread)) return undefined
    const waiting = this.waiting.get(thread)
    if (waiting === undefined) return undefined
    while (waiting.next < waiting.events.length && !this.open.has(waiting.events[waiting.next] as string))
      waiting.next++
    return waiting.events[waiting.next]
  }
}
