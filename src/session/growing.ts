// One log that is held in memory while it grows: only bytes that are new are decoded. It reads no file, and does not know
// when there is more.

import { newline } from '../base/bytes.ts'
import { type EventDecoder, RecordDecoder } from '../decode/decode.ts'
import type { SessionEvent } from '../model/event.ts'
import type { SessionId } from '../model/ids.ts'
import type { LogRecord } from '../model/record.ts'
import type { LogFile } from '../model/source.ts'
import { eventDecoder } from './load.ts'

/** Where reading goes on in a log whose beginning is known from elsewhere. */
export interface GrowingStart {
  /** First byte of a line, and the line's number. */
  offset: number
  line: number
  /** Whole lines right before it, from which a decoder of events learns what it needs to know. */
  before: Uint8Array
}

/** Make one per file and push all of its bytes, in order and in chunks of any size. */
export class GrowingLog {
  private readonly file: LogFile
  private readonly session: SessionId
  private readonly records: RecordDecoder
  private readonly decoder: EventDecoder
  private readonly done: SessionEvent[] = []
  /** The bytes of a last line that has not ended yet. */
  private unfinished: Uint8Array[] = []
  private size = 0

  /** `start`: of a log of the client's; others are to be read from their beginning. */
  constructor(file: LogFile, session: SessionId, start?: GrowingStart) {
    this.file = file
    this.session = session
    this.decoder = eventDecoder(file, { session })
    if (start === undefined) {
      this.records = new RecordDecoder(file.path)
      return
    }
    const learning = new RecordDecoder(file.path)
    for (const record of learning.push(start.before)) this.decoder.decode(record)
    const place = { offset: start.offset, number: start.line }
    this.records = new RecordDecoder(file.path, { place, dialects: { client: 1, s0: 0, s3: 0 } })
    this.size = start.offset
  }

  /** Up to where the file is known. */
  get bytes(): number {
    return this.size
  }

  /** Chunks are not changed afterwards by whoever pushes them. */
  push(chunk: Uint8Array): void {
    this.size += chunk.length
    for (const record of this.records.push(chunk)) add(this.done, this.decoder, record)
    const end = chunk.lastIndexOf(newline)
    if (end >= 0) this.unfinished = []
    if (end + 1 < chunk.length) this.unfinished.push(chunk.slice(end + 1))
  }

  /** All events so far, as reading the whole file at this length gives them. */
  events(): readonly SessionEvent[] {
    if (this.unfinished.length === 0) return this.done
    // What the line will be is not known: it is decoded aside, and again when there is more of it.
    const events = [...this.done]
    const records = new RecordDecoder(this.file.path, this.records.save())
    const decoder = eventDecoder(this.file, { session: this.session }, this.decoder.save())
    for (const chunk of this.unfinished) for (const record of records.push(chunk)) add(events, decoder, record)
    for (const record of records.end()) add(events, decoder, record)
    return events
  }
}

function add(events: SessionEvent[], decoder: EventDecoder, record: LogRecord): void {
  const event = decoder.decode(record)
  if (event !== null) events.push(event)
}
