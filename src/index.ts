// The public library, and the only barrel file: what other programs may use.

export type { ArchiveRun, RestoreReport } from './answers/care/archive.ts'
export type { PrintedForgetting } from './answers/care/forget.ts'
export type { ShownDetail } from './answers/session/detail.ts'
export type { PrintedGrep } from './answers/texts/grep-printed.ts'
export type { PrintedSearch } from './answers/texts/search.ts'
export type { PrintedUsage } from './answers/usage/report.ts'
export { type CaptureOptions, type CaptureReport, capture } from './archive/capture/capture.ts'
export { archiveSource } from './archive/read/source.ts'
export { type ArchiveTreeOptions, archiveTree } from './archive/read/tree.ts'
export { Archive, type ArchiveOptions } from './archive/store/archive.ts'
export type { Instant } from './base/instant.ts'
export { Checker } from './check/check.ts'
export { type FindingGroup, groupFindings } from './check/groups.ts'
export { decodeText, EventDecoder, type EventOptions, RecordDecoder } from './decode/decode.ts'
export { discover } from './disk/discover/discover.ts'
export { claudeHomes, type HomeOptions } from './disk/discover/homes.ts'
export { diskTree, type FileTree } from './disk/discover/tree.ts'
export { diskSource, ReadError, streamFile, streamSource } from './disk/read/read.ts'
export {
  buildContext,
  buildGraph,
  contextOfEvents,
  digestSession,
  linkSessions,
  summariesBySession,
} from './graph/graph.ts'
export {
  check,
  getSession,
  getSessionInfo,
  getSessionMessages,
  listSessions,
  search,
  usage,
} from './library/library.ts'
export type { SessionMessage } from './library/messages.ts'
export { type Checked, type Clew, open } from './library/open.ts'
export type {
  CheckOptions,
  ClewOptions,
  ConvertOptions,
  DocumentOptions,
  ForgetOptions,
  ForkOptions,
  GetSessionMessagesOptions,
  GetSessionOptions,
  GrepFilter,
  HistoryFilter,
  ListFilter,
  ListSessionsOptions,
  OpenOptions,
  PageOptions,
  RepairOptions,
  RestoreOptions,
  SearchFilter,
  SearchTextOptions,
  TrimOptions,
  UsageFilter,
  UsageOptions,
  UsageReportName,
} from './library/options.ts'
export { detailFields, type EventDetail } from './model/detail.ts'
export {
  type Actor,
  type Block,
  blocksText,
  type EventKind,
  type EventLine,
  type EventOf,
  type EventSource,
  eventFlags,
  eventKinds,
  type Flag,
  hasFlag,
  isErrorResult,
  type MediaBlock,
  type MessageFacts,
  type OtherBlock,
  type SessionEvent,
  type TextBlock,
  type ThinkingBlock,
  type ToolCallBlock,
  type ToolResultBlock,
  type Usage,
} from './model/event.ts'
export { type Finding, type Profile, profiles, type Severity, severities } from './model/finding.ts'
export {
  type CallId,
  callId,
  type EventId,
  eventId,
  type SessionId,
  sessionId,
  type ThreadId,
  threadId,
} from './model/ids.ts'
export {
  type Dialect,
  hasMark,
  type LogRecord,
  type RecordLine,
  type RecordMark,
  type RecordStatus,
} from './model/record.ts'
export type {
  ApiMessage,
  Branch,
  BranchSummary,
  CallStatus,
  Compaction,
  Context,
  ContextMessage,
  ContextWindow,
  GraphFile,
  GraphNode,
  LineageLink,
  ParentLink,
  SessionDigest,
  SessionGraph,
  SessionState,
  SubagentLink,
  Thread,
  TitleSource,
  ToolCall,
  Turn,
} from './model/session.ts'
export { isMain } from './model/session.ts'
export {
  type AgentMeta,
  type ByteSource,
  bytesOf,
  type ChunkSource,
  type ClaudeArchived,
  type Discovery,
  type FileRole,
  type GenerationId,
  isOnDisk,
  type LogFile,
  lastChange,
  type RangeReader,
  type SessionFiles,
  type SetAside,
  type SideFile,
} from './model/source.ts'
export type { CheckCounts, CheckReport, SessionDetail, SessionRow } from './schema/contract-shapes.ts'
export { jsonSchema, schema, schemaNames } from './schema/schema.ts'
export { type DetailExtra, sessionDetail } from './session/detail.ts'
export { graphCells } from './session/graph-usage.ts'
export {
  type LoadOptions,
  loadSession,
  type RecordVisitor,
  readEvents,
  readRecords,
  recordBatches,
  toEventLine,
  toRecordLine,
} from './session/load.ts'
export { type MakeUp, makeUpOf } from './session/make-up.ts'
export { bundledPrices } from './usage/prices.ts'
export { type ReportOptions, reportUsage, type UsageReport } from './usage/report.ts'
export { type ViewOptions, viewSession } from './view/thread.ts'
export type { ViewItem } from './view/view.ts'
export { convertedSession as convert } from './write/edit/converted.ts'
export { type Fork, forkSession } from './write/edit/fork.ts'
export { type RepairedLog, repairLog } from './write/edit/repair.ts'
export { type EditOptions, type ReadSession, readSession } from './write/edit/session.ts'
export { type Trim, trimSession } from './write/edit/trim.ts'
