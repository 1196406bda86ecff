// The public library, and the only barrel file: what other programs may use.

export { capture } from './archive/capture/capture.ts'
export { archiveSource } from './archive/read/source.ts'
export { archiveTree } from './archive/read/tree.ts'
export { Archive } from './archive/store/archive.ts'
export type { Instant } from './base/instant.ts'
export { Checker } from './check/check.ts'
export { decodeText, EventDecoder, type EventOptions, RecordDecoder } from './decode/decode.ts'
export { discover } from './disk/discover/discover.ts'
export { claudeHomes } from './disk/discover/homes.ts'
export { diskTree, type FileTree } from './disk/discover/tree.ts'
export { diskSource, ReadError, streamFile, streamSource } from './disk/read/read.ts'
export {
  buildContext,
  buildGraph,
  contextOfEvents,
  digestSession,
  linkSessions,
  sessionDetail,
  summariesBySession,
} from './graph/graph.ts'
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
export type { CheckCounts, CheckReport } from './schema/contract-shapes.ts'
export { jsonSchema, schema, schemaNames } from './schema/schema.ts'
export { loadSession, readEvents, readRecords, recordBatches, toEventLine, toRecordLine } from './session/load.ts'
