// The time of the last message that a fork copied. The agent SDK (0.3.325) writes the fork's own time into it, so that the turn
// seems to last until the session was forked. It reads no log: the origin's time comes from the caller.
//
//   {"type":"assistant","timestamp":"<of the fork>","forkedFrom":{"sessionId":"<origin>","messageUuid":"<original>"},…}
//   {"type":"custom-title","timestamp":"<of the fork>","uuid":"…","customTitle":"… (fork)"}

import type { Instant } from '../../base/instant.ts'
import { hasFlag, type SessionEvent } from '../../model/event.ts'
import { copiedFrom } from '../../model/origin.ts'
import type { GraphFile } from '../../model/session.ts'
import type { CopiedFrom } from '../../model/stated.ts'

/** A copied message that has the fork's time instead of its own. */
export interface Restamped {
  event: SessionEvent
  origin: CopiedFrom
}

/** Undefined for nearly all sessions. Claude Code's own forks keep the times, and their titles have none. */
export function restampedIn(files: readonly GraphFile[]): Restamped | undefined {
  for (const { role, events } of files) {
    if (role !== 'session') continue
    let last: Restamped | undefined
    for (const event of events) {
      const origin = copiedFrom(event)
      if (origin !== undefined) last = { event, origin }
      else if (event.at !== null) {
        // The first record of its own: what a fork copied is before it.
        if (event.kind === 'title' && event.at === last?.event.at) return last
        break
      }
    }
  }
  return undefined
}

/** The files with the time that the message has in the origin; null where that is not known. */
export function withOriginTime(files: readonly GraphFile[], { event }: Restamped, at: Instant): GraphFile[] {
  return files.map(file => {
    const place = file.events.indexOf(event)
    return place < 0 ? file : { ...file, events: file.events.with(place, { ...event, at }) }
  })
}

/** Whether an event has no known time because a fork wrote over it. */
export function hasLostTime(event: SessionEvent): boolean {
  return event.at === null && !hasFlag(event, 'copy') && copiedFrom(event) !== undefined
}
