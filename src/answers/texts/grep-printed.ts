// What `clew grep --json` prints, as types. Types only; no code.

import type { Instant } from '../../base/instant.ts'
import type { EventKind } from '../../model/event.ts'
import type { TextKind } from '../../session/text-kinds.ts'

/** Matching lines, the latest session first. */
export interface PrintedGrep {
  query: string
  total: number
  hits: PrintedLine[]
}

/** A matching line. */
export interface PrintedLine {
  session: string
  thread: string
  event: string
  kind: EventKind
  /** What the text is called: what `kind:` takes. */
  label: TextKind
  at: Instant
  /** Its number in the text. */
  line: number
  snippet: string
  /** Of the file that contains it, where that is not the current one. */
  generation?: number
}
