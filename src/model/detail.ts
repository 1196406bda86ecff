// What an event says besides its blocks, by kind. Decoding types it once: a field named here is what it says here, or absent.
// Fields that have no name here are in the same object as the log has them; `detailFields` gives them all.

import type { JsonObject } from '../base/json.ts'
import type { RecordStatus } from './record.ts'

/** What any kind may state. */
export interface CommonDetail {
  /** The record's `subtype`; absent where it has none, and in dialects where only `system` records have one. */
  subtype?: string
}

/** What was said, typed or reported; more where it came through the queue as a record of its own. */
export interface SpokenDetail extends CommonDetail {
  /** `queued_command`; absent where it did not come through the queue. */
  attachmentType?: string
  /** Typed or reported while the model worked; absent elsewhere. */
  queued?: true
  /** What the queue took it for: `prompt`, `bash`, `task-notification`; absent elsewhere. */
  commandMode?: string
}

export interface CommandDetail extends SpokenDetail {
  /** `/compact`, or the line behind `!` or `#`; absent where the record has only a text. */
  command?: string
  /** What follows a slash command; absent where nothing does. */
  args?: string
  /** How it was typed: behind `/`, `!` or `#`. */
  mode?: 'slash' | 'bash' | 'memory'
}

/** How something that ran in the background ended. Each is absent where the notification does not say it. */
export interface TaskNotification {
  taskId?: string
  /** The call that started it. */
  toolUseId?: string
  /** Path of the file with its whole output. */
  outputFile?: string
  /** `completed`, `failed`, `killed`, … */
  status?: string
  /** One sentence for people. */
  summary?: string
}

export interface NotificationDetail extends SpokenDetail {
  /** Absent where it is about no task. */
  notification?: TaskNotification
  /** Who sent it, as the record states: `task`, `peer`, `system`; absent where only its text shows it. */
  origin?: string
}

export interface InterruptionDetail extends SpokenDetail {
  /** Whether a call was stopped, not only an answer. */
  forToolUse?: boolean
}

export interface ApiErrorDetail extends CommonDetail {
  /** As the API or the network library gave it; a short name in errors that are written as answers. */
  error?: string | JsonObject
  /** HTTP status; absent where there was no response. */
  apiErrorStatus?: number
  /** What the connection failed of. */
  cause?: JsonObject
  /** Which try this was, from 1; absent where none follows. */
  retryAttempt?: number
  maxRetries?: number
  /** Milliseconds until the next try. */
  retryInMs?: number
}

/** Records before the border that stay: a list, or a segment of the chain by the uuids of its ends. */
export interface Preserved {
  head?: string
  tail?: string
  /** The record that they hang on afterwards. */
  anchor?: string
  uuids?: readonly string[]
  /** With those that are not messages. */
  allUuids?: readonly string[]
}

export interface CompactionDetail extends CommonDetail {
  /**
   * `done`: the border. `start`, `restored`: before and behind it (003). `micro`: old tool output was cleared, which is no
   * border. Absent on the records that 000 makes of one.
   */
  phase?: 'start' | 'done' | 'restored' | 'micro' | 'other'
  /** `auto` or `manual`. */
  trigger?: string
  /** Tokens of the context before it. */
  preTokens?: number
  /** Tokens of the context behind it; absent in old versions. */
  postTokens?: number
  /** How many messages stay; only where the log states a number. */
  preservedMessages?: number
  /** How many messages there were. */
  totalMessages?: number
  /** Which records stay; absent where none do. */
  preserved?: Preserved
  /** Of a microcompaction. */
  tokensSaved?: number
}

export interface AttachmentDetail extends CommonDetail {
  /** `file`, `todo_reminder`, …; empty where the record states none. */
  attachmentType?: string
  /** The call it is about; absent where it is about none. */
  toolUseID?: string
  /** The first and last line of a file that is attached in part. */
  lineStart?: number
  lineEnd?: number
  /** What is attached, under the name that its type has for it. */
  displayPath?: string
  filename?: string
  path?: string
  planFilePath?: string
  newDate?: string
  condition?: string
}

export interface HookDetail extends CommonDetail {
  /** `hook_success`, `hook_blocking_error`, …; absent on `system` records. */
  attachmentType?: string
  /** The call that it ran for; absent where it ran for none. */
  toolUseID?: string
  /** `PostToolUse:Edit`. */
  hookName?: string
  /** `PostToolUse`. */
  hookEvent?: string
  /** What was run. */
  command?: string
  stdout?: string
  stderr?: string
  exitCode?: number
  durationMs?: number
  timedOut?: boolean
  /** Why it refused. */
  blockingError?: string | JsonObject
  /** Of the hooks at the end of a turn, together. */
  hookCount?: number
  hookInfos?: readonly { readonly command?: string }[]
  hookErrors?: readonly string[]
  preventedContinuation?: boolean
  stopReason?: string
}

export interface NoticeDetail extends CommonDetail {
  /** `info`, `warning`, `error`. */
  level?: string
  /** The call it is about; absent where it is about none. */
  toolUseID?: string
  /** What a turn took (`turn_duration`), in milliseconds. */
  durationMs?: number
}

export interface ProgressDetail extends CommonDetail {
  /** `bash_progress`, `agent_progress`, …; empty where the record states none. */
  dataType?: string
  /** The progress' own id, or that of the call. */
  toolUseID?: string
  /** The call it is about. */
  parentToolUseID?: string
  /** The agent that it is about. */
  agentId?: string
  hookName?: string
  hookEvent?: string
}

/** A task that was put in the queue; each is absent where the queue's line does not say it. */
export interface QueuedTask {
  id?: string
  description?: string
  type?: string
  /** The call that started it. */
  toolUseId?: string
}

export interface QueueDetail extends CommonDetail {
  /** `enqueue`, `dequeue`, `remove`, `popAll`; empty where the record states none. */
  operation?: string
  /** What was queued, as text; absent where it is not in the record, or is blocks. */
  content?: string
  /** Where the content is a task. */
  task?: QueuedTask
  /** Where the content is one. */
  notification?: TaskNotification
}

export interface SnapshotDetail extends CommonDetail {
  /** Whether it adds to an earlier one of the same message. */
  isUpdate?: boolean
  /** Paths of the files that were saved. */
  files?: readonly string[]
  /** The record it belongs to. */
  messageId?: string
}

export interface TitleDetail extends CommonDetail {
  titleFrom?: 'summary' | 'custom' | 'ai' | 'agent-name'
  /** Empty where the record has none. */
  title?: string
  /** The end of the branch that it names; absent where it names the session. */
  leaf?: string
}

export interface StateDetail extends CommonDetail {
  /** The record's type. */
  type?: string
  /** Of `last-prompt`. */
  lastPrompt?: string
  /** Of `last-prompt`: the last record of the branch. */
  leaf?: string
  /** Of `tag`; empty where it was taken off. */
  tag?: string
  /** Of `cost-state`: when the process that sums up started, in milliseconds since 1970. */
  startTime?: number
  /** Of `cost-state`, in dollars. */
  totalCostUSD?: number
  /** Of `cost-state`: sums by model, as the log has them. */
  modelUsage?: JsonObject
}

/** One of the addresses and ids, by the type. */
export interface LinkDetail extends CommonDetail {
  /** The record's type. */
  type?: string
  prUrl?: string
  url?: string
  frameUrl?: string
  sessionUrl?: string
  continuedInSessionId?: string
  /** Of `continued-in`, in other versions. */
  continuedIn?: string
  nextSessionId?: string
  bridgeSessionId?: string
  parentSessionId?: string
}

/** Something that was pasted into a prompt. */
export interface PastedContent {
  /** `text` or `image`. */
  readonly type?: string
  /** The text itself, or base64; absent where only its file has it. */
  readonly content?: string
  /** Names the file in `paste-cache`. */
  readonly contentHash?: string
  /** In bytes. */
  readonly size?: number
}

export interface HistoryDetail extends CommonDetail {
  pasted?: readonly (string | PastedContent)[]
  /** The working directory it was typed in. */
  project?: string
}

export interface OtherDetail extends CommonDetail {
  /** The record's type, empty where it has none. */
  type?: string
  /** Which other tool wrote it. */
  foreign?: string
}

export interface MalformedDetail extends CommonDetail {
  /** What is wrong with the bytes. */
  status?: RecordStatus
}

/** The detail of each kind. */
export interface EventDetail {
  prompt: SpokenDetail
  delegation: SpokenDetail
  answer: CommonDetail
  'tool-results': CommonDetail
  command: CommandDetail
  'command-output': SpokenDetail
  notification: NotificationDetail
  interruption: InterruptionDetail
  'api-error': ApiErrorDetail
  compaction: CompactionDetail
  'compact-summary': CompactionDetail
  preserved: CompactionDetail
  attachment: AttachmentDetail
  hook: HookDetail
  notice: NoticeDetail
  progress: ProgressDetail
  queue: QueueDetail
  snapshot: SnapshotDetail
  title: TitleDetail
  state: StateDetail
  link: LinkDetail
  meta: SpokenDetail
  history: HistoryDetail
  other: OtherDetail
  malformed: MalformedDetail
}

/** All fields of an event's detail, with and without a name here, as the log has them. */
export function detailFields({ detail, misfits }: { detail?: object; misfits?: JsonObject }): JsonObject {
  return { ...detail, ...misfits }
}
