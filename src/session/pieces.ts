// Single records out of the middle of a log: each decoded from its own bytes, without what stands before it. What a record
// says is the same as in a whole reading; what it is to the records around it is not known here.

import { RecordDecoder } from '../decode/decode.ts'
import type { SessionEvent } from '../model/event.ts'
import type { SessionId } from '../model/ids.ts'
import type { LogFile } from '../model/source.ts'
import { eventDecoder } from './load.ts'

/** Where a record lies, as its event says. */
export interface Piece {
  offset: number
  bytes: number
  line: number
}

/** Weak lines are read as the client's: logs of other dialects are to be read whole. */
const dialects = { client: 1, s0: 0, s3: 0 }

/** `bytes`: those of the record, and no others. `data`: keep base64 data of media. Null where they are no record. */
export function decodePiece(
  file: LogFile,
  session: SessionId,
  piece: Piece,
  bytes: Uint8Array,
  options: { data?: boolean } = {},
): SessionEvent | null {
  const records = new RecordDecoder(file.path, { place: { offset: piece.offset, number: piece.line }, dialects })
  const decoder = eventDecoder(file, { session, ...options })
  const [record] = [...records.push(bytes), ...records.end()]
  return record === undefined ? null : decoder.decode(record)
}
