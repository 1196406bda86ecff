// Where bytes come from, and which files a session has. `disk` and `archive` implement these interfaces; everything that needs
// bytes gets them as an argument.

import type { Brand } from '../base/brand.ts'
import type { Instant } from '../base/instant.ts'
import type { Finding } from './finding.ts'
import type { SessionId } from './ids.ts'

/** One continuous life of a file's content: appends extend it; a shrink, rewrite or replacement starts the next. */
export type GenerationId = Brand<string, 'GenerationId'>

/** Answers "bytes a to b of generation g", in chunks of any size: what loading a session needs. */
export interface ChunkSource {
  /** A range is shorter where the file ends before it does; `Infinity` means to the end. */
  read(generation: GenerationId, from: number, to: number): AsyncIterable<Uint8Array>
}

/** Also answers at once, which finding and listing sessions need: they look at the ends of very many files. */
export interface ByteSource extends ChunkSource {
  /** The same range at once, for short ones. Throws where the iteration would. */
  readSync(generation: GenerationId, from: number, to: number): Uint8Array
  /** For several short ranges of one generation; absent where that saves nothing over `readSync`. */
  openSync?(generation: GenerationId): RangeReader
}

/** Short ranges of one generation, whose file stays open. */
export interface RangeReader {
  /** Reads the bytes from `from` on into `into` and returns how many: fewer than fit where the file ends. */
  read(into: Uint8Array, from: number): number
  close(): void
}

/** What a file of a Claude home is for. */
export type FileRole = 'session' | 'agent' | 'journal' | 'history'

/** A `.jsonl` file, found but not read. */
export interface LogFile {
  /** Path for people and for `source.file`; not an identity. */
  path: string
  role: FileRole
  generation: GenerationId
  size: number
  /** Last change, milliseconds since 1970. */
  modifiedMs: number
  /** Its bytes are only in the archive: the file is no longer on disk. */
  isArchiveOnly?: true
  /** How many contents it had before this one, where the archive knows of any: it was not only appended to. */
  earlier?: number
  /** The session that folder or file name suggests; the content may say otherwise. */
  nameSession?: SessionId
  /** The part after `agent-` in the name of an agent file. */
  nameAgent?: string
  /** Content of the `.meta.json` next to an agent file. */
  meta?: AgentMeta
}

/** `.meta.json`: the one sure link from a subagent to the call that started it. */
export interface AgentMeta {
  agentType?: string
  description?: string
  toolUseId?: string
  parentAgentId?: string
  spawnDepth?: number
  model?: string
}

/** A file next to the log that belongs to a session but has no records. */
export interface SideFile {
  path: string
  kind: 'tool-result' | 'todo' | 'task' | 'file-history' | 'plan' | 'title' | 'workflow' | 'other'
  generation: GenerationId
  size: number
  modifiedMs: number
  /** Its bytes are only in the archive: the file is no longer on disk. */
  isArchiveOnly?: true
  /** Content of an `archived.json`. */
  claudeArchived?: ClaudeArchived
}

/** Folders of `<session>/`, what Claude Code stores for one session, and what the files in them are. */
export const artifactFolders: ReadonlyMap<string, SideFile['kind']> = new Map([
  ['subagents', 'other'],
  ['tool-results', 'tool-result'],
  ['workflows', 'workflow'],
])

/** Files of `<session>/`, next to those folders. */
export const artifactFiles: ReadonlySet<string> = new Set([
  'custom-title.json',
  'archived.json',
  'resume-head.jsonl',
  'sent-prefix.json',
])

/**
 * `archived.json` next to a log: whether the agent SDK archived the session. Clew calls that "set aside", since "archived"
 * means that there are copies in Clew's archive.
 */
export interface ClaudeArchived {
  archived: boolean
  at: string
  by?: string
}

/** Everything that belongs to one session. */
export interface SessionFiles {
  id: SessionId
  /** Name of the project folder, verbatim: it is lossy and never decoded. Empty for a file outside a home. */
  slug: string
  /** Main files first, in reading order, then agent files and journals. */
  logs: LogFile[]
  side: SideFile[]
}

/** What was found under one root. */
export interface Discovery {
  /** The root as given. */
  root: string
  sessions: SessionFiles[]
  /** Prompt histories (`history.jsonl`). */
  histories: LogFile[]
  /** Agent files whose session is not known. */
  strays: LogFile[]
  /** Folders and files that could not be read. */
  findings: Finding[]
}

/** Whether any of its main files is there; of a session without one, any file. */
export function isOnDisk({ logs, side }: SessionFiles): boolean {
  const mains = logs.filter(log => log.role === 'session')
  const counting = [mains, logs, side].find(files => files.length > 0) ?? []
  return counting.some(file => file.isArchiveOnly !== true)
}

/** The log that speaks for the session: its first main file, else any. */
export function mainLogs(session: SessionFiles): LogFile[] {
  const mains = session.logs.filter(log => log.role === 'session')
  return mains.length > 0 ? mains : session.logs.slice(0, 1)
}

/** When a session was set aside, and by what. */
export interface SetAside {
  at: string
  by?: string
}

/** Undefined where the session is not set aside. `promptedAt`: a later prompt takes it back, as in Claude Code. */
export function setAsideOf({ side }: SessionFiles, promptedAt: Instant): SetAside | undefined {
  const states = side.flatMap(({ claudeArchived }) => claudeArchived ?? [])
  const last = states.reduce<ClaudeArchived | undefined>((a, b) => (a === undefined || b.at > a.at ? b : a), undefined)
  if (!last?.archived || (promptedAt !== null && promptedAt > last.at)) return undefined
  return last.by === undefined ? { at: last.at } : { at: last.at, by: last.by }
}

/** When a file of the session last changed, in milliseconds since 1970; 0 where it has none. */
export function lastChange(session: SessionFiles): number {
  return mainLogs(session).reduce((last, log) => Math.max(last, log.modifiedMs), 0)
}

/** How many bytes its logs have together. */
export function bytesOf(session: SessionFiles): number {
  return session.logs.reduce((sum, log) => sum + log.size, 0)
}

/** A session that changed within this time is taken to be in use. */
export const liveWithinMs = 5 * 60 * 1000
/** A file that is so much younger than its last record was copied, not written. */
const copiedAfterMs = 24 * 60 * 60 * 1000

/** Whether a log is in use now, as its last change shows; `endedAt`: the time of its last record. An empty one is not yet. */
export function isInUse(log: Pick<LogFile, 'size' | 'modifiedMs'>, endedAt: Instant, now: number): boolean {
  const { size, modifiedMs } = log
  if (size === 0 || now - modifiedMs >= liveWithinMs) return false
  return endedAt === null || modifiedMs - Date.parse(endedAt) < copiedAfterMs
}

/**
 * Whether a session is being written now: its main log is there, and that or the log of a subagent, for which it may wait
 * long, is in use.
 */
export function isBeingWritten({ logs }: Pick<SessionFiles, 'logs'>, endedAt: Instant, now: number): boolean {
  const there = logs.filter(log => log.isArchiveOnly !== true)
  return there.some(log => log.role === 'session') && there.some(log => isInUse(log, endedAt, now))
}
