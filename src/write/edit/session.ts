// A session as it was read, record by record, and as it is to be written: what every edit takes and gives. It opens no file;
// bytes come from the source that is handed in.

import type { SessionEvent } from '../../model/event.ts'
import type { LogRecord } from '../../model/record.ts'
import type { SessionGraph } from '../../model/session.ts'
import type { ChunkSource, LogFile, SessionFiles } from '../../model/source.ts'
import { loadSession } from '../../session/load.ts'

/** A record with the event that was made of it. */
export interface ReadRecord {
  record: LogRecord
  event: SessionEvent | null
}

/** All records of one file, in order. */
export interface ReadLog {
  file: LogFile
  records: ReadRecord[]
}

/** A session with all its records, as edits take it. */
export interface ReadSession {
  files: SessionFiles
  graph: SessionGraph
  logs: ReadLog[]
}

/** What makes ids and times of a session that is written. */
export interface EditOptions {
  /** A new UUID. */
  newId(): string
  /** Milliseconds since 1970. */
  now(): number
}

/** A session as it is to be written. */
export interface EditedSession {
  session: string
  /** What its log and its folder are called; absent: after the session. */
  name?: string
  /** Lines of its log, without line ends. */
  lines: string[]
  /** Files in the folder of its name. */
  files: EditedFile[]
}

export interface EditedFile {
  /** Within the folder of the session: `subagents/agent-a1.jsonl`. */
  path: string
  /** Its lines, or the path of a file to copy. */
  content: { lines: string[] } | { copyOf: string }
}

/** Reads all files of a session, base64 data of media included. */
export async function readSession(source: ChunkSource, files: SessionFiles): Promise<ReadSession> {
  const byFile = new Map<LogFile, ReadLog>()
  for (const file of files.logs) byFile.set(file, { file, records: [] })
  const graph = await loadSession(source, files, { data: true }, (file, record, [event = null]) => {
    byFile.get(file)?.records.push({ record, event })
  })
  return { files, graph, logs: [...byFile.values()] }
}

/** The session's own logs, in reading order. */
export function mainRecords({ logs }: ReadSession): ReadRecord[] {
  return logs.filter(({ file }) => file.role === 'session').flatMap(({ records }) => records)
}
