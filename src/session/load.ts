// Source → session: decode and graph over a source of bytes. It knows nothing of folders or terminals; bytes are handed in.

import { EventDecoder, type EventOptions, type EventState, eventOptions, RecordDecoder } from '../decode/decode.ts'
import { buildGraph } from '../graph/graph.ts'
import type { EventLine, SessionEvent } from '../model/event.ts'
import type { LogRecord, RecordLine } from '../model/record.ts'
import type { GraphFile, SessionGraph } from '../model/session.ts'
import type { ChunkSource, LogFile, SessionFiles } from '../model/source.ts'

/** All records of a file, in order, while it is read. */
export async function* readRecords(source: ChunkSource, file: LogFile): AsyncGenerator<LogRecord> {
  for await (const batch of recordBatches(source, file)) yield* batch
}

/** All events of a file, in order, while it is read. `session`: the session that the file belongs to. */
export async function* readEvents(
  source: ChunkSource,
  file: LogFile,
  options: EventOptions = {},
): AsyncGenerator<SessionEvent> {
  const decoder = eventDecoder(file, options)
  for await (const batch of recordBatches(source, file)) {
    for (const record of batch) {
      const event = decoder.decode(record)
      if (event) yield event
    }
  }
}

/** The records of one chunk at a time: what streaming a large file costs least. */
export async function* recordBatches(source: ChunkSource, file: LogFile): AsyncGenerator<LogRecord[]> {
  const decoder = new RecordDecoder(file.path)
  for await (const chunk of source.read(file.generation, 0, Number.POSITIVE_INFINITY)) {
    const records = decoder.push(chunk)
    if (records.length > 0) yield records
  }
  const rest = decoder.end()
  if (rest.length > 0) yield rest
}

/** A decoder that knows what the file's name and place say about its session and agent. */
export function eventDecoder(
  file: Pick<LogFile, 'role' | 'nameSession' | 'nameAgent'>,
  options: EventOptions = {},
  state?: EventState,
): EventDecoder {
  return new EventDecoder(eventOptions(file, options), state)
}

/** Sees each record of a session while it is loaded, with the event that was made of it. */
export type RecordVisitor = (file: LogFile, record: LogRecord, event: SessionEvent | null) => void

/** Reads all files of a session and builds its graph. A read error is thrown by the source and passes through. */
export async function loadSession(
  source: ChunkSource,
  files: SessionFiles,
  options: Pick<EventOptions, 'data'> = {},
  visit: RecordVisitor = () => {},
): Promise<SessionGraph> {
  const graphFiles: GraphFile[] = []
  for (const file of files.logs) {
    const events: SessionEvent[] = []
    const decoder = eventDecoder(file, { ...options, session: files.id })
    for await (const batch of recordBatches(source, file)) {
      for (const record of batch) {
        const event = decoder.decode(record)
        visit(file, record, event)
        if (event) events.push(event)
      }
    }
    graphFiles.push(graphFile(file, events))
  }
  return buildGraph(files.id, graphFiles, files.side)
}

/** A log's events with what its name and place tell. */
export function graphFile(file: LogFile, events: readonly SessionEvent[]): GraphFile {
  const found: GraphFile = { path: file.path, role: file.role, events }
  if (file.nameAgent !== undefined) found.agent = file.nameAgent
  if (file.meta !== undefined) found.meta = file.meta
  return found
}

/** The part of a record that is printed. */
export function toRecordLine(record: LogRecord): RecordLine {
  const { value: _value, marks: _marks, ...line } = record
  return line
}

/** The part of an event that is printed. */
export function toEventLine(event: SessionEvent): EventLine {
  const { record: _record, ...line } = event
  return line
}
