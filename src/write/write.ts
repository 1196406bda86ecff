// The entry of writing: sessions that are made, continued, branched, compacted, and what is put into them.

export type { Compaction } from './changes.ts'
export { type CreateOptions, createSession, type OpenOptions, openSession, type WriteOptions } from './open.ts'
export { type SessionOps, sessionOps } from './ops.ts'
export type { Appended, SyncPolicy } from './session-log.ts'
export { type HistoryLine, SessionWriter, type Subagent } from './session-writer.ts'
export { type WireDialect, wireDialects } from './wire/dialects.ts'
export { WriteError, type WriteErrorCode } from './wire/error.ts'
export {
  answer,
  command,
  commandOutput,
  document,
  image,
  meta,
  notice,
  progress,
  prompt,
  queue,
  type ResultFacts,
  type Said,
  snapshot,
  summary,
  tag,
  text,
  thinking,
  title,
  toolCall,
  toolResult,
  turnDuration,
} from './wire/make.ts'
export type { Loss, NewBlock, NewEvent } from './wire/new-event.ts'
