// An open index, as questions are given it. Types only; who opens it, and refreshes it before or behind them, is in
// index-open.ts and upkeep.ts.

import type { InScope } from '../../index/search/sessions.ts'
import type { Database } from '../../index/store/port.ts'
import type { Finding } from '../../model/finding.ts'
import type { ByteSource } from '../../model/source.ts'

export interface UsedIndex {
  db: Database
  source: ByteSource
  /** It was not refreshed. */
  isStale: boolean
  /** What could not be read while it was refreshed. */
  findings: Finding[]
  isSample: boolean
  /** Which paths answers are about: all that is indexed where it is absent. */
  isInScope?: InScope
}
