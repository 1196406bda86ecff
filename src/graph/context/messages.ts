// Links → messages as the API gets them: which blocks an event adds and in whose name, lines of one answer joined, results
// after the calls they answer, placeholders where the session broke off. Which links are sent is decided in links.ts.

import { asArray, asObject, asString } from '../../base/json.ts'
import { type Block, hasFlag, type SessionEvent, type ToolResultBlock } from '../../model/event.ts'
import type { CallId } from '../../model/ids.ts'
import type { ContextMessage } from '../../model/session.ts'
import { type Chain, type ContextLink, withStub } from './links.ts'

const interruptedCall =
  "[Tool call interrupted: the session ended before this call's result was recorded. It may or may not have run.]"
const noAnswer = 'No response requested.'

/** A block said to the model, and the event it comes from; null where the client puts it in. */
interface Said<B extends Block> {
  block: B
  event: SessionEvent | null
}

/** An answer, if there is one, and all that was said to the model until the next. */
interface Exchange {
  messageId?: string
  /** Lines of the answer. */
  answer: SessionEvent[]
  results: Map<CallId, Said<ToolResultBlock>>
  said: Said<Block>[]
  /** True once a human, or the client in a human's name, went on. */
  isClosed: boolean
}

export function composeMessages(chain: Chain): ContextMessage[] {
  const exchanges = joinLines(chain)
  const asked = askedIn(exchanges)
  placeResults(chain, exchanges, asked)
  const messages = joinTurns(exchanges)
  if (messages.at(-1)?.role === 'user') messages.push(synthetic('assistant', [{ type: 'text', text: noAnswer }]))
  return messages
}

/** One exchange per answer. Results and attachments may stand between the lines of one answer, another answer or a prompt not. */
function joinLines(chain: Chain): Exchange[] {
  const exchanges: Exchange[] = [newExchange()]
  const byMessage = new Map<string, Exchange>()
  for (const { event } of chain.links) {
    const speaker = speakerOf(event)
    let open = exchanges.at(-1) as Exchange
    if (speaker === 'assistant') {
      if (!isSameAnswer(open, event)) {
        open = newExchange(messageIdOf(event))
        exchanges.push(open)
      }
      open.answer.push(event)
      if (open.messageId !== undefined && !byMessage.has(open.messageId)) byMessage.set(open.messageId, open)
    } else if (speaker === 'user') {
      for (const block of sentBlocks(event)) if (block.type !== 'tool-result') open.said.push({ block, event })
      if (isTyped(event)) open.isClosed = true
    }
  }
  for (const { event } of chain.siblings) {
    const exchange = byMessage.get(event.message?.id ?? '')
    if (exchange !== undefined && !hasFlag(event, 'deleted')) exchange.answer.push(event)
  }
  if (chain.siblings.length > 0) sortLines(exchanges, chain)
  return exchanges
}

function newExchange(messageId?: string): Exchange {
  const exchange: Exchange = { answer: [], results: new Map(), said: [], isClosed: false }
  if (messageId !== undefined) exchange.messageId = messageId
  return exchange
}

/** The API's id of the message; an event that only stands for itself has none. */
function messageIdOf(event: SessionEvent): string | undefined {
  const id = event.message?.id
  return id === '' || id === event.id ? undefined : id
}

function isSameAnswer(open: Exchange, event: SessionEvent): boolean {
  if (open.answer.length === 0 || open.isClosed) return false
  const id = messageIdOf(event)
  if (open.messageId !== undefined || id !== undefined) return open.messageId === id
  // Without ids, only lines that follow each other directly and ask for nothing are one answer.
  return open.said.length === 0 && !open.answer.some(line => line.blocks.some(block => block.type === 'tool-call'))
}

/** Lines from off the chain take the place among the others that they have in the file, unless the file is out of order. */
function sortLines(exchanges: Exchange[], chain: Chain): void {
  const places = new Map<SessionEvent, number>()
  for (const link of chain.links) places.set(link.event, link.place)
  const placeOf = (event: SessionEvent): number => places.get(event) ?? Number.POSITIVE_INFINITY
  const inOrder = exchanges.filter(({ answer }) =>
    answer.every((event, i) => i === 0 || placeOf(answer[i - 1] as SessionEvent) <= placeOf(event)),
  )
  for (const link of chain.siblings) places.set(link.event, link.place)
  for (const { answer } of inOrder) answer.sort((a, b) => placeOf(a) - placeOf(b))
}

/** Which exchange asked for which call; of two calls with one id the first counts. */
function askedIn(exchanges: readonly Exchange[]): Map<CallId, Exchange> {
  const asked = new Map<CallId, Exchange>()
  for (const exchange of exchanges) {
    for (const event of exchange.answer) {
      for (const block of event.blocks) {
        if (block.type === 'tool-call' && !asked.has(block.callId)) asked.set(block.callId, exchange)
      }
    }
  }
  return asked
}

/** Results on the chain first, then those off it; a result without its call is dropped, of two for one call the first counts. */
function placeResults(chain: Chain, exchanges: readonly Exchange[], asked: Map<CallId, Exchange>): void {
  const byServer = new Set<CallId>()
  for (const { answer } of exchanges) {
    for (const block of answer.flatMap(event => event.blocks))
      if (block.type === 'tool-result') byServer.add(block.callId)
  }
  const place = ({ event }: ContextLink): void => {
    if (speakerOf(event) !== 'user') return
    for (const block of event.blocks) {
      if (block.type !== 'tool-result' || byServer.has(block.callId)) continue
      const exchange = asked.get(block.callId)
      if (exchange !== undefined && !exchange.results.has(block.callId))
        exchange.results.set(block.callId, { block: withStub(block, chain.stubs), event })
    }
  }
  chain.links.forEach(place)
  chain.others.forEach(place)
  standIn(exchanges, asked, byServer)
}

/** Calls that nothing followed get a result that says so; calls further up without one are dropped when messages are made. */
function standIn(exchanges: readonly Exchange[], asked: Map<CallId, Exchange>, byServer: ReadonlySet<CallId>): void {
  const last = exchanges.at(-1)
  if (last === undefined || last.isClosed) return
  for (const event of last.answer) {
    for (const block of event.blocks) {
      if (block.type !== 'tool-call' || last.results.has(block.callId) || byServer.has(block.callId)) continue
      if (asked.get(block.callId) !== last) continue
      const content: Block[] = [{ type: 'text', text: interruptedCall }]
      const result: ToolResultBlock = { type: 'tool-result', callId: block.callId, isError: true, content }
      last.results.set(block.callId, { block: result, event: null })
    }
  }
}

/** Messages in order; what is said in a row is one user message. Two answers in a row stay two: each has its own id. */
function joinTurns(exchanges: readonly Exchange[]): ContextMessage[] {
  const messages: ContextMessage[] = []
  const called = new Set<CallId>()
  for (const exchange of exchanges) {
    const answer = answerOf(exchange, called)
    if (answer !== null) messages.push(answer)
    const said = [...resultsOf(exchange), ...exchange.said]
    if (said.length === 0) continue
    let user = messages.at(-1)
    if (user?.role !== 'user') {
      user = { role: 'user', events: [], blocks: [] }
      messages.push(user)
    }
    for (const { block, event } of said) addBlock(user, block, event)
    // Nothing but stand-ins: the client's own message.
    if (said.every(({ event }) => event === null)) user.synthetic = true
  }
  return messages
}

/** In the order of the calls. */
function resultsOf(exchange: Exchange): Said<Block>[] {
  const ordered = new Map<CallId, Said<Block>>()
  for (const block of exchange.answer.flatMap(event => event.blocks)) {
    const result = block.type === 'tool-call' ? exchange.results.get(block.callId) : undefined
    if (result !== undefined) ordered.set(result.block.callId, result)
  }
  return [...ordered.values()]
}

/** The answer with its kept blocks; null when only thinking or blanks are left, which the API does not take. */
function answerOf(exchange: Exchange, called: Set<CallId>): ContextMessage | null {
  const answer: ContextMessage = { role: 'assistant', events: [], blocks: [] }
  if (exchange.messageId !== undefined) answer.messageId = exchange.messageId
  const answered = new Set<CallId>(exchange.results.keys())
  for (const block of exchange.answer.flatMap(event => event.blocks)) {
    if (block.type === 'tool-result') answered.add(block.callId)
  }
  for (const event of exchange.answer) {
    for (const block of event.blocks) {
      if (block.type === 'text' && block.text.trim() === '') continue
      if (block.type === 'tool-call') {
        if (!answered.has(block.callId) || called.has(block.callId)) continue
        called.add(block.callId)
      }
      if (block.type === 'tool-result' && !called.has(block.callId)) continue
      addBlock(answer, block, event)
    }
  }
  if (answer.blocks.every(block => block.type === 'thinking')) return null
  const tokens = outputTokens(exchange.answer)
  if (tokens !== undefined) answer.tokens = tokens
  if (exchange.answer.every(event => hasFlag(event, 'synthetic'))) answer.synthetic = true
  return answer
}

function addBlock(message: ContextMessage, block: Block, event: SessionEvent | null): void {
  message.blocks.push(block)
  if (event !== null && message.events.at(-1) !== event.id) message.events.push(event.id)
}

/** Output tokens of the answer, where the log has the final number. */
function outputTokens(lines: readonly SessionEvent[]): number | undefined {
  let most: number | undefined
  for (const line of lines) {
    const usage = line.message?.usage
    if (usage?.outputFinal) most = Math.max(most ?? 0, usage.outputTokens)
  }
  return most
}

function synthetic(role: ContextMessage['role'], blocks: Block[]): ContextMessage {
  return { role, events: [], blocks, synthetic: true }
}

/** In whose name an event is sent; null for what the model never gets: notices, progress, borders, errors of the API, deleted ones. */
export function speakerOf(event: SessionEvent): 'user' | 'assistant' | null {
  if (hasFlag(event, 'deleted')) return null
  switch (event.kind) {
    case 'answer':
      return 'assistant'
    case 'prompt':
    case 'delegation':
    case 'tool-results':
    case 'command':
    case 'command-output':
    case 'notification':
    case 'interruption':
    case 'compact-summary':
    case 'preserved':
    case 'meta':
      return 'user'
    case 'hook':
    case 'attachment':
      return event.wireType === 'system' ? null : 'user'
    default:
      return null
  }
}

/** Whether it is a message of its own, after which an answer cannot go on; attachments, results and meta texts may stand within one. */
export function isTyped(event: SessionEvent): boolean {
  if (event.wireType === 'attachment') return event.kind === 'prompt'
  return !['tool-results', 'meta', 'hook', 'attachment'].includes(event.kind)
}

/** Attachments that the client keeps for itself. */
const unsent: ReadonlySet<string> = new Set([
  'command_permissions',
  'hook_cancelled',
  'hook_non_blocking_error',
  'hook_permission_decision',
  'hook_system_message',
  'prompt_snapshot',
  'structured_output',
])
/** Hooks whose plain output is meant for the model. */
const speakingHooks: ReadonlySet<string> = new Set(['SessionStart', 'UserPromptSubmit'])

/**
 * The blocks of an event that is sent in the user's name. Attachments are context for the model: they are sent as text,
 * word for word where the record says how (`rendered`, 2.1.288 on), else as far as the record holds their text; a prompt
 * snapshot is the system prompt and no part of the messages.
 */
export function sentBlocks(event: SessionEvent): readonly Block[] {
  if (event.wireType !== 'attachment' || event.kind === 'prompt' || event.kind === 'notification') {
    return event.blocks.filter(block => block.type !== 'text' || block.text !== '')
  }
  const rendered = renderedText(event)
  if (rendered.length > 0) return rendered
  const type = asString(event.detail?.['attachmentType']) ?? ''
  if (unsent.has(type)) return []
  if (type === 'hook_success' && !speakingHooks.has(asString(event.detail?.['hookEvent']) ?? '')) return []
  return event.blocks.filter(block => block.type !== 'other' && !(block.type === 'text' && block.text === ''))
}

function renderedText(event: SessionEvent): Block[] {
  const texts: Block[] = []
  for (const part of asArray(event.record.value?.['rendered'])) {
    const content = asObject(part)?.['content']
    for (const piece of typeof content === 'string' ? [content] : asArray(content)) {
      const text = asString(piece) ?? asString(asObject(piece)?.['text'])
      if (text) texts.push({ type: 'text', text })
    }
  }
  return texts
}
