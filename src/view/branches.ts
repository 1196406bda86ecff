// Which parts of a thread are on abandoned branches, and the item under which they are folded. Which branch is abandoned
// the graph decides.

import type { SessionEvent } from '../model/event.ts'
import { type EventId, eventId } from '../model/ids.ts'
import type { SessionGraph } from '../model/session.ts'
import { newItem } from './items/item.ts'
import { badge, textOf } from './parts.ts'
import type { EventGroup, ViewPlan } from './plan.ts'
import type { ViewItem } from './view.ts'
import { countOf, firstLine } from './words.ts'

/**
 * For each group of a thread, in reading order, the leaf of the abandoned branch that it is on; undefined for the others. A
 * record outside the tree goes with the one that it names, else with the one before it.
 */
export function abandonedLeaves({ graph }: ViewPlan, groups: readonly EventGroup[]): (EventId | undefined)[] {
  const { abandoned, nodes } = graph
  if (abandoned.size === 0) return []
  let last: EventId | undefined
  return groups.map(({ events: [first], loose }) => {
    if (loose !== undefined) return abandoned.get(loose.startEvent ?? eventId(''))
    const messageId = first?.kind === 'snapshot' ? first.detail?.messageId : undefined
    const named = messageId === undefined ? first?.id : eventId(messageId)
    if (named !== undefined && nodes.has(named)) last = abandoned.get(named)
    return last
  })
}

const longestGist = 120

/** One abandoned branch with all that is on it. */
export function viewBranch(graph: SessionGraph, leaf: EventId, first: SessionEvent, items: ViewItem[]): ViewItem {
  const words = graph.branches.find(branch => branch.leaf === leaf)?.title ?? gistOf(items)
  const cut = words.length > longestGist ? `${words.slice(0, longestGist)}…` : words
  const item = newItem(first, 'branch', `Earlier branch  ${cut}`.trimEnd())
  item.actor = 'client'
  item.badges = [badge(countOf(items.length, 'item'))]
  item.body = [{ type: 'branch', leaf, items }]
  return item
}

/** How it begins: what was asked, or answered. */
function gistOf(items: readonly ViewItem[]): string {
  for (const { body } of items) {
    for (const part of body) if (part.type === 'markdown' && part.text.trim() !== '') return firstLine(part.text)
  }
  return items[0]?.headline ?? ''
}

/** The beginning of what was said to a subagent. */
export function firstWords(events: readonly SessionEvent[]): string {
  for (const { blocks } of events) {
    const words = firstLine(textOf(blocks))
    if (words !== '') return words.length > longestGist ? `${words.slice(0, longestGist)}…` : words
  }
  return ''
}
