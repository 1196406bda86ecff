// What a check of files against a profile reports.

import type { Finding } from './finding.ts'
import type { Dialect } from './record.ts'

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
