// What one event states about what an API message used. Every reader of usage gets its statements here: the scan of logs, the
// index, the status line. Also the keys that messages are joined by, and an estimate of tokens for logs that have only a
// placeholder for the output. Joining statements into messages is done in `message.ts`.

import { beyondAscii } from '../base/bytes.ts'
import { instantToMillis } from '../base/instant.ts'
import { jsonText } from '../base/json.ts'
import { textHash } from '../base/text-hash.ts'
import type { EventOptions } from '../decode/events.ts'
import { type Block, hasFlag, type MessageFacts, type SessionEvent } from '../model/event.ts'
import { calledTool, echoRanks, type UsageStatement } from '../model/usage.ts'

/** What is known about the file of a record. */
export interface UsagePlace {
  /** In the reader's list of files. */
  place: number
  /** The session that the file's name or folder states. */
  nameSession?: string
  isAgentFile: boolean
}

/** A log to scan: where it is in the list of files, and what is known of it before it is read. */
export interface UsageLog extends UsagePlace {
  path: string
  /** As for `EventDecoder`. */
  options: EventOptions
}

/** What is counted besides tokens; each costs time. */
export interface UsageExtras {
  /** Calls of tools. */
  withTools?: boolean
  /** Tokens that visible content comes to, counted where the output is not final. */
  visibleTokens?: (blocks: readonly Block[]) => number
}

/** The part of an event that its statement is made from. */
export interface StatingEvent
  extends Pick<SessionEvent, 'id' | 'kind' | 'message' | 'session' | 'thread' | 'at' | 'flags' | 'blocks' | 'stated'> {
  source: Pick<SessionEvent['source'], 'file' | 'offset'>
}

/** Null for an event that states no usage. */
export function usageStatement(event: StatingEvent, file: UsagePlace, extras: UsageExtras = {}): UsageStatement | null {
  const { message: facts } = event
  const usage = facts?.usage
  if (facts === undefined || usage === undefined) return null
  const isError = event.kind === 'api-error'
  const isSynthetic = isError || facts.model === '<synthetic>'
  const occurrence: UsageStatement = {
    key: keyOf(event, isSynthetic),
    request: facts.requestId ? requestKey(facts.requestId) : 0,
    echo: echoOf(event, file),
    at: event.at === null ? null : instantToMillis(event.at),
    file: file.place,
    offset: event.source.offset,
    thread: event.thread,
    model: facts.model ?? '',
    inputTokens: usage.inputTokens,
    outputTokens: usage.outputTokens,
    cacheCreationTokens: usage.cacheCreationTokens,
    cacheCreation1hTokens: usage.cacheCreation1hTokens ?? 0,
    cacheReadTokens: usage.cacheReadTokens,
    webSearches: usage.webSearches ?? 0,
    isFast: usage.speed === 'fast',
    isUs: usage.inferenceGeo === 'us',
    isFinal: usage.outputFinal,
    isSynthetic,
    isError,
    statedNanos: statedNanosOf(facts),
    visibleTokens: 0,
  }
  if (!hasFlag(event, 'copy')) addContent(occurrence, event, extras)
  return occurrence
}

/** A message is known by its own id; what Claude Code wrote in the model's name counts alone, whatever its id. */
function keyOf(event: StatingEvent, isSynthetic: boolean): number {
  const id = statedMessage(event)
  if (id && !isSynthetic) return keyOfId(event, id)
  const { file, offset } = event.source
  // Files of one session may all begin with such a record; copies of a whole home have files of the same names.
  return recordKey(event.stated.uuid ?? `${event.session}/${file.replace(/^.*[\\/]/s, '')}@${offset}`)
}

/** The id that the record gives its message; without one a message has the event's. */
export function statedMessage({ id, message }: Pick<StatingEvent, 'id' | 'message'>): string | undefined {
  return message === undefined || message.id === (id as string) ? undefined : message.id
}

/** Ids of the API are long and random; those of hand-made logs are unique within their session only (000, 003). */
const leastGlobal = 16

/** What a message with this id is known by. */
export function keyOfId(event: StatingEvent, id: string): number {
  return messageKey(id.length >= leastGlobal ? id : `${originOf(event)} ${id}`)
}

/** The session that a record was written in first. */
function originOf(event: StatingEvent): string {
  return event.stated.forkedFrom?.session ?? event.session
}

function echoOf(event: StatingEvent, file: UsagePlace): number {
  const { session, foreignSession, forkedFrom } = event.stated
  const stated = session ?? foreignSession
  const isForeignSession = Boolean(stated) && file.nameSession !== undefined && stated !== file.nameSession
  const isFork = forkedFrom !== undefined
  return (
    (isForeignSession || isFork ? echoRanks.copied : 0) +
    (file.isAgentFile || hasFlag(event, 'sidechain') ? echoRanks.sidechain : 0) +
    (hasFlag(event, 'embedded') ? echoRanks.progress : 0)
  )
}

/** What a record states as the price of its message. 0 states none: a resume of 0.2.126 or 1.0.3 writes it into its copies. */
export function statedNanosOf({ costUSD }: Pick<MessageFacts, 'costUSD'>): number | null {
  return costUSD === 0 ? null : nanosOf(costUSD)
}

/** Billionths of a dollar; null for what is no amount that anything can have cost: below nothing, or above nine million dollars. */
export function nanosOf(costUSD: number | undefined): number | null {
  if (costUSD === undefined || costUSD < 0) return null
  const nanos = Math.round(costUSD * 1e9)
  return Number.isSafeInteger(nanos) ? nanos : null
}

function addContent(
  occurrence: UsageStatement,
  { blocks }: StatingEvent,
  { withTools = false, visibleTokens }: UsageExtras,
): void {
  const isVisibleAsked = visibleTokens !== undefined && !occurrence.isFinal
  if (!withTools && !isVisibleAsked) return
  if (isVisibleAsked) occurrence.visibleTokens = visibleTokens(blocks)
  if (withTools) occurrence.tools = callsIn(blocks)
}

function callsIn(blocks: readonly Block[]): string[] {
  return blocks.flatMap(block => (block.type === 'tool-call' ? [calledTool(block.name, block.callId)] : []))
}

/** Ids of API messages. */
const messageSeed = 0x6d657373
/** Uuids of records, and their replacement where there is none. */
const recordSeed = 0x72656364
/** Ids of requests. */
const requestSeed = 0x72657175

/** Of a message's own id. */
function messageKey(id: string): number {
  return textHash(id, messageSeed)
}

/** Of a record's uuid, as written; `<session>/<file name>@<offset>` for a record without one. */
function recordKey(uuid: string): number {
  return textHash(uuid, recordSeed)
}

/** Of a request's id; a record without one has 0. */
export function requestKey(id: string): number {
  return textHash(id, requestSeed)
}

const charsPerTextToken = 4.1
/** Also code, which is mostly in the input of tools. */
const charsPerJsonToken = 3.4
/** Letters of alphabets other than the Latin one, of two bytes each. */
const tokensPerLetter = 0.5
/** Chinese, Japanese, Korean, symbols. */
const tokensPerSign = 1
/** What surrounds a call: names of its parameters are counted as input. */
const tokensPerCall = 56
const tokensPerText = 6

/** Tokens of the model's own text, thinking and tool input; whole, 0 where there is none. */
export function visibleTokens(blocks: readonly Block[]): number {
  let tokens = 0
  for (const block of blocks) {
    if (block.type === 'text') {
      if (block.text !== '') tokens += tokensPerText + tokensOf(block.text, charsPerTextToken)
    } else if (block.type === 'thinking') {
      tokens += tokensOf(block.text, charsPerTextToken)
    } else if (block.type === 'tool-call') {
      const input = tokensOf(block.name, charsPerJsonToken) + tokensOf(jsonText(block.input), charsPerJsonToken)
      tokens += tokensPerCall + input
    }
  }
  return Math.round(tokens)
}

function tokensOf(text: string, charsPerToken: number): number {
  const { letters, signs } = beyondAscii(text)
  return (text.length - letters - signs) / charsPerToken + letters * tokensPerLetter + signs * tokensPerSign
}
