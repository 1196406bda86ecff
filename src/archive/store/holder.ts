// Who holds a lock, and whether that process can still be alive. It asks the system about processes and never touches
// a lock file.

import { randomBytes } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import { asNumber, asString, isObject, parseJson } from '../../base/json.ts'
import { errorCode } from '../../disk/read/read.ts'

/** What a lock file says. */
export interface LockHolder {
  pid: number
  host: string
  /** When the lock was taken, ISO 8601 in UTC. */
  started: string
  /** Linux: differs after a restart of the machine. */
  boot?: string
  /** Linux: when the process started, in clock ticks; tells it from a later process of the same number. */
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
export type HolderState = 'alive' | 'gone' | 'elsewhere'

/** Once gone, always gone: nobody can wake a process that ended. */
export function stateOf(holder: LockHolder): HolderState {
  if (holder.host !== hostname()) return 'elsewhere'
  const boot = bootId()
  if (holder.boot !== undefined && boot !== undefined && holder.boot !== boot) return 'gone'
  const space = processSpace()
  if (holder.space !== undefined && space !== undefined && holder.space !== space) return 'elsewhere'
  if (!answersSignals(holder.pid)) return 'gone'
  const facts = processFacts(holder.pid)
  if (facts === undefined) return 'alive'
  return facts.hasEnded || (holder.start !== undefined && holder.start !== facts.start) ? 'gone' : 'alive'
}

function answersSignals(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // Another user's process may not be asked, but it is there.
    return errorCode(error) === 'EPERM'
  }
}

/** From `/proc/<pid>/stat`: `4711 (any (name)) S 1 …`; the name may hold spaces and brackets. Undefined elsewhere. */
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
  if (process.platform !== 'linux') return undefined
  try {
    return read().trim()
  } catch {
    return undefined
  }
}
