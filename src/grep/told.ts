// Tells of one session's matches those that were told before: lines that the client writes again and again, and what an
// earlier generation or a file beside the log has in common with the log.

import type { EventKind } from '../model/event.ts'
import { type GrepHit, keyOf } from './events.ts'

/** Lines that the client writes again and again, each time with the same text. */
const repeated: ReadonlySet<EventKind> = new Set<EventKind>(['title', 'state', 'progress', 'queue'])
const mostRemembered = 200_000

export function isRepeated(kind: EventKind): boolean {
  return repeated.has(kind)
}

/** Whether it depends on other matches that this one counts. */
export function isJudged({ kind, generation, isBeside }: GrepHit): boolean {
  return repeated.has(kind) || generation !== undefined || isBeside === true
}

export class Told {
  private readonly told = new Set<string>()
  private readonly remembersAll: boolean

  /** `hasCopies`: texts of the session may stand in more than one file. */
  constructor(hasCopies: boolean) {
    this.remembersAll = hasCopies
  }

  isNew(hit: GrepHit): boolean {
    if (!this.remembersAll && !isJudged(hit)) return true
    const key = keyOf(hit)
    if (isJudged(hit) && this.told.has(key)) return false
    if (this.told.size < mostRemembered) this.told.add(key)
    return true
  }

  /** The same for one of which only the name is known. */
  isNewKey(key: string): boolean {
    if (this.told.has(key)) return false
    if (this.told.size < mostRemembered) this.told.add(key)
    return true
  }
}
