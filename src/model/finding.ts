// Something odd that was noticed: attached to what it is about, never thrown; and the report of a check against a profile.

import type { Dialect } from './record.ts'

/** How bad it is: an error breaks readers, a warning a rule, an info a habit. */
export type Severity = 'error' | 'warning' | 'info'

/** The rule sets that `check` can apply: the five specifications, and what the client was measured to write. */
export type Profile = 's0' | 's1' | 's2' | 's3' | 's4' | 'real'
/** All of them, the specifications first. */
export const profiles: readonly Profile[] = ['s0', 's1', 's2', 's3', 's4', 'real']

/** One odd thing with its place. */
export interface Finding {
  /** A rule's id, the same in every release. */
  code: string
  severity: Severity
  file?: string
  /** 1-based. */
  line?: number
  /** First byte of the record the finding is about. */
  offset?: number
  /** Id of the event the finding is about. */
  event?: string
  /** One sentence for people, with what was found. */
  message: string
}

/** How often each thing worth counting occurs in what was checked. */
export interface CheckCounts {
  known: number
  unknown: number
  malformed: number
  torn: number
  oversized: number
  blank: number
  /** Lines that hold more than one record. */
  glued: number
  orphans: number
  orphansWithLogicalParent: number
  loops: number
  /** Records whose uuid stands earlier in the same file. */
  duplicates: number
  callsWithoutResult: number
  resultsWithoutCall: number
  duplicateCallIds: number
  resultsBeforeCall: number
  backwardTimestamps: number
  compactions: number
}

/** `clew check PATH… --json`. */
export interface CheckReport {
  profile: string
  files: number
  bytes: number
  lines: number
  records: number
  byType: Record<string, number>
  byDialect: Partial<Record<Dialect, number>>
  counts: CheckCounts
  findings: Finding[]
}
