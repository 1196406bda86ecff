// What there is to see of a session, as plain data: decided once here, painted by the terminal, Markdown, HTML and web
// painters. It has no colours, no widths and no markup, and everything in it is raw text from the log: painters escape.

import type { Instant } from '../base/instant.ts'
import type { Actor } from '../model/event.ts'
import type { EventId, ThreadId } from '../model/ids.ts'
import type { CallStatus } from '../model/session.ts'

/** What a reader sees as one thing, in reading order. */
export type ViewKind =
  | 'prompt' // what a human typed, queued or not
  | 'delegation' // what an agent wrote to a subagent
  | 'answer' // text of the model
  | 'thinking'
  | 'call' // a tool call with its outcome
  | 'result' // a result whose call is not in the log
  | 'command' // slash, local or bash-mode command, with what it printed
  | 'notification'
  | 'interruption'
  | 'error' // API errors, retries
  | 'compaction' // the border between two context windows
  | 'summary' // the text that replaced what was before the border
  | 'branch' // what the conversation went back behind
  | 'hook'
  | 'notice'
  | 'attachment'
  | 'link' // to another session, a pull request, a published page
  | 'unknown' // kept, shown quietly
  | 'damaged' // bytes that are not a record

export type Tone = 'plain' | 'quiet' | 'good' | 'bad' | 'warn' | 'accent'

/** A short mark behind a headline: `exit 1`, `3.2 s`, `interrupted`. */
export interface Badge {
  text: string
  tone: Tone
}

/** What is shown of one event, as plain data. */
export interface ViewItem {
  /** The event it comes from: a stable anchor for links. */
  id: EventId
  kind: ViewKind
  actor: Actor
  thread: ThreadId
  at: Instant
  /** One line that says what it is: `Bash  npm test`, `Edit  src/cart.ts`. May hold anything, even newlines. */
  headline: string
  badges: Badge[]
  body: ViewPart[]
  /** True for what a reader skips at first: thinking, hooks, notices, snapshots, meta. */
  isQuiet: boolean
  /** Softly deleted: its place is shown, its content is gone. */
  isRemoved?: boolean
  isAborted?: boolean
  status?: CallStatus
  /** Where in the session it is: turn (as in SessionGraph.turns), when it belongs to one. */
  turn?: number
}

export type ViewPart =
  | MarkdownPart
  | TextPart
  | CodePart
  | DiffPart
  | CheckListPart
  | FactsPart
  | MediaPart
  | ThreadPart
  | BranchPart

/** Parts that have no items inside. */
export type PlainPart = Exclude<ViewPart, ThreadPart | BranchPart>

/** Text that the model or a human wrote in Markdown. */
export interface MarkdownPart {
  type: 'markdown'
  text: string
}
/** Text as it is: output, errors. */
export interface TextPart {
  type: 'text'
  text: string
  tone: Tone
  /** What it is: `stdout`, `stderr`, `result`; shown where there are several. */
  label?: string
  /** Hidden until asked for; the painter says how many lines. */
  isFolded?: boolean
  /** Where the whole text is, when the log has only its beginning. */
  spillFile?: string
}
export interface CodePart {
  type: 'code'
  text: string
  /** Language by file name or tool: `ts`, `bash`. */
  language?: string
  /** Number of the first line, for reads. */
  startLine?: number
  isFolded?: boolean
  /** Folded even where everything is asked for: what the session says elsewhere, as it was sent to the API. */
  isRepeated?: boolean
}
export interface DiffPart {
  type: 'diff'
  path: string
  hunks: DiffHunk[]
  added: number
  removed: number
  /** True where the log did not have the patch and it was worked out from old and new text. */
  isComputed?: boolean
}
export interface DiffHunk {
  oldStart: number
  newStart: number
  lines: { sign: ' ' | '+' | '-'; text: string }[]
}
export interface CheckListPart {
  type: 'checklist'
  items: { text: string; state: 'open' | 'active' | 'done' | 'dropped' }[]
}
/** Names with values: options of a call, answers to a question. */
export interface FactsPart {
  type: 'facts'
  facts: { name: string; value: string }[]
  /** Hidden unless everything is asked for. */
  isFolded?: boolean
}
export interface MediaPart {
  type: 'media'
  media: 'image' | 'document'
  mediaType: string
  bytes: number
  /** Base64, only where it was kept. */
  data?: string
}
/** A subagent's thread, inside the call that started it. */
export interface ThreadPart {
  type: 'thread'
  thread: ThreadId
  agentType?: string
  /** How sure the link is: `meta`, `result`, …; absent where it was not linked. */
  linkedBy?: string
  items: ViewItem[]
}
/** What is on an abandoned branch only, in reading order. */
export interface BranchPart {
  type: 'branch'
  /** As in `--branch`. */
  leaf: EventId
  items: ViewItem[]
}
