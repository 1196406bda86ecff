// Last-wins lines → how things are now. Claude Code writes them again every few records: their number means nothing.

import { asString } from '../../base/json.ts'
import { hasFlag, type SessionEvent } from '../../model/event.ts'
import { type EventId, eventId } from '../../model/ids.ts'
import type { BranchSummary, SessionState } from '../../model/session.ts'
import { noteTitle, tagIn } from '../../model/title.ts'

/** `events` of all files; the last line of a kind counts. */
export function readState(events: readonly SessionEvent[]): SessionState {
  const state: SessionState = { other: new Map() }
  for (const event of events) {
    const { detail } = event
    // What a last-prompt says is void once the history it points into was summarised.
    if (event.wireType === 'system' && event.kind === 'compaction' && detail?.['phase'] === 'done') {
      if (!hasFlag(event, 'sidechain')) delete state.lastLeaf
    }
    if (detail === undefined) continue
    noteTitle(state, event)
    const tag = tagIn(event)
    if (tag !== undefined) state.tag = tag
    if (event.kind === 'state' || event.kind === 'link') readLine(state, event.wireType, detail)
  }
  return state
}

function readLine(state: SessionState, wireType: string, detail: Record<string, unknown>): void {
  const type = asString(detail['type']) ?? wireType
  if (type === 'last-prompt') {
    const leaf = asString(detail['leaf'])
    if (leaf !== undefined) state.lastLeaf = leaf
    return
  }
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
