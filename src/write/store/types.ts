// What the Agent SDK calls a session store, in types of the same shape: this package does not need the SDK. It says nothing of how
// a store does it.

/** Names one log of a store. */
export interface SessionKey {
  /** The name of the project's folder; the SDK makes it of the working directory where the application names none. */
  projectKey: string
  sessionId: string
  /** Where the log of a subagent is in the session's folder, without `.jsonl`; absent for the session's own log. */
  subpath?: string
}

/** One record, as Claude Code writes it. A store does not look into it, except for its `uuid`. */
export interface SessionStoreEntry {
  type: string
  uuid?: string
  timestamp?: string
  [key: string]: unknown
}

/** What the SDK knows of a session for its list. */
export interface SessionSummaryEntry {
  sessionId: string
  /** When the log changed last, in milliseconds since 1970. */
  mtime: number
  /** The SDK's own; a store only keeps it. */
  data: Record<string, unknown>
}

/** The SDK's function that brings a summary up to date with entries that were appended since. */
export type FoldSessionSummary = (
  before: SessionSummaryEntry | undefined,
  key: SessionKey,
  entries: SessionStoreEntry[],
  options?: { mtime?: number },
) => SessionSummaryEntry

/** What the SDK takes as `sessionStore`. */
export interface SessionStore {
  /** Appends entries in their order; one whose `uuid` the log has is there already. When it resolves, all are in the log. */
  append(key: SessionKey, entries: SessionStoreEntry[]): Promise<void>
  /** All entries of a log in their order; null where there is no such log. */
  load(key: SessionKey): Promise<SessionStoreEntry[] | null>
  /** The sessions of a project, in any order. */
  listSessions(projectKey: string): Promise<{ sessionId: string; mtime: number }[]>
  /** What the SDK's list shows of them; absent where the store has not got the SDK's function for it. */
  listSessionSummaries?(projectKey: string): Promise<SessionSummaryEntry[]>
  /** Removes a log; with a session's own log everything of the session. */
  delete(key: SessionKey): Promise<void>
  /** The `subpath` of every log in a session's folder. */
  listSubkeys(key: { projectKey: string; sessionId: string }): Promise<string[]>
}
