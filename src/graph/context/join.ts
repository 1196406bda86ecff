// Parts → messages: prompts in a row are one message, and so are the lines of one answer. Calls and results are paired
// afterwards, in pair-calls.ts.

import type { Block, SessionEvent } from '../../model/event.ts'
import { type Content, isReminderPart, isResult, type Message, type Part, textBlock } from './part.ts'
import { placeholders } from './reference.ts'
import { isBlankText, reminder } from './rendered.ts'

/** The parts of one message. */
interface Group {
  role: Message['role']
  messageId?: string
  /** Of each part. */
  contents: Content[][]
  /** Of an answer. */
  lines: SessionEvent[]
  reminders: Part[]
}

/**
 * Reminders go with the message of the user before them, else with the next one; between two answers they are a message of
 * their own.
 *
 *     user a, user b, m1 text, reminder, m1 call, m2 text
 *         ──►   user: a, b   ·   assistant m1: text, call   ·   user: reminder   ·   assistant m2: text
 */
export function joinParts(parts: readonly Part[]): Message[] {
  const groups: Group[] = []
  // Reminders behind an answer.
  let pending: Part[] = []
  for (const part of parts.filter(isSent)) {
    const last = groups.at(-1)
    if (isReminderPart(part)) (last?.role === 'user' ? last.reminders : pending).push(part)
    else if (part.slot === 'answer') {
      const known = groupOfAnswer(groups, part)
      if (known === undefined && last !== undefined && pending.length > 0) {
        groups.push(groupBetweenAnswers(pending))
        pending = []
      }
      addLine(known ?? pushGroup(groups, 'assistant'), part)
    } else if (last?.role === 'user') last.contents.push(contentOf(part))
    else {
      pushGroup(groups, 'user', pending).contents.push(contentOf(part))
      pending = []
    }
  }
  if (pending.length > 0) pushGroup(groups, 'user', pending)
  return groups.map(toMessage)
}

/** An answer without blocks counts: it is filled later. */
function isSent({ slot, isError, blocks }: Part): boolean {
  return !isError && (slot === 'answer' || blocks.length > 0)
}

function contentOf({ blocks, event }: Part): Content[] {
  const content: Content[] = blocks.map(block => ({ block, event }))
  if (blocks.some(loadsTools)) content.push({ block: textBlock(placeholders.toolLoaded), event: null })
  return content
}

/** The result of a search for tools. */
function loadsTools(block: Block): boolean {
  return (
    block.type === 'tool-result' &&
    block.content.some(part => part.type === 'other' && part.wireType === 'tool_reference')
  )
}

function pushGroup(groups: Group[], role: Group['role'], reminders: Part[] = []): Group {
  const group: Group = { role, contents: [], lines: [], reminders }
  groups.push(group)
  return group
}

function addLine(group: Group, part: Part): void {
  if (part.messageId !== undefined) group.messageId = part.messageId
  group.contents.push(contentOf(part))
  if (part.event !== null) group.lines.push(part.event)
}

/** The answer that a line belongs to: one of its id, with nothing but results and other answers in between. */
function groupOfAnswer(groups: readonly Group[], { event, messageId }: Part): Group | undefined {
  for (let at = groups.length - 1; event !== null && at >= 0; at--) {
    const group = groups[at] as Group
    if (group.role === 'assistant' && group.messageId === messageId) return group
    if (group.role === 'user' && !group.contents.some(content => content.some(isResult))) return undefined
    // Other dialects have no ids: only lines that follow each other directly are one answer.
    if (group.role === 'user' && event.dialect !== 'client') return undefined
  }
  return undefined
}

/** Between two answers there is no message of the system. */
function groupBetweenAnswers(reminders: readonly Part[]): Group {
  const system = contentIn(reminders, 'system').map(one =>
    one.block.type === 'text' ? { ...one, block: reminder(one.block.text) } : one,
  )
  return { role: 'user', contents: [[...contentIn(reminders, 'front'), ...system]], lines: [], reminders: [] }
}

function contentIn(reminders: readonly Part[], slot: Part['slot']): Content[] {
  return reminders.filter(part => part.slot === slot).flatMap(contentOf)
}

function toMessage({ role, messageId, contents, lines, reminders }: Group): Message {
  const front = contentIn(reminders, 'front')
  const system = contentIn(reminders, 'system')
  if (role === 'user') return { role, content: joinContents(contents), lines, front, system }
  const content = contents.flat()
  if (content.length === 0) content.push({ block: textBlock(placeholders.noContent), event: lines.at(-1) ?? null })
  return { role, content, lines, front, system, ...(messageId !== undefined && { messageId }) }
}

/**
 * Results come first, and a line end parts texts of two records, whatever results are between them. What is one record stays
 * as it is.
 *
 *     [a]  [result x, b]   ──►   [result x, "a\n", b]
 */
function joinContents(contents: readonly Content[][]): Content[] {
  const [first = [], ...others] = contents
  if (others.length === 0) return first
  const results = first.filter(isResult)
  const rest = first.filter(one => !isResult(one))
  let last = first.at(-1)
  for (const content of others) {
    if (last?.block.type === 'text' && content[0]?.block.type === 'text')
      rest.splice(-1, 1, { ...last, block: textBlock(`${last.block.text}\n`) })
    for (const one of content) (isResult(one) ? results : rest).push(one)
    last = rest.at(-1)
  }
  return [...results, ...rest]
}

/**
 * Empty texts of an answer are not sent, and blank ones not next to calls. An answer of which only thinking is left by that is
 * not either; then the messages of the user around it are one.
 *
 *     user: a   ·   assistant: thinking, ""   ·   user: b   ──►   user: "a\n", b
 */
export function dropBlankAnswers(messages: readonly Message[]): Message[] {
  const left: Message[] = []
  for (const message of messages) {
    const before = left.at(-1)
    if (message.role === 'assistant') left.push(...withoutBlanks(message))
    else if (before?.role === 'user') left.splice(-1, 1, joinMessages(before, message))
    else left.push(message)
  }
  return left
}

function withoutBlanks(message: Message): Message[] {
  const hasCall = message.content.some(({ block }) => block.type === 'tool-call')
  const isDropped = ({ block }: Content): boolean =>
    hasCall ? isBlankText(block) : block.type === 'text' && block.text === ''
  const content = message.content.filter(one => !isDropped(one))
  const isLeft = content.length === message.content.length || content.some(({ block }) => block.type !== 'thinking')
  return isLeft ? [{ ...message, content }] : []
}

function joinMessages(before: Message, after: Message): Message {
  return {
    ...before,
    content: joinContents([before.content, after.content]),
    front: [...before.front, ...after.front],
    system: [...before.system, ...after.system],
  }
}
