// Reads a file in pieces of whole lines. What the lines contain is not its concern.

import { newline } from '../base/bytes.ts'
import { largestLine } from '../decode/lines.ts'
import { rangeReader } from '../disk/read/read.ts'
import type { ByteSource, GenerationId } from '../model/source.ts'

/** Whole lines of a file. */
export interface LinePiece {
  bytes: Buffer
  /** From the start of the file. */
  offset: number
}

const usualBytes = 64 * 1024

/** The buffer of the last file that was read, for the next one: a new one for each file keeps the garbage collector busy. */
let spare: Buffer | undefined

interface PieceOptions {
  /** Called with the offset of each line that is left out. */
  onOversized?: (offset: number) => void
  /** For tests. */
  pieceBytes?: number
  longestLine?: number
}

/** All lines of a file but those that are too long to be decoded. The bytes are valid until the next piece is asked for. */
export function* linePieces(
  source: ByteSource,
  generation: GenerationId,
  { pieceBytes = usualBytes, longestLine = largestLine, onOversized }: PieceOptions = {},
): Generator<LinePiece> {
  const reader = rangeReader(source, generation)
  let buffer = spare ?? Buffer.allocUnsafe(pieceBytes)
  spare = undefined
  try {
    let offset = 0
    // Bytes of an unfinished line at the start of the buffer; `isSkipping`: its beginning was dropped.
    let held = 0
    let isSkipping = false
    for (;;) {
      const wanted = Math.max(pieceBytes - held, held)
      if (held + wanted > buffer.length) buffer = Buffer.concat([buffer.subarray(0, held)], held + wanted)
      const read = reader.read(buffer.subarray(held, held + wanted), offset + held)
      const filled = held + read
      const isLast = read < wanted
      const last = buffer.subarray(held, filled).lastIndexOf(newline)
      const end = isLast ? filled : last === -1 ? 0 : held + last + 1
      const first = buffer.subarray(0, filled).indexOf(newline) + 1
      // The first line may have become too long by what was read just now.
      if (end > 0 && !isSkipping && (first === 0 ? filled : first - 1) > longestLine) {
        onOversized?.(offset)
        isSkipping = true
      }
      const start = isSkipping ? first : 0
      if (end > start && !(isSkipping && first === 0))
        yield { bytes: buffer.subarray(start, end), offset: offset + start }
      if (isLast) return
      if (end > 0) isSkipping = false
      held = filled - end
      if (held > longestLine) {
        if (!isSkipping) onOversized?.(offset + end)
        isSkipping = true
        offset += filled
        held = 0
        continue
      }
      buffer.copyWithin(0, end, filled)
      offset += end
    }
  } finally {
    reader.close()
    spare = buffer
  }
}
