// What live files looked like at the last run: a line of facts each, so that a run over unchanged files needs one look per
// file and no manifest. Derived and disposable: a missing or damaged one only makes the next run compare content.

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { attempt } from '../../base/attempt.ts'
import { newline } from '../../base/bytes.ts'
import { asString, parseJson } from '../../base/json.ts'
import { type Layout, segmentNumber } from '../format/layout.ts'

/** What `stat` shows of a file. */
export interface FileState {
  size: number
  /** As the platform reports them: in milliseconds, with as much after the point as it knows. */
  mtimeMs: number
  ctimeMs: number
  /** Device, inode and birth. */
  identity: string
}

/** In place of a generation, for a file that a rule excludes. */
export const leftOut = '-'

/** What was seen of one file. */
export interface Sight {
  /** Equal text means an unchanged file. */
  state: string
  /** The generation that has all of it, or `leftOut`. */
  generation: string
}

/** Shared by all readers, so it is read-only. */
export interface Seen {
  /** What `fingerprintOf` made of the archive at that time: where it is the same, nothing but live files can have changed. */
  fingerprint: string
  files: ReadonlyMap<string, Sight>
}

export function stateText(state: FileState): string {
  const known = texts.get(state)
  if (known !== undefined) return known
  // Joined: a template leaves its parts in memory, three times as much, and there are as many of these as files.
  const text = [state.size, state.mtimeMs, state.ctimeMs, state.identity].join(' ')
  texts.set(state, text)
  return text
}

/** A refresh asks several times for each of thousands of files, and times are slow to write. */
const texts = new WeakMap<FileState, string>()

/** A file's name in the list, on one line whatever characters it has. */
export function seenKey(home: string, path: string): string {
  const name = [home, path].join('//')
  return /[\t\n\r"\\]/.test(name) ? JSON.stringify(name) : name
}

/** What the names of all files below a folder of a home begin with, in the two ways in which they are written. */
export function seenStarts(home: string, folder: string): string[] {
  const start = `${home}//${folder}`
  return [start, JSON.stringify(start).slice(0, -1)]
}

/** Null where there is none, or its bytes are not as they were written. */
export function readSeen(layout: Layout): Seen | null {
  const bytes = attempt(() => readFileSync(layout.seen))
  if (bytes === undefined) return null
  if (last?.bytes.equals(bytes) !== true) last = { bytes, seen: seenIn(bytes) }
  return last.seen
}

/** Several parts of one command read the same list. */
let last: { bytes: Buffer; seen: Seen | null } | undefined

const head = 'clew seen 1'

function seenIn(bytes: Buffer): Seen | null {
  const start = bytes.indexOf(newline) + 1
  const [mark, sha256, fingerprint = ''] = bytes.toString('utf8', 0, Math.max(0, start - 1)).split('\t')
  if (mark !== head || sha256 !== sumOf(fingerprint, bytes.subarray(start))) return null
  const text = bytes.toString('utf8', start)
  const files = new Map<string, Sight>()
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf('\n', at)
    const first = text.indexOf('\t', at)
    const second = text.indexOf('\t', first + 1)
    files.set(text.slice(at, first), { state: text.slice(first + 1, second), generation: text.slice(second + 1, end) })
    at = end + 1
  }
  return { fingerprint, files }
}

/** The manifest's last segment and the rules. */
export function fingerprintOf(segment: string, exclude: readonly string[]): string {
  return `${segment} ${Buffer.from(JSON.stringify(exclude)).toString('base64')}`
}

/** The number of the manifest's last segment when the list was written; 0 where that is unknown. */
export function lastSeenSegment(seen: Seen | null): number {
  return segmentNumber(seen?.fingerprint.split(' ', 1)[0] ?? '') ?? 0
}

/** @internal */
export function seenBytes(seen: Seen): Buffer {
  const lines: string[] = []
  for (const [key, { state, generation }] of seen.files) lines.push(`${key}\t${state}\t${generation}\n`)
  const body = Buffer.from(lines.join(''))
  return Buffer.concat([Buffer.from(`${head}\t${sumOf(seen.fingerprint, body)}\t${seen.fingerprint}\n`), body])
}

function sumOf(fingerprint: string, body: Uint8Array): string {
  return createHash('sha256').update(`${fingerprint}\n`).update(body).digest('hex')
}

/** A live file, as far as this list is concerned. */
interface StattedFile {
  home: string
  path: string
  state: FileState
}

export function sightOf({ home, path }: StattedFile, seen: Seen | null): Sight | undefined {
  return seen?.files.get(seenKey(home, path))
}

export function isAsSeen(file: StattedFile, seen: Seen | null): boolean {
  return sightOf(file, seen)?.state === stateText(file.state)
}

/** How many of the files a rule excluded at the last run. */
export function countLeftOut(files: readonly StattedFile[], seen: Seen): number {
  return files.filter(file => sightOf(file, seen)?.generation === leftOut).length
}

/** A change within this time of a look may have been followed by one that left no trace in the file's times. */
const racyMs = 2000

/**
 * The state to remember of a file that was read from `lookedAtMs` on; one that equals no state where it changed just before.
 * The time of the content can be set back, that of the last change of anything cannot.
 */
export function settledText(state: FileState, lookedAtMs: number): string {
  return isSettled(state, lookedAtMs) ? stateText(state) : `racy ${state.size}`
}

/** The size that a file had when its state was noted; NaN where an older version did not say. */
export function sizeIn(state: string): number {
  return Number(/^(?:racy )?(\d+)( |$)/.exec(state)?.[1] ?? Number.NaN)
}

/** The file that a key of the list names. */
export function fileOfKey(key: string): { home: string; path: string } {
  const name = key.startsWith('"') ? (asString(parseJson(key)) ?? key) : key
  const at = name.lastIndexOf('//')
  return { home: name.slice(0, at), path: name.slice(at + 2) }
}

/** Whether a later change would show. */
export function isSettled(state: FileState, lookedAtMs: number): boolean {
  return lookedAtMs - Math.max(state.mtimeMs, state.ctimeMs) > racyMs
}
