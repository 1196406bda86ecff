// The links of the chain as Claude Code loads them: which records it reads, which of two with one uuid wins, how missing
// parents are bridged, and from which end a resume continues. It sends nothing.

import { type Instant, toInstant, toMillis } from '../../base/instant.ts'
import { asArray, asObject, asString } from '../../base/json.ts'
import { chainTypes, hasFlag, type SessionEvent } from '../../model/event.ts'
import type { SessionId } from '../../model/ids.ts'
import { copiedFrom } from '../../model/origin.ts'
import { hasMark, type LogRecord } from '../../model/record.ts'

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
  /** False for what a subagent said: no resume continues from it. */
  readonly isMain: boolean
  /** False for what a subagent said in a file of its own or in another dialect: it is followed, never sent. */
  readonly isSent: boolean
}

export interface Chain {
  /** Main links, root first. */
  links: ContextLink[]
  /** Main links off the chain that belong to an answer on it: further lines of the answer. */
  siblings: ContextLink[]
  /** All main links, in reading order: where results are looked for that are not on the chain. */
  others: ContextLink[]
}

export interface LinkTable {
  /** In reading order: file order, with what a compaction preserved put behind its summary. */
  links: ContextLink[]
  byKey: Map<string, ContextLink>
  /** The main record that was written last, by its key: also one that repeats an earlier one. */
  last: string | null
  /** The last `last-prompt.leafUuid`; a compaction forgets those before it. */
  lastLeaf: string | undefined
  /** Its file is read line by line. */
  isLarge: boolean
  /** What a compaction preserved is between these two. */
  preserved?: { anchor: ContextLink; tail: ContextLink }
}

/** Links of all records that Claude Code can read, each with its parent. */
export function readLinks(session: SessionId, events: readonly SessionEvent[]): LinkTable {
  // Of records with one uuid the last counts, at the place of the first.
  const byKey = new Map<string, ContextLink>()
  // Records that are not links but are between two: their children continue to what they hang on themselves.
  const skipped = new Map<string, string | null>()
  // The main thread is named after a session; copied records may still carry the session they came from.
  const sessions = new Set<string>([session])
  for (const event of events) sessions.add(event.session)
  const table: LinkTable = { links: [], byKey, last: null, lastLeaf: undefined, isLarge: false }
  const border = new LastBorder()
  const isLarge = largeFiles(events)
  const isMainEvent = (event: SessionEvent): boolean => sessions.has(event.thread) && !hasFlag(event, 'sidechain')
  const mainFiles = new Set(events.filter(isMainEvent).map(({ record }) => record.file))
  for (const event of withoutArrays(events, isLarge)) {
    // Claude Code reads no line out of a progress record.
    if (hasFlag(event, 'embedded')) continue
    const { record } = event
    if (isLarge(record) && record.stump !== undefined) skipped.set(record.stump.uuid, record.stump.parent)
    if (!isRead(record, isLarge(record))) continue
    const isMain = isMainEvent(event)
    if (isMain && event.wireType === 'last-prompt') table.lastLeaf = leafOf(event) ?? table.lastLeaf
    const link = linkOf(event, isMain, isMain || (event.dialect === 'client' && mainFiles.has(event.record.file)))
    if (link === null) {
      noteSkipped(skipped, event)
      continue
    }
    // A subagent's file may repeat the main thread's records, uuids included.
    if (!isMain && byKey.get(link.key)?.isMain) continue
    if (isMain || (isBoundary(event) && link.isSent)) border.see(link, table)
    byKey.set(link.key, link)
    if (!isMain) continue
    table.last = link.key
    table.isLarge = isLarge(record)
  }
  table.links = [...byKey.values()]
  if (!table.isLarge) border.cut(table)
  relinkPreserved(table)
  followParents(table, skipped)
  return table
}

/** The last compaction, if anything follows it: one that was broken off is as if it had not been. */
class LastBorder {
  private link: ContextLink | null = null
  private isFollowed = false
  /** As they were before it. */
  private before: Pick<LinkTable, 'last' | 'lastLeaf'> = { last: null, lastLeaf: undefined }

  see(link: ContextLink, table: LinkTable): void {
    if (isBoundary(link.event) && !table.byKey.has(link.key)) {
      this.before = { last: table.last, lastLeaf: table.lastLeaf }
      this.link = link
      this.isFollowed = false
      table.lastLeaf = undefined
    } else if (isMessageLink(link)) this.isFollowed = true
  }

  cut(table: LinkTable): void {
    const { link } = this
    const at = link === null ? -1 : table.links.findIndex(({ key }) => key === link.key)
    if (link === null || at === -1 || this.isFollowed || this.before.last === null) return
    const before = new Set(table.links.slice(0, at).filter(({ isMain }) => isMain))
    if (preservedBy(table.links[at] as ContextLink, table.byKey, before).kept.length > 0) return
    Object.assign(table, this.before)
    for (const { key } of table.links.slice(at)) table.byKey.delete(key)
    table.links.length = at
  }
}

const conversationDialects: ReadonlySet<string> = new Set(['client', 's0', 's3'])

/** Files above this size are read line by line, and the place of a torn record in the chain is taken from its beginning. */
const largeBytes = 5 * 1024 * 1024

function largeFiles(events: readonly SessionEvent[]): (record: LogRecord) => boolean {
  const sizes = new Map<string, number>()
  for (const { record } of events) {
    const { file, offset, bytes } = record
    sizes.set(file, Math.max(sizes.get(file) ?? 0, offset + bytes))
  }
  return ({ file }) => (sizes.get(file) ?? 0) > largeBytes
}

/** Whether Claude Code reads a record, in a file of that size. */
function isRead(record: LogRecord, isLarge: boolean): boolean {
  if (isLarge && hasMark(record, 'nul-prefix')) return true
  return !hasMark(record, 'unread') && !(isLarge && hasMark(record, 'lines'))
}

/** An array is one value, and no record, however many lines it has; but not where a file is read line by line. */
function withoutArrays(
  events: readonly SessionEvent[],
  isLarge: (record: LogRecord) => boolean,
): readonly SessionEvent[] {
  if (!events.some(({ record }) => hasMark(record, 'array-end') && !isLarge(record))) return events
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
  return (event.kind === 'state' ? event.detail?.leaf : undefined) ?? asString(event.record.value?.['leafUuid'])
}

function isChainRecord(event: SessionEvent): boolean {
  return chainTypes.has(event.wireType) && conversationDialects.has(event.dialect)
}

function linkOf(event: SessionEvent, isMain: boolean, isSent: boolean): ContextLink | null {
  const value = event.record.value
  if (value === undefined || !isChainRecord(event)) return null
  const uuid = asString(value['uuid'])
  const base = { event, parent: null, previous: null, place: 0, isMain, isSent }
  if (event.dialect === 'client') return { ...base, key: uuid ?? '', parentKey: parentKeyOf(value['parentUuid']) }
  return { ...base, key: uuid ?? event.id, parentKey: event.parent }
}

/** A parent that is no text is one that is missing; an empty one is none. */
function parentKeyOf(parent: unknown): string | null {
  if (!parent) return null
  return asString(parent) ?? missing
}

const missing = ' '

function noteSkipped(skipped: Map<string, string | null>, event: SessionEvent): void {
  const uuid = asString(event.record.value?.['uuid'])
  const parent = asString(event.record.value?.['parentUuid'])
  if (uuid !== undefined && parent !== undefined) skipped.set(uuid, parent)
}

/** The client's own border; those of 000 and 003 cut by their place, not by their links. */
export function isBoundary(event: SessionEvent): boolean {
  return event.kind === 'compaction' && event.dialect === 'client' && event.detail?.phase !== 'micro'
}

/**
 * What the last compaction kept is before its border and belongs behind its summary:
 *
 *     old … kept₁ kept₂ │ border ← summary ← next        as written: next hangs on the summary or on kept₂
 *                         border ← summary ← kept₁ ← kept₂ ← next
 *
 * Everything else before the border is dropped. Without a list of what was kept, the border cuts by itself: it is a root.
 */
function relinkPreserved(table: LinkTable): void {
  const at = table.links.findLastIndex(link => link.isSent && isBoundary(link.event))
  const border = table.links[at]
  if (border === undefined) return
  const before = new Set(table.links.slice(0, at).filter(link => link.isMain))
  const { kept, anchorKey } = preservedBy(border, table.byKey, before)
  const tail = kept.at(-1)
  if (tail === undefined) {
    if (namesPreserved(border)) return
    border.parentKey = null
    // Of a large file nothing before it is read: no last-prompt leads there.
    if (table.isLarge) keepLinks(table, table.links.slice(at))
    return
  }
  const named = table.byKey.get(anchorKey)
  const isGone = named === undefined || before.has(named)
  const anchor = isGone ? border : named
  const moved = new Set(kept)
  const after = table.links.slice(at).filter(link => !moved.has(link))
  if (!isGone) for (const link of after) if (link.parentKey === anchor.key && link !== anchor) link.parentKey = tail.key
  // One that is listed twice in a row hangs on itself: the walk up bridges it by time, or ends there.
  kept.forEach((link, i) => {
    link.parentKey = kept[i - 1]?.key ?? anchorKey
  })
  if (table.last === anchor.key) table.last = tail.key
  table.preserved = { anchor, tail }
  keepLinks(
    table,
    after.flatMap(link => (link === anchor ? [link, ...moved] : [link])),
  )
}

function keepLinks(table: LinkTable, links: ContextLink[]): void {
  table.links = links
  table.byKey = new Map(links.map(link => [link.key, link]))
}

interface Preserved {
  /** In the order in which they are sent. */
  kept: ContextLink[]
  anchorKey: string
}

/** A list that is not complete preserves nothing, but then nothing is cut either. */
function namesPreserved({ event }: ContextLink): boolean {
  const facts = asObject(event.record.value?.['compactMetadata'])
  return facts?.['preservedMessages'] !== undefined || facts?.['preservedSegment'] !== undefined
}

function preservedBy(border: ContextLink, byKey: Map<string, ContextLink>, before: Set<ContextLink>): Preserved {
  const facts = asObject(border.event.record.value?.['compactMetadata'])
  const messages = asObject(facts?.['preservedMessages'])
  const segment = asObject(facts?.['preservedSegment'])
  const list = messages?.['uuids']
  const listed = asArray(list).flatMap(uuid => byKey.get(asString(uuid) ?? '') ?? [])
  // A list that is not complete is of no use, and the segment counts only without one.
  const kept = Array.isArray(list)
    ? listed.length === list.length
      ? listed
      : []
    : segmentOf(asString(segment?.['headUuid']), asString(segment?.['tailUuid']), byKey, before)
  const anchorKey = asString(messages?.['anchorUuid']) ?? asString(segment?.['anchorUuid']) ?? border.key
  return { kept, anchorKey }
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

/** Sets places and parents. Where a parent is not there, what a skipped record hangs on. */
function followParents(table: LinkTable, skipped: ReadonlyMap<string, string | null>): void {
  let previous: ContextLink | null = null
  for (const [place, link] of table.links.entries()) {
    link.place = place
    link.previous = previous
    if (link.isMain) previous = link
  }
  const beyond = new Map<string, ContextLink | null>()
  for (const link of table.links) {
    if (link.parentKey === null) continue
    link.parent = reachThrough(link.parentKey, table.byKey, skipped, beyond)
    if (link.parent === null && endsAt(link.parentKey, skipped)) link.parentKey = null
  }
}

/** Whether a run of skipped records ends with a root. */
function endsAt(key: string, skipped: ReadonlyMap<string, string | null>): boolean {
  const seen = new Set<string>()
  let at: string | null | undefined = key
  while (typeof at === 'string' && !seen.has(at)) {
    seen.add(at)
    at = skipped.get(at)
  }
  return at === null
}

/** The link of that name, or the first one above a run of skipped records; `beyond` remembers what each of them led to. */
function reachThrough(
  key: string,
  byKey: Map<string, ContextLink>,
  skipped: ReadonlyMap<string, string | null>,
  beyond: Map<string, ContextLink | null>,
): ContextLink | null {
  const passed: string[] = []
  let at = key
  while (!byKey.has(at) && !beyond.has(at)) {
    const next = skipped.get(at)
    if (next === undefined || next === null) break
    passed.push(at)
    // A loop among skipped records leads to nothing.
    beyond.set(at, null)
    at = next
  }
  const found = byKey.get(at) ?? beyond.get(at) ?? null
  for (const one of passed) beyond.set(one, found)
  return found
}

/** How long before a record the one was written, at most, that replaces its missing parent. */
const bridgedMillis = 5000

/**
 * Walks up from a record. Where a parent is missing, or was passed already, it continues at the main record that was written
 * last before: by the time it says, at most five seconds earlier. Other dialects: by its place in the file.
 */
export class ChainWalk {
  private readonly links: readonly ContextLink[]
  private readonly preserved: LinkTable['preserved']
  private byTime: [millis: number, link: ContextLink][] | null = null

  constructor({ links, preserved }: LinkTable) {
    this.links = links
    this.preserved = preserved
  }

  /** From the record to its root, subagents' records included. */
  up(from: ContextLink): ContextLink[] {
    const seen = new Set<ContextLink>()
    for (let at: ContextLink | null = from; at !== null; at = this.next(at, seen)) seen.add(at)
    return [...seen]
  }

  private next(link: ContextLink, seen: ReadonlySet<ContextLink>): ContextLink | null {
    const { parent, parentKey, isSent, previous } = link
    if (parent !== null && !seen.has(parent)) return parent
    // A null parent ends it: what came before is gone. Only a subagent's thread continues at the main record before.
    if (parentKey === null) return isSent || previous === null || seen.has(previous) ? null : previous
    if (link.event.dialect === 'client') return this.writtenBefore(link, seen)
    return previous === null || seen.has(previous) ? null : previous
  }

  private writtenBefore({ event }: ContextLink, seen: ReadonlySet<ContextLink>): ContextLink | null {
    const time = toMillis(writtenAt(event))
    if (time === null) return null
    const links = this.sorted()
    let [from, to] = [0, links.length]
    while (from < to) {
      const middle = (from + to) >> 1
      if ((links[middle]?.[0] ?? 0) <= time) from = middle + 1
      else to = middle
    }
    for (let at = from - 1; at >= 0; at--) {
      const [millis, link] = links[at] as [number, ContextLink]
      if (time - millis > bridgedMillis) return null
      // What was preserved comes behind the summary, however old it is.
      const found = link === this.preserved?.anchor ? this.preserved.tail : link
      if (!seen.has(found)) return found
    }
    return null
  }

  /** The earliest first; of those of one time the last in the file first. */
  private sorted(): [millis: number, link: ContextLink][] {
    if (this.byTime !== null) return this.byTime
    const dated = this.links.flatMap((link): [number, ContextLink][] => {
      const time = link.isMain ? toMillis(writtenAt(link.event)) : null
      return time === null ? [] : [[time, link]]
    })
    this.byTime = dated.sort((one, other) => one[0] - other[0] || other[1].place - one[1].place)
    return this.byTime
  }
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
 * the last `last-prompt` names, or the one that was written last where that hangs below it. Without one, the newest record
 * from the one that was written last on; in a large file that one itself. A `last-prompt` that names nothing (after a rewind: all zeros) does not
 * make an older one valid again.
 */
export function chooseTip(table: LinkTable): ContextLink | null {
  const last = table.last === null ? undefined : table.byKey.get(table.last)
  if (last === undefined) return table.links.findLast(({ isMain }) => isMain) ?? null
  const active = activeTip(table)
  if (active !== null) return active
  const named = table.lastLeaf === undefined ? undefined : table.byKey.get(table.lastLeaf)
  if (named?.isSent && !named.isMain) return null
  if (named?.isMain) return last.place > named.place && isBelow(last, named) ? last : named
  return table.isLarge ? last : newestBelow(lastInConversation(last, table), table)
}

/** A notice that is a root of its own is passed over. */
function lastInConversation(last: ContextLink, { links }: LinkTable): ContextLink {
  if (last.event.dialect !== 'client' || hasMessageAbove(last)) return last
  return links.findLast(link => link.isMain && link.place < last.place && hasMessageAbove(link)) ?? last
}

function hasMessageAbove(link: ContextLink): boolean {
  const above = leafAbove(link)
  return above !== null && isMessageLink(above)
}

/** Whether parents lead from one record up to another. */
function isBelow(link: ContextLink, above: ContextLink): boolean {
  const seen = new Set<ContextLink>()
  let at: ContextLink | null = link
  while (at !== null && at !== above && !seen.has(at)) {
    seen.add(at)
    at = at.parent
  }
  return at === above
}

function newestBelow(top: ContextLink, { links }: LinkTable): ContextLink {
  const children = new Map<ContextLink, ContextLink[]>()
  for (const link of links) {
    if (!link.isMain || link.parent === null) continue
    const siblings = children.get(link.parent)
    if (siblings === undefined) children.set(link.parent, [link])
    else siblings.push(link)
  }
  const below = new Set<ContextLink>([top])
  for (const link of below) for (const child of children.get(link) ?? []) below.add(child)
  const ends = [...below].filter(link => !children.has(link))
  const timeOf = (event: SessionEvent): number => toMillis(writtenAt(event)) ?? 0
  const isNewer = (one: ContextLink, other: ContextLink): boolean =>
    (timeOf(one.event) - timeOf(other.event) || one.place - other.place) > 0
  const newest = (ends.length > 0 ? ends : [...below]).reduce((best, link) => (isNewer(link, best) ? link : best))
  // A record with children counts as an end where it says that it was written after all ends.
  return [...below].reduce((best, link) => (timeOf(link.event) > timeOf(best.event) ? link : best), newest)
}

/** What Claude Code takes for the time: in a fork of the agent SDK that of the fork, though the event has the origin's or none. */
function writtenAt(event: SessionEvent): Instant {
  return copiedFrom(event) === undefined ? event.at : toInstant(event.record.value?.['timestamp'])
}

/** Claude Code continues only from a record that says when it was written. */
export function isDated({ event }: ContextLink): boolean {
  return (
    writtenAt(event) !== null && (event.dialect !== 'client' || typeof event.record.value?.['timestamp'] === 'string')
  )
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

/** 000: at every fork the child marked `is_active`, else the one whose branch was written to last. What is before a compaction counts no more. */
function activeTip(table: LinkTable): ContextLink | null {
  const border = table.links.findLastIndex(({ event, isMain }) => isMain && event.kind === 'compact-summary')
  const marked = table.links.findLast(link => link.isMain && hasFlag(link.event, 'active'))
  if (marked === undefined || marked.place < border) return null
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
