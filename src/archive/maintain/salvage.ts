// What the lines of a damaged segment were about. A line guards itself with a CRC-32, which tells not only that a bit was
// flipped but also which one: so a line can mostly be read as it was written. Nothing is put right on the disk.

import { crc32 } from 'node:zlib'
import { isObject, type JsonObject, parseJson } from '../../base/json.ts'

/** A line of a damaged segment. */
export interface FoundLine {
  /** What it says or, if it is damaged, said; null where that cannot be told. */
  value: JsonObject | null
  isIntact: boolean
  /** Whether the value is what was written: intact, or one flipped bit explains all that is wrong. */
  isSure: boolean
  /** Its bytes, a character each. */
  text: string
}

const checkLength = ',"check":"00000000"}'.length
const checkPattern = /,"check":"[0-9a-f]{8}"\}/g

// CRC-32 as zlib computes it, its lowest bit first.
const polynomial = 0xedb88320

/** The lines of a damaged segment, in their order; intact are those that `readSegment` gives. */
export function findLines(bytes: Buffer): FoundLine[] {
  // A character for each byte, since a flipped bit may leave no valid UTF-8.
  const text = bytes.toString('latin1')
  const lines: FoundLine[] = []
  let from = 0
  for (const found of text.matchAll(checkPattern)) {
    const end = found.index + checkLength
    const lastStart = Math.max(from, text.lastIndexOf('\n', found.index) + 1)
    if (isIntact(text.slice(from, end))) {
      lines.push(intact(text.slice(from, end)))
    } else if (lastStart > from && isIntact(text.slice(lastStart, end))) {
      lines.push(...mended(text.slice(from, lastStart - 1)), intact(text.slice(lastStart, end)))
    } else {
      lines.push(...mended(text.slice(from, end)))
    }
    // One byte stands between two lines.
    from = end + 1
  }
  lines.push(...mended(text.slice(from)).filter(line => !line.text.startsWith('{"end":')))
  return lines
}

function intact(text: string): FoundLine {
  return { value: toObject(Buffer.from(text, 'latin1')), isIntact: true, isSure: true, text }
}

/** One line, even if a flipped bit made a line end in it; else as many as it seems to be. */
function mended(text: string): FoundLine[] {
  const whole = mend(text)
  if (whole.value !== null) return [{ ...whole, isIntact: false, text }]
  return text
    .split('\n')
    .filter(line => line !== '')
    .map(line => ({ ...mend(line), isIntact: false, text: line }))
}

function isIntact(line: string): boolean {
  return difference(line) === 0
}

/** How the sum of a line differs from the one that it names; NaN where it names none. */
function difference(line: string): number {
  const sum = /^[0-9a-f]{8}$/.test(line.slice(-10, -2)) ? Number.parseInt(line.slice(-10, -2), 16) : Number.NaN
  if (Number.isNaN(sum)) return Number.NaN
  return (crc32(bodyOf(line)) ^ sum) >>> 0
}

function bodyOf(line: string): Buffer {
  return Buffer.from(line.slice(0, -checkLength), 'latin1')
}

/** The object of a line in which one bit was flipped, in its content or in its sum. */
function mend(line: string): Pick<FoundLine, 'value' | 'isSure'> {
  const body = bodyOf(line)
  // A sum that is right, or nearly so, proves the content.
  const isProved = bitsBetween(line.slice(-10, -2), crc32(body).toString(16).padStart(8, '0')) <= 1
  const bit = isProved ? null : flippedBit(body.length, difference(line))
  if (bit !== null) body[bit >>> 3] = (body[bit >>> 3] ?? 0) ^ (1 << (bit & 7))
  return { value: toObject(Buffer.concat([body, Buffer.from('}')])), isSure: isProved || bit !== null }
}

/** How many bits differ in two texts of one byte a character. */
function bitsBetween(a: string, b: string): number {
  if (a.length !== b.length) return Number.POSITIVE_INFINITY
  let count = 0
  for (let at = 0; at < a.length; at++) {
    for (let rest = a.charCodeAt(at) ^ b.charCodeAt(at); rest !== 0; rest &= rest - 1) count++
  }
  return count
}

function toObject(bytes: Buffer): JsonObject | null {
  const value = parseJson(bytes.toString('utf8'))
  return isObject(value) ? value : null
}

/**
 * Which bit changes the sum of so many bytes in this way; null where none does. A bit's share in the sum is that of the
 * bit after it, shifted once more.
 */
function flippedBit(length: number, difference: number): number | null {
  let share = polynomial
  for (let bit = length * 8 - 1; bit >= 0; bit--) {
    if (share === difference) return bit
    share = ((share >>> 1) ^ ((share & 1) === 1 ? polynomial : 0)) >>> 0
  }
  return null
}
