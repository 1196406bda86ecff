// A session as a graph: what `graph` makes from events. Types only; how they are found out is written there.

import type { Instant } from '../base/instant.ts'
import type { Block, SessionEvent, ToolResultBlock, Usage } from './event.ts'
import type { Finding } from './finding.ts'
import type { CallId, EventId, SessionId, ThreadId } from './ids.ts'
import type { AgentMeta, FileRole } from './source.ts'

/** How a node came to its parent. */
export type ParentLink =
  | 'stated' // parentUuid names it and it exists
  | 'inferred' // the record has no uuid or parent: its place in the file
  | 'logical' // the chain was cut by a compaction: logicalParentUuid
  | 'root' // no parent, and none expected
  | 'orphan' // the named parent is nowhere: a root, with a finding
  | 'loop' // the named parent would close a loop: a root, with a finding

/** An event with its place in the tree. */
export interface GraphNode {
  event: SessionEvent
  parent: EventId | null
  link: ParentLink
  /** In file order. */
  children: EventId[]
}

/** One API message: all events with its id (and request id), its blocks in file order. */
export interface ApiMessage {
  id: string
  requestId?: string
  model?: string
  stopReason?: string
  events: EventId[]
  blocks: Block[]
  /** Field by field the largest value over the message's events. */
  usage?: Usage
  costUSD?: number
  durationMs?: number
  thread: ThreadId
}

/**
 * How a tool call ended. `missing`: the log has no result, or no end of what it started in the background; `running` instead of
 * that only while the session is live.
 */
export type CallStatus = 'done' | 'failed' | 'interrupted' | 'missing' | 'running'

/** The file that a call names, and what its tool does to it when it works. */
export interface CallFile {
  /** Absolute and in one spelling, where the log says enough for that; else as written. */
  path: string
  /** `write`: as a whole. `other`: the tool searches there, or its name does not say what it does. */
  touch: 'read' | 'write' | 'edit' | 'other'
}

/** A request and its outcome. */
export interface ToolCall {
  id: CallId
  name: string
  input: unknown
  outcome: CallStatus
  /** Absent where the request names no path. */
  file?: CallFile
  thread: ThreadId
  requestEvent: EventId
  resultEvent?: EventId
  /** The block of `resultEvent` that answers it. */
  result?: ToolResultBlock
  /** From its request to its result; of what ran on in the background, to the report of its end. */
  durationMs?: number
  pairing: 'id' | 'inferred'
  /** Id of the API message that asked; calls that share it ran in parallel. */
  messageId?: string
  /** Progress and hook events about this call, in file order. */
  progress: EventId[]
  /** Real path of the file with the whole output, where one was found; else the path that the log names. */
  spillFile?: string
  /** The thread it started. */
  subagent?: ThreadId
  /** The notification that ended it, when it ran in the background. */
  notification?: EventId
  /** True when request or result is softly deleted. */
  isRemoved?: boolean
}

/** Tools that start a subagent. */
export const delegatingTools: ReadonlySet<string> = new Set(['Task', 'Agent'])

/** How the link from a subagent to its call was found, the surest first. */
export type SubagentLink = 'meta' | 'result' | 'progress' | 'queue' | 'parent' | 'prompt' | 'place'

/** What one agent did, in order. */
export interface Thread {
  id: ThreadId
  kind: 'main' | 'subagent'
  agentType?: string
  description?: string
  parentThread?: ThreadId
  /** The call that started it; absent on the main thread and where none was found. */
  call?: CallId
  /** What it follows on its parent's thread, where it began in that thread's file without a call. */
  startEvent?: EventId
  linkedBy?: SubagentLink
  /** Ran in the background: its call's result only says that it started. */
  async?: boolean
  /** Of the client's own making (prompt suggestion, compaction, side question, warm-up): replays its parent's messages. */
  isInternal?: boolean
  /** In file order. */
  events: EventId[]
}

/** From a prompt to the next one on the same thread. */
export interface Turn {
  index: number
  prompt: EventId
  thread: ThreadId
  startedAt: Instant
  /** Null also where a fork wrote its own time over that of the turn's last message. */
  endedAt: Instant
  /** As the client measured it (`turn_duration`), else from first to last event. */
  durationMs?: number
  events: EventId[]
  toolCalls: CallId[]
}

/** One root-to-leaf path of the main thread. */
export interface Branch {
  leaf: EventId
  isActive: boolean
  title?: string
  /** The node from which it parts from the active branch. */
  forkedAt?: EventId
  eventCount: number
}

/** Where history was summarised, in whatever vocabulary. */
export interface Compaction {
  /** The border: boundary, `conversation_compacted`, or first `compact_prelude`. */
  event: EventId
  thread: ThreadId
  at: Instant
  trigger?: string
  preTokens?: number
  postTokens?: number
  summaryEvent?: EventId
  preservedEvents?: EventId[]
  preservedMessages?: number
  totalMessages?: number
}

/** What compactions divide a thread into. */
export interface ContextWindow {
  thread: ThreadId
  index: number
  /** The compaction it begins with; absent on the first. */
  compaction?: EventId
  events: EventId[]
}

/** What a session begins with that another session had before it. */
export interface CopiedPart {
  /** The session that it was taken from; of a copy of a copy, the nearest. */
  from: SessionId
  /** The latest time of a copied record, as it is in this session; null where none has one. Its own records are later. */
  until: Instant
  /** The last copied event of its main files. */
  last: EventId
  /** True where the logs do not show which of the two had it first. */
  isInferred?: true
}

/** A link from this session to another. */
export interface LineageLink {
  relation: 'resumed-from' | 'forked-from' | 'continued-in' | 'copied-from'
  session: SessionId
  /** What shows it, in a few words. */
  how: string
}

/** Where a title comes from, the first that exists. */
export type TitleSource = 'custom' | 'ai' | 'agent-name' | 'last-prompt' | 'summary' | 'first-prompt' | 'id'

/** Last-wins state, compared by value: Claude Code writes it again and again. */
export interface SessionState {
  customTitle?: string
  aiTitle?: string
  agentName?: string
  lastPrompt?: string
  /** `last-prompt.leafUuid`, the last one written. */
  lastLeaf?: string
  tag?: string
  /** All others: wire type → the last record's fields. */
  other: Map<string, Record<string, unknown>>
}

/** A title that names a branch by its leaf; the leaf may lie in another file. */
export interface BranchSummary {
  leaf: EventId
  title: string
}

/** A session with everything that is known about its shape. */
export interface SessionGraph {
  session: SessionId
  /** All events of all files: main files in reading order, then agent files. */
  events: readonly SessionEvent[]
  nodes: ReadonlyMap<EventId, GraphNode>
  roots: EventId[]
  messages: ApiMessage[]
  toolCalls: ToolCall[]
  threads: Thread[]
  turns: Turn[]
  branches: Branch[]
  /**
   * The end of the active branch and every node above it, the end first; empty where nothing was said. What Claude Code would
   * send on resume is another question with rules of its own: see `buildContext`.
   */
  activePath: ReadonlySet<EventId>
  /** Events that are on an abandoned branch only, with the leaf of that branch. */
  abandoned: ReadonlyMap<EventId, EventId>
  compactions: Compaction[]
  windows: ContextWindow[]
  summaries: BranchSummary[]
  state: SessionState
  findings: Finding[]
}

/** One file's events as the graph gets them. */
export interface GraphFile {
  path: string
  role: FileRole
  events: readonly SessionEvent[]
  agent?: string
  meta?: AgentMeta
}

/** Small facts of one session, enough to link sessions to each other without holding their events. */
export interface SessionDigest {
  session: SessionId
  startedAt: Instant
  /** The latest time of those records; null where none has one. */
  endedAt: Instant
  /** Record uuids in file order. */
  uuids: readonly string[]
  /** What each of those records says: see `contentDigest`. */
  contents: readonly number[]
  /** When each of them was written. */
  times: readonly Instant[]
  /** The place of each among the events of its session's main files, records without a uuid included. */
  places: readonly number[]
  /** The API message that each is part of; null where it is of none. */
  messages: readonly (string | null)[]
  /** The session that each says it was copied from (`forkedFrom`). */
  forks: readonly (string | null)[]
  /** The id of another session that each carries as its own. */
  carries: readonly (string | null)[]
  /** The event that each is. */
  events: readonly EventId[]
  /** Last change of its files, in milliseconds since 1970; absent where that is not known. */
  changedMs?: number
  messageIds: readonly string[]
  /** Session ids that its records carry besides its own. */
  otherSessions: readonly string[]
  /** `forkedFrom.sessionId`, `continuedInSessionId`, `parentSessionId`, as stated. */
  forkedFrom: readonly string[]
  continuedIn: readonly string[]
  /** Parents that are named but not in its files. */
  missingParents: readonly string[]
  summaries: readonly BranchSummary[]
}

/** `clew context SESSION --json`: what Claude Code would send if it resumed this session now. */
export interface Context {
  session: string
  /** The client version whose behaviour this follows. */
  reference: string
  resumable: boolean
  /** Why not, when `resumable` is false. */
  reason?: string
  /** Why what is sent may differ from this: what no log can know. Absent where nothing is known to differ. */
  partial?: string[]
  leaf: string | null
  messages: ContextMessage[]
}

/** One message as it would be sent. */
export interface ContextMessage {
  /** `system`: reminders and notifications that follow what the user says. */
  role: 'user' | 'assistant' | 'system'
  messageId?: string
  events: string[]
  blocks: Block[]
  /** True where the client itself puts it in, such as a placeholder for a missing result. */
  synthetic?: boolean
  tokens?: number
}

/** Whether an event, turn or call is of the main thread, not of a subagent's. */
export function isMain({ thread }: { thread: ThreadId }, { session }: Pick<SessionGraph, 'session'>): boolean {
  return (thread as string) === session
}
