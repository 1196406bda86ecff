// Marks what a session copied from another one, event by event, as `copiedParts` found it. Everything that counts what a
// session did itself looks at these marks: see `copiedFrom` in `model/origin.ts`. What was copied is not decided here.

import type { SessionEvent } from '../../model/event.ts'
import type { CopiedPart } from '../../model/session.ts'

/** One for each session; it takes the events of its files in their order. */
export class CopyMarker {
  private readonly part: CopiedPart | undefined
  private readonly main: string
  private isPast = false

  constructor(session: string, part: CopiedPart | undefined) {
    this.main = session
    this.part = part
  }

  /** Marks the event where it was copied; an earlier mark goes. */
  mark(event: SessionEvent): void {
    const { part } = this
    if (part !== undefined && this.isCopied(event, part)) event.inheritedFrom = part.from
    else if (event.inheritedFrom !== undefined) delete event.inheritedFrom
    if (event.id === part?.last) this.isPast = true
  }

  /** Lines of state before the first copied record are the session's own where they are later than what was copied. */
  private isCopied(event: SessionEvent, { until }: CopiedPart): boolean {
    const isMain = event.thread === (this.main as string)
    if (isMain && this.isPast) return false
    if (until === null || event.at === null) return isMain && event.stated.uuid !== undefined
    return event.at <= until
  }
}

/** Marks the events of a session that was read; gives them. */
export function markCopied<Events extends Iterable<SessionEvent>>(
  session: string,
  events: Events,
  part: CopiedPart | undefined,
): Events {
  const marker = new CopyMarker(session, part)
  for (const event of events) marker.mark(event)
  return events
}
