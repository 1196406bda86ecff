// Chooses the record that a resume goes on from. It knows nothing of what is sent.

import { asString } from '../../base/json.ts'
import { hasFlag } from '../../model/event.ts'
import type { ContextLink, LinkTable } from './context-links.ts'

const messageTypes: ReadonlySet<string> = new Set([
  'user',
  'assistant',
  'human',
  'tool_result',
  'compact_prelude',
  'compact_recap',
])

/** A user or assistant record, in any dialect. */
export function isMessageLink(link: ContextLink): boolean {
  return messageTypes.has(link.event.wireType) || link.event.kind === 'tool-results'
}

/**
 * The end of the chain that is sent; null where the client finds no conversation. First 000's `is_active`, then the
 * last `last-prompt` if the record it names is there, then the last leaf in reading order, whatever its time.
 * A `last-prompt` that names nothing (after a rewind: all zeros) does not make an older one valid again.
 */
export function chooseTip(table: LinkTable): ContextLink | null {
  if (!table.links.some(link => link.isMain && isMessageLink(link))) return null
  const active = activeTip(table)
  if (active !== null) return active
  const named = table.lastLeaf === undefined ? undefined : table.byKey.get(table.lastLeaf)
  return named?.isMain ? newestDescendant(table, named) : lastTip(table)
}

/** The record to name as the leaf: the tip itself, or the message above it when it ends in attachments or notices. */
export function leafAbove(tip: ContextLink | null): ContextLink | null {
  const seen = new Set<ContextLink>()
  let at = tip
  while (at !== null && !(at.isMain && isMessageLink(at)) && !seen.has(at)) {
    seen.add(at)
    at = at.parent
  }
  return at?.isMain && isMessageLink(at) ? at : tip
}

/** The last main record after `from`, in reading order, that hangs below it; `from` itself when none does. */
function newestDescendant(table: LinkTable, from: ContextLink): ContextLink {
  const isBelow = new Map<ContextLink, boolean>([[from, true]])
  for (let place = table.links.length - 1; place > from.place; place--) {
    const link = table.links[place] as ContextLink
    if (link.isMain && hangsBelow(link, isBelow)) return link
  }
  return from
}

/** Whether a walk up meets a link known to be below; remembers the answer for every link it passed. */
function hangsBelow(start: ContextLink, isBelow: Map<ContextLink, boolean>): boolean {
  const passed: ContextLink[] = []
  let at: ContextLink | null = start
  while (at !== null && !isBelow.has(at)) {
    passed.push(at)
    isBelow.set(at, false)
    at = at.parent
  }
  const answer = at !== null && isBelow.get(at) === true
  if (answer) for (const link of passed) isBelow.set(link, true)
  return answer
}

/** The end whose message comes last in reading order. Meta and team messages count only where there are no others. */
function lastTip(table: LinkTable): ContextLink | null {
  const hasChild = new Set<ContextLink>()
  for (const link of table.links)
    if (link.isMain && link.parent !== null && link.parent !== link) hasChild.add(link.parent)
  const above = new Map<ContextLink, ContextLink | null>()
  let best: ContextLink | null = null
  let bestLeaf = -1
  for (const link of table.links) {
    if (!link.isMain || hasChild.has(link)) continue
    const leaf = nearestLeaf(link, above)
    if (leaf === null || leaf.place < bestLeaf) continue
    best = link
    bestLeaf = leaf.place
  }
  return best ?? table.links.findLast(link => link.isMain && isMessageLink(link)) ?? null
}

function nearestLeaf(end: ContextLink, above: Map<ContextLink, ContextLink | null>): ContextLink | null {
  const passed: ContextLink[] = []
  let at: ContextLink | null = end
  while (at !== null && !above.has(at) && !isLeafMessage(at)) {
    passed.push(at)
    above.set(at, null)
    at = at.parent
  }
  const leaf = at === null ? null : isLeafMessage(at) ? at : (above.get(at) ?? null)
  for (const link of passed) above.set(link, leaf)
  return leaf
}

function isLeafMessage(link: ContextLink): boolean {
  if (!link.isMain || !isMessageLink(link) || hasFlag(link.event, 'meta')) return false
  return asString(link.event.record.value?.['teamName']) === undefined
}

/** 000: at every fork the child marked `is_active`, else the one whose branch was written to last. */
function activeTip(table: LinkTable): ContextLink | null {
  const marked = table.links.findLast(link => link.isMain && hasFlag(link.event, 'active'))
  if (marked === undefined) return null
  const children = new Map<ContextLink, ContextLink[]>()
  for (const link of table.links) {
    if (link.parent === null) continue
    const siblings = children.get(link.parent)
    if (siblings === undefined) children.set(link.parent, [link])
    else siblings.push(link)
  }
  const root = rootOf(marked)
  const last = lastPlaces(root, children)
  const seen = new Set<ContextLink>()
  let tip = root
  for (let at: ContextLink | undefined = root; at !== undefined && !seen.has(at); ) {
    seen.add(at)
    if (at.isMain) tip = at
    at = activeChild(children.get(at) ?? [], last)
  }
  return tip
}

function rootOf(link: ContextLink): ContextLink {
  const seen = new Set<ContextLink>([link])
  let at = link
  while (at.parent !== null && !seen.has(at.parent)) {
    at = at.parent
    seen.add(at)
  }
  return at
}

/** For every link below the root: the place of the last main record of its branch, -1 where it has none. */
function lastPlaces(root: ContextLink, children: Map<ContextLink, ContextLink[]>): Map<ContextLink, number> {
  const places = new Map<ContextLink, number>([[root, -1]])
  const order = [root]
  for (let i = 0; i < order.length; i++) {
    for (const child of children.get(order[i] as ContextLink) ?? []) {
      if (places.has(child)) continue
      places.set(child, -1)
      order.push(child)
    }
  }
  for (let i = order.length - 1; i >= 0; i--) {
    const link = order[i] as ContextLink
    const own = Math.max(places.get(link) ?? -1, link.isMain ? link.place : -1)
    places.set(link, own)
    if (link.parent !== null && places.has(link.parent) && link !== root) {
      places.set(link.parent, Math.max(places.get(link.parent) ?? -1, own))
    }
  }
  return places
}

function activeChild(children: ContextLink[], last: Map<ContextLink, number>): ContextLink | undefined {
  const marked = children.findLast(child => hasFlag(child.event, 'active'))
  if (marked !== undefined) return marked
  let best: ContextLink | undefined
  let bestPlace = -1
  for (const child of children) {
    const place = last.get(child) ?? -1
    if (child.event.record.value?.['is_active'] === false || place <= bestPlace) continue
    best = child
    bestPlace = place
  }
  return best ?? children.findLast(child => (last.get(child) ?? -1) >= 0)
}
