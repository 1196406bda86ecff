// Who can answer what is asked of sessions: an index, or the logs themselves. Both implement this one interface, and the
// questions are written once on it. What somebody does not know is null: then the next one is asked. What is known in part
// says so.

import type { TypedPrompt } from '../../index/search/prompts.ts'
import type { UsageMessages } from '../../index/search/usage.ts'
import type { Finding } from '../../model/finding.ts'
import type { SessionId } from '../../model/ids.ts'
import type { SessionGraph } from '../../model/session.ts'
import type { LogFile, SessionFiles } from '../../model/source.ts'
import type { UsageCell } from '../../model/usage.ts'
import type { Projects } from '../../session/projects.ts'
import type { Filters } from '../sessions/filters.ts'
import type { ListRow } from '../sessions/rows.ts'

export interface Knows {
  from: 'index' | 'files'
  /** Sessions with what their records say of them as a whole. */
  sessions(need: SessionsNeed): Promise<KnownSessions | null>
  /** Of one session: who, when, which calls and how they ended. Texts may be missing. Throws where a log cannot be read. */
  graph(session: SessionFiles): Promise<SessionGraph>
  /** What was used, in sums that can be priced. */
  cells(query: CellQuery): Promise<KnownCells | null>
  /** What was used, message by message, with their places. */
  messages(): Promise<KnownMessages | null>
  /** What was typed in sessions, copies in forks included, and the prompt histories of homes. */
  prompts(): Promise<KnownPrompts | null>
}

export interface SessionsNeed {
  /** With all facts; without it only what the ends of files say is certain. */
  isFull: boolean
  /** Sessions that they rule out may be left out. With `grep`, rows say whether they match. */
  filters: Filters
  /** One session alone. */
  only?: SessionId | undefined
}

export interface KnownSessions {
  /** In the order of their places. */
  rows: readonly ListRow[]
  /** All there are, in `rows` or not. */
  sessions: readonly SessionFiles[]
  /** Those of all sessions: what one is called depends on the others. */
  projects: Projects
  /** What could not be read. */
  findings: readonly Finding[]
  isSample: boolean
  /** Titles and times are final. */
  isExact: boolean
  /** The first index is being made: nothing is counted yet. */
  partial?: 'indexing'
}

export interface CellQuery {
  /** Prompt sizes at which a price changes. */
  promptSteps: readonly number[]
  /** Parted by the tools that messages call. */
  withTools: boolean
  /** Whether it matters which session and thread it was; true where absent. */
  withSessions?: boolean
  /** Of one session alone. */
  only?: SessionId | undefined
  /** Also what an estimate would add. */
  withEstimate?: boolean
}

export interface KnownPrompts {
  typed: TypedPrompt[]
  /** Prompt histories, which outlive sessions. */
  histories: LogFile[]
  /** What could not be read. */
  findings: Finding[]
}

interface Origin {
  from: Knows['from']
  /** The index answers from what it knew before. */
  isStale: boolean
  isSample: boolean
  /** What could not be read. */
  findings: Finding[]
}

export interface KnownCells extends Origin {
  cells: UsageCell[]
}

export interface KnownMessages extends Origin, UsageMessages {}
