// What a status line remembers between two calls: how far each log was read, the messages that still matter, and their sums.
// One file, replaced as a whole; what is damaged, of another version or not there counts as nothing remembered.
//
//   magic 8 bytes | hash 8 bytes | lengths of head and far, u32 each | head: JSON | far: JSON | rows of numbers
//   (head and far are padded with blanks to 8 bytes)

import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { asNumber, isObject, parseJson } from '../../base/json.ts'
import type { UsageCell } from '../../model/spent.ts'
import { emptyRows, type StatusRows } from './statusline-rows.ts'

/** How far one log was read, and what it was then. */
export interface ReadFile {
  path: string
  /** The session that its name or folder states; empty where neither does. */
  session: string
  isAgent: boolean
  /** Device and inode. */
  identity: string
  /** Which content of the path it is: one more after each rewrite. */
  number: number
  /** All before it was counted; the end of a line. */
  position: number
  /** Size and last change when it was looked at. */
  size: number
  modifiedMs: number
  /** Of the bytes before `position`: another file under this name, or a rewritten one, has others. */
  tailHash: number
}

/** Sums of all messages in the rows, and the prompt sizes that they were parted by. */
export interface StatusSums {
  steps: readonly number[]
  cells: UsageCell[]
}

export interface StatusState {
  /** Files of the rows by place; a path that was rewritten is there once for each content. Then others that just changed. */
  files: ReadFile[]
  /** JSON of all other files: it is long, and seldom asked for. */
  far: Uint8Array
  /** Messages that may still be asked for, joined as far as it goes. */
  rows: StatusRows
  /** Null where they have to be made. */
  sums: StatusSums | null
  /** Every message since then is in the rows; Infinity where reading was left off before the end. */
  completeFrom: number
  /** A block of five hours begins here, and all before is not needed to tell the blocks after it; null where not known. */
  blockFrom: number | null
  /** When all folders were last looked through and what was new was read, and how long the looking took; 0 before. */
  walkedAt: number
  walkMs: number
  /** Something was left unread. */
  isBehind: boolean
  /** When messages that nobody can ask for were last dropped. */
  prunedAt: number
}

/** Raise the number when what is written changes its meaning. */
const magic = 'clewSL01'
const hashAt = 8
const lengthsAt = 16
const headAt = 24
/** Asides of a process that was killed. */
const leftMs = 3_600_000

export function emptyState(): StatusState {
  return {
    files: [],
    far: farBytes([]),
    rows: emptyRows(),
    sums: null,
    completeFrom: Number.POSITIVE_INFINITY,
    blockFrom: null,
    walkedAt: 0,
    walkMs: 0,
    isBehind: false,
    prunedAt: 0,
  }
}

/** Never throws. */
export function readState(folder: string, name: string): StatusState {
  try {
    return stateOf(readFileSync(join(folder, name))) ?? emptyState()
  } catch {
    return emptyState()
  }
}

/** Written aside and renamed; whoever comes last wins. Where it cannot be written, the next call reads a little more. */
export function writeState(folder: string, name: string, state: StatusState): void {
  const aside = join(folder, `${name}.${process.pid}-${Date.now().toString(36)}.tmp`)
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    writeFileSync(aside, bytesOf(state), { mode: 0o600, flag: 'wx' })
    renameSync(aside, join(folder, name))
  } catch {
    discard(aside)
  }
}

function discard(path: string): void {
  try {
    rmSync(path, { force: true })
  } catch {
    // What could not be made cannot be removed either.
  }
}

/** Removes what no call has used for long, and what was left by calls that were killed. Never throws. */
export function tidyStates(folder: string, now: number, keptMs: number): void {
  try {
    for (const name of readdirSync(folder)) {
      const path = join(folder, name)
      const age = now - statSync(path).mtimeMs
      if (age > (name.endsWith('.tmp') ? leftMs : keptMs)) rmSync(path, { force: true })
    }
  } catch {
    // The next one may do it.
  }
}

/** Files as they are kept where they are seldom asked for, and back. */
export function farBytes(files: readonly ReadFile[]): Uint8Array {
  return Buffer.from(JSON.stringify(files))
}

export function farFiles(far: Uint8Array): ReadFile[] {
  return JSON.parse(Buffer.from(far).toString('utf8')) as ReadFile[]
}

interface Head extends Omit<StatusState, 'rows' | 'far' | 'completeFrom'> {
  names: string[]
  /** Null for Infinity, which JSON has not. */
  completeFrom: number | null
}

function bytesOf({ rows, far, ...state }: StatusState): Uint8Array {
  const { numbers, names } = rows
  const head = JSON.stringify({ ...state, names })
  const farAt = headAt + padded(Buffer.byteLength(head))
  const rowsAt = farAt + padded(far.length)
  const bytes = Buffer.alloc(rowsAt + numbers.byteLength, ' ')
  bytes.write(magic, 0, 'latin1')
  bytes.writeUInt32LE(farAt - headAt, lengthsAt)
  bytes.writeUInt32LE(rowsAt - farAt, lengthsAt + 4)
  bytes.write(head, headAt)
  bytes.set(far, farAt)
  bytes.set(new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength), rowsAt)
  bytes.write(hashOf(bytes), hashAt, 'latin1')
  return bytes
}

function padded(length: number): number {
  return Math.ceil(length / 8) * 8
}

/** Of all that follows it, as eight characters. */
function hashOf(bytes: Uint8Array): string {
  return createHash('sha1').update(bytes.subarray(lengthsAt)).digest('hex').slice(0, 8)
}

function stateOf(bytes: Buffer): StatusState | null {
  if (bytes.length < headAt || bytes.toString('latin1', 0, 8) !== magic) return null
  if (bytes.toString('latin1', hashAt, lengthsAt) !== hashOf(bytes)) return null
  const farAt = headAt + bytes.readUInt32LE(lengthsAt)
  const rowsAt = farAt + bytes.readUInt32LE(lengthsAt + 4)
  const head = parseJson(bytes.toString('utf8', headAt, farAt))
  if (!isObject(head)) return null
  // The hash says that it is what this version wrote.
  const { names, completeFrom, ...state } = head as unknown as Head
  const numbers = new Float64Array(bytes.buffer.slice(bytes.byteOffset + rowsAt, bytes.byteOffset + bytes.length))
  return {
    ...state,
    far: bytes.subarray(farAt, rowsAt),
    rows: { numbers, names },
    completeFrom: asNumber(completeFrom) ?? Number.POSITIVE_INFINITY,
  }
}
