// Last-wins lines → how things are now. Claude Code writes them again every few records: their number means nothing.

import { detailFields } from '../../model/detail.ts'
import { type EventOf, hasFlag, type SessionEvent } from '../../model/event.ts'
import { type EventId, eventId, type SessionId } from '../../model/ids.ts'
import type { BranchSummary, SessionState } from '../../model/session.ts'
import { noteTitle, tagIn } from '../../model/title.ts'

/** `events` of all files; the last line of a kind counts. The log of a subagent says nothing of its session. */
export function readState(session: SessionId, events: readonly SessionEvent[]): SessionState {
  const state: SessionState = { other: new Map() }
  for (const event of events) {
    if (event.thread !== (session as string)) continue
    // What a last-prompt says is void once the history it points into was summarised.
    if (event.wireType === 'system' && event.kind === 'compaction' && event.detail?.phase === 'done') {
      if (!hasFlag(event, 'sidechain')) delete state.lastLeaf
    }
    noteTitle(state, event)
    const tag = tagIn(event)
    if (tag !== undefined) state.tag = tag
    if (event.kind === 'state' || event.kind === 'link') readLine(state, event)
  }
  return state
}

function readLine(state: SessionState, event: EventOf<'state'> | EventOf<'link'>): void {
  if (event.detail === undefined) return
  const type = event.detail.type ?? event.wireType
  if (type !== 'last-prompt') state.other.set(type, detailFields(event))
  else if (event.kind === 'state' && event.detail.leaf !== undefined) state.lastLeaf = event.detail.leaf
}

/** Titles of branches by their leaf, the last one for each; most leaves lie in other sessions of the folder. */
export function readSummaries(events: readonly SessionEvent[]): BranchSummary[] {
  const summaries = new Map<EventId, string>()
  for (const { kind, detail } of events) {
    if (kind !== 'title' || detail?.titleFrom !== 'summary') continue
    const { title, leaf } = detail
    if (!title || leaf === undefined) continue
    summaries.delete(eventId(leaf))
    summaries.set(eventId(leaf), title)
  }
  return [...summaries].map(([leaf, title]) => ({ leaf, title }))
}
