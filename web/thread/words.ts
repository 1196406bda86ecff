// What the rail says of a place to those who point at it or hear it: what, when, how long. Words only.

import { countOf, countText, durationText } from '../../src/base/format.ts'
import { eventKinds } from '../../src/model/event.ts'
import type { HeadThread, Outline, OutlineCall, SessionHead } from '../../src/view/reading.ts'
import { longWhen, tokensText } from '../shell/format.ts'
import { turnStarts } from './model.ts'

export interface PlaceWords {
  what: string
  /** Further lines, the most important first. */
  more: string[]
  isBad?: boolean
}

const kindWords: { [kind: string]: string } = {
  answer: 'Answer',
  prompt: 'Prompt',
  delegation: 'Message to the subagent',
  'tool-results': 'Result',
  command: 'Command',
  'command-output': 'Output of a command',
  notification: 'Notification',
  interruption: 'Interrupted',
  'api-error': 'API error',
  compaction: 'Compaction',
  'compact-summary': 'Summary',
  hook: 'Hook',
  notice: 'Notice',
  malformed: 'Damaged line',
}

const statusWords: { [status: string]: string } = {
  failed: 'failed',
  interrupted: 'interrupted',
  missing: 'no result in the log',
  running: 'running',
}

export function callText(call: OutlineCall): string {
  return call.target === undefined ? call.name : `${call.name}  ${call.target}`
}

/** `3.2 s · failed`. */
export function callEnd(call: OutlineCall): string {
  const parts = [call.durationMs === undefined ? '' : durationText(call.durationMs), statusWords[call.status] ?? '']
  return parts.filter(part => part !== '').join(' · ')
}

/** A short name for a subagent: its task, else what distinguishes it. */
export function agentName({ description, agentType, id }: HeadThread): string {
  return description ?? agentType ?? `subagent ${id.slice(0, 8)}`
}

export function agentText(thread: HeadThread): string {
  const { agentType, description } = thread
  return agentType === undefined || description === undefined ? agentName(thread) : `${agentType}: ${description}`
}

/** `…` while it is not known how many. */
export function callsText({ calls }: Pick<HeadThread, 'calls'>): string {
  return calls === undefined ? '… calls' : countOf(calls, 'call')
}

export function agentWords(thread: HeadThread): PlaceWords {
  const took = spanOf(thread.startedAt, thread.endedAt)
  const work = [callsText(thread), took === undefined ? '' : durationText(took)]
  const more = [work.filter(part => part !== '').join(' · ')]
  if (thread.linkedBy === 'prompt') more.push('linked by its prompt: the log does not say who started it')
  if (thread.linkedBy === undefined) more.push('the log does not say who started it')
  more.push(longWhen(thread.startedAt))
  return { what: agentText(thread), more }
}

function spanOf(from: string | null, to: string | null): number | undefined {
  if (from === null || to === null) return
  const span = Date.parse(to) - Date.parse(from)
  return span >= 0 ? span : undefined
}

export function slotWords(head: SessionHead, outline: Outline, slot: number): PlaceWords {
  const calls = outline.calls[slot] ?? []
  const when = longWhen(instantOf(outline.at[slot]))
  const bad = calls.find(({ status }) => status === 'failed')
  const main = bad ?? [...calls].sort((one, other) => (other.durationMs ?? 0) - (one.durationMs ?? 0))[0]
  if (main) {
    const end = callEnd(main)
    const others = calls.length > 1 ? `and ${countOf(calls.length - 1, 'more call')}` : ''
    return {
      what: callText(main),
      more: nonEmpty([end, others, leftText(outline, slot), when]),
      isBad: bad !== undefined,
    }
  }
  const prompt = outline.prompts[slot]
  if (prompt !== undefined) {
    return {
      what: prompt === '' ? 'Prompt' : prompt,
      more: nonEmpty([turnText(outline, slot), leftText(outline, slot), when]),
    }
  }
  const kind = eventKinds[outline.kinds[slot] ?? -1] ?? 'other'
  if (kind === 'compaction')
    return { what: 'Compacted', more: nonEmpty([compactionText(head, outline.ids[slot]), when]) }
  const tokens = outline.context[slot]
  const context = tokens === undefined ? '' : `context ${tokensText(tokens)}`
  const isBad = kind === 'api-error'
  const turn = turnStarts(outline).has(slot) ? turnText(outline, slot) : ''
  return { what: kindWords[kind] ?? 'Event', more: nonEmpty([turn, context, leftText(outline, slot), when]), isBad }
}

function nonEmpty(parts: string[]): string[] {
  return parts.filter(part => part !== '')
}

function leftText(outline: Outline, slot: number): string {
  return outline.branches[slot] === undefined ? '' : 'on an abandoned branch'
}

function turnText(outline: Outline, slot: number): string {
  const turn = outline.turns[slot] ?? -1
  return turn < 0 ? '' : `turn ${countText(turn + 1)}`
}

function compactionText(head: SessionHead, event: string | undefined): string {
  const found = head.compactions.find(one => one.event === event)
  if (found?.preTokens === undefined) return found?.trigger ?? ''
  const after = found.postTokens === undefined ? '' : ` to ${tokensText(found.postTokens)}`
  return `at ${tokensText(found.preTokens)} tokens${after}${found.trigger === undefined ? '' : ` · ${found.trigger}`}`
}

export function instantOf(at: number | null | undefined): string | null {
  return at === null || at === undefined || !Number.isFinite(at) ? null : new Date(at).toISOString()
}
