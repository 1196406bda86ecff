// Finds out by a look at a few bytes which session a log belongs to and when it begins. It decodes no records: it looks
// for the few fields it needs, and reads a whole file only where head and tail leave doubt.

import { closeSync, openSync, readSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { toMillis } from '../base/instant.ts'
import { asString, isObject, parseJson } from '../base/json.ts'
import { chunkBytes, openToRead, readFlags } from './read.ts'
import type { FoundFile } from './walk.ts'

/** How much of each end of a file is looked at. */
export const windowBytes = 64 * 1024

// Most logs tell all in their first lines: this much is tried before the whole window.
const firstBytes = 8 * 1024

// A field that lies across two pieces is found in their overlap. Session ids are far shorter.
const overlapBytes = 1024

const scratch = Buffer.allocUnsafe(firstBytes)

const sessionField = /"sessionId"\s*:\s*("(?:[^"\\]|\\.){1,500}")/g
const timeField = /"timestamp"\s*:\s*("[^"\\]*"|\d+(?:\.\d+)?)/g

export interface Glance {
  /** The session its records name: `name` where any does, else the last one named; absent where none is. */
  session?: string
  /** The first time that is written in the head. */
  firstMs?: number
  /** Whether the name, and the first line where there is one, are those of a prompt history. */
  isHistory: boolean
}

/** Looks into a log. `name` is the session id that its file name suggests. Throws what the file system throws. */
export async function glance(file: FoundFile, name?: string): Promise<Glance> {
  if (file.size === 0) return { isHistory: name === 'history' }
  const quick = readFirst(file)
  const isEnough = name !== undefined && isNamed(quick, name) && firstTime(quick) !== undefined
  if (isEnough || file.size <= firstBytes) return glanceOf(quick, isEnough ? name : chosen(quick, name), name)
  const handle = await openToRead(file.path)
  try {
    const head = await readAt(handle, 0, Math.min(windowBytes, file.size))
    return glanceOf(head, await findSession(handle, head, file.size, name), name)
  } finally {
    await handle.close()
  }
}

function glanceOf(head: string, session: string | undefined, name: string | undefined): Glance {
  const firstMs = firstTime(head)
  const isHistory = name === 'history' && looksLikeHistory(head)
  return { isHistory, ...(session !== undefined && { session }), ...(firstMs !== undefined && { firstMs }) }
}

/**
 * The first bytes, read at once: for the ten thousand small reads of a large home, handing each to another thread costs
 * ten times what the read itself does.
 */
function readFirst(file: FoundFile): string {
  const descriptor = openSync(file.path, readFlags)
  try {
    return scratch.toString('latin1', 0, readSync(descriptor, scratch, 0, Math.min(firstBytes, file.size), 0))
  } finally {
    closeSync(descriptor)
  }
}

/** Names of plans that the head and tail of a log mention: the client writes `slug` into its records. */
export async function planNames(file: FoundFile): Promise<Set<string>> {
  const handle = await openToRead(file.path)
  try {
    const length = Math.min(windowBytes, file.size)
    const ends = [await readAt(handle, 0, length), await readAt(handle, tailStart(file.size), length)]
    const names = ends.flatMap(text => [...text.matchAll(/"slug"\s*:\s*"([^"\\]+)"/g)])
    return new Set(names.map(found => found[1] ?? ''))
  } finally {
    await handle.close()
  }
}

/** The session of a piece that stands for the whole: the suggested one where it is named, else the last. */
function chosen(text: string, name: string | undefined): string | undefined {
  return name !== undefined && isNamed(text, name) ? name : lastSession(text)
}

async function findSession(handle: FileHandle, head: string, size: number, name?: string): Promise<string | undefined> {
  const inHead = chosen(head, name)
  if (size <= windowBytes || (inHead !== undefined && (name === undefined || inHead === name))) return inHead
  const tail = await readAt(handle, tailStart(size), windowBytes)
  if (name !== undefined && isNamed(tail, name)) return name
  const middle = await searchMiddle(handle, size, name)
  return middle.isNamed ? name : (lastSession(tail) ?? middle.last ?? inHead)
}

/** The part between head and tail, piece by piece. */
async function searchMiddle(
  handle: FileHandle,
  size: number,
  name?: string,
): Promise<{ isNamed: boolean; last?: string }> {
  let last: string | undefined
  const end = tailStart(size) + overlapBytes
  for (let at = windowBytes - overlapBytes; at < end; at += chunkBytes - overlapBytes) {
    const text = await readAt(handle, at, Math.min(chunkBytes, end - at))
    if (name !== undefined && isNamed(text, name)) return { isNamed: true }
    last = lastSession(text) ?? last
  }
  return { isNamed: false, ...(last !== undefined && { last }) }
}

function tailStart(size: number): number {
  return Math.max(0, size - windowBytes)
}

/** Bytes that `stat` promised, as Latin-1, which never fails and keeps one character per byte; `parseWritten` makes text of what is found. */
async function readAt(handle: FileHandle, from: number, length: number): Promise<string> {
  const buffer = Buffer.allocUnsafe(length)
  let filled = 0
  while (filled < length) {
    const { bytesRead } = await handle.read(buffer, filled, length - filled, from + filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return buffer.toString('latin1', 0, filled)
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
