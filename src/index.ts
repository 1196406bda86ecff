// The public library, and the only barrel file: what other programs may use.

export { Checker } from './analyze/check/check.ts'
export { Archive } from './archive/archive.ts'
export { keep } from './archive/keep.ts'
export { archiveSource } from './archive/source.ts'
export { keptTree } from './archive/tree.ts'
export type { Instant } from './base/instant.ts'
export { decodeText, EventDecoder, type EventOptions, RecordDecoder } from './decode/decode.ts'
export { discover } from './disk/discover.ts'
export { claudeHomes } from './disk/homes.ts'
export { diskSource, ReadError } from './disk/read.ts'
export { streamFile, streamSource } from './disk/stdin.ts'
export { diskTree, type FileTree } from './disk/tree.ts'
export {
  buildContext,
  buildGraph,
  contextOfEvents,
  digestSession,
  linkSessions,
  sessionDetail,
  summariesBySession,
} from './graph/graph.ts'
export { loadSession, readEvents, readRecords, recordBatches, toEventLine, toRecordLine } from './load/load.ts'
export type { CheckCounts, CheckReport } from './model/check.ts'
export type * from './model/event.ts'
export { type Finding, type Profile, profiles, type Severity } from './model/finding.ts'
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
export type * from './model/record.ts'
export type * from './model/session.ts'
export type * from './model/source.ts'
export { jsonSchema, schema, schemaNames } from './schema/schema.ts'
