// What Claude Code adds and drops where a session broke off: calls without a result, answers that say nothing, and a last
// message that nothing answers.

import { asObject } from '../../base/json.ts'
import type { Block } from '../../model/event.ts'
import type { Chain, ContextLink } from './links.ts'
import { callIds, failedResult, insertedPart, isAttachment, isPrompt, type Part, resultIds, textBlock } from './part.ts'
import { placeholders } from './reference.ts'
import { isBlankText } from './rendered.ts'

/**
 * Where the session broke off in the calls of an answer, they get a result that says so. Other lines of answers none of whose
 * calls has a result are dropped, except in a turn that waits for an answer.
 *
 *     go, m1 call x, anew, m2 call y   ──►   go, anew, m2 call y, [result y: Tool call interrupted …]
 */
export function closeOpenCalls(parts: readonly Part[], chain: Chain): Part[] {
  const answered = new Set(parts.flatMap(({ blocks }) => resultIds(blocks)))
  const last = lastLines(parts)
  const isAbandoned = (part: Part): boolean =>
    part.slot === 'answer' && callIds(part.blocks).length > 0 && callIds(part.blocks).every(id => !answered.has(id))
  const spoken = dropEmptyAnswers(parts)
  const isWaiting = spoken.findLast(isMessage)?.slot === 'user' && waitsForAnswer(spoken, chain)
  const turn = isWaiting ? parts.findLastIndex(isPrompt) : parts.length
  const kept = parts.filter((part, at) => at > turn || last.has(part) || !isAbandoned(part))
  const open = new Set([...last].flatMap(({ blocks }) => callIds(blocks)).filter(id => !answered.has(id)))
  return [...kept, ...[...open].map(id => insertedPart('user', [failedResult(id, placeholders.interruptedCall)]))]
}

/** Lines of the last answer that says something, if no prompt or error is behind it. */
function lastLines(parts: readonly Part[]): Set<Part> {
  const spoken = dropEmptyAnswers(parts)
  if (spoken.findLast(part => !isAttachment(part))?.isError) return new Set()
  const last = spoken
    .slice(spoken.findLastIndex(isPrompt) + 1)
    .findLast(({ slot, isError }) => slot === 'answer' && !isError)
  return new Set(last === undefined ? [] : linesOfAnswer(parts, last))
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
 * Answers that only think or say nothing but blanks are dropped: all their lines count.
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
  return blocks.every(block => block.type === 'thinking' || isBlankText(block))
}

/**
 * A last message without an answer gets one, behind its attachments. Output of commands comes behind it.
 *
 *     go, reminder   ──►   go, reminder, "No response requested."
 */
export function answerLastMessage(parts: readonly Part[], chain: Chain): readonly Part[] {
  if (!waitsForAnswer(parts, chain)) return parts
  const end = parts.findLastIndex(part => !isSystem(part)) + 1
  return parts.toSpliced(end, 0, insertedPart('answer', [textBlock(placeholders.noAnswer)]))
}

function waitsForAnswer(parts: readonly Part[], { links }: Chain): boolean {
  // An error of the API is no answer, but ends the turn where nothing is behind it.
  const last = parts.findLastIndex(part => isMessage(part) && !isApiError(part) && !isForTranscriptOnly(part))
  const behind = linksBehind(parts, links)
  const endsInError = parts.filter(isMessage).slice(-1).some(isApiError) && behind.length === 0
  if (parts.length === 0 || endsInError || parts[last]?.slot === 'answer') return false
  // The result of an interrupted call waits for an answer, whatever is behind the call.
  if (parts[last]?.event === null) return true
  const endsTurn = behind.some(isUncommittedLimit) || (behind.length > 0 && endsWithResult(parts, last))
  return !endsTurn && !endsInLocalCommand(parts, last)
}

/** Attachments behind the last message, also those that are not sent. */
function linksBehind(parts: readonly Part[], links: Chain['links']): ContextLink[] {
  const messages = new Set(parts.filter(part => !isAttachment(part)).map(({ event }) => event))
  const last = links.findLastIndex(link => messages.has(link.event) && !isSystem(link))
  return links.slice(last + 1).filter(({ event }) => event.wireType === 'attachment')
}

function isMessage(part: Part): boolean {
  return !isAttachment(part) && !isSystem(part)
}

function isSystem({ event }: Pick<Part, 'event'>): boolean {
  return event?.wireType === 'system'
}

/** A turn that was ended by its limit, and not by an answer. */
function isUncommittedLimit({ event }: ContextLink): boolean {
  const attachment = asObject(event.record.value?.['attachment'])
  return attachment?.['type'] === 'max_turns_reached' && attachment['exitCommitted'] === false
}

/** One of the last results ends the turn, as that of an answer in a given form does (2.1.32x on). */
function endsWithResult(parts: readonly Part[], last: number): boolean {
  const isResult = ({ blocks }: Part): boolean => resultIds(blocks).length > 0
  const start = parts.findLastIndex((part, at) => at <= last && !isAttachment(part) && !isResult(part)) + 1
  return parts.slice(start).some(({ event }) => event?.record.value?.['toolEndsTurn'] === true)
}

function isApiError({ event }: Part): boolean {
  return event?.kind === 'api-error'
}

/** A notification that nothing was to answer (2.1.32x on). */
function isForTranscriptOnly({ event }: Part): boolean {
  const { queueTranscriptOnly, origin } = event?.record.value ?? {}
  return queueTranscriptOnly === true && asObject(origin)?.['kind'] === 'task-notification'
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
