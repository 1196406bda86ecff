// Last-wins lines → how things stand now. The client writes them again every few records: their number means nothing.

import { asString } from '../base/json.ts'
import type { SessionEvent } from '../model/event.ts'
import { type EventId, eventId } from '../model/ids.ts'
import type { BranchSummary, SessionState } from '../model/session.ts'

/** `events` of all files; the last line of a kind counts. */
export function readState(events: readonly SessionEvent[]): SessionState {
  const state: SessionState = { other: new Map() }
  for (const event of events) {
    const { detail } = event
    if (detail === undefined) continue
    if (event.kind === 'title') readTitle(state, detail)
    else if (event.kind === 'state' || event.kind === 'link') readLine(state, event.wireType, detail)
  }
  return state
}

function readTitle(state: SessionState, detail: Record<string, unknown>): void {
  const title = asString(detail['title'])?.trim()
  if (!title) return
  if (detail['titleFrom'] === 'custom') state.customTitle = title
  else if (detail['titleFrom'] === 'ai') state.aiTitle = title
  else if (detail['titleFrom'] === 'agent-name') state.agentName = title
}

function readLine(state: SessionState, wireType: string, detail: Record<string, unknown>): void {
  const type = asString(detail['type']) ?? wireType
  if (type === 'last-prompt') {
    const prompt = asString(detail['lastPrompt'])
    const leaf = asString(detail['leaf'])
    if (prompt !== undefined) state.lastPrompt = prompt
    if (leaf !== undefined) state.lastLeaf = leaf
    return
  }
  const tag = type === 'tag' ? asString(detail['tag']) : undefined
  if (tag !== undefined) state.tag = tag
  state.other.set(type, detail)
}

/** Titles of branches by their leaf, the last one for each; most leaves lie in other sessions of the folder. */
export function readSummaries(events: readonly SessionEvent[]): BranchSummary[] {
  const summaries = new Map<EventId, string>()
  for (const { kind, detail } of events) {
    if (kind !== 'title' || detail?.['titleFrom'] !== 'summary') continue
    const title = asString(detail['title'])
    const leaf = asString(detail['leaf'])
    if (!title || leaf === undefined) continue
    summaries.delete(eventId(leaf))
    summaries.set(eventId(leaf), title)
  }
  return [...summaries].map(([leaf, title]) => ({ leaf, title }))
}
