// Small questions about the files of a session: which of them speak for it, and whether they are still there.

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
