// The links of the chain as Claude Code loads them: which records it reads, which of two with one uuid wins, how missing
// parents are bridged, from which leaf a resume goes on, and which results are replaced by a stub. It sends nothing.

import { asArray, asObject, asString } from '../../base/json.ts'
import { chainTypes, hasFlag, type SessionEvent, type ToolResultBlock } from '../../model/event.ts'
import type { SessionId } from '../../model/ids.ts'
import { hasMark } from '../../model/record.ts'

/** One record of the uuid chain, as loaded for a resume. */
export interface ContextLink {
  readonly event: SessionEvent
  /** The uuid; one and the same for all records without one, since the client files them under one name. */
  readonly key: string
  /** The parent as written, or as a compaction re-links it. */
  parentKey: string | null
  /** The parent that is followed: bridged where the written one is not there. */
  parent: ContextLink | null
  /** The main record before it in reading order. */
  previous: ContextLink | null
  /** Position in reading order. */
  place: number
  /** False for what a subagent said: it is followed, never sent. */
  readonly isMain: boolean
}

export interface Chain {
  /** Main links, root first. */
  links: ContextLink[]
  /** Main links off the chain that belong to an answer on it: further lines of the answer. */
  siblings: ContextLink[]
  /** All main links, in reading order: where results are looked for that are not on the chain. */
  others: ContextLink[]
  stubs: Stubs
}

export interface LinkTable {
  /** In reading order: file order, with what a compaction preserved put behind its summary. */
  links: ContextLink[]
  byKey: Map<string, ContextLink>
  /** The last `last-prompt.leafUuid`; a compaction forgets those before it. */
  lastLeaf: string | undefined
  stubs: Stubs
}

/** Links of all records that the client can read, each with the parent it follows. */
export function readLinks(session: SessionId, events: readonly SessionEvent[]): LinkTable {
  const latest = new Map<string, ContextLink>()
  // Records that are no links but stand between two: their children go on to what they hang on themselves.
  const skipped = new Map<string, string>()
  // The main thread is named after a session; copied records may still carry the session they came from.
  const sessions = new Set<string>([session])
  for (const event of events) sessions.add(event.session)
  const stubs: Stubs = new Map()
  let lastLeaf: string | undefined
  for (const event of withoutArrays(events)) {
    if (hasMark(event.record, 'unread')) continue
    const isMain = sessions.has(event.thread) && !hasFlag(event, 'sidechain')
    if (isMain && event.wireType === 'last-prompt') lastLeaf = leafOf(event) ?? lastLeaf
    if (isMain) noteStubs(stubs, event)
    const link = linkOf(event, isMain)
    if (link === null) {
      noteSkipped(skipped, event)
      continue
    }
    if (isMain && isBoundary(event)) lastLeaf = undefined
    // A subagent's file may repeat the main thread's records, uuids included.
    if (!isMain && latest.get(link.key)?.isMain) continue
    // Deleted first, so that the place in the map is that of the last one.
    latest.delete(link.key)
    latest.set(link.key, link)
  }
  const table = { links: [...latest.values()], byKey: latest, lastLeaf, stubs }
  relinkPreserved(table)
  followParents(table, skipped)
  cutLoops(table)
  return table
}

const conversationDialects: ReadonlySet<string> = new Set(['client', 's0', 's3'])

/** An array is one value, and no record, however many lines it has. */
function withoutArrays(events: readonly SessionEvent[]): readonly SessionEvent[] {
  if (!events.some(({ record }) => hasMark(record, 'array-end'))) return events
  const read: SessionEvent[] = []
  let start: number | null = null
  for (const event of events) {
    if (start === null && hasMark(event.record, 'array')) start = read.length
    read.push(event)
    if (!hasMark(event.record, 'array-end')) continue
    read.length = start ?? read.length
    start = null
  }
  return read
}

function leafOf(event: SessionEvent): string | undefined {
  return asString(event.detail?.['leaf']) ?? asString(event.record.value?.['leafUuid'])
}

function isChainRecord(event: SessionEvent): boolean {
  return chainTypes.has(event.wireType) && conversationDialects.has(event.dialect)
}

function linkOf(event: SessionEvent, isMain: boolean): ContextLink | null {
  const value = event.record.value
  if (value === undefined || !isChainRecord(event)) return null
  const uuid = asString(value['uuid'])
  const base = { event, parent: null, previous: null, place: 0, isMain }
  if (event.dialect === 'client') return { ...base, key: uuid ?? '', parentKey: asString(value['parentUuid']) ?? null }
  return { ...base, key: uuid ?? event.id, parentKey: event.parent }
}

function noteSkipped(skipped: Map<string, string>, event: SessionEvent): void {
  const uuid = asString(event.record.value?.['uuid'])
  const parent = asString(event.record.value?.['parentUuid'])
  if (uuid !== undefined && parent !== undefined) skipped.set(uuid, parent)
}

/** The client's own border; those of 000 and 003 cut by their place, not by their links. */
export function isBoundary(event: SessionEvent): boolean {
  return event.kind === 'compaction' && event.dialect === 'client' && event.detail?.['phase'] !== 'micro'
}

/**
 * What the last compaction kept lies before its border and belongs behind its summary:
 *
 *     old … kept₁ kept₂ │ border ← summary ← next        as written: next hangs on the summary or on kept₂
 *                         border ← summary ← kept₁ ← kept₂ ← next
 *
 * Everything else before the border is dropped. Without a list of what was kept, the border cuts by itself: it is a root.
 */
function relinkPreserved(table: LinkTable): void {
  const at = table.links.findLastIndex(link => link.isMain && isBoundary(link.event))
  const border = table.links[at]
  if (border === undefined) return
  const before = new Set(table.links.slice(0, at).filter(link => link.isMain))
  const { kept, spared, anchorKey } = preservedBy(border, table.byKey, before)
  const tail = kept.at(-1)
  if (tail === undefined) return
  const named = table.byKey.get(anchorKey)
  const anchor = named === undefined || before.has(named) ? border : named
  const after = table.links.slice(at)
  for (const link of after) if (link.parentKey === anchor.key && link !== anchor) link.parentKey = tail.key
  kept.forEach((link, i) => {
    link.parentKey = kept[i - 1]?.key ?? anchor.key
  })
  table.links = after.flatMap(link => (link === anchor ? [link, ...spared, ...kept] : [link]))
  table.byKey = new Map(table.links.map(link => [link.key, link]))
}

interface Preserved {
  /** In the order in which they are sent. */
  kept: ContextLink[]
  /** Also named as preserved, but off the chain: lines and results of the same answers. */
  spared: Set<ContextLink>
  anchorKey: string
}

function preservedBy(border: ContextLink, byKey: Map<string, ContextLink>, before: Set<ContextLink>): Preserved {
  const facts = asObject(border.event.record.value?.['compactMetadata'])
  const messages = asObject(facts?.['preservedMessages'])
  const segment = asObject(facts?.['preservedSegment'])
  const named = (uuids: unknown): Set<ContextLink> => {
    const found = asArray(uuids).map(uuid => byKey.get(asString(uuid) ?? ''))
    return new Set(found.filter(link => link !== undefined && before.has(link)) as ContextLink[])
  }
  let kept = [...named(messages?.['uuids'])]
  // A list that is not complete is of no use.
  if (kept.length < asArray(messages?.['uuids']).length) kept = []
  if (kept.length === 0)
    kept = segmentOf(asString(segment?.['headUuid']), asString(segment?.['tailUuid']), byKey, before)
  const spared = named(messages?.['allUuids'])
  for (const link of kept) spared.delete(link)
  const anchorKey = asString(messages?.['anchorUuid']) ?? asString(segment?.['anchorUuid']) ?? border.key
  return { kept, spared, anchorKey }
}

/** From tail up to head; nothing when the head is not above the tail. */
function segmentOf(
  head: string | undefined,
  tail: string | undefined,
  byKey: Map<string, ContextLink>,
  before: Set<ContextLink>,
): ContextLink[] {
  const seen = new Set<ContextLink>()
  for (let key: string | null = tail ?? null; key !== null && head !== undefined; ) {
    const link = byKey.get(key)
    if (link === undefined || !before.has(link) || seen.has(link)) return []
    seen.add(link)
    if (key === head) return [...seen].reverse()
    key = link.parentKey
  }
  return []
}

/** Sets places and parents. A parent that is not there is bridged: to what a skipped record hangs on, else to the main record before. */
function followParents(table: LinkTable, skipped: Map<string, string>): void {
  let previous: ContextLink | null = null
  for (const [place, link] of table.links.entries()) {
    link.place = place
    link.previous = previous
    if (link.isMain) previous = link
  }
  const beyond = new Map<string, ContextLink | null>()
  for (const link of table.links) {
    if (link.parentKey === null) continue
    const found = reachThrough(link.parentKey, table.byKey, skipped, beyond)
    link.parent = found ?? (link.isMain ? link.previous : null)
  }
}

/** The link of that name, or the first one above a run of skipped records; `beyond` remembers what each of them led to. */
function reachThrough(
  key: string,
  byKey: Map<string, ContextLink>,
  skipped: Map<string, string>,
  beyond: Map<string, ContextLink | null>,
): ContextLink | null {
  const passed: string[] = []
  let at = key
  while (!byKey.has(at) && !beyond.has(at)) {
    const next = skipped.get(at)
    if (next === undefined) break
    passed.push(at)
    // A loop among skipped records leads to nothing.
    beyond.set(at, null)
    at = next
  }
  const found = byKey.get(at) ?? beyond.get(at) ?? null
  for (const one of passed) beyond.set(one, found)
  return found
}

/** Parents that run in a circle: the earliest record of it cannot hang on a later one, so it goes on at the record before it. */
function cutLoops({ links }: LinkTable): void {
  // 0: not looked at; else the number of the walk that came by. A walk that meets itself has found a circle.
  const walks = new Uint32Array(links.length)
  let walk = 0
  for (const start of links) {
    if (walks[start.place] !== 0) continue
    walk++
    let at: ContextLink | null = start
    while (at !== null && walks[at.place] === 0) {
      walks[at.place] = walk
      at = at.parent
    }
    if (at !== null && walks[at.place] === walk) {
      const isSettled = (link: ContextLink): boolean => walks[link.place] !== 0 && walks[link.place] !== walk
      cutLoop(at, isSettled)
    }
  }
}

function cutLoop(onLoop: ContextLink, isSettled: (link: ContextLink) => boolean): void {
  let earliest = onLoop
  for (let link = onLoop.parent; link !== null && link !== onLoop; link = link.parent) {
    if (link.place < earliest.place) earliest = link
  }
  const { previous } = earliest
  // What this walk passed may hang on the circle itself, and what no walk passed yet may lead back to it.
  earliest.parent = previous !== null && isSettled(previous) ? previous : null
}

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
 * The end of the chain that is sent; null where Claude Code finds no conversation. First 000's `is_active`. Else the record that
 * the last `last-prompt` names, or the last record of all where that hangs below it. Without one, the last end in reading order,
 * whatever it is. A `last-prompt` that names nothing (after a rewind: all zeros) does not make an older one valid again.
 */
export function chooseTip(table: LinkTable): ContextLink | null {
  const main = table.links.filter(({ isMain }) => isMain)
  const last = main.at(-1)
  if (last === undefined) return null
  const active = activeTip(table)
  if (active !== null) return active
  const named = table.lastLeaf === undefined ? undefined : table.byKey.get(table.lastLeaf)
  if (named?.isMain) return last.place > named.place && isBelow(last, named, table) ? last : named
  const parents = new Set(main.map(({ parent }) => parent))
  return main.findLast(link => !parents.has(link)) ?? last
}

/** Whether parents lead from one record up to another, without any that had to be bridged. */
function isBelow(link: ContextLink, above: ContextLink, { byKey }: LinkTable): boolean {
  const seen = new Set<ContextLink>()
  let at: ContextLink | undefined = link
  while (at !== undefined && at !== above && !seen.has(at)) {
    seen.add(at)
    at = at.parentKey === null ? undefined : byKey.get(at.parentKey)
  }
  return at === above
}

/** Claude Code goes on only from a record that says when it was written. */
export function isDated({ event }: ContextLink): boolean {
  return event.at !== null && (event.dialect !== 'client' || typeof event.record.value?.['timestamp'] === 'string')
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

const cleared = '[Old tool result content cleared]'

/** Call id → the text that is sent in place of its result. */
export type Stubs = Map<string, string>

export function noteStubs(stubs: Stubs, event: SessionEvent): void {
  if (event.kind === 'compaction' && event.detail?.['phase'] === 'micro') {
    for (const id of asArray(event.detail['compactedToolIds'])) if (typeof id === 'string') stubs.set(id, cleared)
  } else if (event.wireType === 'content-replacement') {
    for (const item of asArray(event.record.value?.['replacements'])) {
      const id = asString(asObject(item)?.['toolUseId'])
      const text = asString(asObject(item)?.['replacement'])
      if (id !== undefined && text !== undefined) stubs.set(id, text)
    }
  }
}

export function withStub(block: ToolResultBlock, stubs: Stubs): ToolResultBlock {
  const text = stubs.get(block.callId)
  if (text === undefined) return block
  return { type: 'tool-result', callId: block.callId, isError: block.isError, content: [{ type: 'text', text }] }
}
