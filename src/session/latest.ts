// Which session is the latest: the one with the latest record time, everywhere. Sessions without any time come last, by the
// last change of their files. It reads nothing.

import type { Instant } from '../base/instant.ts'
import { lastChange, type SessionFiles } from '../model/source.ts'

export interface Dated {
  session: SessionFiles
  /** The time of its latest record; null where none has one. */
  endedAt: Instant
}

/** Sorts the latest first; ids decide between equal ones. */
export function byLatest(one: Dated, other: Dated): number {
  if (one.endedAt !== other.endedAt) {
    if (one.endedAt === null) return 1
    if (other.endedAt === null) return -1
    return one.endedAt > other.endedAt ? -1 : 1
  }
  return lastChange(other.session) - lastChange(one.session) || (one.session.id < other.session.id ? -1 : 1)
}
