// The lines of a manifest segment: how they are written, and which of them can be trusted when bytes are damaged. Every line
// has its own checksum, so damage costs the lines it hits and no others. What lines mean is decided in `catalog.ts`.

import { createHash, hash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { isObject, type JsonObject, parseJson } from '../../base/json.ts'

/** A line without its newline: the object's JSON, and the CRC-32 of all that is before the checksum. */
export function lineText(value: JsonObject): string {
  const body = JSON.stringify(value).slice(0, -1)
  return `${body},"check":"${checksumOf(body)}"}`
}

function checksumOf(body: string | Buffer): string {
  return crc32(body).toString(16).padStart(8, '0')
}

/** The bytes of a segment: its lines, and a last line with the hash of them all. */
export function segmentBytes(values: Iterable<JsonObject>): Buffer {
  const lines: string[] = []
  for (const value of values) lines.push(lineText(value))
  const body = Buffer.from(`${lines.join('\n')}\n`)
  return Buffer.concat([body, Buffer.from(endLine(lines.length, hashOf(body)))])
}

function endLine(lines: number, sha256: string): string {
  return `${JSON.stringify({ end: lines, sha256 })}\n`
}

export function hashOf(bytes: Uint8Array): string {
  return hash('sha256', bytes)
}

interface SegmentLines {
  /** Every line that can be trusted. */
  values: JsonObject[]
  /** Whether each byte is as it was written. */
  isIntact: boolean
  /** The text of damaged lines, one character per byte, to find out which files they may have been about. */
  damaged: string[]
  /** Nothing vouches that these are all lines: the end of the segment is missing, and lines before it may be. */
  isCut: boolean
  sha256: string
}

/** Reads a segment, whatever its bytes. */
export function readSegment(bytes: Buffer): SegmentLines {
  const bodyEnd = bytes.subarray(0, -1).lastIndexOf(0x0a) + 1
  const end = bytes.subarray(bodyEnd)
  const sum = createHash('sha256').update(bytes.subarray(0, bodyEnd))
  const bodyHash = sum.copy().digest('hex')
  const sha256 = sum.update(end).digest('hex')
  const values = parseAll(bytes.toString('utf8', 0, bodyEnd))
  if (values !== null && end.toString('utf8') === endLine(values.length, bodyHash)) {
    return { values, isIntact: true, damaged: [], isCut: false, sha256 }
  }
  const found = salvage(bytes)
  return { ...found, isIntact: false, isCut: !isVouched(end.toString('latin1'), bodyHash, found.values.length), sha256 }
}

/** Whether a damaged last line still says how many lines there are, or has the hash of them all. */
function isVouched(end: string, bodyHash: string, lines: number): boolean {
  return end.includes(bodyHash) || /"end":(\d+)/.exec(end)?.[1] === String(lines)
}

/** All lines, parsed as one text, which takes half as long as line by line; null where one of them is not an object. */
function parseAll(text: string): JsonObject[] | null {
  const values = parseJson(`[${text.slice(0, -1).split('\n').join(',')}]`)
  return Array.isArray(values) && values.every(isObject) ? values : null
}

const checkPattern = /,"check":"([0-9a-f]{8})"\}$/

// A line ends with the byte after its checksum, even where damage made that byte something else than a newline.
const lineEnd = /(?<=,"check":"[0-9a-f]{8}"\})[\s\S]|\n/

function salvage(bytes: Buffer): { values: JsonObject[]; damaged: string[] } {
  const values: JsonObject[] = []
  const damaged: string[] = []
  for (const text of bytes.toString('latin1').split(lineEnd)) {
    const value = intactLine(text)
    if (value !== null) values.push(value)
    else if (text !== '' && !isEndLine(text)) damaged.push(text)
  }
  return { values, damaged }
}

function intactLine(text: string): JsonObject | null {
  const check = checkPattern.exec(text)
  if (check === null || checksumOf(Buffer.from(text.slice(0, check.index), 'latin1')) !== check[1]) return null
  const value = parseJson(Buffer.from(text, 'latin1').toString('utf8'))
  return isObject(value) ? value : null
}

/** The last line, damaged or not: it guards the others and says nothing else. */
function isEndLine(text: string): boolean {
  return text.startsWith('{"end":') || text.includes('"sha256":')
}
