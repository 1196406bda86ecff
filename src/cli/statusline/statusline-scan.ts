// What the bytes of one log state about usage, from any line on. A line without an end is looked at too, but not passed: it
// may still grow. Joining what is stated is not done here.

import { newline } from '../../base/bytes.ts'
import { EventDecoder } from '../../decode/events.ts'
import { LineSplitter } from '../../decode/lines.ts'
import { RecordDecoder } from '../../decode/records.ts'
import { usageOccurrence } from '../../usage/occurrence.ts'
import { type Take, type UsageLog, UsageScan } from '../../usage/scan/scan.ts'

/** Bytes of a log, as far as they are asked for: tests count them. */
export interface LogBytes {
  /** Puts the bytes from `from` on into `into` and tells how many there were. */
  read(into: Uint8Array, from: number): number
  close(): void
}

/** What a log has got since it was last read; `from`: the beginning of a line. */
export interface LogRange {
  log: UsageLog
  bytes: LogBytes
  from: number
  to: number
}

export interface Scanned {
  /** The beginning of the line that has not ended yet. */
  position: number
  /** False where time was up before the end. */
  isDone: boolean
}

/** Up to so many bytes, preparing to look at many at once costs more than it saves. */
const fewBytes = 256 * 1024
const longChunk = 1024 * 1024

/** Scans any number of logs, one after the other. */
export class LogScanner {
  private readonly take: Take
  private readonly isOver: () => boolean
  private few: UsageScan | undefined
  private many: UsageScan | undefined

  constructor(take: Take, isOver: () => boolean) {
    this.take = take
    this.isOver = isOver
  }

  scan(range: LogRange): Scanned {
    const scan = this.scanFor(range.to - range.from)
    const { place } = scan
    scan.begin(range.log)
    let position = range.from
    // Bytes of a line that has not ended, at the beginning of the place.
    let held = 0
    while (position + held < range.to) {
      if (this.isOver()) return { position, isDone: false }
      const room = Math.min(place.length, range.to - position)
      const filled = held + range.bytes.read(place.subarray(held, room), position + held)
      if (filled === held) break
      const end = place.subarray(0, filled).lastIndexOf(newline) + 1
      if (end > 0 && !scan.scan(0, end, position)) this.decode(range.log, place.slice(0, end), position)
      if (end > 0) place.copyWithin(0, end, filled)
      position += end
      held = filled - end
      if (held < place.length) continue
      const next = this.longLine(range, position)
      if (next === null) return { position, isDone: true }
      position = next
      held = 0
    }
    if (held > 0) this.oneLine(scan, range.log, place.slice(0, held), position)
    return { position, isDone: true }
  }

  /** A line that no place holds; tells where the next one begins, or null where it has not ended. */
  private longLine(range: LogRange, position: number): number | null {
    const lines = new LineSplitter({ offset: position, number: 1 })
    for (let at = position; at < range.to; ) {
      const chunk = new Uint8Array(Math.min(longChunk, range.to - at))
      const read = range.bytes.read(chunk, at)
      if (read === 0) break
      at += read
      for (const line of lines.push(chunk.subarray(0, read))) {
        if (line.bytes !== undefined) this.decode(range.log, line.bytes, position)
        return position + line.length
      }
    }
    for (const line of lines.end()) if (line.bytes !== undefined) this.decode(range.log, line.bytes, position)
    return null
  }

  private oneLine(scan: UsageScan, log: UsageLog, bytes: Uint8Array, offset: number): void {
    if (!scan.scanOdd(bytes, offset)) this.decode(log, bytes, offset)
  }

  /**
   * Where lines depend on those before them, which were read by an earlier call: threads may get other names then, and a
   * bound may be called one that is none. Amounts stay the same.
   */
  private decode(log: UsageLog, bytes: Uint8Array, offset: number): void {
    const records = new RecordDecoder(log.path, { place: { offset, number: 1 }, dialects: { client: 0, s0: 0, s3: 0 } })
    const events = new EventDecoder(log.options)
    for (const record of [...records.push(bytes), ...records.end()]) {
      const event = events.decode(record)
      const occurrence = event === null ? null : usageOccurrence(event, log)
      if (occurrence !== null) this.take(occurrence)
    }
  }

  private scanFor(bytes: number): UsageScan {
    if (bytes > fewBytes) {
      this.many ??= new UsageScan({}, this.take)
      return this.many
    }
    this.few ??= new UsageScan({ placeBytes: fewBytes, usesVectors: false }, this.take)
    return this.few
  }
}
