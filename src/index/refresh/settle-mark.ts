// What is saved of the first part of a long session: everything before its last prompt, which does not change as its log grows.
// Such a session is settled from that and from the rows behind it. Whatever reaches over the border is settled as a whole.

import { deserialize, serialize } from 'node:v8'
import { IdSet } from '../../base/id-set.ts'
import type { Instant } from '../../base/instant.ts'
import { asString } from '../../base/json.ts'
import type { Skeleton } from '../../graph/build/skeleton.ts'
import { hasFlag, isChainEvent, type SessionEvent, uuidOf } from '../../model/event.ts'
import { eventId } from '../../model/ids.ts'
import type { SessionFiles } from '../../model/source.ts'
import type { SummaryState } from '../../session/summary.ts'
import type { Database } from '../store/port.ts'
import { type DigestRow, firstIds, idsKept } from './settle-digest.ts'

/** Logs with fewer events are settled as a whole as quickly. */
export const longLog = 4096

/** Raise it when what is saved is another thing: marks of another form do not count. */
const form = 1

/** A session that names more ids which it does not have is settled as a whole. */
const mostOpen = 200

/** Events of a thread, and when they happened. */
export interface Span {
  count: number
  from: Instant
  to: Instant
}

export interface Mark {
  form: typeof form
  /** So many events of the session's first log it stands for; all of them are on the main thread. */
  events: number
  summary: SummaryState
  span: Span
  /** How many turns began there. */
  turns: number
  digest: DigestRow[]
  /** Ids that its records name and that are not there. */
  open: string[]
}

/** The log that may have a mark: the first one, where no other tells of the main thread. */
export function markedLog({ logs }: SessionFiles): SessionFiles['logs'][number] | undefined {
  const [first, ...others] = logs
  const isAlone = first?.role === 'session' && first.nameAgent === undefined
  return isAlone && others.every(({ role }) => role !== 'session') ? first : undefined
}

/** Null where there is none, or it does not fit to what else is said of the session. */
export function readMark(db: Database, file: number, session: string): Mark | null {
  const state = db.prepare('SELECT state FROM mark WHERE file = ? AND session = ?').get([file, session])?.[0]
  if (!(state instanceof Uint8Array)) return null
  const mark = markIn(state)
  const turns = db
    .prepare('SELECT count(*) FROM turn WHERE session = ? AND n < ?')
    .get([session, mark?.turns ?? 0])?.[0]
  return mark !== null && turns === mark.turns ? mark : null
}

function markIn(state: Uint8Array): Mark | null {
  try {
    const mark = deserialize(state) as Mark
    return mark.form === form ? mark : null
  } catch {
    return null
  }
}

export function writeMark(db: Database, file: number, session: string, mark: Mark): void {
  db.prepare('INSERT OR REPLACE INTO mark (file, session, state) VALUES (?, ?, ?)').run([
    file,
    session,
    serialize(mark),
  ])
}

export function dropMarks(db: Database, session: string): void {
  db.prepare('DELETE FROM mark WHERE session = ?').run([session])
}

/** The border before the last prompt: lines outside of the chain that stand before it belong to it. */
export interface Border {
  /** First event behind it, by its place among those of the first log that were read. */
  at: number
  /** The prompt's place there, and its node. */
  prompt: number
  node: number
}

/** Whether all events of a log are on the main thread, and those of the chain known by uuids. */
export function isPlain(log: readonly SessionEvent[]): boolean {
  return log.every(event => !hasFlag(event, 'sidechain') && (uuidOf(event) !== undefined || !isChainEvent(event)))
}

/** Null where there is no such prompt. `sure`: events that will not be told anew. */
export function lastBorder(log: readonly SessionEvent[], sure: number, { index }: Skeleton): Border | null {
  const prompt = log.findLastIndex(isOwnPrompt)
  let at = prompt
  while (at > 0 && !isChainEvent(log[at - 1] as SessionEvent)) at--
  const node = index.get(log[prompt]?.id ?? eventId(''))
  return at > 0 && at <= sure && node !== undefined ? { at, prompt, node } : null
}

function isOwnPrompt(event: SessionEvent): boolean {
  return event.kind === 'prompt' && event.actor === 'human' && !hasFlag(event, 'copy') && isChainEvent(event)
}

/** What a mark stands for, to be asked for ids. */
export class Before {
  readonly mark: Mark
  private readonly uuids: IdSet
  private readonly messages: IdSet

  constructor(mark: Mark) {
    this.mark = mark
    this.uuids = IdSet.fromPairs(mark.summary.uuids)
    this.messages = IdSet.fromPairs(mark.summary.usage.ids)
  }

  has(id: string): boolean {
    return this.uuids.has(id)
  }

  /** Whether what stands behind it has nothing to do with it, but that its first prompt follows it. */
  isApart({ events: nodes, index }: Skeleton, all: readonly SessionEvent[]): boolean {
    const first = all.find(isChainEvent)
    if (first === undefined || !isOwnPrompt(first) || first.id !== nodes[0]?.id) return false
    if (this.mark.open.some(id => index.has(eventId(id)))) return false
    const reaches = (id: string | null | undefined) => !!id && !index.has(eventId(id)) && this.has(id)
    for (const [n, event] of nodes.entries()) {
      if (this.has(event.id)) return false
      if (n > 0 && (reaches(event.parent) || reaches(event.logicalParent))) return false
    }
    return all.every(event => !reaches(snapshotOf(event)) && !isOfMessage(event, this.messages))
  }
}

function isOfMessage(event: SessionEvent, messages: IdSet): boolean {
  return event.message !== undefined && !hasFlag(event, 'copy') && messages.has(event.message.id)
}

function snapshotOf(event: SessionEvent): string | undefined {
  return event.kind === 'snapshot' ? asString(event.detail?.['messageId']) : undefined
}

/**
 * Ids that records before the border name and that are nowhere; null where one stands behind it, or something there names one
 * before it.
 */
export function openBefore(border: Border, skeleton: Skeleton, all: readonly SessionEvent[]): string[] | null {
  const open = new Set<string>()
  const isApart = (isBefore: boolean, id: string | null | undefined) => {
    if (!id) return true
    const node = skeleton.index.get(eventId(id))
    if (node !== undefined) return node < border.node === isBefore
    if (isBefore) open.add(id)
    return true
  }
  for (const [n, { parent, logicalParent }] of skeleton.events.entries()) {
    if (n === border.node) continue
    if (!isApart(n < border.node, parent) || !isApart(n < border.node, logicalParent)) return null
  }
  for (const [at, event] of all.entries()) {
    if (!isApart(at < border.at, snapshotOf(event))) return null
    // A record of another file that repeats one before the border.
    const isCopy = at >= border.at && hasFlag(event, 'copy') && event.id === uuidOf(event)
    if (isCopy && !isApart(false, event.id)) return null
  }
  return open.size <= mostOpen ? [...open] : null
}

/** Joins what is known of all before a border; null where the next one could not go on from it. */
export function nextMark(
  before: Mark | undefined,
  border: Border,
  found: Pick<Mark, 'summary' | 'span' | 'turns' | 'digest' | 'open'>,
  behind: readonly SessionEvent[],
): Mark | null {
  const open = [...new Set([...(before?.open ?? []), ...found.open])]
  const digest = [...(before?.digest ?? []), ...found.digest]
  const messages = IdSet.fromPairs(found.summary.usage.ids)
  const isParted = !behind.some(event => isOfMessage(event, messages))
  // The first ids are those of the whole session only where there are enough of them.
  if (!isParted || open.length > mostOpen || !firstIds.every(what => hasEnough(digest, what))) return null
  const events = (before?.events ?? 0) + border.at
  const turns = (before?.turns ?? 0) + found.turns
  return { form, events, summary: found.summary, span: joined(before?.span, found.span), turns, digest, open }
}

function hasEnough(digest: readonly DigestRow[], what: DigestRow[0]): boolean {
  return digest.filter(([kind]) => kind === what).length >= idsKept
}

export function joined(one: Span | undefined, other: Span): Span {
  if (one === undefined) return other
  const { from, to } = one
  return {
    count: one.count + other.count,
    from: from === null || (other.from !== null && other.from < from) ? other.from : from,
    to: to === null || (other.to !== null && other.to > to) ? other.to : to,
  }
}
