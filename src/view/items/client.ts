// What Claude Code itself writes into a session: notifications, interruptions, errors, notices, hooks. Compactions have a file
// of their own.

import { asNumber, asObject, asString } from '../../base/json.ts'
import { type ApiErrorDetail, detailFields, type HookDetail, type TaskNotification } from '../../model/detail.ts'
import { type EventOf, hasFlag, isErrorMessage, type SessionEvent, wasQueued } from '../../model/event.ts'
import {
  badge,
  codePart,
  factsPart,
  fieldParts,
  foldedText,
  markdownParts,
  partsAfterText,
  textOf,
  textParts,
} from '../parts.ts'
import type { Badge, Tone, ViewItem, ViewPart } from '../view.ts'
import { countOf, durationText, firstLine, insideTag, wordsOf } from '../words.ts'
import { newItem, quietItem } from './item.ts'
import { splitInjections } from './message.ts'

export function viewNotification(event: EventOf<'notification'> | EventOf<'queue'>): ViewItem {
  const task = event.detail?.notification
  const text = textOf(event.blocks)
  if (task && Object.keys(task).length > 0) return taskNotification(event, task, text)
  const sender = /^\s*<teammate-message\s[^>]*?teammate_id="([^"]{0,200})"/.exec(text)?.[1]
  const tag = /^\s*<([a-z][a-z-]{0,40})[\s>]/.exec(text)?.[1]
  const item = newItem(event, 'notification', sender === undefined ? senderLine(event, tag) : `Message from ${sender}`)
  const inner = tag === undefined ? undefined : insideTag(text, tag)
  item.body = [...markdownParts(inner ?? splitInjections(text).rest), ...partsAfterText(event.blocks)]
  if (wasQueued(event)) item.badges.push(badge('queued'))
  return item
}

function senderLine({ kind, detail }: Parameters<typeof viewNotification>[0], tag: string | undefined): string {
  const from = detail?.subtype ?? (kind === 'notification' ? detail?.origin : undefined) ?? tag
  return from === undefined ? 'Notification' : `Notification  ${wordsOf(from)}`
}

function taskNotification(event: SessionEvent, task: TaskNotification, text: string): ViewItem {
  const { summary, status, taskId: id } = task
  const item = newItem(event, 'notification', `Task  ${firstLine(summary ?? id ?? '')}`.trimEnd())
  if (status !== undefined) item.badges.push(badge(status, taskTone(status)))
  item.body = [
    ...(summary?.includes('\n') ? textParts(summary) : []),
    ...markdownParts(insideTag(text, 'result')),
    ...factsPart([
      ['task', id],
      ['output file', task.outputFile],
    ]),
  ]
  return item
}

function taskTone(status: string): Tone {
  if (/^(completed|success|succeeded|done)$/i.test(status)) return 'good'
  if (/^(failed|error|timeout)$/i.test(status)) return 'bad'
  return /^(killed|stopped|cancell?ed|interrupted|aborted)$/i.test(status) ? 'warn' : 'quiet'
}

export function viewInterruption(event: EventOf<'interruption'>): ViewItem {
  const during = event.detail?.forToolUse === true ? ' during a tool call' : ''
  return newItem(event, 'interruption', `Interrupted by the user${during}`)
}

/** An answer that Claude Code wrote for the API, or a failed try that was made again. */
export function viewApiError(event: EventOf<'api-error'>): ViewItem {
  const { detail = {} } = event
  const error = asObject(detail.error)
  const inner = asObject(asObject(error?.['error'])?.['error']) ?? asObject(error?.['error'])
  const status = asNumber(error?.['status']) ?? detail.apiErrorStatus
  const kind = asString(inner?.['type']) ?? asString(detail.error)
  const said = asString(inner?.['message']) ?? asString(error?.['message'])
  const text = textOf(event.blocks)
  const words = [status === undefined ? '' : String(status), kind === undefined ? '' : wordsOf(kind)]
  const named = words.filter(word => word !== '' && word !== 'unknown').join(' ')
  const item = newItem(
    event,
    isErrorMessage(event) ? 'error' : 'notice',
    `API error  ${named || firstLine(said ?? text)}`.trimEnd(),
  )
  item.badges = retryBadges(detail)
  item.body = [
    ...textParts(text === '' ? said : text, 'bad'),
    ...factsPart([['cause', asString(detail.cause?.['code'])]]),
    ...partsAfterText(event.blocks),
  ]
  return item
}

function retryBadges({ retryAttempt: attempt, maxRetries: most, retryInMs: wait }: ApiErrorDetail): Badge[] {
  const badges: Badge[] = []
  if (attempt !== undefined) {
    badges.push(badge(most === undefined ? `attempt ${attempt}` : `attempt ${attempt} of ${most}`, 'warn'))
  }
  if (wait !== undefined) badges.push(badge(`next in ${durationText(wait)}`))
  return badges
}

export function viewHook(event: EventOf<'hook'>): ViewItem {
  const { detail = {} } = event
  const name = detail.hookName ?? detail.hookEvent
  const isStop = detail.subtype === 'stop_hook_summary'
  const tag = /^\s*<([a-z-]{1,40})-hook>/.exec(textOf(event.blocks))?.[1]
  const title = name ?? (isStop ? 'Stop' : tag === undefined ? '' : wordsOf(tag))
  const item = quietItem(event, 'hook', `Hook  ${title}`.trimEnd())
  if (isStop) return stopHooks(item, detail)
  const { exitCode: exit, durationMs: took } = detail
  const isBad = hasFlag(event, 'error') || (exit !== undefined && exit !== 0)
  if (exit !== undefined) item.badges.push(badge(`exit ${exit}`, exit === 0 ? 'good' : 'bad'))
  else if (isBad) item.badges.push(badge('failed', 'bad'))
  if (detail.timedOut === true) item.badges.push(badge('timed out', 'warn'))
  if (took !== undefined && took >= 1000) item.badges.push(badge(durationText(took)))
  item.isQuiet = !isBad
  item.body = hookParts(event, detail, isBad)
  return item
}

function hookParts(event: SessionEvent, detail: HookDetail, isBad: boolean): ViewPart[] {
  const { command, stdout, stderr, blockingError } = detail
  const said = textOf(event.blocks)
  return [
    ...(command === undefined ? [] : [codePart(command, 'bash')]),
    ...(stderr?.trim() === said.trim() ? [] : textParts(said, 'quiet')),
    ...(stdout?.trim() === said.trim() ? [] : textParts(stdout, 'plain', 'stdout')),
    ...textParts(stderr, isBad ? 'bad' : 'warn', 'stderr'),
    ...textParts(blockingText(blockingError), 'bad'),
    ...partsAfterText(event.blocks),
  ]
}

function blockingText(error: HookDetail['blockingError']): string | undefined {
  return typeof error === 'object' ? (asString(error['blockingError']) ?? asString(error['message'])) : error
}

/** What the hooks at the end of a turn did, together. */
function stopHooks(item: ViewItem, detail: HookDetail): ViewItem {
  const { hookCount, preventedContinuation = false, hookErrors: errors = [], hookInfos = [], stopReason } = detail
  if (hookCount !== undefined) item.badges.push(badge(countOf(hookCount, 'hook')))
  if (preventedContinuation) item.badges.push(badge('stopped the turn', 'warn'))
  item.isQuiet = errors.length === 0 && !preventedContinuation
  for (const { command } of hookInfos) {
    if (command !== undefined) item.body.push(codePart(command, 'bash'))
  }
  item.body.push(...textParts(errors.join('\n'), 'bad'), ...textParts(stopReason, 'warn'))
  return item
}

/** Fields of notices that every record may have and no reader needs. */
const plumbing = ['subtype', 'level', 'isMeta', 'session_id', 'teamName', 'agentName', 'toolUseID', 'requestId']

export function viewNotice(event: EventOf<'notice'>): ViewItem {
  const { subtype, level, durationMs: took } = event.detail ?? {}
  if (subtype === 'turn_duration' && took !== undefined) {
    const item = quietItem(event, 'notice', `Turn took ${durationText(took)}`)
    item.body = fieldParts(detailFields(event), [...plumbing, 'durationMs', 'messageCount'])
    return item
  }
  const text = textOf(event.blocks)
  const isLoud = level === 'error' || level === 'warning' || hasFlag(event, 'error')
  const title = subtype === undefined || subtype === 'informational' ? 'Notice' : sentence(wordsOf(subtype))
  const isShort =
    !isLoud && subtype !== 'away_summary' && text.trim().length <= longestHeadline && !text.trim().includes('\n')
  const item = newItem(event, 'notice', isShort ? `${title}  ${text.trim()}`.trimEnd() : title)
  // What it says in words is for people to read.
  item.isQuiet = !isLoud && text.trim() === ''
  const tone = level === 'error' || hasFlag(event, 'error') ? 'bad' : level === 'warning' ? 'warn' : 'quiet'
  const said = subtype === 'away_summary' ? markdownParts(text) : isShort ? [] : textParts(text, tone)
  item.body = [...said, ...partsAfterText(event.blocks), ...fieldParts(detailFields(event), plumbing)]
  return item
}

const longestHeadline = 80

function sentence(words: string): string {
  return words.slice(0, 1).toUpperCase() + words.slice(1)
}

/** What Claude Code put into the conversation for the model. */
export function viewMeta(event: SessionEvent): ViewItem {
  const item = quietItem(event, 'notice', 'Added for the model')
  item.body = [...foldedText(textOf(event.blocks)), ...partsAfterText(event.blocks)]
  return item
}
