// Finds out by a look at a few bytes which session a log belongs to and when it begins. It decodes no records: it looks
// for the few fields it needs, and reads a whole file only where head and tail leave doubt.

import { toMillis } from '../../base/instant.ts'
import { asString, isObject, parseJson } from '../../base/json.ts'
import type { ByteSource, RangeReader } from '../../model/source.ts'
import type { FoundFile, KnownFacts } from '../discover/tree.ts'
import { rangeReader } from './read.ts'

/** How much of each end of a file is looked at. */
export const windowBytes = 64 * 1024

// Most logs have all of it in their first lines: this much is tried before the whole window.
const firstBytes = 8 * 1024

// A field that is across two pieces is found in their overlap. Session ids are far shorter.
const overlapBytes = 1024

// A field that is longer than this is looked at once more, with all that follows it.
const fieldBytes = 256

const headBuffer = Buffer.allocUnsafeSlow(windowBytes)
const tailBuffer = Buffer.allocUnsafeSlow(windowBytes)

const newline = 0x0a
const sessionName = Buffer.from('"sessionId"')
const planName = Buffer.from('"slug"')
const timeName = Buffer.from('"timestamp"')

const sessionField = /"sessionId"\s*:\s*("(?:[^"\\]|\\.){1,500}")/g
const planField = /^"slug"\s*:\s*"([^"\\]+)"/
const timeField = /^"timestamp"\s*:\s*("[^"\\]*"|\d+(?:\.\d+)?)/

/** The two ends of a log that is not empty. Their bytes may lie where those of the next log will. */
export interface LogEnds {
  /** The first bytes: this many, or as many as there are. */
  head(length: number): Buffer
  /** The last window of a log that is longer than one; else null. */
  tail(): Buffer | null
}

/** What decides where a log belongs. */
export type Glance = Omit<KnownFacts, 'plans'>

/** What the ends of a log say about it. */
export interface EndsGlance extends Glance {
  /** The ends name another session than the file name does: what is between them decides. */
  isInDoubt: boolean
  /** The session that the tail names, where requested. */
  tailSession?: string
}

/** Looks into a log. `name` is the session id that its file name suggests. Throws what the source throws. */
export async function glance(file: FoundFile, source: ByteSource, name?: string): Promise<Glance> {
  if (file.size === 0) return emptyGlance(name)
  return withoutDoubt(
    withEndsOf(file, source, ends => glanceAtEnds(ends, name)),
    file,
    source,
    name,
  )
}

export function emptyGlance(name: string | undefined): Glance {
  return { isHistory: name === 'history' }
}

/** What is between the ends is read where they leave doubt. */
export async function withoutDoubt(
  { isInDoubt, tailSession, ...seen }: EndsGlance,
  file: FoundFile,
  source: ByteSource,
  name: string | undefined,
): Promise<Glance> {
  if (!isInDoubt) return seen
  const middle = await searchMiddle(file, source, name)
  const session = middle.isNamed ? name : (tailSession ?? middle.last ?? seen.session)
  return { ...seen, ...(session !== undefined && { session }) }
}

/** Where there is doubt, the session is the head's. */
export function glanceAtEnds(ends: LogEnds, name: string | undefined): EndsGlance {
  const quick = ends.head(firstBytes)
  if (name !== undefined && isNamed(quick, name)) {
    const firstMs = firstTime(quick)
    if (firstMs !== undefined) return glanceOf(quick, name, name, firstMs)
  }
  const head = quick.length < firstBytes ? quick : ends.head(windowBytes)
  const session = chosen(head, name)
  const seen = glanceOf(head, session, name, firstTime(head))
  const tail = session !== undefined && (name === undefined || session === name) ? null : ends.tail()
  if (tail === null) return seen
  if (name !== undefined && isNamed(tail, name)) return { ...seen, session: name }
  const tailSession = lastSession(tail)
  return { ...seen, isInDoubt: true, ...(tailSession !== undefined && { tailSession }) }
}

function glanceOf(
  head: Buffer,
  session: string | undefined,
  name: string | undefined,
  firstMs: number | undefined,
): EndsGlance {
  const seen: EndsGlance = { isHistory: name === 'history' && looksLikeHistory(head), isInDoubt: false }
  if (session !== undefined) seen.session = session
  if (firstMs !== undefined) seen.firstMs = firstMs
  return seen
}

/** Names of plans that the head and tail of a log mention: Claude Code writes `slug` into its records. */
export function planNames(file: FoundFile, source: ByteSource): Set<string> {
  return file.size === 0 ? new Set() : withEndsOf(file, source, planNamesAtEnds)
}

export function planNamesAtEnds(ends: LogEnds): Set<string> {
  const names = new Set<string>()
  addPlanNames(ends.head(windowBytes), names)
  const tail = ends.tail()
  if (tail !== null) addPlanNames(tail, names)
  return names
}

/** Records of a session mostly name one plan again and again: a repeated name is not looked at. */
function addPlanNames(part: Buffer, names: Set<string>): void {
  const next = (from: number) => part.indexOf(planName, from)
  let known = 0
  let length = 0
  for (let at = next(0); at >= 0; ) {
    const isKnown = isSameBytes(part, known, known + length, at)
    const found = isKnown ? null : fieldAt(part, at, planField)
    if (found !== null) {
      names.add(aloneOf(found[1] ?? ''))
      known = at
      length = found[0].length
    }
    at = next(at + (isKnown || found !== null ? length : 1))
  }
}

function isSameBytes(part: Buffer, from: number, to: number, other: number): boolean {
  for (let at = from, there = other; at < to; at++, there++) if (part[at] !== part[there]) return false
  return to > from
}

/**
 * Matches a field where its name is. Bytes are looked at as Latin-1, which never fails and keeps one character per byte.
 */
function fieldAt(part: Buffer, at: number, field: RegExp): RegExpExecArray | null {
  const end = at + fieldBytes
  const found = field.exec(part.toString('latin1', at, Math.min(end, part.length)))
  const isSure = end >= part.length || (found !== null && found[0].length < fieldBytes)
  return isSure ? found : field.exec(part.toString('latin1', at, part.length))
}

/** A found text is a part of the piece that it was found in and has all of it in memory; this one is on its own. */
function aloneOf(latin1: string): string {
  return Buffer.from(latin1, 'latin1').toString('latin1')
}

/** Works with the ends of a log, read when they are asked for. Throws what the source throws. */
export function withEndsOf<Value>(file: FoundFile, source: ByteSource, work: (ends: LogEnds) => Value): Value {
  const reader = rangeReader(source, file.generation)
  try {
    return work(readerEnds(reader, file.size))
  } finally {
    reader.close()
  }
}

/**
 * Read at once: for the ten thousand small reads of a large home, handing each to another thread costs ten times what the
 * read itself does.
 */
export function readerEnds(reader: RangeReader, size: number): LogEnds {
  let have = 0
  let tail: Buffer | undefined
  return {
    head(length) {
      const wanted = Math.min(length, size, windowBytes)
      if (wanted > have) have += reader.read(headBuffer.subarray(have, wanted), have)
      return headBuffer.subarray(0, Math.min(have, wanted))
    },
    tail() {
      if (size <= windowBytes) return null
      tail ??= tailBuffer.subarray(0, reader.read(tailBuffer, tailStart(size)))
      return tail
    },
  }
}

/** The session of a piece that represents the whole: the suggested one where it is named, else the last. */
function chosen(part: Buffer, name: string | undefined): string | undefined {
  return name !== undefined && isNamed(part, name) ? name : lastSession(part)
}

/** The part between head and tail, piece by piece. */
async function searchMiddle(
  file: FoundFile,
  source: ByteSource,
  name: string | undefined,
): Promise<{ isNamed: boolean; last?: string }> {
  let last: string | undefined
  let before = Buffer.alloc(0)
  const end = tailStart(file.size) + overlapBytes
  for await (const chunk of source.read(file.generation, windowBytes - overlapBytes, end)) {
    const part = Buffer.concat([before, chunk])
    if (name !== undefined && isNamed(part, name)) return { isNamed: true }
    last = lastSession(part) ?? last
    before = part.subarray(-overlapBytes)
  }
  return { isNamed: false, ...(last !== undefined && { last }) }
}

function tailStart(size: number): number {
  return Math.max(0, size - windowBytes)
}

function parseWritten(latin1: string): unknown {
  return parseJson(Buffer.from(latin1, 'latin1').toString('utf8'))
}

/** Whether a record in this piece names the session. Inside a text of the log the quotes would be escaped. */
function isNamed(part: Buffer, name: string): boolean {
  const quoted = Buffer.from(JSON.stringify(name))
  for (let at = part.indexOf(quoted); at >= 0; at = part.indexOf(quoted, at + 1)) {
    const before = /"sessionId"\s*:\s*$/.exec(part.toString('latin1', Math.max(0, at - 64), at))
    if (before !== null && !isFirstOfNested(part, at - before[0].length)) return true
  }
  return false
}

/** The session that the last whole record names; where none can be parsed, the last one that is there. */
function lastSession(part: Buffer): string | undefined {
  const torn: string[] = []
  for (let at = part.lastIndexOf(sessionName); at >= 0; ) {
    const start = part.lastIndexOf(newline, at) + 1
    const lineEnd = part.indexOf(newline, at)
    const end = lineEnd < 0 ? part.length : lineEnd
    const value = parseJson(part.toString('utf8', start, end))
    const own = isObject(value) ? asString(value['sessionId']) : undefined
    if (own) return own
    if (!isObject(value)) torn.push(part.toString('latin1', start, end))
    at = start === 0 ? -1 : part.lastIndexOf(sessionName, start - 1)
  }
  for (const line of torn) {
    const last = lastField(line)
    if (last !== undefined) return last
  }
  return undefined
}

function lastField(line: string): string | undefined {
  let last: string | undefined
  for (const found of line.matchAll(sessionField)) {
    if (!opensValue(line.slice(Math.max(0, found.index - 16), found.index))) {
      last = asString(parseWritten(found[1] ?? '')) ?? last
    }
  }
  return last
}

/** Whether a field opens an object that is itself a value, as in `"forkedFrom":{"sessionId":…`: another session's id. */
function isFirstOfNested(part: Buffer, at: number): boolean {
  return opensValue(part.toString('latin1', Math.max(0, at - 16), at))
}

function opensValue(before: string): boolean {
  return /:\s*\{\s*$/.test(before)
}

/** `{"display":"fix the bug","pastedContents":{},"timestamp":1738160130123,"project":"/home/dev/shop"}` */
function looksLikeHistory(head: Buffer): boolean {
  const lineEnd = head.indexOf(newline)
  const line = lineEnd < 0 ? head : head.subarray(0, lineEnd)
  return line.includes('"display"') && !line.includes('"uuid"')
}

function firstTime(head: Buffer): number | undefined {
  for (let at = head.indexOf(timeName); at >= 0; ) {
    const found = fieldAt(head, at, timeField)
    const millis = found === null ? null : toMillis(parseJson(found[1] ?? ''))
    if (millis !== null) return millis
    at = head.indexOf(timeName, at + (found?.[0].length ?? 1))
  }
  return undefined
}
