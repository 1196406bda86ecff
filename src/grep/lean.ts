// Takes out of a long line what cannot match, before it is decoded: lines of its long texts that hold nothing of what is
// looked for. What is left has the same fields and types, and the same lines of text that may match with their neighbours.
// It works on bytes, since not decoding is the point.

import { newline } from '../base/bytes.ts'
import { asObject, isObject } from '../base/json.ts'
import { type ByteLook, JsonBytes } from '../decode/json-bytes.ts'
import type { LogRecord } from '../model/record.ts'
import type { ByteFilter, Looking } from './candidates.ts'
import type { ContextLines } from './lines.ts'

const quote = 0x22
const colon = 0x3a
const backslash = 0x5c
const letterN = 0x6e

/** Shorter lines cost less to decode than to look through, shorter texts less to keep. */
const longLine = 4096
const longText = 1024

/** Names of fields that hold text as it was said, written or printed: nothing else is told by what stands in them. */
const textFields: ReadonlySet<string> = new Set([
  'content',
  'text',
  'thinking',
  'stdout',
  'stderr',
  'output',
  'result',
  'originalFile',
  'old_string',
  'new_string',
  'oldString',
  'newString',
])
const longestField = 12

/** Whether kind, thread and id of a record hang on its fields, not on what its texts say: those may be cut. */
export function isToldByFields({ dialect, type, value }: LogRecord): boolean {
  if (dialect !== 'client' || value === undefined) return false
  const message = asObject(value['message'])
  if (type === 'assistant') return message !== undefined
  return type === 'user' && Array.isArray(message?.['content']) && message['content'].some(isResult)
}

function isResult(block: unknown): boolean {
  return isObject(block) && typeof block['type'] === 'string' && block['type'].endsWith('tool_result')
}

export class LeanLines {
  private readonly filter: ByteFilter
  private readonly context: ContextLines
  private readonly look: ByteLook | null
  private readonly json: JsonBytes | null
  private readonly longLine: number
  private readonly longText: number

  constructor(filter: ByteFilter, context: ContextLines, { leanBytes }: Looking = {}) {
    this.filter = filter
    this.context = context
    this.longLine = leanBytes ?? longLine
    this.longText = leanBytes ?? longText
    this.look = filter.look
    this.json = filter.look === null ? null : new JsonBytes(filter.look)
  }

  /** The line without what cannot match; null where nothing is to be taken out, or it is not sure what. */
  of(line: Buffer): Buffer | null {
    const { look, json } = this
    if (look === null || json === null || line.length < this.longLine) return null
    if (line.buffer !== look.bytes.buffer || line[line.length - 1] !== newline) return null
    const base = line.byteOffset - look.bytes.byteOffset
    const end = line.length - 1
    const find = this.filter.placesIn(line)
    const parts: Uint8Array[] = []
    let kept = 0
    for (let at = 0; ; ) {
      const open = look.plainEnd(base + at) - base
      // The newline, or the carriage return before it.
      if (open >= end - 1) break
      const close = line[open] === quote ? json.text(base + open + 1) : -1
      if (close === -1) return null
      at = close - base
      if (at - open < this.longText || !isTextField(line, open)) continue
      parts.push(line.subarray(kept, open + 1))
      this.addLines(parts, line, { from: open + 1, to: at - 1 }, find)
      kept = at - 1
    }
    if (kept === 0) return null
    parts.push(line.subarray(kept))
    return Buffer.concat(parts)
  }

  /** The lines of a text that may match, each with its line end, and as many beside them as are shown. */
  private addLines(parts: Uint8Array[], line: Buffer, { from, to }: Span, find: (from: number) => number): void {
    let reached = from
    for (let place = find(from); place !== -1 && place < to; place = find(reached)) {
      let start = lineStart(line, place, reached)
      for (let more = this.context.before; more > 0 && start > reached; more--) {
        start = lineStart(line, start - 1, reached)
      }
      const end = this.endOf(line, place, to, find)
      parts.push(line.subarray(start, end))
      reached = end
    }
  }

  /** Behind the lines that are shown after a match; one that matches among them has its own. */
  private endOf(line: Buffer, place: number, to: number, find: (from: number) => number): number {
    for (let match = place; ; ) {
      const own = lineEnd(line, match, to)
      let end = own
      for (let more = this.context.after; more > 0 && end < to; more--) end = lineEnd(line, end, to)
      match = end === own ? -1 : find(own)
      if (match === -1 || match >= end) return end
    }
  }
}

/** A text without its quotes. */
interface Span {
  from: number
  to: number
}

/** Whether the text that opens here is the value of such a field: `"content":"…`. */
function isTextField(line: Buffer, open: number): boolean {
  if (line[open - 1] !== colon || line[open - 2] !== quote) return false
  let start = open - 2
  while (start > 0 && open - 2 - start <= longestField && line[start - 1] !== quote) start--
  return line[start - 1] === quote && textFields.has(line.toString('latin1', start, open - 2))
}

/** Behind the last line end that is written before a place, not before `from`. */
function lineStart(line: Buffer, place: number, from: number): number {
  for (let at = place - 1; at > from; at--) if (line[at] === letterN && isEscaped(line, at)) return at + 1
  return from
}

/** Behind the first line end that is written at a place or later. */
function lineEnd(line: Buffer, place: number, to: number): number {
  for (let at = line.indexOf(letterN, place); at !== -1 && at < to; at = line.indexOf(letterN, at + 1)) {
    if (isEscaped(line, at)) return at + 1
  }
  return to
}

/** Whether an odd number of backslashes stands before a character. */
function isEscaped(line: Buffer, at: number): boolean {
  let before = at - 1
  while (line[before] === backslash) before--
  return (at - 1 - before) % 2 === 1
}
