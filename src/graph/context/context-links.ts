// The links of the chain as the reference client loads them: which records it reads, which of two with one uuid it keeps,
// and which parent it follows. It does not choose a leaf, and it does not look at what a message says.

import { asArray, asObject, asString } from '../../base/json.ts'
import { chainTypes, hasFlag, type SessionEvent } from '../../model/event.ts'
import type { SessionId } from '../../model/ids.ts'
import { hasMark, type LogRecord } from '../../model/record.ts'
import { noteStubs, type Stubs } from './context-stubs.ts'

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

export interface LinkTable {
  /** In reading order: file order, with what a compaction preserved put behind its summary. */
  links: ContextLink[]
  byKey: Map<string, ContextLink>
  /** The last `last-prompt.leafUuid`; a compaction forgets those before it. */
  lastLeaf: string | undefined
  stubs: Stubs
  /** Chain records of the main thread that were left out for want of a time. */
  timeless: number
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
  let timeless = 0
  for (const event of events) {
    if (!isReadable(event.record)) continue
    const isMain = sessions.has(event.thread) && !hasFlag(event, 'sidechain')
    if (isMain && event.wireType === 'last-prompt') lastLeaf = leafOf(event) ?? lastLeaf
    if (isMain) noteStubs(stubs, event)
    const link = linkOf(event, isMain)
    if (link === null) {
      if (isMain && event.at === null && isChainRecord(event)) timeless++
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
  const table = { links: [...latest.values()], byKey: latest, lastLeaf, stubs, timeless }
  relinkPreserved(table)
  followParents(table, skipped)
  cutLoops(table)
  return table
}

const unreadable = ['bom', 'glued', 'comma', 'nul'] as const
const conversationDialects: ReadonlySet<string> = new Set(['client', 's0', 's3'])

/** What is odd about these lines makes them no JSON for a reader that takes a line as it is. */
function isReadable(record: LogRecord): boolean {
  return record.marks === undefined || !unreadable.some(mark => hasMark(record, mark))
}

function leafOf(event: SessionEvent): string | undefined {
  return asString(event.detail?.['leaf']) ?? asString(event.record.value?.['leafUuid'])
}

function isChainRecord(event: SessionEvent): boolean {
  return chainTypes.has(event.wireType) && conversationDialects.has(event.dialect)
}

function linkOf(event: SessionEvent, isMain: boolean): ContextLink | null {
  const value = event.record.value
  if (value === undefined || event.at === null || !isChainRecord(event)) return null
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
  /** Named as kept too, but beside the chain: lines and results of the same answers. */
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
