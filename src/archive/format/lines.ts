// The lines of the manifest: how one is written, and how it is read again when some of its bytes are wrong. Every line
// guards itself with a check sum, so that damage costs the lines it hits and no others. What lines mean is `catalog`'s.

import { createHash, hash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { isObject, type JsonObject, parseJson } from '../../base/json.ts'
import { findLines } from '../maintain/salvage.ts'

/** A line without its end: the object's JSON with the CRC-32 of what stands before the sum. */
export function lineText(value: JsonObject): string {
  const body = JSON.stringify(value).slice(0, -1)
  return `${body},"check":"${sumOf(body)}"}`
}

function sumOf(body: string): string {
  return crc32(body).toString(16).padStart(8, '0')
}

/** The bytes of a segment: its lines and a last one that guards them all. */
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

export interface SegmentLines {
  /** Every line that can be trusted. */
  values: JsonObject[]
  /** Whether each byte is as it was written. */
  isIntact: boolean
  /** The text of lines whose sum is wrong, for telling what they may have been about. */
  damaged: string[]
  sha256: string
}

/** Reads a segment, whatever its bytes: damaged lines are set apart. */
export function readSegment(bytes: Buffer): SegmentLines {
  const bodyEnd = bytes.subarray(0, -1).lastIndexOf(0x0a) + 1
  const end = bytes.subarray(bodyEnd)
  const sum = createHash('sha256').update(bytes.subarray(0, bodyEnd))
  const bodyHash = sum.copy().digest('hex')
  const sha256 = sum.update(end).digest('hex')
  const values = linesIn(bytes.toString('utf8', 0, bodyEnd))
  if (values !== null && end.toString('utf8') === endLine(values.length, bodyHash)) {
    return { values, isIntact: true, damaged: [], sha256 }
  }
  return { ...salvage(bytes), isIntact: false, sha256 }
}

/** All of them, parsed as one text, which takes half as long as line by line; null where one of them is no object. */
function linesIn(text: string): JsonObject[] | null {
  const values = parseJson(`[${text.slice(0, -1).split('\n').join(',')}]`)
  return Array.isArray(values) && values.every(isObject) ? values : null
}

/** What is sure of a damaged segment: its intact lines, and those whose one flipped bit their sums tell. */
function salvage(bytes: Buffer): { values: JsonObject[]; damaged: string[] } {
  const values: JsonObject[] = []
  const damaged: string[] = []
  for (const { value, isSure, text } of findLines(bytes)) {
    if (value !== null && isSure) values.push(value)
    else damaged.push(text)
  }
  return { values, damaged }
}
