// Parts → messages: what the user says in a row is one message, and so are the lines of one answer. Calls and results are
// paired afterwards, in pair-calls.ts.

import type { Block, ToolResultBlock } from '../../model/event.ts'
import { type Content, isResult, type Message, type Part, textBlock } from './part.ts'
import { placeholders } from './reference.ts'
import { isBlankText, writtenContents } from './rendered.ts'

/** The parts of one message. */
interface Group {
  role: Message['role']
  messageId?: string
  parts: Part[]
  system: Part[]
}

/**
 * Attachments alone do not part the lines of an answer, prompts do.
 *
 *     user a, user b, m1 text, reminder, m1 call, m2 text
 *         ──►   user: a, b   ·   assistant m1: text, call   ·   user: reminder   ·   assistant m2: text
 */
export function joinParts(parts: readonly Part[], foldsReminders: boolean): Message[] {
  const groups: Group[] = []
  for (const part of parts.filter(isSent)) {
    if (part.slot === 'answer') {
      const group = groupOfAnswer(groups, part) ?? pushGroup(groups, 'assistant')
      if (part.messageId !== undefined) group.messageId = part.messageId
      group.parts.push(part)
      continue
    }
    const last = groups.at(-1)
    const group = last?.role === 'user' ? last : pushGroup(groups, 'user')
    group[part.slot === 'system' ? 'system' : 'parts'].push(part)
  }
  return groups.map(group => toMessage(group, foldsReminders))
}

/** An answer without blocks counts: it is filled later. */
function isSent({ slot, isError, blocks }: Part): boolean {
  return !isError && (slot === 'answer' || blocks.length > 0)
}

function pushGroup(groups: Group[], role: Group['role']): Group {
  const group: Group = { role, parts: [], system: [] }
  groups.push(group)
  return group
}

/** The answer that a line belongs to: one of its id, with nothing but results, attachments and other answers in between. */
function groupOfAnswer(groups: readonly Group[], { event, messageId }: Part): Group | undefined {
  for (let at = groups.length - 1; event !== null && at >= 0; at--) {
    const group = groups[at] as Group
    if (group.role === 'assistant' && group.messageId === messageId) return group
    // Other dialects have no ids: only lines that follow each other directly are one answer.
    if (group.role === 'user' && (event.dialect !== 'client' || hasPromptsOnly(group))) return undefined
  }
  return undefined
}

function hasPromptsOnly({ parts }: Group): boolean {
  const isOfResult = ({ blocks }: Part): boolean => blocks.some(({ type }) => type === 'tool-result')
  return parts.some(({ slot }) => slot === 'user') && !parts.some(isOfResult)
}

function toMessage({ role, messageId, parts, system }: Group, foldsReminders: boolean): Message {
  const lines = role === 'user' ? [] : parts.flatMap(({ event }) => (event === null ? [] : [event]))
  const notes = system.flatMap(contentOf)
  if (role === 'user') return { role, content: joinContents(parts, foldsReminders), lines, system: notes }
  const all = parts.flatMap(contentOf)
  // Where lines are joined, blank texts are not sent.
  const content = parts.length > 1 ? all.filter(({ block }) => !isBlankText(block)) : all
  if (content.length === 0) content.push({ block: textBlock(placeholders.noContent), event: lines.at(-1) ?? null })
  return { role, content, lines, system: notes, ...(messageId !== undefined && { messageId }) }
}

function contentOf({ blocks, event }: Pick<Part, 'blocks' | 'event'>): Content[] {
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

/**
 * Results come first. A line end is put between texts of two records, whatever results are between them, but not behind one
 * reminder and before the next. A reminder directly behind a result becomes a part of it. What is one record stays as it is.
 *
 *     [reminder] [a] [result x, b]   ──►   [result x, "reminder\n", "a\n", b]
 *     [result x "ok"] [reminder]     ──►   [result x "ok\n\nreminder"]
 *
 * `foldsReminders`: without it what is a reminder of the user for any model is joined behind results as other records are.
 */
function joinContents(parts: readonly Part[], foldsReminders: boolean): Content[] {
  const [first, ...others] = parts
  if (first === undefined) return []
  const joined = new JoinedContent(contentOf(first))
  for (const part of others) {
    if (part.slot === 'front' && (foldsReminders || !part.isOfUser || !joined.hasResults))
      joined.addReminder(contentOf(part))
    else joined.add(contentOf(part))
  }
  return joined.content()
}

class JoinedContent {
  private readonly first: Content[]
  private results: Content[] = []
  private rest: Content[] = []
  private isJoined = false

  constructor(first: Content[]) {
    this.first = first
  }

  content(): Content[] {
    return this.isJoined ? [...this.results, ...this.rest] : this.first
  }

  get hasResults(): boolean {
    return (this.isJoined ? this.results : this.first).some(isResult)
  }

  add(content: readonly Content[]): void {
    const last = this.start()
    if (last?.block.type === 'text' && content[0]?.block.type === 'text')
      this.rest.splice(-1, 1, { ...last, block: textBlock(`${last.block.text}\n`) })
    this.push(content)
  }

  addReminder(content: readonly Content[]): void {
    const last = this.start()
    const folded = last === undefined ? undefined : withTexts(last, content)
    if (folded === undefined) this.push(content)
    else this.results.splice(-1, 1, folded)
  }

  /** Puts results first, and gives the last block. */
  private start(): Content | undefined {
    if (this.isJoined) return this.rest.at(-1) ?? this.results.at(-1)
    this.isJoined = true
    this.push(this.first)
    return this.first.at(-1)
  }

  private push(content: readonly Content[]): void {
    for (const one of content) (isResult(one) ? this.results : this.rest).push(one)
  }
}

/** A result with texts behind its own; undefined where something is no text, or cannot take any. */
function withTexts({ block, event }: Content, content: readonly Content[]): Content<ToolResultBlock> | undefined {
  if (block.type !== 'tool-result' || block.content.some(({ type }) => type === 'other')) return undefined
  const texts = content.flatMap(one => (one.block.type === 'text' ? [one.block.text] : []))
  if (texts.length < content.length) return undefined
  const own = block.content
  const last = own.at(-1)
  const isText =
    own.every(({ type }) => type === 'text') &&
    !(event !== null && Array.isArray(writtenContents(event).get(block.callId)))
  if (isText) {
    const all = [...own.map(part => (part.type === 'text' ? part.text : '')), ...texts].map(text => text.trim())
    return { event, block: { ...block, content: [textBlock(all.filter(text => text !== '').join('\n\n'))] } }
  }
  const parted = last?.type === 'text' ? [...own.slice(0, -1), textBlock(`${last.text}\n`)] : own
  return { event, block: { ...block, content: [...parted, textBlock(texts.join('\n\n'))] } }
}

/**
 * Empty texts of an answer are not sent. An answer of which only thinking is left by that is not either; then the messages of
 * the user around it are one.
 *
 *     user: a   ·   assistant: thinking, ""   ·   user: b   ──►   user: "a\n", b
 */
export function dropEmptyTexts(messages: readonly Message[]): Message[] {
  const left: Message[] = []
  for (const message of messages) {
    const before = left.at(-1)
    if (message.role === 'assistant') left.push(...withoutEmptyTexts(message))
    else if (before?.role === 'user') left.splice(-1, 1, joinMessages(before, message))
    else left.push(message)
  }
  return left
}

function withoutEmptyTexts(message: Message): Message[] {
  const content = message.content.filter(({ block }) => block.type !== 'text' || block.text !== '')
  const isLeft = content.length === message.content.length || content.some(({ block }) => block.type !== 'thinking')
  return isLeft ? [{ ...message, content }] : []
}

function joinMessages(before: Message, after: Message): Message {
  const joined = new JoinedContent(before.content)
  joined.add(after.content)
  return { ...before, content: joined.content(), system: [...before.system, ...after.system] }
}
