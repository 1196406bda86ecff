// What a reader of one session needs, from any side: a server that reads bytes by range, or a browser that has the
// whole file. A thread is a list of slots, one for each event that may show something; items are made for the
// slots that are looked at.

import type { Instant } from '../base/instant.ts'
import type { EventKind } from '../model/event.ts'
import type { CallStatus, LineageLink, SubagentLink, TitleSource } from '../model/session.ts'
import type { DiffPart, ViewItem } from './view.ts'

/** What is said of a session above its transcript. */
export interface SessionHead {
  id: string
  title: string
  titleFrom: TitleSource
  /** `cwd`: where the session began. `key`: of its project, in lists; `name`: what that is called. */
  project: { cwd: string | null; slug: string; key: string; name: string }
  gitBranch?: string
  startedAt: Instant
  endedAt: Instant
  isLive: boolean
  models: string[]
  versions: string[]
  /** The main thread first. */
  threads: HeadThread[]
  /** Paths of the main thread; one where the user never went back. */
  branches: { leaf: string; isActive: boolean; title?: string; forkedAt?: string; eventCount: number }[]
  compactions: {
    event: string
    thread: string
    at: Instant
    trigger?: string
    preTokens?: number
    postTokens?: number
  }[]
  lineage: LineageLink[]
  counts: { events: number; prompts: number; calls: number; errors: number; subagents: number }
  /** What is shown besides, and counts for the session that it comes from; absent where there is nothing. */
  inherited?: { turns: number; calls: number }
  /** What it sent itself. */
  usage: HeadUsage
  /** With the history that it has copies of; absent where that is the same. */
  withInherited?: HeadUsage
  onDisk: boolean
  isArchived: boolean
  /** When Claude Code will delete it. */
  deletedOn?: Instant
  /** The command that resumes it; absent where that is not possible, or not here. */
  resume?: string
  /** The context window of its last model, in tokens, where it is known. */
  contextWindow?: number
}

/** Tokens and cost of a session. */
export interface HeadUsage {
  inputTokens: number
  outputTokens: number
  cacheCreationTokens: number
  cacheReadTokens: number
  /** False: the output is a lower bound. */
  isOutputFinal: boolean
  costUSD?: number
  /** Of it, what subagents cost. */
  subagentsUSD?: number
  /** Of it, what Claude Code's own agents cost, each by what it was for. */
  ownAgentsUSD?: { purpose: string; costUSD: number }[]
  unknownModels: string[]
}

export interface HeadThread {
  id: string
  kind: 'main' | 'subagent'
  agentType?: string
  description?: string
  parentThread?: string
  /** The event that started it, on its parent's thread. */
  startEvent?: string
  linkedBy?: SubagentLink
  isInternal?: boolean
  isAsync?: boolean
  startedAt: Instant
  endedAt: Instant
  events: number
  /** Absent while that is not known. */
  calls?: number
  /** Its own, as calls are; absent where nothing failed, or that is not known yet. */
  errors?: number
}

/** One thread from its first to its last event, column by column: a long session has a hundred thousand slots. */
export interface Outline {
  thread: string
  /** Event ids. */
  ids: string[]
  /** Places in `eventKinds`. */
  kinds: number[]
  /** Milliseconds since 1970; null without a time. */
  at: (number | null)[]
  /** The turn that a slot is in; -1 before the first prompt. */
  turns: number[]
  /** What only some slots have, by slot. */
  calls: { [slot: number]: OutlineCall[] }
  /** Tokens in the context when this answer was given, by slot. */
  context: { [slot: number]: number }
  /** Slots that end badly: API errors, failed results. */
  errors: number[]
  /** Slots that are on a path that was left, by slot: the leaf of that path. */
  branches: { [slot: number]: string }
  /** The first line of prompts, by slot. */
  prompts: { [slot: number]: string }
  /** Quiet ones: hooks, notices, snapshots, thinking alone. */
  quiet: number[]
  /** Slots with thinking whose text is not in the log. */
  unlogged: number[]
  /** What a turn took, by the slot that it begins with. Subagents count for the turn that started them. */
  turnFacts: { [slot: number]: TurnFacts }
}

export interface TurnFacts {
  durationMs?: number
  /** Another session sent it. */
  isInherited?: true
  /** Absent where no price is known. */
  costUSD?: number
}

/** Nothing yet. */
export function emptyOutline(thread: string): Outline {
  const columns = { ids: [], kinds: [], at: [], turns: [], errors: [], quiet: [], unlogged: [] }
  return { thread, ...columns, calls: {}, context: {}, branches: {}, prompts: {}, turnFacts: {} }
}

export interface OutlineCall {
  name: string
  status: CallStatus
  durationMs?: number
  /** The thread that it started. */
  thread?: string
  /** Errors in that thread and those below it. */
  errors?: number
  /** A path or command, cut to a line. */
  target?: string
}

/** Items of slots from `from` on, one list for each slot; a slot may show nothing. Nested threads come without items. */
export interface SlotItems {
  thread: string
  from: number
  slots: ViewItem[][]
}

/** A record as it was written. */
export interface RawRecord {
  event: string
  file: string
  line: number
  offset: number
  bytes: number
  /** The line; cut where it is longer than a megabyte. */
  text: string
  isCut: boolean
}

/** What a session did with one file, in order. */
export interface FileTouched {
  path: string
  reads: number
  added: number
  removed: number
  steps: FileStep[]
}

export interface FileStep {
  event: string
  thread: string
  slot: number
  at: Instant
  tool: string
  status: CallStatus
  kind: 'read' | 'write' | 'edit'
  added?: number
  removed?: number
}

/** What fills the context window at a point. */
export interface ContextAt {
  /** The event that it is about; the end of the session where none was named. */
  event: string | null
  /** All that is in the window there: the sum of the parts. */
  tokens: number
  /** Some of it was never counted by the API. */
  isEstimated: boolean
  /** What the API counted last up to there; absent where it counted nothing. */
  counted?: number
  window?: number
  /** The largest first; `kind` as in `analyze/make-up.ts`. */
  parts: { kind: string; tool?: string; tokens: number; blocks: number; isEstimated: boolean }[]
  /** The largest single blocks, each with the event that it is from. */
  largest: ContextBlock[]
}

/** One block in the context: a prompt, an answer, the output of a tool. */
export interface ContextBlock {
  event: string
  kind: string
  tool?: string
  tokens: number
  /** What it is about: a path, a command, its first words. */
  about: string
}

/** Where an event is shown. */
export interface EventPlace {
  thread: string
  slot: number
  /** The event whose item shows it: for a result, that of the request. */
  shownIn: string
  /** Slots around it, each with the call that started the next thread, from the main thread on; empty on the main thread. */
  inside: { thread: string; slot: number }[]
}

/** Slots from the main thread to a place: places compare in reading order by it. */
export function wayTo({ inside, slot }: EventPlace): number[] {
  return [...inside.map(around => around.slot), slot]
}

/** In reading order; what is inside of a call comes after the call. */
export function compareWays(one: readonly number[], other: readonly number[]): number {
  const shared = Math.min(one.length, other.length)
  for (let at = 0; at < shared; at++) {
    const difference = (one[at] as number) - (other[at] as number)
    if (difference !== 0) return difference
  }
  return one.length - other.length
}

/** Something that went wrong: an error of the API, or a call that failed. */
export interface ErrorPlace extends EventPlace {
  event: string
  /** Its position among the errors of its slot. */
  n: number
}

/** A place where a text is in the session. */
export interface FoundPlace extends EventPlace {
  event: string
  kind: EventKind
  snippet: string
  highlights: [from: number, to: number][]
}

/** Answers for one session. What is not available rejects the promise. */
export interface SessionReader {
  head(): Promise<SessionHead>
  /** `thread` absent: the main one. */
  outline(thread?: string): Promise<Outline>
  items(from: number, to: number, thread?: string): Promise<SlotItems>
  /** Where an event is; null where it is not there. */
  placeOf(event: string): Promise<EventPlace | null>
  /** Everything that went wrong, subagents included, in reading order. */
  errors(): Promise<ErrorPlace[]>
  raw(event: string): Promise<RawRecord>
  files(): Promise<FileTouched[]>
  /** All changes to a file as one; null where the log does not contain the file. */
  netDiff(path: string): Promise<DiffPart | null>
  contextAt(event: string | null): Promise<ContextAt>
  /** In reading order, ignoring case. */
  find(text: string): Promise<FoundPlace[]>
  /** The whole session as a file for people. */
  document(format: 'html' | 'md'): Promise<{ name: string; text: string }>
}
