// Small questions about the files of a session: which of them speak for it, and whether they are still there.

import type { Instant } from '../base/instant.ts'
import type { LogFile, SessionFiles } from './source.ts'

/** Whether any of its main files is there; of a session without one, any file. */
export function isOnDisk({ logs, side }: SessionFiles): boolean {
  const mains = logs.filter(log => log.role === 'session')
  const counting = [mains, logs, side].find(files => files.length > 0) ?? []
  return counting.some(file => file.isKept !== true)
}

/** The log that speaks for the session: its first main file, else any. */
export function mainLogs(session: SessionFiles): LogFile[] {
  const mains = session.logs.filter(log => log.role === 'session')
  return mains.length > 0 ? mains : session.logs.slice(0, 1)
}

export function lastChange(session: SessionFiles): number {
  return mainLogs(session).reduce((last, log) => Math.max(last, log.modifiedMs), 0)
}

export function bytesOf(session: SessionFiles): number {
  return session.logs.reduce((sum, log) => sum + log.size, 0)
}

/** A session that changed within this time is taken to be in use. */
export const liveWithinMs = 5 * 60 * 1000
/** A file that is so much younger than what it tells was copied, not written. */
const copiedAfterMs = 24 * 60 * 60 * 1000

/** Whether a file that was changed then is in use now; `endedAt`: the last time that it tells. */
export function isInUse(modifiedMs: number, endedAt: Instant, now: number): boolean {
  if (now - modifiedMs >= liveWithinMs) return false
  return endedAt === null || modifiedMs - Date.parse(endedAt) < copiedAfterMs
}
