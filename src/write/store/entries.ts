// Entries of a store as lines of a log, and back. Each is one line, as it was given.

import { jsonText } from '../../base/json.ts'
import { RecordDecoder } from '../../decode/decode.ts'
import { DialectReader } from '../../decode/dialect.ts'
import { largestLine } from '../../decode/lines.ts'
import type { LogRecord } from '../../model/record.ts'
import { WriteError } from '../wire/error.ts'
import type { SessionStoreEntry } from './types.ts'

/** An entry that is to be appended. */
export interface EntryLine {
  /** Without its newline. */
  text: string
  /** By which it is known again; absent where the entry has none. */
  uuid?: string
}

/** The entries as they are now: whoever gave them may change them later. */
export function linesOf(entries: readonly SessionStoreEntry[], path: string): EntryLine[] {
  return entries.map(entry => {
    const text = jsonText(entry)
    if (!text.startsWith('{')) throw new WriteError('bad-input', 'An entry is a JSON object.', path)
    // A sign has at most three bytes for each of its code units.
    if (text.length * 3 > largestLine && Buffer.byteLength(text) > largestLine)
      throw new WriteError('too-large', 'An entry has more than 64 MiB, which no reader takes.', path)
    return { text, ...(isUuid(entry.uuid) && { uuid: entry.uuid }) }
  })
}

/** The uuid of a record; null where it has none. */
export function uuidOf({ value }: LogRecord): string | null {
  const uuid = value?.['uuid']
  return isUuid(uuid) ? uuid : null
}

function isUuid(uuid: unknown): uuid is string {
  return typeof uuid === 'string' && uuid !== ''
}

/** The records of a log, piece by piece. A place to continue at is before the first byte of a line. */
export class EntryReader {
  private readonly decoder: RecordDecoder

  constructor(path: string, from = 0) {
    const place = { offset: from, number: 1 }
    this.decoder = new RecordDecoder(path, { place, dialects: new DialectReader(path).save() })
  }

  /** Before the line that has not ended yet. */
  get readTo(): number {
    return this.decoder.save().place.offset
  }

  /** Those whose lines end in this piece. */
  push(bytes: Uint8Array): LogRecord[] {
    return this.decoder.push(bytes).filter(isWhole)
  }

  /** The last one, where the log does not end with a newline. */
  end(): LogRecord[] {
    return this.decoder.end().filter(isWhole)
  }
}

/** A torn line is not an entry: its append failed, and the caller appends it again. */
function isWhole({ value }: LogRecord): boolean {
  return value !== undefined
}
