// Finds out by a look at a few bytes which session a log belongs to and when it begins. It decodes no records: it looks
// for the few fields it needs, and reads a whole file only where head and tail leave doubt.

import { toMillis } from '../base/instant.ts'
import { asString, isObject, parseJson } from '../base/json.ts'
import type { ByteSource, RangeReader } from '../model/source.ts'
import { rangeReader } from './read.ts'
import type { FoundFile, KnownFacts } from './tree.ts'

/** How much of each end of a file is looked at. */
export const windowBytes = 64 * 1024

// Most logs tell all in their first lines: this much is tried before the whole window.
const firstBytes = 8 * 1024

// A field that lies across two pieces is found in their overlap. Session ids are far shorter.
const overlapBytes = 1024

const scratch = Buffer.allocUnsafeSlow(windowBytes)

const sessionField = /"sessionId"\s*:\s*("(?:[^"\\]|\\.){1,500}")/g
const planField = /"slug"\s*:\s*"([^"\\]+)"/g
const timeField = /"timestamp"\s*:\s*("[^"\\]*"|\d+(?:\.\d+)?)/g

/** What tells where a log belongs. */
export type Glance = Omit<KnownFacts, 'plans'>

/** Looks into a log. `name` is the session id that its file name suggests. Throws what the source throws. */
export async function glance(file: FoundFile, source: ByteSource, name?: string): Promise<Glance> {
  if (file.size === 0) return { isHistory: name === 'history' }
  const { head, session, tail } = lookAtEnds(file, source, name)
  if (tail === undefined) return glanceOf(head, session, name)
  const middle = await searchMiddle(file, source, name)
  return glanceOf(head, middle.isNamed ? name : (lastSession(tail) ?? middle.last ?? session), name)
}

/** The ends of a log. Where there is a tail, neither end could tell for sure: the session is then the head's. */
interface Ends {
  head: string
  session: string | undefined
  tail?: string
}

function lookAtEnds(file: FoundFile, source: ByteSource, name: string | undefined): Ends {
  const { size } = file
  return withReader(file, source, reader => {
    const quick = readText(reader, 0, Math.min(firstBytes, size))
    const isEnough = name !== undefined && isNamed(quick, name) && firstTime(quick) !== undefined
    if (isEnough || size <= firstBytes) return { head: quick, session: isEnough ? name : chosen(quick, name) }
    const head = readText(reader, 0, Math.min(windowBytes, size))
    const session = chosen(head, name)
    if (size <= windowBytes || (session !== undefined && (name === undefined || session === name)))
      return { head, session }
    const tail = readText(reader, tailStart(size), windowBytes)
    return name !== undefined && isNamed(tail, name) ? { head, session: name } : { head, session, tail }
  })
}

function glanceOf(head: string, session: string | undefined, name: string | undefined): Glance {
  const firstMs = firstTime(head)
  const isHistory = name === 'history' && looksLikeHistory(head)
  return { isHistory, ...(session !== undefined && { session }), ...(firstMs !== undefined && { firstMs }) }
}

/** Names of plans that the head and tail of a log mention: the client writes `slug` into its records. */
export function planNames(file: FoundFile, source: ByteSource): Set<string> {
  const { size } = file
  if (size === 0) return new Set()
  const length = Math.min(windowBytes, size)
  // One end is all of a small file.
  const starts = size <= windowBytes ? [0] : [0, tailStart(size)]
  const names = new Set<string>()
  withReader(file, source, reader => {
    for (const from of starts) {
      for (const found of readText(reader, from, length).matchAll(planField)) names.add(found[1] ?? '')
    }
  })
  return new Set([...names].map(aloneOf))
}

/** A found text is a part of the piece that it was found in and holds all of it in memory; this one is on its own. */
function aloneOf(latin1: string): string {
  return Buffer.from(latin1, 'latin1').toString('latin1')
}

function withReader<Value>(file: FoundFile, source: ByteSource, work: (reader: RangeReader) => Value): Value {
  const reader = rangeReader(source, file.generation)
  try {
    return work(reader)
  } finally {
    reader.close()
  }
}

/**
 * Bytes as Latin-1, which never fails and keeps one character per byte; `parseWritten` makes text of what is found. Read at
 * once: for the ten thousand small reads of a large home, handing each to another thread costs ten times what the read
 * itself does.
 */
function readText(reader: RangeReader, from: number, length: number): string {
  return scratch.toString('latin1', 0, reader.read(scratch.subarray(0, length), from))
}

/** The session of a piece that stands for the whole: the suggested one where it is named, else the last. */
function chosen(text: string, name: string | undefined): string | undefined {
  return name !== undefined && isNamed(text, name) ? name : lastSession(text)
}

/** The part between head and tail, piece by piece. */
async function searchMiddle(
  file: FoundFile,
  source: ByteSource,
  name: string | undefined,
): Promise<{ isNamed: boolean; last?: string }> {
  let last: string | undefined
  let before = ''
  const end = tailStart(file.size) + overlapBytes
  for await (const chunk of source.read(file.generation, windowBytes - overlapBytes, end)) {
    const text = before + latin1(chunk)
    if (name !== undefined && isNamed(text, name)) return { isNamed: true }
    last = lastSession(text) ?? last
    before = text.slice(-overlapBytes)
  }
  return { isNamed: false, ...(last !== undefined && { last }) }
}

function latin1({ buffer, byteOffset, length }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, length).toString('latin1')
}

function tailStart(size: number): number {
  return Math.max(0, size - windowBytes)
}

function parseWritten(latin1: string): unknown {
  return parseJson(Buffer.from(latin1, 'latin1').toString('utf8'))
}

/** Whether a record in this piece names the session. Inside a text of the log the quotes would be escaped. */
function isNamed(text: string, name: string): boolean {
  const quoted = Buffer.from(JSON.stringify(name)).toString('latin1')
  for (let at = text.indexOf(quoted); at >= 0; at = text.indexOf(quoted, at + 1)) {
    const before = /"sessionId"\s*:\s*$/.exec(text.slice(Math.max(0, at - 64), at))
    if (before !== null && !isFirstOfNested(text, at - before[0].length)) return true
  }
  return false
}

/** The session that the last whole record names; where none can be parsed, the last one that stands there. */
function lastSession(text: string): string | undefined {
  let torn: string | undefined
  for (let end = text.length; end > 0; ) {
    const start = text.lastIndexOf('\n', end - 1) + 1
    const line = text.slice(start, end)
    if (line.includes('"sessionId"')) {
      const value = parseWritten(line)
      const own = isObject(value) ? asString(value['sessionId']) : undefined
      if (own) return own
      if (!isObject(value)) torn ??= lastField(line)
    }
    if (start === 0) break
    end = start - 1
  }
  return torn
}

function lastField(line: string): string | undefined {
  let last: string | undefined
  for (const found of line.matchAll(sessionField)) {
    if (!isFirstOfNested(line, found.index)) last = asString(parseWritten(found[1] ?? '')) ?? last
  }
  return last
}

/** Whether a field opens an object that is itself a value, as in `"forkedFrom":{"sessionId":…`: another session's id. */
function isFirstOfNested(text: string, at: number): boolean {
  return /:\s*\{\s*$/.test(text.slice(Math.max(0, at - 16), at))
}

/** `{"display":"fix the bug","pastedContents":{},"timestamp":1738160130123,"project":"/home/dev/shop"}` */
function looksLikeHistory(head: string): boolean {
  const line = head.slice(0, head.indexOf('\n') >>> 0)
  return line.includes('"display"') && !line.includes('"uuid"')
}

function firstTime(head: string): number | undefined {
  for (const found of head.matchAll(timeField)) {
    const millis = toMillis(parseJson(found[1] ?? ''))
    if (millis !== null) return millis
  }
  return undefined
}
