// What an export says about the session besides its items, and what people may choose. It finds nothing out: whoever
// exports fills it in.

import type { Instant } from '../base/instant.ts'
import type { Usage } from '../model/event.ts'

/** The facts at the top of an exported session. All texts are raw: painters escape. */
export interface SessionHead {
  id: string
  title: string
  /** Working directory; null where the log names none. */
  project: string | null
  startedAt: Instant
  endedAt: Instant
  models: string[]
  /** Client versions that wrote it. */
  versions: string[]
  /** Paths that it was read from. */
  files: string[]
  tokens?: Usage
  /** Anything a reader should know first: what was left out, what is uncertain. */
  notes?: string[]
}

export interface ExportOptions {
  /** Cuts nothing, however long. */
  isFull?: boolean
  /** The time beside every item, not only beside prompts. */
  timestamps?: boolean
  /** IANA name; the machine's zone where absent. */
  timezone?: string
  /** Thinking written out (Markdown) or opened (HTML); else it is only mentioned or folded. */
  thinking?: boolean
}
