// One event: the canonical unit that everything after decoding works with, whatever dialect the record was written in, with
// small questions about it: its place in the chain, its plain text, whether the user stopped a call.

import type { Instant } from '../base/instant.ts'
import { asObject, type JsonObject } from '../base/json.ts'
import type { EventDetail, TaskNotification } from './detail.ts'
import type { CallId, EventId, SessionId, ThreadId } from './ids.ts'
import type { Dialect, LogRecord } from './record.ts'
import type { Stated } from './stated.ts'

/** All kinds of events, in the order of the contract. */
export const eventKinds = [
  'prompt', // a human typed it (queued ones too)
  'delegation', // an agent wrote it to start or steer a subagent
  'answer', // model output: text, thinking, tool calls
  'tool-results',
  'command', // slash, local and bash-mode commands
  'command-output', // what they printed
  'notification', // task, teammate, monitor messages that no human typed
  'interruption',
  'api-error',
  'compaction', // the border itself
  'compact-summary', // the text that replaced what was before it
  'preserved', // content carried over a compaction (000's compact_prelude)
  'attachment',
  'hook',
  'notice',
  'progress',
  'queue',
  'snapshot',
  'title', // last-wins lines that name a session or branch
  'state', // other last-wins lines
  'link', // links to other sessions, pull requests, published pages
  'meta', // injected by Claude Code for the model, not typed
  'history',
  'other',
  'malformed',
] as const

/** What an event is, whatever its dialect calls it. */
export type EventKind = (typeof eventKinds)[number]

/** Who speaks. In a subagent's thread the one who writes the `user` records is the delegating agent, never `human`. */
export type Actor = 'human' | 'agent' | 'tool' | 'client'

/** All marks that an event may carry besides its kind, in the order of the contract. */
export const eventFlags = [
  'meta',
  'sidechain',
  'deleted', // softly deleted (000, 003): its place stays, its content is gone
  'aborted',
  'error',
  'active', // 000's is_active
  'synthetic', // written by Claude Code in the model's name
  'inferred', // kind, parent or pairing is a conclusion, not stated by the log
  'estimated',
  'copy', // the uuid is earlier in the same file or session
  'transcript-only',
  'embedded', // a line of a subagent that a progress record of another log carries; the subagent's own log may have it too
] as const

/** A mark that an event carries besides its kind. */
export type Flag = (typeof eventFlags)[number]

/** A text, the model's or anybody's. */
export interface TextBlock {
  type: 'text'
  text: string
}
/** The model's reasoning, as far as the log has it. */
export interface ThinkingBlock {
  type: 'thinking'
  text: string
  /** False where this version of Claude Code kept only a signature. */
  logged: boolean
  /** True where the API itself withheld the text. */
  redacted?: boolean
}
/** A request to run a tool. */
export interface ToolCallBlock {
  type: 'tool-call'
  callId: CallId
  name: string
  /** Verbatim; mostly an object. */
  input: unknown
  /** True where the log has no id and ours was made up. */
  inferredId?: boolean
  /** Where the call came from, verbatim; `{"type":"direct"}` in all logs seen. */
  caller?: unknown
}
/** What a tool answered. */
export interface ToolResultBlock {
  type: 'tool-result'
  callId: CallId
  isError: boolean
  content: Block[]
  /** The record's `toolUseResult`, verbatim: object, string or array. */
  structured?: unknown
  /** Path of the file that has the whole output, as the log names it. */
  spillFile?: string
}
/** An image or document, by type and size. */
export interface MediaBlock {
  type: 'image' | 'document'
  mediaType: string
  /** Size of the decoded data. */
  bytes: number
  /** Base64; only where it was asked for. */
  data?: string
}
/** A block that has no meaning of its own here, preserved whole. */
export interface OtherBlock {
  type: 'other'
  wireType: string
  raw: unknown
}
/** One part of what an event says. */
export type Block = TextBlock | ThinkingBlock | ToolCallBlock | ToolResultBlock | MediaBlock | OtherBlock

/** Tokens of one API message, as far as the log states them. */
export interface Usage {
  inputTokens: number
  outputTokens: number
  cacheCreationTokens: number
  cacheReadTokens: number
  cacheCreation5mTokens?: number
  cacheCreation1hTokens?: number
  webSearches?: number
  /** As the API names them: `standard`, `not_available`. */
  serviceTier?: string
  inferenceGeo?: string
  /** `fast` or `standard`; as the API names it. */
  speed?: string
  /** False where the log has only a streaming placeholder for the output: a lower bound. */
  outputFinal: boolean
}

/** What an answer says about its API message. Several events may carry the same id: see ApiMessage. */
export interface MessageFacts {
  id: string
  requestId?: string
  model?: string
  stopReason?: string
  usage?: Usage
  costUSD?: number
  durationMs?: number
}

/** Where the bytes of an event lie. */
export interface EventSource {
  file: string
  line: number
  offset: number
  bytes: number
  part?: number
}

/** The canonical unit: one record with its meaning, its place in the session and its bytes. */
export interface EventOf<K extends EventKind> {
  /** Stable as the file grows. Not unique over several files: forks copy uuids. */
  id: EventId
  kind: K
  actor: Actor
  /** The record's `type` as written; `''` where it has none. */
  wireType: string
  session: SessionId
  thread: ThreadId
  /** The parent as the log states it, whether or not it exists; concluded from the place in the file where flagged `inferred`. */
  parent: EventId | null
  /** The parent before a compaction cut the chain. */
  logicalParent?: EventId
  at: Instant
  dialect: Dialect
  /** Client version; carried forward from earlier records of the file where absent. So are `cwd` and `gitBranch`. */
  version?: string
  cwd?: string
  gitBranch?: string
  source: EventSource
  blocks: Block[]
  message?: MessageFacts
  flags: Flag[]
  /** What it says besides, by kind; absent where that is nothing. */
  detail?: EventDetail[K]
  /** Fields of the detail whose value is not what their name means, as the log has them; mostly absent. Printed with the others. */
  misfits?: JsonObject
  /** What its record states of itself, its session and who wrote it. Not part of the printed contract. */
  stated: Stated
  /** The session that it was copied from, where comparing sessions showed that: see `copiedFrom`. */
  inheritedFrom?: string
  /** The record it was made from, with every field that has no place above. Not part of the printed contract. */
  record: LogRecord
}

/** An event of any kind; its kind says what its detail is. */
export type SessionEvent = { [K in EventKind]: EventOf<K> }[EventKind]

/** Some fields of an event, whose kind still says what its detail is. */
export type EventPart<F extends keyof SessionEvent> = { [K in EventKind]: Pick<EventOf<K>, F> }[EventKind]

/** What `clew events --json` prints. */
export interface EventLine extends Omit<EventOf<EventKind>, 'record' | 'stated' | 'misfits' | 'detail'> {
  detail?: Record<string, unknown>
}

/** Whether an event carries a mark. */
export function hasFlag(event: Pick<SessionEvent, 'flags'>, flag: Flag): boolean {
  return event.flags.includes(flag)
}

/** How a task in the background ended, where the event reports that. */
export function notificationIn(event: SessionEvent): TaskNotification | undefined {
  return event.kind === 'notification' || event.kind === 'queue' ? event.detail?.notification : undefined
}

/** Whether it was typed or reported while the model worked, and has a record of its own. */
export function wasQueued(event: SessionEvent): boolean {
  switch (event.kind) {
    case 'prompt':
    case 'command':
    case 'notification':
      return event.detail?.queued === true
    default:
      return false
  }
}

/** Record types that name an account or an organisation: they are never shown, exported or indexed beyond their type. */
export const privateTypes: ReadonlySet<string> = new Set(['session-owner'])

/** Whether damaged text may be part of such a record. */
export function namesPrivateType(text: string): boolean {
  return [...privateTypes].some(type => text.includes(`"${type}"`))
}

/** Types that are links of the uuid chain in some dialect: they have a place in the conversation even without a uuid. */
export const chainTypes: ReadonlySet<string> = new Set([
  'user',
  'assistant',
  'system',
  'attachment',
  'progress',
  'saved_hook_context',
  'human',
  'tool_result',
  'compact_prelude',
  'compact_recap',
  'compact_system',
])

/** Whether the record has a place in the conversation: it has a uuid, or its type is a link of the chain. */
export function isChainEvent(event: SessionEvent): boolean {
  if (event.kind === 'malformed') return false
  if (event.stated.uuid !== undefined) return true
  return event.dialect !== 'foreign' && event.dialect !== 'journal' && chainTypes.has(event.wireType)
}

const besideKinds: ReadonlySet<EventKind> = new Set(['queue', 'title', 'snapshot', 'state', 'link'])

/** Whether it is outside of the conversation, though it may have a uuid: nothing follows it. */
export function isBeside({ kind }: { kind: EventKind }): boolean {
  return besideKinds.has(kind)
}

/** All text blocks, a line end between two of them. */
export function blocksText(blocks: readonly Block[]): string {
  let text = ''
  for (const block of blocks) {
    if (block.type === 'text') text = text === '' ? block.text : `${text}\n${block.text}`
  }
  return text
}

const stoppedKinds: ReadonlySet<unknown> = new Set(['interrupted', 'cancelled', 'user-rejected'])
const stoppedText =
  /\[Request interrupted by user|The user doesn't want to (proceed|take this action)|^(Error: )?User rejected|\[Tool call interrupted/i

/** `event`: the one that has the result. */
export function wasStopped(event: SessionEvent, block: ToolResultBlock): boolean {
  const { structured } = block
  if (asObject(structured)?.['interrupted'] === true) return true
  if (stoppedKinds.has(event.stated.denial)) return true
  // A file that was read may have the same words: only an error, or a text that begins with them, says so of itself.
  const text = blocksText(block.content)
  const at = stoppedText.exec(text)?.index
  if (at !== undefined && (block.isError || at === 0)) return true
  return typeof structured === 'string' && block.isError && stoppedText.test(structured)
}

/** Kinds whose events are errors themselves where they are marked so. */
export const errorMessageKinds = ['api-error', 'answer', 'prompt'] as const satisfies readonly EventKind[]
const messageKinds: ReadonlySet<EventKind> = new Set(errorMessageKinds)

/** A message that is an error itself: one of the API that no other try followed, or one that is marked so (000). */
export function isErrorMessage(event: SessionEvent): boolean {
  return messageKinds.has(event.kind) && hasFlag(event, 'error')
}

/** Whether the result is marked as an error; the event's own mark speaks of all its results together. */
export function isErrorResult(event: SessionEvent, block: ToolResultBlock): boolean {
  return block.isError || (hasFlag(event, 'error') && isOnlyResult(event))
}

function isOnlyResult(event: SessionEvent): boolean {
  return event.blocks.filter(block => block.type === 'tool-result').length === 1
}
