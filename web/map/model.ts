// What the map is made of, in folded time: lanes, turns, context size, cuts and forks. Types only.

import type { HeadThread, Outline } from '../../src/view/reading.ts'
import type { FoldedTime } from './fold.ts'
import type { Row } from './rows.ts'

export interface ContextPoint {
  /** Folded time. */
  at: number
  tokens: number
  slot: number
  /** What a compaction left over. */
  isCut?: boolean
}

/** From a prompt to the next one. */
export interface Turn {
  index: number
  /** The slot of its prompt. */
  slot: number
  event: string
  headline: string
  /** Folded: from its prompt to the next one. */
  from: number
  to: number
  /** Real times: from its prompt to the end of its last call. */
  startedAt: number
  endedAt: number
  calls: number
  failed: number
  subagents: number
  /** The largest context in it. */
  tokens?: number
  isLeft: boolean
}

export interface MapLane {
  thread: HeadThread
  isMain: boolean
  depth: number
  hue: number
  /** The lane that it was started from; -1 for none. */
  parent: number
  /** Its first and last moment, folded. */
  from: number
  to: number
  /** Absent while it is on its way. */
  outline?: Outline
  /** Folded times of its slots. */
  at: Float64Array
  /** Slots by time. */
  order: Int32Array
  rows: Row[]
  /** Folded times at which something failed, sorted. */
  failures: Float64Array
}

/** A stretch of the main thread that was left for another path. */
export interface LeftPath {
  from: number
  to: number
  slot: number
}

export interface MapScene {
  time: FoldedTime
  lanes: MapLane[]
  turns: Turn[]
  context: ContextPoint[]
  /** The fullest that the context was. */
  contextMost: number
  cuts: { at: number; slot: number; preTokens?: number; postTokens?: number }[]
  left: LeftPath[]
  window?: number
  isLive: boolean
  /** The log has no times: events stand in their order, a second apart. */
  isOrdered: boolean
}
