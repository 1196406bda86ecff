// What is known of the manifest once it was read. Types only.

import type { Catalog } from './catalog.ts'

export interface SegmentDamage {
  segment: string
  /** What is wrong, for people. */
  problem: string
  /** The texts of lines that cannot be trusted. */
  lines: string[]
  /** Whole segments before it are not there. */
  isGap?: true
}

export interface Manifest {
  catalog: Catalog
  /** Number and hash of the last segment; 0 where there is none. */
  last: number
  lastHash: string
  /** Segments that count, and older ones that a later base replaced. */
  segments: string[]
  stale: string[]
  /** Bytes of the segments that count. */
  bytes: number
  /** Those of them that need not be read line by line: see `known`. */
  known: { segments: number; bytes: number }
  damage: SegmentDamage[]
}
