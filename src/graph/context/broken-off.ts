// What Claude Code adds and drops where a session broke off: calls without a result, answers that say nothing, and a last
// message that nothing answers.

import { asObject } from '../../base/json.ts'
import type { Block } from '../../model/event.ts'
import type { Chain } from './links.ts'
import {
  callIds,
  failedResult,
  insertedPart,
  isPrompt,
  isReminderPart,
  type Part,
  resultIds,
  textBlock,
} from './part.ts'
import { placeholders } from './reference.ts'
import { isBlankText } from './rendered.ts'

/**
 * In the turn in which the session broke off, calls get a result that says so. Before it, lines of answers none of whose calls
 * has a result are dropped.
 *
 *     go, call x, anew, call y   ──►   go, anew, call y, [result y: Tool call interrupted …]
 */
export function closeOpenCalls(parts: readonly Part[]): Part[] {
  const answered = new Set(parts.flatMap(({ blocks }) => resultIds(blocks)))
  const openCalls = ({ slot, blocks }: Part) =>
    slot === 'answer' ? callIds(blocks).filter(id => !answered.has(id)) : []
  const lastTurn = startOfBrokenTurn(parts, part => openCalls(part).length > 0)
  const isAbandoned = (part: Part): boolean =>
    part.slot === 'answer' && callIds(part.blocks).length > 0 && callIds(part.blocks).every(id => !answered.has(id))
  const kept = parts.filter((part, at) => at >= lastTurn || !isAbandoned(part))
  const open = new Set(parts.slice(lastTurn).flatMap(openCalls))
  return [...kept, ...[...open].map(id => insertedPart('user', [failedResult(id, placeholders.interruptedCall)]))]
}

/** Where the turn starts in which the session broke off: behind its prompt; behind all parts where it ended well. */
function startOfBrokenTurn(parts: readonly Part[], isOpen: (part: Part) => boolean): number {
  const last = parts.findLast(part => !isReminderPart(part))
  if (last === undefined || last.isError) return parts.length
  const isBroken = last.slot === 'user' || linesOfAnswer(parts, last).some(isOpen)
  return isBroken ? parts.findLastIndex(isPrompt) + 1 : parts.length
}

/** An answer's last line and the lines before it, as far as no other answer and no prompt is between them. */
function linesOfAnswer(parts: readonly Part[], last: Part): Part[] {
  if (last.messageId === undefined) return [last]
  const until = parts.slice(0, parts.indexOf(last) + 1)
  const isOther = (part: Part): boolean =>
    isPrompt(part) || (part.slot === 'answer' && part.messageId !== last.messageId)
  return until.slice(until.findLastIndex(isOther) + 1).filter(({ slot }) => slot === 'answer')
}

/**
 * Answers that only think, or think and then say nothing, are dropped: all lines of the answer count.
 *
 *     go, m1 thinking, on, m2 thinking, m2 done   ──►   go, on, m2 thinking, m2 done
 */
export function dropEmptyAnswers(parts: readonly Part[]): Part[] {
  const blocksOfAnswer = answersById(parts)
  return parts.filter(({ slot, messageId, blocks }) => {
    if (slot !== 'answer' || blocks.length === 0) return true
    return !saysNothing(messageId === undefined ? blocks : (blocksOfAnswer.get(messageId) ?? []))
  })
}

function answersById(parts: readonly Part[]): Map<string, Block[]> {
  const byId = new Map<string, Block[]>()
  for (const { slot, messageId, blocks } of parts) {
    if (slot !== 'answer' || messageId === undefined) continue
    const known = byId.get(messageId)
    if (known === undefined) byId.set(messageId, [...blocks])
    else known.push(...blocks)
  }
  return byId
}

function saysNothing(blocks: readonly Block[]): boolean {
  const last = blocks.at(-1)
  const endsBlank = last !== undefined && isBlankText(last)
  return blocks.every(block => block.type === 'thinking' || (endsBlank && isBlankText(block)))
}

/**
 * A last message without an answer gets one. Output of commands and reminders come behind it.
 *
 *     go   ──►   go, "No response requested."
 */
export function answerLastMessage(parts: readonly Part[], { links }: Chain): readonly Part[] {
  const last = parts.findLastIndex(part => !isReminderPart(part) && part.event?.wireType !== 'system')
  if (parts.length === 0 || parts[last]?.slot === 'answer') return parts
  if (endsAtLimit(links) || endsInLocalCommand(parts, last)) return parts
  return parts.toSpliced(last + 1, 0, insertedPart('answer', [textBlock(placeholders.noAnswer)]))
}

/** A turn that was ended by its limit, and not by an answer. */
function endsAtLimit(links: Chain['links']): boolean {
  const last = links.findLast(({ event }) => event.wireType !== 'system')
  const attachment = asObject(last?.event.record.value?.['attachment'])
  return attachment?.['type'] === 'max_turns_reached' && attachment['exitCommitted'] === false
}

/** A command that Claude Code ran by itself waits for no answer: a caveat for the model, the command, its output. */
function endsInLocalCommand(parts: readonly Part[], last: number): boolean {
  let at = last
  while (startsWith(parts[at], '<local-command-std') || startsWith(parts[at], '<command-name>')) at--
  const { event } = parts[at] ?? {}
  return startsWith(parts[at], '<local-command-caveat>') && event?.record.value?.['promptSource'] === undefined
}

function startsWith(part: Part | undefined, start: string): boolean {
  const [block] = part?.blocks ?? []
  return block?.type === 'text' && block.text.startsWith(start)
}
