// Options of the library's calls. They have the names of the commands' options, and those of the Claude Agent SDK where it has
// the same. What they mean is decided by the commands.

import { UserError } from '../answers/error.ts'
import { nearest } from '../base/nearest.ts'
import type { Finding, Profile, Severity } from '../model/finding.ts'
import type { WireDialect } from '../write/wire/dialects.ts'

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

/** Where a handle looks, and who hears of it. */
export interface OpenOptions extends ClewOptions {
  /** Hears what should be known besides the answer: what could not be read, a config that is not valid, what was indexed. */
  onProblem?(message: string, finding?: Finding): void
  /** An `AbortSignal`: what is asked is an error as soon as it is aborted. */
  signal?: { readonly aborted: boolean }
}

/** Which sessions are listed. Filters are those of `clew ls`, with the names of its options. */
export interface ListFilter {
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
  sort?: 'when' | 'started' | 'size' | 'title' | 'tokens' | 'cost' | 'prompts' | 'calls' | 'errors' | 'duration'
  reverse?: boolean
}

/** How a session is named: id, its unique beginning, title, file path or `last`. */
export interface GetSessionOptions extends ClewOptions {
  /** Only a session of this working directory. */
  dir?: string
}

/** Which part of a list. */
export interface PageOptions {
  limit?: number
  offset?: number
}

/** Which part of a conversation. */
export interface GetSessionMessagesOptions extends GetSessionOptions, PageOptions {}

/** Filters of `clew history`. */
export interface HistoryFilter extends PageOptions {
  project?: string
  since?: string
  until?: string
  /** A text or `/regex/` in the prompt. */
  grep?: string
}

/** Filters of `clew search`; they mean what filters in the query do. */
export interface SearchFilter {
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

/** Options of `clew grep`. */
export interface GrepFilter {
  /** The one session to search; all of them where absent. */
  session?: string
  ignoreCase?: boolean
  /** The expression is a text. */
  fixedStrings?: boolean
  /** Whole words only. */
  wordRegexp?: boolean
  /** Lines that do not match. */
  invertMatch?: boolean
  /** Only what matches. */
  onlyMatching?: boolean
  kind?: string | readonly string[]
  tool?: string
  project?: string
  since?: string
  until?: string
  limit?: number
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
export interface UsageFilter {
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

/** How a session is shown as a document. */
export interface DocumentOptions {
  /** `md` where absent. */
  format?: 'md' | 'html' | 'json'
  /** Nothing is shortened; JSON has every event. */
  full?: boolean
  thinking?: boolean
  timestamps?: boolean
}

/** What `clew check` is asked for. */
export interface CheckOptions {
  /** What the log is compared with; `real` where absent. */
  profile?: Profile
  /** Findings that are less severe are left out. */
  least?: Severity
  /** Findings of other rules are left out. */
  rules?: readonly string[]
}

/** Where files are restored, and which. */
export interface RestoreOptions {
  /** A folder in the place of where they were. */
  to?: string
  /** Of main files the generation of this number. */
  generation?: number
  /** Files with other content are archived, and replaced. */
  overwrite?: boolean
  /** Files get the time of their last change back. */
  keepTimes?: boolean
}

/** How a session is forgotten. */
export interface ForgetOptions {
  /** Nothing is erased. */
  dryRun?: boolean
}

/** How a new session is made of another one. */
export interface RepairOptions {
  /** Nothing is written. */
  dryRun?: boolean
  /** Even if the session may be in use. */
  force?: boolean
}

/** Where a fork ends, and what it is called. */
export interface ForkOptions extends RepairOptions {
  /** The id of its last event, or the beginning of it; absent: all of it. */
  at?: string
  title?: string
}

/** How small a trimmed fork must be. */
export interface TrimOptions extends RepairOptions {
  /** Tokens that a resume may send. */
  budget: number
  title?: string
}

/** Which dialect, and where to. */
export interface ConvertOptions extends RepairOptions {
  to: WireDialect
  /** A new `.jsonl` file, or a home. */
  out: string
  /** Applies the profile of the dialect to what was written. */
  check?: boolean
}

/** Where to look, and which sessions. */
export interface ListSessionsOptions extends ClewOptions, ListFilter {}
/** Where to look, and which texts. */
export interface SearchTextOptions extends ClewOptions, SearchFilter {}
/** Where to look, and which usage. */
export interface UsageOptions extends ClewOptions, UsageFilter {}

/** Every name that options have: a name that is missing here, or too many, is an error of types. */
function namesOf<Options>() {
  return <const Name extends readonly (keyof Options & string)[]>(
    ...names: Name & (Exclude<keyof Options, Name[number]> extends never ? unknown : never)
  ): readonly string[] => names
}

export const clewNames = namesOf<ClewOptions>()('roots', 'home', 'index', 'timezone')
export const openNames = [...clewNames, 'onProblem', 'signal']
export const pageNames = namesOf<PageOptions>()('limit', 'offset')
export const listNames = namesOf<ListFilter>()(
  'dir',
  'limit',
  'offset',
  'project',
  'since',
  'until',
  'model',
  'branch',
  'tool',
  'has',
  'grep',
  'gone',
  'setAside',
  'typed',
  'programmatic',
  'sort',
  'reverse',
)
export const historyNames = namesOf<HistoryFilter>()('limit', 'offset', 'project', 'since', 'until', 'grep')
export const searchNames = namesOf<SearchFilter>()(
  'kind',
  'tool',
  'project',
  'session',
  'since',
  'until',
  'flat',
  'limit',
  'all',
)
export const grepNames = namesOf<GrepFilter>()(
  'session',
  'ignoreCase',
  'fixedStrings',
  'wordRegexp',
  'invertMatch',
  'onlyMatching',
  'kind',
  'tool',
  'project',
  'since',
  'until',
  'limit',
)
export const usageNames = namesOf<UsageFilter>()(
  'by',
  'since',
  'until',
  'last',
  'project',
  'model',
  'session',
  'order',
  'group',
  'mode',
  'prices',
  'unknownAs',
  'estimate',
  'reconcile',
  'budget',
  'weekStart',
  'tokenLimit',
  'active',
  'recent',
)
export const documentNames = namesOf<DocumentOptions>()('format', 'full', 'thinking', 'timestamps')
export const checkNames = namesOf<CheckOptions>()('profile', 'least', 'rules')
export const restoreNames = namesOf<RestoreOptions>()('to', 'generation', 'overwrite', 'keepTimes')
export const forgetNames = namesOf<ForgetOptions>()('dryRun')
export const repairNames = namesOf<RepairOptions>()('dryRun', 'force')
export const forkNames = namesOf<ForkOptions>()('dryRun', 'force', 'at', 'title')
export const trimNames = namesOf<TrimOptions>()('dryRun', 'force', 'budget', 'title')
export const convertNames = namesOf<ConvertOptions>()('dryRun', 'force', 'to', 'out', 'check')

/** A name that means nothing: no answer is better than one to another question. */
export function refuseUnknown(options: object, names: readonly string[]): void {
  const unknown = Object.keys(options).find(name => !names.includes(name))
  if (unknown === undefined) return
  const [closest] = nearest(unknown, names)
  throw new UserError(`unknown option '${unknown}'${closest === undefined ? '' : ` (did you mean ${closest}?)`}`)
}
