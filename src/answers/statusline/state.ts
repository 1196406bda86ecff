// What a status line remembers between two calls, as one JSON file: how far each log was read, and what recent messages used.
// It can be deleted at any time: a file that is damaged or of another version counts as empty.

import { readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { isObject, parseJson } from '../../base/json.ts'
import { readText } from '../../disk/read/read.ts'
import { replaceFile } from '../../files/replace-file.ts'
import type { UsageStatement } from '../../model/usage.ts'
import type { LogStat } from './logs.ts'

/** How far one log was read, and what it was then. */
export interface ReadLog extends LogStat {
  /** Everything before it was counted; the beginning of a line. */
  position: number
  /** Hash of the bytes before `position`: a rewritten log has others. */
  tailHash: number
  /** Of its main thread; absent where it has none. */
  last?: LastRequest
}

/** What a request sent, and when it was answered. */
export interface LastRequest {
  at: number | null
  model: string
  tokens: number
}

export interface StatusState {
  version: number
  /** A log that was rewritten is there once for each content. */
  logs: ReadLog[]
  /** `file`: a place in `logs`. Joined as far as possible. */
  statements: UsageStatement[]
  /** When all folders were last walked and what was new was read, and how long the walk took; 0 before. */
  walkedAt: number
  walkMs: number
  /** Something was left unread, because time was up. */
  isBehind: boolean
  /** Blocks can be computed from this time on; null where not known. */
  blockFrom: number | null
  /** By session the time until which it has copies of another one here; absent where no log begins alike. */
  copiedUntil?: Record<string, number>
}

/** Raise it when what is written changes its meaning. */
const version = 4
/** Temporary files of a process that was killed. */
const abandonedMs = 3_600_000

/** Never throws. */
export function readState(path: string): StatusState {
  try {
    const value = parseJson(readText(path))
    // Written by this version, so it has the shape.
    if (isObject(value) && value['version'] === version) return value as unknown as StatusState
  } catch {
    // There is none yet, or it cannot be read.
  }
  return emptyState()
}

export function emptyState(): StatusState {
  return { version, logs: [], statements: [], walkedAt: 0, walkMs: 0, isBehind: false, blockFrom: null }
}

/** Never throws. */
export function writeState(path: string, state: StatusState): void {
  try {
    replaceFile(path, JSON.stringify(state))
  } catch {
    // Without it, the next call reads a little more.
  }
}

/** Removes what no call has used for long, and what was left by calls that were killed. Never throws. */
export function tidyStates(folder: string, nowMs: number, keptMs: number): void {
  try {
    for (const name of readdirSync(folder)) {
      const path = join(folder, name)
      const age = nowMs - statSync(path).mtimeMs
      if (age > (name.endsWith('.tmp') ? abandonedMs : keptMs)) rmSync(path, { force: true })
    }
  } catch {
    // The next call may do it.
  }
}
