// What of a long text is shown when not everything was asked for: its beginning and its end. It counts what it leaves out;
// how that is said, and how to see the rest, is the painter's.

import { textToBytes } from '../base/bytes.ts'
import { cutToColumns } from '../base/width.ts'

export interface FoldLimits {
  /** Lines kept from the beginning and from the end. */
  head: number
  tail: number
  /** The widest that a line may be; longer ones end in an ellipsis. Absent: lines stay whole. */
  columns?: number
}

export interface Folded {
  /** The lines kept. Where lines are hidden, they are missing after the first `head` of these. */
  lines: string[]
  hiddenLines: number
  /** UTF-8 bytes of what is not shown, ends of cut lines included. */
  hiddenBytes: number
}

export function foldText(text: string, limits: FoldLimits): Folded {
  const head = Math.max(0, Math.floor(limits.head))
  const tail = Math.max(0, Math.floor(limits.tail))
  const headEnd = endOfLines(text, head)
  const tailStart = startOfLines(text, tail, headEnd)
  const hidden = text.slice(headEnd, tailStart)
  const hiddenLines = hidden === '' ? 0 : countLines(hidden, tail === 0)
  // A note takes a line too: one hidden line is better shown.
  if (hiddenLines <= 1) return cutLines(text.split('\n'), limits.columns, 0, 0)
  const kept = head === 0 ? [] : text.slice(0, headEnd - 1).split('\n')
  if (tail > 0) for (const line of text.slice(tailStart).split('\n')) kept.push(line)
  return cutLines(kept, limits.columns, hiddenLines, textToBytes(hidden).length)
}

/** Where the first `count` lines end, their line ends included. */
function endOfLines(text: string, count: number): number {
  let at = 0
  for (let line = 0; line < count; line++) {
    const next = text.indexOf('\n', at)
    if (next === -1) return text.length
    at = next + 1
  }
  return at
}

/** Where the last `count` lines begin, but not before `from`. */
function startOfLines(text: string, count: number, from: number): number {
  if (count === 0) return text.length
  let at = text.length
  for (let line = 0; line < count; line++) {
    const before = at === 0 ? -1 : text.lastIndexOf('\n', at - 1)
    if (before < from) return from
    at = before
  }
  return at + 1
}

function countLines(hidden: string, reachesEnd: boolean): number {
  let count = reachesEnd ? 1 : 0
  for (let at = hidden.indexOf('\n'); at !== -1; at = hidden.indexOf('\n', at + 1)) count++
  return count
}

function cutLines(lines: string[], columns: number | undefined, hiddenLines: number, hiddenBytes: number): Folded {
  if (columns === undefined) return { lines, hiddenLines, hiddenBytes }
  let bytes = hiddenBytes
  const cut = lines.map(line => {
    const short = cutToColumns(line, Math.max(1, columns))
    if (short === line) return line
    bytes += textToBytes(line.slice(short.length - 1)).length
    return short
  })
  return { lines: cut, hiddenLines, hiddenBytes: bytes }
}
