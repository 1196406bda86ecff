// The rows of one stretch of a log, as flat lists: cheap to send from a worker thread to the writer. Names are in a list of
// their own and rows refer to them by place, since only the writer knows their ids.

import type { Actor, EventKind, Flag } from '../../model/event.ts'
import { eventFlags, eventKinds } from '../../model/event.ts'
import type { Dialect } from '../../model/record.ts'
import type { FileRole } from '../../model/source.ts'
import type { UsageStatement } from '../../model/usage.ts'
import { usageFlags } from '../store/schema.ts'

/** What a file is read as: a log, or a text that an event names. */
export type IndexedRole = FileRole | 'spill' | 'paste'

/** Whether a file has no records but a text that an event names. */
export function isStored(role: string): role is 'spill' | 'paste' {
  return role === 'spill' || role === 'paste'
}

/** A generation to read, and how. Plain data. */
export interface FileTask {
  file: number
  /** What to ask the source for. */
  source: string
  path: string
  role: IndexedRole
  session?: string
  nameSession?: string
  agent?: string
  /** Bytes that there are. */
  size: number
  /** Rows cover all of the bytes before this; 0 for a file that is new. */
  indexed: number
  /** Of a live file's bytes before `indexed`: where it is another now, the file was rewritten. */
  checkSum?: string
  /** A file that is not in the archive: its bytes get a check sum. */
  isLive: boolean
  /** Where decoding can continue, with the events before it. */
  checkpoint?: { at: number; state: Uint8Array }
}

export type Cell = number | string | null

/** How many cells a row has in each list; the first is the event's ordinal in its file. */
export const widths = {
  events: 12,
  messages: 21,
  calls: 6,
  results: 7,
  details: 2,
  rests: 2,
  stored: 2,
  texts: 5,
} as const

export interface RowBatch {
  file: number
  names: string[]
  /** Eight cells each: session, thread, cwd, branch, version (names or null), dialect, wire type, common fields (names). */
  origins: (number | null)[]
  /** ordinal, at, offset, bytes, line, kind, actor, flags, uuid, parent, origin, content. */
  events: Cell[]
  /**
   * ordinal, id, request, model, stop, input, output, cache creation, read, 5m, 1h, searches, tier, geo, final, cost, duration,
   * key, echo, marks, visible tokens.
   */
  messages: Cell[]
  /** ordinal, n, call, name, path, command. */
  calls: Cell[]
  /** ordinal, n, call, name, outcome, duration, has image. */
  results: Cell[]
  /** ordinal, JSON. */
  details: Cell[]
  /** ordinal, JSON. */
  rests: Cell[]
  /** ordinal, name of a file. */
  stored: Cell[]
  /** By type: ordinal, JSON. */
  states: Map<string, [number, string]>
  /** The same, of a last line without end. */
  tailStates: Map<string, [number, string]>
  /** ordinal, n, field, hash, what FTS5 gets for the text. */
  texts: Cell[]
  /** Where the file's rows are complete after this batch. */
  indexed: number
  /** `indexed` and the last line without end. */
  covered: number
  lines: number
  eventCount: number
  /** Rows behind that, of a last line without end. */
  tail: number
  /** Bytes that were read for it. */
  bytes: number
  /** Nothing follows. */
  isLast: boolean
  checkpoint?: { at: number; state: Uint8Array }
  /** Of the bytes before `indexed`, for a live file. */
  checkSum?: string
}

const actors: readonly Actor[] = ['human', 'agent', 'tool', 'client']
export const dialects: readonly Dialect[] = ['client', 's0', 's3', 'history', 'journal', 'foreign', 'unknown']
/** How a tool's result came out. */
export const outcomes = ['done', 'failed', 'stopped'] as const

const kindPlaces = new Map<EventKind, number>(eventKinds.map((kind, at) => [kind, at]))
/** A flag's bit is its place in the list. */
const flagBits = new Map<Flag, number>(eventFlags.map((flag, at) => [flag, 1 << at]))
const actorPlaces = new Map<Actor, number>(actors.map((actor, at) => [actor, at]))
const dialectPlaces = new Map<Dialect, number>(dialects.map((dialect, at) => [dialect, at]))

export const kindToNumber = (kind: EventKind): number => kindPlaces.get(kind) ?? 0
export const actorToNumber = (actor: Actor): number => actorPlaces.get(actor) ?? 0
export const dialectToNumber = (dialect: Dialect): number => dialectPlaces.get(dialect) ?? 0

export function flagsToNumber(list: readonly Flag[]): number {
  let bits = 0
  for (const flag of list) bits |= flagBits.get(flag) ?? 0
  return bits
}

export function numberToFlags(bits: number): Flag[] {
  return bits === 0 ? [] : eventFlags.filter((_, at) => (bits & (1 << at)) !== 0)
}

export const numberToKind = (number: number): EventKind => eventKinds[number] ?? 'other'
export const numberToActor = (number: number): Actor => actors[number] ?? 'client'
export const numberToDialect = (number: number): Dialect => dialects[number] ?? 'unknown'

type Marked = Pick<UsageStatement, 'isFast' | 'isUs' | 'isSynthetic' | 'isError' | 'statedNanos' | 'isFinal'>

/** What is alike for prices, as bits of `usageFlags`. */
export function marksOf({ isFast, isUs, isSynthetic, isError, statedNanos, isFinal }: Marked): number {
  return (
    (isFast ? usageFlags.fast : 0) |
    (isUs ? usageFlags.us : 0) |
    (isSynthetic ? usageFlags.synthetic : 0) |
    (isError ? usageFlags.error : 0) |
    (statedNanos === null ? 0 : usageFlags.stated) |
    (isFinal ? 0 : usageFlags.partial)
  )
}
