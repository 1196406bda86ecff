// How the files of the database looked when its last writer closed it: a line in the file `closed`, which is missing while one
// writes and after one was killed. SQLite of our build has no page checksums, so bytes that others changed show only here. Bytes that
// a disk changes without any write do not show: `clew index verify` finds those.

import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { attempt } from '../../base/attempt.ts'

/**
 * `as-closed`: the bytes are those of the last writer. `changed`: something else wrote them. `unknown`: a writer is at work or
 * was killed, or the file is a copy of the one that was closed, and SQLite's own checks have to do.
 */
export type ClosedState = 'as-closed' | 'changed' | 'unknown'

function notePath(path: string): string {
  return join(path, '..', 'closed')
}

/** For the one that has the lock, before it writes to the database at `path`. */
export function noteOpened(path: string): void {
  rmSync(notePath(path), { force: true })
}

/** The same one, after it closed the database. */
export function noteClosed(path: string): void {
  write(path, [...looksOf(path), identityOf(path)].join(' '))
}

/** SQLite found the database damaged: the next writer builds a new one. */
export function noteDamaged(path: string): void {
  write(path, 'damaged')
}

/** Where it cannot be written, or half of it is, the next writer checks the file. */
function write(path: string, looks: string): void {
  attempt(() => writeFileSync(notePath(path), `${basename(path)} ${looks}\n`, { mode: 0o600 }))
}

export function closedState(path: string): ClosedState {
  const note = readNote(path)
  if (note === undefined) return 'unknown'
  const [name, ...noted] = note.trim().split(' ')
  if (name !== basename(path)) return 'unknown'
  const [looks, identity] = [noted.slice(0, partsOfLooks), noted[partsOfLooks]]
  const found = looksOf(path)
  if (isAlike(looks, found)) return 'as-closed'
  // A copy of the folder has files of its own, with the times of copying.
  const isCopy = identity !== undefined && identity !== identityOf(path) && looks[0] === found[0]
  if (isCopy) return 'unknown'
  // A writer removes the note before it begins: where it is still the same, no one of ours wrote in between.
  return readNote(path) === note ? 'changed' : 'unknown'
}

function readNote(path: string): string | undefined {
  return attempt(() => readFileSync(notePath(path), 'utf8'))
}

/** Which file it is, as the file system knows it. */
function identityOf(path: string): string {
  return `${attempt(() => statSync(path, { bigint: true }).ino)}`
}

const partsOfLooks = 4

/** Size and last change of the database, and of what is in its log of changes. */
function looksOf(path: string): string[] {
  return [path, `${path}-wal`].flatMap(file => {
    const found = attempt(() => statSync(file, { bigint: true }))
    return found === undefined || found.size === 0n ? ['0', '0'] : [`${found.size}`, `${found.mtimeNs}`]
  })
}

function isAlike(noted: readonly string[], found: readonly string[]): boolean {
  return noted.length === found.length && found.every((look, at) => look === noted[at] || isRounded(look, noted[at]))
}

/** Copies of a folder have times that are cut to milliseconds, and some file systems know seconds only. */
function isRounded(found: string, noted = ''): boolean {
  if (!isTime(found) || !isTime(noted)) return false
  const distance = Math.abs(Number(BigInt(found) - BigInt(noted)))
  return distance < (found.endsWith('0'.repeat(9)) ? 2e9 : 1e6)
}

/** Nanoseconds since 1970; no file is as large. */
function isTime(look: string): boolean {
  return /^\d{18,}$/.test(look)
}
