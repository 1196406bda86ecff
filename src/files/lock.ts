// One writer at a time: a lock file made exclusively, with its holder's name in it, and the removal of locks whose
// holder is gone. Readers need no lock, and nothing here knows what is written under it.
//
// A lock that outlived its holder is removed under a guard, `lock.break-<which lock>-<n>`, likewise made exclusively.
// Guard n+1 may be made once the holder of guard n is gone for good, so at most one living process is between "this
// lock is stale" and its removal, and no guard needs to be taken away while others look at it.

import { createHash, randomBytes } from 'node:crypto'
import { closeSync, constants, fstatSync, openSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { attempt } from '../base/attempt.ts'
import { errorCode } from '../base/error-code.ts'
import { toMillis } from '../base/instant.ts'
import { asNumber, asString, isObject, parseJson } from '../base/json.ts'
import { FileError } from './error.ts'
import type { WriteOps } from './ops.ts'

/** The lock file's name in the locked folder. */
const lockName = 'lock'

const guardPrefix = 'lock.break-'
const usualPollMs = 100
/** This long a file without a readable holder may be one that is being written. */
const unreadableMs = 5000
/** From here on a lock of another machine is likelier forgotten than held. */
const elsewhereMs = 24 * 60 * 60 * 1000

// The last two are absent on Windows, whatever the types say.
const lookFlags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

export interface LockOptions {
  /** What the lock is for, as a command's word; shown to those who wait. */
  what: string
  /** How long to wait for another holder; 0 tries once. */
  waitMs: number
  /** How long to wait between two attempts; 100 where absent. */
  pollMs?: number
  /** What is locked, as a message begins with it; `The archive` where absent. */
  subject?: string
  /** Called once, when it turns out that someone else has it. */
  onWait?: (holder: LockHolder) => void
}

export interface Lock {
  readonly holder: LockHolder
  /** Removes the lock if it is still ours; a second call does nothing. */
  release(): void
}

/** Who has the lock of `folder` now; null when no one does or the file names no one. */
export function lockHolder(folder: string): LockHolder | null {
  return look(join(folder, lockName))?.holder ?? null
}

/** Takes the lock of `folder`, or fails with the code `locked` when another holder keeps it for longer than `waitMs`. */
export async function acquireLock(ops: WriteOps, folder: string, options: LockOptions): Promise<Lock> {
  const path = join(folder, lockName)
  const { pollMs = usualPollMs, subject = 'The archive' } = options
  const deadline = Date.now() + options.waitMs
  let hasReported = false
  for (;;) {
    const holder = ourselves(options.what)
    if (tryClaim(ops, path, holder)) {
      sweepGuards(ops, folder)
      return { holder, release: () => release(ops, path, holder) }
    }
    const seen = look(path)
    if (seen === null) continue
    if (isStale(seen) && tryBreak(ops, folder, seen)) continue
    const elsewhere = oldElsewhere(path, seen, subject)
    if (elsewhere !== null) throw elsewhere
    if (!hasReported && seen.holder !== null && options.waitMs > 0) {
      hasReported = true
      options.onWait?.(seen.holder)
    }
    if (Date.now() >= deadline) throw lockedError(path, seen, subject)
    await sleep(Math.min(pollMs, Math.max(1, deadline - Date.now())))
  }
}

/** A lock or guard as it was found. */
interface Seen {
  /** Null for a file that is empty or makes no sense (yet). */
  holder: LockHolder | null
  ageMs: number
  /** Distinguishes this lock from every other that ever had its name. */
  identity: string
  /** Ours to judge only when it could be read. */
  isReadable: boolean
}

function look(path: string): Seen | null {
  try {
    const fd = openSync(path, lookFlags)
    try {
      const { mtimeMs, ino } = fstatSync(fd)
      const text = readFileSync(fd, 'utf8')
      const holder = holderFromText(text)
      // A lock without a key has nothing of its own but its place on the disk.
      const identity = digest(holder === null ? `${ino} ${mtimeMs} ${text}` : text)
      // A clock that was set back must not make a leftover eternal.
      return { holder, ageMs: Math.abs(Date.now() - mtimeMs), identity, isReadable: true }
    } finally {
      closeSync(fd)
    }
  } catch (error) {
    const code = errorCode(error)
    if (code === 'ENOENT') return null
    if (code === 'EACCES' || code === 'EPERM') return { holder: null, ageMs: 0, identity: '', isReadable: false }
    throw error
  }
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}

function isStale(seen: Seen): boolean {
  if (!seen.isReadable) return false
  if (seen.holder === null) return seen.ageMs > unreadableMs
  return left.has(seen.holder.key) || stateOf(seen.holder) === 'gone'
}

/** Makes the file with its holder in it; false when the name is taken. */
function tryClaim(ops: WriteOps, path: string, holder: LockHolder): boolean {
  let fd: number
  try {
    fd = ops.create(path, 0o600)
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false
    throw error
  }
  try {
    try {
      ops.write(fd, new TextEncoder().encode(`${JSON.stringify(holder)}\n`))
    } finally {
      ops.close(fd)
    }
  } catch (error) {
    if (look(path)?.holder == null || isHeldBy(path, holder)) attempt(() => ops.unlink(path))
    throw error
  }
  // One who was held up before the write may have been taken for a leftover meanwhile.
  return isHeldBy(path, holder)
}

function isHeldBy(path: string, holder: LockHolder): boolean {
  return look(path)?.holder?.key === holder.key
}

function release(ops: WriteOps, path: string, holder: LockHolder): void {
  if (!isHeldBy(path, holder)) return
  left.add(holder.key)
  ops.unlink(path)
  left.delete(holder.key)
}

/** Locks that this process is done with but could not remove. */
const left = new Set<string>()

/** Whether the way is free for another attempt; false when someone else is at it, or the lock is not stale after all. */
function tryBreak(ops: WriteOps, folder: string, stale: Seen): boolean {
  const holder = ourselves('break')
  const guards: string[] = []
  for (let n = 0; ; n++) {
    const path = join(folder, `${guardPrefix}${stale.identity}-${n}`)
    guards.push(path)
    if (tryClaim(ops, path, holder)) break
    const other = look(path)
    if (other === null || !isGuardStale(other)) return false
  }
  try {
    const now = look(join(folder, lockName))
    if (now === null) return true
    if (now.identity !== stale.identity || !isStale(now)) return false
    ops.unlink(join(folder, lockName))
    return true
  } finally {
    for (const path of guards) attempt(() => ops.unlink(path))
  }
}

// A guard is held for microseconds, so one from elsewhere that lasts is a leftover too.
function isGuardStale(guard: Seen): boolean {
  if (isStale(guard)) return true
  return guard.holder !== null && stateOf(guard.holder) === 'elsewhere' && guard.ageMs > unreadableMs
}

/** Guards of processes that were killed while they held one; the locks they were for are gone, so no one counts on them. */
function sweepGuards(ops: WriteOps, folder: string): void {
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(guardPrefix)) continue
    const guard = look(join(folder, name))
    if (guard !== null && isGuardStale(guard)) attempt(() => ops.unlink(join(folder, name)))
  }
}

function oldElsewhere(path: string, { holder }: Seen, subject: string): FileError | null {
  if (holder === null || stateOf(holder) !== 'elsewhere') return null
  const since = toMillis(holder.started)
  if (since !== null && Date.now() - since <= elsewhereMs) return null
  const message = `${whoHolds(holder, subject)}, which cannot be asked from here. That is more than a day ago: if nothing runs there any more, remove ${path}.`
  return new FileError('locked', message, path)
}

function lockedError(path: string, { holder, isReadable }: Seen, subject: string): FileError {
  if (!isReadable) return new FileError('locked', `${subject} is locked by another user: ${path} cannot be read.`, path)
  if (holder === null) {
    const message = `${subject} is locked: ${path} is being written, or was left behind and will be removed after ${unreadableMs / 1000} seconds.`
    return new FileError('locked', message, path)
  }
  const hint = stateOf(holder) === 'elsewhere' ? ` If nothing runs there any more, remove ${path}.` : ''
  return new FileError('locked', `${whoHolds(holder, subject)}. Try again when it is done.${hint}`, path)
}

function whoHolds(holder: LockHolder, subject: string): string {
  const place = stateOf(holder) === 'elsewhere' ? ` on ${holder.host}` : ''
  const since = holder.started === '' ? 'some time' : holder.started
  return `${subject} is locked by process ${holder.pid}${place} (${holder.what || 'unknown work'}) since ${since}`
}

/** What a lock file says. */
export interface LockHolder {
  pid: number
  host: string
  /** When the lock was taken, ISO 8601 in UTC. */
  started: string
  /** Linux: differs after a restart of the machine. */
  boot?: string
  /** Linux: when the process started, in clock ticks; distinguishes it from a later process with the same number. */
  start?: string
  /** Linux: where the process number counts; containers that share a host name differ in it. */
  space?: string
  /** What it is doing, as a command's word (`run`, `restore`). */
  what: string
  /** Random, so that no two locks have the same content. */
  key: string
}

/** This process as the holder of a new lock. */
export function ourselves(what: string): LockHolder {
  const boot = bootId()
  const start = processFacts(process.pid)?.start
  const space = processSpace()
  return {
    pid: process.pid,
    host: hostname(),
    started: new Date().toISOString(),
    ...(boot !== undefined && { boot }),
    ...(start !== undefined && { start }),
    ...(space !== undefined && { space }),
    what,
    key: randomBytes(8).toString('hex'),
  }
}

/** The holder a lock's text names; null for text that was not written to its end. */
export function holderFromText(text: string): LockHolder | null {
  const value = parseJson(text)
  if (!isObject(value)) return null
  const pid = asNumber(value['pid'])
  const host = asString(value['host'])
  if (pid === undefined || !Number.isSafeInteger(pid) || pid <= 0 || host === undefined) return null
  const boot = asString(value['boot'])
  const start = asString(value['start'])
  const space = asString(value['space'])
  return {
    pid,
    host,
    started: asString(value['started']) ?? '',
    ...(boot !== undefined && { boot }),
    ...(start !== undefined && { start }),
    ...(space !== undefined && { space }),
    what: asString(value['what']) ?? '',
    key: asString(value['key']) ?? '',
  }
}

/** `elsewhere`: on a machine, or in a container, whose processes cannot be seen from here. */
type HolderState = 'alive' | 'gone' | 'elsewhere'

/** Once gone, always gone: no one can wake a process that ended. */
export function stateOf(holder: LockHolder): HolderState {
  if (holder.host !== hostname()) return 'elsewhere'
  const boot = bootId()
  if (holder.boot !== undefined && boot !== undefined && holder.boot !== boot) return 'gone'
  const space = processSpace()
  if (holder.space !== undefined && space !== undefined && holder.space !== space) return 'elsewhere'
  if (!isAlive(holder.pid)) return 'gone'
  const facts = processFacts(holder.pid)
  if (facts === undefined) return 'alive'
  return facts.hasEnded || (holder.start !== undefined && holder.start !== facts.start) ? 'gone' : 'alive'
}

/** Whether a process of this number runs. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // Another user's process may not be asked, but it is there.
    return errorCode(error) === 'EPERM'
  }
}

/** From `/proc/<pid>/stat`: `4711 (any (name)) S 1 …`; the name may have spaces and brackets. Undefined elsewhere. */
function processFacts(pid: number): { start: string; hasEnded: boolean } | undefined {
  const text = textOf(() => readFileSync(`/proc/${pid}/stat`, 'latin1'))
  if (text === undefined) return undefined
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const start = fields[19]
  if (start === undefined) return undefined
  return { start, hasEnded: fields[0] === 'Z' || fields[0] === 'X' }
}

function bootId(): string | undefined {
  return textOf(() => readFileSync('/proc/sys/kernel/random/boot_id', 'latin1'))
}

function processSpace(): string | undefined {
  return textOf(() => readlinkSync('/proc/self/ns/pid'))
}

function textOf(read: () => string): string | undefined {
  return process.platform === 'linux' ? attempt(read)?.trim() : undefined
}
