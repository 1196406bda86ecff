// The text of one place, read back from the log: its bytes by range, decoded again. Nothing else of the log is read.

import { textHash } from '../../base/text-hash.ts'
import { RecordDecoder } from '../../decode/decode.ts'
import type { SessionEvent } from '../../model/event.ts'
import { sessionId } from '../../model/ids.ts'
import type { ByteSource, FileRole, GenerationId } from '../../model/source.ts'
import { indexedTexts, textFields } from '../../session/indexed-texts.ts'
import { eventDecoder } from '../../session/load.ts'
import { numberToDialect } from '../ingest/rows.ts'
import type { Database } from '../store/port.ts'
import type { Facts, FileFacts } from './facts.ts'
import type { Place } from './places.ts'

export interface PlaceRow {
  offset: number
  bytes: number
  line: number
  /** Null where the event's id is made of its place. */
  uuid: string | null
}

export function rowOf(db: Database, event: number): PlaceRow | null {
  const row = db.prepare('SELECT offset, bytes, line, uuid FROM event WHERE id = ?').get([event])
  if (row === undefined) return null
  const [offset, bytes, line, uuid] = row
  return {
    offset: Number(offset),
    bytes: Number(bytes),
    line: Number(line),
    uuid: typeof uuid === 'string' ? uuid : null,
  }
}

/** Null where it cannot be read any more. */
export function readText(place: Place, row: PlaceRow, facts: Facts, source: ByteSource): string | null {
  const file = facts.fileOf(place.event)
  if (file === null) return null
  // The file itself is at hand at once; the archive has to be opened first.
  const live = file.standing === 0 ? textFrom(`live:${file.path}`, file, place, row, facts, source) : null
  if (live !== null && (file.generation.startsWith('live:') || isText(live, place, facts.db))) return live
  return file.generation.startsWith('live:') ? null : textFrom(file.generation, file, place, row, facts, source)
}

/** Whether it is the text that was indexed: the file may be another one by now. */
function isText(text: string, { text: id }: Place, db: Database): boolean {
  const hash = db.prepare('SELECT hash FROM text WHERE id = ?').get([id])?.[0]
  return hash === textHash(text, 0)
}

function textFrom(
  generation: string,
  file: FileFacts,
  place: Place,
  row: PlaceRow,
  facts: Facts,
  source: ByteSource,
): string | null {
  const event = readEvent({ ...file, generation }, row, facts.originOf(place.origin)?.dialect ?? 0, source)
  if (event === null) return null
  const texts = indexedTexts(event)
  const field = textFields[place.field]
  const expected = texts[place.n]
  // One record alone may be read a little otherwise than among its neighbours: as another kind of text, at another place.
  const text = expected?.field === field ? expected : (texts.find(other => other.field === field) ?? expected)
  return text?.text ?? null
}

function readEvent(file: FileFacts, row: PlaceRow, dialect: number, source: ByteSource): SessionEvent | null {
  const bytes = readBytes(file, row, source)
  if (bytes === null || bytes.length < row.bytes) return null
  // What a line without marks is written in depends on the lines before it; the index knows how that came out.
  const dialects = { client: 0, s0: 0, s3: 0 }
  const name = numberToDialect(dialect)
  if (name === 'client' || name === 's0' || name === 's3') dialects[name] = 1
  const records = new RecordDecoder(file.path, { place: { offset: row.offset, number: row.line }, dialects })
  const log = {
    role: file.role as FileRole,
    ...(file.nameSession !== null && { nameSession: sessionId(file.nameSession) }),
    ...(file.agent !== null && { nameAgent: file.agent }),
  }
  const events = eventDecoder(log, file.session === null ? {} : { session: file.session })
  for (const record of [...records.push(bytes), ...records.end()]) {
    const event = events.decode(record)
    if (event !== null) return event
  }
  return null
}

function readBytes({ generation }: FileFacts, { offset, bytes }: PlaceRow, source: ByteSource): Uint8Array | null {
  try {
    return source.readSync(askedFor(generation), offset, offset + bytes)
  } catch {
    return null
  }
}

/** A live file is known by its path: which one lies there now does not matter, since its rows are made anew when it changes. */
function askedFor(generation: string): GenerationId {
  return generation.replace(/^live:/, 'disk::') as GenerationId
}
