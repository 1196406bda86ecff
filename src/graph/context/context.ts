// What Claude Code would send if it resumed the session now: from the chosen leaf up to the root, cut at the last compaction,
// with what parallel calls left off the chain. How links become messages is in messages.ts.

import type { SessionEvent } from '../../model/event.ts'
import type { SessionId } from '../../model/ids.ts'
import type { Context, SessionGraph } from '../../model/session.ts'
import { gapsOf } from './gaps.ts'
import {
  type Chain,
  ChainWalk,
  type ContextLink,
  chooseTip,
  isDated,
  isMessageLink,
  type LinkTable,
  leafAbove,
  readLinks,
} from './links.ts'
import { composeMessages } from './messages.ts'
import { referenceVersion } from './reference.ts'

export function buildChain(table: LinkTable, tip: ContextLink): Chain {
  const up = new ChainWalk(table).up(tip).filter(({ isSent }) => isSent)
  const links = cutAtCompaction(table, tip, up.reverse())
  const onChain = new Set(links)
  const messageIds = new Set(links.map(link => link.event.message?.id))
  messageIds.delete(undefined)
  messageIds.delete('')
  const others = table.links.filter(link => link.isMain && !onChain.has(link))
  const siblings = others.filter(link => link.event.kind === 'answer' && messageIds.has(link.event.message?.id))
  return { links, siblings, others }
}

/** 000 and 003 mark a compaction by its place: what was written before the last one counts no more, but for what it preserved. */
function cutAtCompaction(table: LinkTable, tip: ContextLink, chain: ContextLink[]): ContextLink[] {
  const main = table.links.filter(link => link.isMain && link.place <= tip.place)
  const end = main.findLastIndex(link => isBorder(link.event))
  const border = main[end]
  if (border === undefined) return chain
  const kept = border.event.dialect === 's0' ? preludeOf(main, end) : preservedBefore(main, end)
  const first = kept.at(-1) === border ? (kept[0] ?? border).place : border.place
  const names = new Set(kept)
  return [...kept, ...chain.filter(link => link.place >= first && !names.has(link))]
}

function isBorder(event: SessionEvent): boolean {
  if (event.dialect === 's0') return event.kind === 'preserved' || event.kind === 'compact-summary'
  return event.dialect === 's3' && event.kind === 'compaction' && event.detail?.phase === 'done'
}

/** 000: the run of preludes, each a root of its own, and the recap behind them. */
function preludeOf(main: ContextLink[], end: number): ContextLink[] {
  let start = end
  while (start > 0 && isBorder((main[start - 1] as ContextLink).event)) start--
  return main.slice(start, end + 1)
}

/**
 * 003: a list of what was preserved, or how many of the last messages were. What a compaction preserves loses its parent, and
 * its own lines have none: then the message before it in the file counts.
 */
function preservedBefore(main: ContextLink[], end: number): ContextLink[] {
  const border = main[end]?.event
  const detail = border?.kind === 'compaction' ? border.detail : undefined
  const uuids = new Set(detail?.preserved?.uuids)
  if (uuids.size > 0) return main.slice(0, end).filter(link => uuids.has(link.key))
  const wanted = detail?.preservedMessages ?? 0
  const kept: ContextLink[] = []
  const seen = new Set<ContextLink>()
  const places = new Map(main.slice(0, end).map((link, place) => [link, place]))
  let at = main[end - 1] ?? null
  while (at !== null && kept.length < wanted && !seen.has(at) && !isBorder(at.event)) {
    seen.add(at)
    if (at.isMain && isMessageLink(at)) kept.push(at)
    at = at.parent ?? main[(places.get(at) ?? 0) - 1] ?? null
  }
  return kept.reverse()
}

/** What the reference version of Claude Code would send if it resumed this session now. */
export function buildContext(graph: SessionGraph): Context {
  return contextOfEvents(graph.session, graph.events)
}

/** The same from events alone: main files in reading order; agent files may follow and are left out. */
export function contextOfEvents(session: SessionId, events: readonly SessionEvent[]): Context {
  const table = readLinks(session, events)
  const tip = chooseTip(table)
  if (tip === null || !isDated(tip)) {
    const reason = whyNotFound(table, tip, events.length)
    return { session, reference: referenceVersion, resumable: false, reason, leaf: null, messages: [] }
  }
  const chain = buildChain(table, tip)
  const { messages, model } = composeMessages(chain)
  const partial = gapsOf(
    chain.links.map(({ event }) => event),
    model,
  )
  const leaf = leafAbove(tip)?.event.id ?? null
  const base = { session, reference: referenceVersion, resumable: true }
  return { ...base, ...(partial.length > 0 && { partial }), leaf, messages }
}

function whyNotFound(table: LinkTable, tip: ContextLink | null, events: number): string {
  if (events === 0) return 'No conversation found: the session has no records.'
  if (tip !== null) return 'No conversation found: the last record of the main thread has no valid timestamp.'
  if (table.links.some(link => !link.isMain))
    return 'No conversation found: every message belongs to a subagent (isSidechain).'
  return 'No conversation found: the main thread has no record of the conversation.'
}
