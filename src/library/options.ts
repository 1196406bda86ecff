// Options of the library's calls. They have the names of the commands' options, and those of the Claude Agent SDK where it has
// the same. What they mean is decided by the commands.

/** What every call takes: where to look. */
export interface ClewOptions {
  /** Claude homes, projects folders, project folders or session files; the usual homes where absent. */
  roots?: readonly string[]
  /** Clew's own folder, with archive and index; `CLEW_HOME` or the usual one where absent. */
  home?: string
  /** False: answers come from the files, without the index. */
  index?: boolean
  /** An IANA name; that of the machine, or of the config, where absent. Days begin at its midnight. */
  timezone?: string
}

/** Which sessions are listed. Filters are those of `clew ls`, with the names of its options. */
export interface ListSessionsOptions extends ClewOptions {
  /** Only sessions of this working directory. */
  dir?: string
  limit?: number
  /** How many to leave out at the beginning of the list. */
  offset?: number
  /** A part of the working directory's path. */
  project?: string
  /** `2026-02-17`, `7d`, `24h`, `yesterday`: used since then. */
  since?: string
  /** Begun until then. */
  until?: string
  /** A part of a model's name. */
  model?: string
  /** A part of a git branch's name. */
  branch?: string
  /** A tool that was called. */
  tool?: string
  has?: readonly ('error' | 'subagent' | 'compaction' | 'image')[]
  /** A text or `/regex/` in prompts, answers or title. */
  grep?: string
  /** Only sessions that are no longer on disk. */
  gone?: boolean
  /** Only sessions archived in Claude Code; false: only the others. */
  setAside?: boolean
  /** Only sessions in which a person typed. */
  typed?: boolean
  /** Only sessions that programs ran. */
  programmatic?: boolean
  sort?: 'when' | 'size' | 'title' | 'tokens' | 'prompts' | 'duration'
  reverse?: boolean
}

/** How a session is named: id, its unique beginning, title, file path or `last`. */
export interface GetSessionOptions extends ClewOptions {
  /** Only a session of this working directory. */
  dir?: string
}

/** Which part of a conversation. */
export interface GetSessionMessagesOptions extends GetSessionOptions {
  limit?: number
  offset?: number
}

/** Filters of `clew search`; they mean what filters in the query do. */
export interface SearchTextOptions extends ClewOptions {
  kind?: string | readonly string[]
  tool?: string
  project?: string
  session?: string
  since?: string
  until?: string
  /** Hits by rank, not by session. */
  flat?: boolean
  /** At most so many sessions (10), or hits with `flat` (20). */
  limit?: number
  /** Every hit. */
  all?: boolean
}

/** The reports of `clew usage`. */
export type UsageReportName =
  | 'daily'
  | 'weekly'
  | 'monthly'
  | 'session'
  | 'project'
  | 'model'
  | 'blocks'
  | 'tool'
  | 'subagent'
  | 'branch'
  | 'git-branch'

/** Options of `clew usage`. */
export interface UsageOptions extends ClewOptions {
  /** Which report; `daily` where absent. */
  by?: UsageReportName
  since?: string
  until?: string
  /** `7d`, `4w`, `3m`, including today. */
  last?: string
  project?: string
  model?: string
  session?: string
  order?: 'asc' | 'desc' | 'cost'
  group?: 'project' | 'model' | 'session' | 'subagent'
  mode?: 'auto' | 'calculate' | 'display'
  /** A file of prices. */
  prices?: string
  /** The model whose price unknown models have. */
  unknownAs?: string
  /** Estimate output that the log does not state. */
  estimate?: boolean
  /** Compare with the cost that Claude Code stated. */
  reconcile?: boolean
  /** `100`, `20/day`, `90/week`, `300/month`. */
  budget?: string
  weekStart?: string
  /** Of `blocks`: `500k`, or `max`. */
  tokenLimit?: string
  /** Of `blocks`: only the one that is running. */
  active?: boolean
  /** Of `blocks`: only those of the last three days. */
  recent?: boolean
}
