// Links → messages as the API gets them, step by step as Claude Code does it: parts in order, calls that nothing answered,
// empty answers, lines of one answer and prompts in a row joined, calls and results paired. Which links are sent is decided in
// links.ts, what an attachment says in rendered.ts.

import { asObject, jsonText, parseJson } from '../../base/json.ts'
import { type Block, hasFlag, type SessionEvent, type TextBlock, type ToolResultBlock } from '../../model/event.ts'
import { type CallId, callId } from '../../model/ids.ts'
import type { ContextMessage } from '../../model/session.ts'
import type { Chain, ContextLink } from './links.ts'
import { isSameModel, placeholders, resumedModel, takesSystemMessages, toolNames } from './reference.ts'
import { asFailure, isBlankText, isReminder, isSendable, reminder, sentBlocks, typedBlocks } from './rendered.ts'

/** What one record adds; `event` is null where Claude Code puts it in. */
interface Part {
  role: ContextMessage['role']
  event: SessionEvent | null
  blocks: readonly Block[]
  /** Position in reading order. */
  place: number
  /** Of an answer. */
  messageId?: string
  /** An error of the API: it ends a turn, but is not sent. */
  isError?: boolean
  /** A reminder that goes before the prompt. */
  isFront?: boolean
}

/** A block said to the model, and the event it comes from; null where Claude Code puts it in. */
interface Said<B extends Block = Block> {
  block: B
  event: SessionEvent | null
}

interface Message {
  role: 'user' | 'assistant'
  messageId?: string
  said: Said[]
  /** Lines of an answer. */
  lines: SessionEvent[]
  /** Reminders before what the user says. */
  front: Said[]
  /** What goes out as a `system` message behind it. */
  notes: Said[]
  /** It is made of several records. */
  isJoined?: boolean
  /** Then the place of its last block that is not a result. */
  lastText?: number
}

export function composeMessages(chain: Chain): ContextMessage[] {
  const said = endCalls(resultsBehindCalls(partsOf(chain)))
  const model = modelOf(said)
  const spoken = withoutEmptyAnswers(withoutForeignThinking(withReminders(said, model), model))
  const last = chain.links.findLast(({ event }) => event.wireType !== 'system')
  const parts = endsUncommitted(last) ? spoken : withLastAnswer(spoken)
  const takesSystem = takesSystemMessages(model)
  return pairCalls(withoutEmptyMessages(joinParts(parts))).flatMap(message => toMessages(message, takesSystem))
}

/** Adds an answer where nothing answers what was last said. Output of commands and reminders come behind it. */
function withLastAnswer(parts: readonly Part[]): Part[] {
  const at = parts.findLastIndex(part => part.role !== 'system' && !part.isFront && part.event?.wireType !== 'system')
  if (parts.length === 0 || parts[at]?.role === 'assistant' || endsInLocalCommand(parts, at)) return [...parts]
  return parts.toSpliced(at + 1, 0, standIn('assistant', [textBlock(placeholders.noAnswer)]))
}

/** A command that Claude Code ran by itself waits for no answer: a caveat for the model, the command, its output. */
function endsInLocalCommand(parts: readonly Part[], last: number): boolean {
  let at = last
  while (hasStart(parts[at], '<local-command-std') || hasStart(parts[at], '<command-name>')) at--
  const { event } = parts[at] ?? {}
  return hasStart(parts[at], '<local-command-caveat>') && event?.record.value?.['promptSource'] === undefined
}

function hasStart(part: Part | undefined, start: string): boolean {
  const [block] = part?.blocks ?? []
  return block?.type === 'text' && block.text.startsWith(start)
}

/** A turn that was ended by its limit, and not by an answer. */
function endsUncommitted(last: ContextLink | undefined): boolean {
  const attachment = asObject(last?.event.record.value?.['attachment'])
  return attachment?.['type'] === 'max_turns_reached' && attachment['exitCommitted'] === false
}

/** The model that continues. */
function modelOf(parts: readonly Part[]): string {
  const spoken = withoutEmptyAnswers(parts)
  const last = spoken.findLast(({ role, event, isError }) => role === 'assistant' && event !== null && !isError)
  return resumedModel(last?.event?.message?.model)
}

/** A model that takes no messages of the system gets reminders in the name of the user. */
function withReminders(parts: readonly Part[], model: string): readonly Part[] {
  if (takesSystemMessages(model)) return parts
  return parts.map(part =>
    part.role !== 'system' || part.event === null
      ? part
      : { ...part, role: 'user', isFront: true, blocks: sentBlocks(part.event, false).blocks },
  )
}

/** A model gets no thinking of another one. */
function withoutForeignThinking(parts: readonly Part[], resumed: string): Part[] {
  return parts.flatMap(part => {
    if (part.role !== 'assistant' || isSameModel(part.event?.message?.model, resumed)) return [part]
    const blocks = part.blocks.filter(block => block.type !== 'thinking')
    return part.blocks.length > 0 && blocks.length === 0 ? [] : [{ ...part, blocks }]
  })
}

function standIn(role: Part['role'], blocks: Block[]): Part {
  return { role, event: null, blocks, place: Number.POSITIVE_INFINITY }
}

/** One part per record of the chain, with the lines and results off it that belong to its answers, in the order of the file. */
function partsOf(chain: Chain): Part[] {
  const parts = chain.links.flatMap(partOf)
  for (const link of chain.siblings) {
    const [part] = partOf(link)
    if (part === undefined) continue
    const first = parts.findIndex(other => other.messageId === part.messageId && other.role === 'assistant')
    const before = parts.findLastIndex(
      ({ messageId, role, place }) => messageId === part.messageId && role === 'assistant' && place < part.place,
    )
    // The first line of the chain stays first.
    parts.splice(Math.max(first, before) + 1, 0, part)
  }
  // Call → place of its first result.
  const answered = new Map<CallId, number>()
  for (const { role, blocks, place } of parts)
    if (role === 'user')
      for (const id of resultIds(blocks)) answered.set(id, Math.min(place, answered.get(id) ?? place))
  const asked = new Set(parts.flatMap(({ role, blocks }) => (role === 'assistant' ? callIds(blocks) : [])))
  for (const part of chain.others.flatMap(partOf)) {
    if (part.role !== 'user') continue
    for (const block of part.blocks) {
      if (block.type !== 'tool-result' || !asked.has(block.callId)) continue
      if ((answered.get(block.callId) ?? part.place) < part.place) continue
      answered.set(block.callId, part.place)
      const call = parts.findIndex(({ role, blocks }) => role === 'assistant' && callIds(blocks).includes(block.callId))
      let at = call + 1
      while (isBeforeResult(parts[at], part, parts[call])) at++
      parts.splice(at, 0, { ...part, blocks: [block] })
    }
  }
  return parts
}

/** Whether a part behind a call comes before a result of the same answer. */
function isBeforeResult(part: Part | undefined, result: Part, call: Part | undefined): boolean {
  if (part === undefined || part.place >= result.place) return false
  if (part.role === 'assistant') return part.messageId !== undefined && part.messageId === call?.messageId
  return part.role === 'user' && resultIds(part.blocks).length > 0
}

function partOf({ event, place }: ContextLink): Part[] {
  const role = speakerOf(event)
  if (role === null || !hasContent(event)) return []
  if (role === 'assistant') {
    const blocks = answerBlocks(event)
    if (blocks.length === 0 && event.blocks.length > 0) return []
    const part: Part = { role, event, place, blocks }
    const messageId = messageIdOf(event)
    if (messageId !== undefined) part.messageId = messageId
    if (event.kind === 'api-error' && event.message?.model === '<synthetic>') part.isError = true
    return [part]
  }
  const sent = sentBlocks(event)
  // A message without content is not sent, but is the last thing that was said.
  if (sent.blocks.length === 0 && event.wireType !== 'user') return []
  return [{ role: sent.role, event, place, blocks: sent.blocks, ...(sent.isFront && { isFront: true }) }]
}

/** Without content, or only to be displayed, a record of Claude Code is no message. */
function hasContent({ dialect, wireType, record }: SessionEvent): boolean {
  if (dialect !== 'client' || (wireType !== 'user' && wireType !== 'assistant')) return true
  if (record.value?.['isVirtual'] === true) return false
  const content = asObject(record.value?.['message'])?.['content']
  return typeof content === 'string' || Array.isArray(content)
}

/** Blocks that the API knows, or may know; calls under the name that the tool has today. */
function answerBlocks(event: SessionEvent): readonly Block[] {
  if (event.dialect !== 'client') return event.blocks
  return typedBlocks(event)
    .filter(isSendable)
    .map(block => {
      const name = block.type === 'tool-call' ? toolNames.get(block.name) : undefined
      return block.type === 'tool-call' && name !== undefined ? { ...block, name } : block
    })
}

/** The API's id of the message; an event that only represents itself has none. */
function messageIdOf(event: SessionEvent): string | undefined {
  const id = event.message?.id
  return id === '' || id === event.id ? undefined : id
}

function resultIds(blocks: readonly Block[]): CallId[] {
  return blocks.flatMap(block => (block.type === 'tool-result' ? [block.callId] : []))
}

/** Calls that need a result from outside the answer. */
function callIds(blocks: readonly Block[]): CallId[] {
  const byServer = new Set(resultIds(blocks))
  const ids = blocks.flatMap(block => (block.type === 'tool-call' && !byServer.has(block.callId) ? [block.callId] : []))
  return ids.filter(id => !isServerCall(id))
}

/** A result that is written before its call moves behind it, unless there is another answer between them. */
function resultsBehindCalls(parts: readonly Part[]): Part[] {
  const ordered: Part[] = []
  const called = new Set<CallId>()
  let waiting: Part[] = []
  for (const part of parts) {
    if (part.role === 'assistant') {
      const calls = callIds(part.blocks).filter(id => !called.has(id))
      for (const id of calls) called.add(id)
      const early = waiting.filter(({ blocks }) => resultIds(blocks).some(id => calls.includes(id)))
      ordered.push(...waiting.filter(one => !early.includes(one)), part, ...early)
      waiting = []
    } else waiting.push(part)
  }
  return [...ordered, ...waiting]
}

/**
 * Where the session broke off in a turn, its calls get a result that says so. Other lines of answers, none of whose calls has
 * a result, are dropped.
 */
function endCalls(parts: readonly Part[]): Part[] {
  const answered = new Set(parts.flatMap(({ blocks }) => resultIds(blocks)))
  const isOpen = ({ role, blocks }: Part): boolean =>
    role === 'assistant' && callIds(blocks).some(id => !answered.has(id))
  const last = parts.findLast(({ role, isFront }) => role !== 'system' && !isFront)
  const isBroken =
    last !== undefined && !last.isError && (last.role === 'user' || linesOfAnswer(parts, last).some(isOpen))
  const lastPrompt = isBroken ? parts.findLastIndex(isPrompt) : parts.length
  const kept = parts.filter(({ role, blocks }, at) => {
    const calls = role === 'assistant' ? callIds(blocks) : []
    return at > lastPrompt || calls.length === 0 || calls.some(id => answered.has(id))
  })
  const open = parts.slice(lastPrompt + 1).filter(isOpen)
  const ids = new Set(open.flatMap(({ blocks }) => callIds(blocks)).filter(id => !answered.has(id)))
  return [...kept, ...[...ids].map(id => standIn('user', [failedResult(id, placeholders.interruptedCall)]))]
}

/** An answer's last line and the lines before it, as far as no other answer and no prompt is between them. */
function linesOfAnswer(parts: readonly Part[], last: Part): Part[] {
  if (last.messageId === undefined) return [last]
  const until = parts.slice(0, parts.indexOf(last) + 1)
  const isOther = (part: Part): boolean =>
    isPrompt(part) || (part.role === 'assistant' && part.messageId !== last.messageId)
  return until.slice(until.findLastIndex(isOther) + 1).filter(({ role }) => role === 'assistant')
}

/** Something is said to the model that is neither a result nor a reminder. */
function isPrompt({ role, blocks, isFront }: Part): boolean {
  return role === 'user' && !isFront && blocks.length > 0 && resultIds(blocks).length === 0
}

function failedResult(callId: CallId, text: string): ToolResultBlock {
  return { type: 'tool-result', callId, isError: true, content: [{ type: 'text', text }] }
}

/** Answers that only think, or think and then say nothing: all lines of the answer count. */
function withoutEmptyAnswers(parts: readonly Part[]): Part[] {
  const byId = new Map<string, Block[]>()
  const blocksOf = ({ messageId, blocks }: Part): readonly Block[] =>
    messageId === undefined ? blocks : (byId.get(messageId) ?? [])
  for (const { role, messageId, blocks } of parts) {
    if (role === 'assistant' && messageId !== undefined)
      byId.set(messageId, [...(byId.get(messageId) ?? []), ...blocks])
  }
  return parts.filter(part => {
    if (part.role !== 'assistant' || part.blocks.length === 0) return true
    const blocks = blocksOf(part)
    const last = blocks.at(-1)
    const endsBlank = last !== undefined && isBlankText(last)
    return !blocks.every(block => block.type === 'thinking' || (endsBlank && isBlankText(block)))
  })
}

/** Prompts in a row are one message, and so are the lines of one answer, whatever results and answers are between them. */
function joinParts(parts: readonly Part[]): Message[] {
  const messages: Message[] = []
  let waiting: Said[] = []
  let front: Said[] = []
  for (const part of parts) {
    if (part.isError) continue
    const said: Said[] = part.blocks.map(block => ({ block, event: part.event }))
    if (part.blocks.some(loadsTools)) said.push({ block: textBlock(placeholders.toolLoaded), event: null })
    if (part.role === 'assistant') {
      const isNew = part.event === null || sameAnswer(messages, part.messageId, part.event) === undefined
      if (isNew && messages.at(-1)?.role === 'assistant' && front.length + waiting.length > 0) {
        messages.push({ role: 'user', said: [...front, ...waiting.map(asReminder)], lines: [], front: [], notes: [] })
        ;[front, waiting] = [[], []]
      }
      addAnswer(messages, part, said)
      continue
    }
    if (said.length === 0) continue
    const last = messages.at(-1)
    if (part.role === 'system' || part.isFront) {
      if (last?.role === 'user' && part.isFront) last.front.push(...said)
      else if (last?.role === 'user') last.notes.push(...said)
      else if (part.isFront) front.push(...said)
      else waiting.push(...said)
      continue
    }
    if (last?.role === 'user') addSaid(last, said)
    else messages.push({ role: 'user', said, lines: [], front, notes: waiting })
    if (last?.role !== 'user') [front, waiting] = [[], []]
  }
  // Reminders behind the last answer go out with the next prompt.
  if (front.length + waiting.length > 0) messages.push({ role: 'user', said: [], lines: [], front, notes: waiting })
  for (const { role, said, lines } of messages)
    if (role === 'assistant' && said.length === 0)
      said.push({ block: textBlock(placeholders.noContent), event: lines.at(-1) ?? null })
  return messages
}

function addAnswer(messages: Message[], { messageId, event }: Part, said: Said[]): void {
  let same = event === null ? undefined : sameAnswer(messages, messageId, event)
  if (same === undefined) {
    same = { role: 'assistant', said: [], lines: [], front: [], notes: [] }
    if (messageId !== undefined) same.messageId = messageId
    messages.push(same)
  }
  same.said.push(...said)
  if (event !== null) same.lines.push(event)
}

/** Between two answers there is no message of the system. */
function asReminder(one: Said): Said {
  return one.block.type === 'text' ? { ...one, block: reminder(one.block.text) } : one
}

/** The message that a line of an answer belongs to. */
function sameAnswer(
  messages: readonly Message[],
  messageId: string | undefined,
  { dialect }: SessionEvent,
): Message | undefined {
  for (let at = messages.length - 1; at >= 0; at--) {
    const message = messages[at] as Message
    if (message.role === 'assistant' && message.messageId === messageId) return message
    if (message.role === 'user' && !message.said.some(({ block }) => block.type === 'tool-result')) return undefined
    // Other dialects have no ids: only lines that follow each other directly are one answer.
    if (message.role === 'user' && dialect !== 'client') return undefined
  }
  return undefined
}

/** Texts of two records are parted by a line end, whatever results are between them. */
function addSaid(message: Message, said: readonly Said[]): void {
  const at = message.isJoined ? (message.lastText ?? -1) : message.said.length - 1
  const last = message.said[at]
  if (last?.block.type === 'text' && said[0]?.block.type === 'text')
    message.said[at] = { ...last, block: textBlock(`${last.block.text}\n`) }
  if (!message.isJoined) noteLastText(message, 0)
  const from = message.said.length
  for (const one of said) message.said.push(one)
  noteLastText(message, from)
  message.isJoined = true
}

function noteLastText(message: Message, from: number): void {
  for (let at = message.said.length - 1; at >= from; at--) {
    if (message.said[at]?.block.type === 'tool-result') continue
    message.lastText = at
    return
  }
}

/** Where records were joined, results come first. */
function sortSaid(message: Message): void {
  if (!message.isJoined) return
  const isResult = ({ block }: Said): boolean => block.type === 'tool-result'
  message.said = [...message.said.filter(isResult), ...message.said.filter(one => !isResult(one))]
}

/** The result of a search for tools. */
function loadsTools(block: Block): boolean {
  return (
    block.type === 'tool-result' &&
    block.content.some(part => part.type === 'other' && part.wireType === 'tool_reference')
  )
}

function textBlock(text: string): TextBlock {
  return { type: 'text', text }
}

/** Empty texts are not sent, and blank ones not next to calls; an answer of which only thinking is left is not either. */
function withoutEmptyMessages(messages: readonly Message[]): Message[] {
  const left: Message[] = []
  for (const message of messages) {
    if (message.role === 'assistant') {
      const hasCall = message.said.some(({ block }) => block.type === 'tool-call')
      const isEmpty = (block: Block): boolean =>
        hasCall ? isBlankText(block) : block.type === 'text' && block.text === ''
      const said = message.said.filter(({ block }) => !isEmpty(block))
      if (said.length < message.said.length && said.every(({ block }) => block.type === 'thinking')) continue
      message.said = said
    }
    const before = left.at(-1)
    if (before?.role === 'user' && message.role === 'user') {
      addSaid(before, message.said)
      before.front.push(...message.front)
      before.notes.push(...message.notes)
    } else left.push(message)
  }
  left.forEach(sortSaid)
  return left
}

/** Every call has its result in the message behind it, and there is no other result. Calls come last in an answer. */
function pairCalls(messages: readonly Message[]): Message[] {
  const paired: Message[] = []
  const called = new Set<CallId>()
  for (const [at, message] of messages.entries()) {
    if (message.role === 'user') {
      if (messages[at - 1]?.role !== 'assistant') paired.push(withResults(message, [], paired.length === 0))
      continue
    }
    pairAnswer(message, called)
    paired.push(message)
    const calls = callIds(message.said.map(({ block }) => block))
    const next = messages[at + 1]
    if (next?.role === 'user') paired.push(withResults(next, calls, false))
    else if (calls.length > 0)
      paired.push(withResults({ role: 'user', said: [], lines: [], front: [], notes: [] }, calls, false))
  }
  return paired
}

/** A call that was made before is not made again. */
function pairAnswer(message: Message, called: Set<CallId>): void {
  const made = new Set(message.said.flatMap(({ block }) => (block.type === 'tool-call' ? [block.callId] : [])))
  message.said = message.said.filter(({ block }) => block.type !== 'tool-result' || made.has(block.callId))
  const byServer = new Set(resultIds(message.said.map(({ block }) => block)))
  const isCall = ({ block }: Said): boolean => block.type === 'tool-call' && !byServer.has(block.callId)
  const calls = message.said.filter(one => {
    const { block } = one
    if (block.type !== 'tool-call' || byServer.has(block.callId)) return false
    if (called.has(block.callId) || isServerCall(block.callId)) return false
    called.add(block.callId)
    return true
  })
  message.said = [...message.said.filter(one => !isCall(one)), ...calls]
  if (message.said.length === 0) message.said.push({ block: textBlock(placeholders.interruptedUse), event: null })
}

/** A tool that the API itself runs: without its result in the same answer it is not sent. */
function isServerCall(id: CallId): boolean {
  return id.startsWith('srvtoolu_')
}

/** The first result of each call; others are dropped, and calls without one get one that says so. */
function withResults(message: Message, calls: readonly CallId[], isFirst: boolean): Message {
  const open = new Set(calls)
  const said = message.said.filter(({ block }) => block.type !== 'tool-result' || open.delete(block.callId))
  const missing = [...open].map((id): Said => ({ block: failedResult(id, placeholders.missingResult), event: null }))
  const all = [...missing, ...said]
  const hadResult = message.said.some(({ block }) => block.type === 'tool-result')
  if (all.length === 0 && hadResult)
    all.push({ block: textBlock(isFirst ? placeholders.orphanedResult : placeholders.noContent), event: null })
  return { ...message, said: all }
}

function toMessages(
  { role, messageId, said: own, lines, front, notes }: Message,
  takesSystem: boolean,
): ContextMessage[] {
  const said = role === 'user' ? withFront(own, front, takesSystem) : own
  const message: ContextMessage = { role, events: [], blocks: [] }
  if (messageId !== undefined) message.messageId = messageId
  for (const { block, event } of said) addBlock(message, block, event)
  const tokens = outputTokens(lines)
  if (tokens !== undefined) message.tokens = tokens
  const isSynthetic =
    role === 'assistant' ? lines.every(line => hasFlag(line, 'synthetic')) : said.every(({ event }) => event === null)
  if (isSynthetic) message.synthetic = true
  const messages = message.blocks.length > 0 ? [message] : []
  if (notes.length === 0) return messages
  const note: ContextMessage = { role: 'system', events: [], blocks: [] }
  for (const { block, event } of notes) addBlock(note, block, event)
  return [...messages, note]
}

/**
 * Reminders go behind the results and before the prompt. Where they are only text they are a part of the last result, but for
 * those in tags of a model that takes messages of the system.
 */
function withFront(own: readonly Said[], front: readonly Said[], takesSystem: boolean): readonly Said[] {
  const at = own.findLastIndex(({ block }) => block.type === 'tool-result')
  const last = own[at]
  if (front.length === 0) return own
  const [before, behind] = [own.slice(0, at + 1), own.slice(at + 1)]
  const texts = front.flatMap(({ block }) => (block.type === 'text' ? [block.text.trim()] : []))
  const isApart = texts.length < front.length || (takesSystem && texts.some(isReminder))
  if (last?.block.type !== 'tool-result' || isApart) return [...before, ...front, ...behind]
  const { content } = last.block
  if (content.some(({ type }) => type === 'other')) return [...before, ...front, ...behind]
  const said = content.flatMap(part => (part.type === 'text' ? [part.text.trim()] : []))
  const isText = said.length === content.length
  const text = textBlock([...(isText ? said : []), ...texts].filter(one => one !== '').join('\n\n'))
  const block: ToolResultBlock = { ...last.block, content: isText ? [text] : [...content, text] }
  return [...before.slice(0, -1), { ...last, block }, ...behind]
}

function addBlock(message: ContextMessage, block: Block, event: SessionEvent | null): void {
  message.blocks.push(wellFormed(block.type === 'tool-result' ? asFailure(block) : block))
  if (event !== null && message.events.at(-1) !== event.id) message.events.push(event.id)
}

/** Half a surrogate pair goes out as a replacement character. */
function wellFormed<B extends Block>(block: B): B {
  if (block.type === 'text' || block.type === 'thinking') {
    const text = withoutHalves(block.text)
    return text === block.text ? block : { ...block, text }
  }
  if (block.type === 'tool-call') {
    const name = withoutHalves(block.name)
    return { ...block, callId: callId(withoutHalves(block.callId)), name, input: wellFormedValue(block.input) }
  }
  if (block.type !== 'tool-result') return block
  return { ...block, callId: callId(withoutHalves(block.callId)), content: block.content.map(wellFormed) }
}

const loneSurrogate = /\p{Cs}/gu

function withoutHalves(text: string): string {
  return text.replace(loneSurrogate, '\ufffd')
}

function wellFormedValue(value: unknown): unknown {
  // JSON text has half a pair as an escape.
  const text = jsonText(value)
  return !text.includes('\\ud') ? value : parseJson(text.replace(escapedHalf, withReplacement))
}

/** An escaped backslash, so that what follows it is no escape, or half a pair. */
const escapedHalf = /\\\\|\\u(d[89a-f][0-9a-f]{2})/g

function withReplacement(found: string): string {
  return found === '\\\\' ? found : '\ufffd'
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

/** In whose name an event is sent; null for what the model never gets: notices, progress, borders, deleted ones. */
function speakerOf(event: SessionEvent): 'user' | 'assistant' | null {
  if (hasFlag(event, 'deleted') && event.dialect !== 'client') return null
  switch (event.kind) {
    case 'answer':
      return 'assistant'
    case 'api-error':
      return event.wireType === 'assistant' ? 'assistant' : null
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
