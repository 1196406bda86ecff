// Counts the compactions of a session while its events go by. Where they are, and what they kept, is the graph's business;
// both must come to the same number.

import { isChainEvent, type SessionEvent } from '../model/event.ts'

interface Open {
  /** A border that waits for its summary. */
  isUnsummed: boolean
  /** Whether the last chain record was a prelude (000): preludes in a row are one compaction. */
  inPreludes: boolean
}

export class CompactionCount {
  count = 0
  private readonly threads = new Map<string, Open>()

  /** `event`: not a copy. */
  see(event: SessionEvent): void {
    const isBorder = event.kind === 'compaction' || event.kind === 'preserved' || event.kind === 'compact-summary'
    let open = this.threads.get(event.thread)
    // A summary follows its border at once: after an answer it is another compaction's.
    if (event.kind === 'answer' && open) open.isUnsummed = false
    if (!isBorder && !open?.inPreludes) return
    if (!isChainEvent(event)) return
    if (open === undefined) {
      open = { isUnsummed: false, inPreludes: false }
      this.threads.set(event.thread, open)
    }
    if (isBorder) this.take(event, open)
    else if (event.kind !== 'notice' && event.kind !== 'hook') open.inPreludes = false
  }

  private take(event: SessionEvent, open: Open): void {
    if (event.kind === 'preserved') {
      if (!(open.inPreludes && open.isUnsummed)) this.begin(open, true)
      return
    }
    open.inPreludes = false
    if (event.kind === 'compact-summary') {
      // A summary without a border before it is the border itself.
      if (open.isUnsummed) open.isUnsummed = false
      else this.count++
      return
    }
    if (event.kind !== 'compaction') return
    const phase = event.detail?.phase
    const isCounted = event.dialect === 's3' ? phase === 'done' : phase !== 'micro'
    if (isCounted) this.begin(open, false)
  }

  private begin(open: Open, inPreludes: boolean): void {
    this.count++
    open.isUnsummed = true
    open.inPreludes = inPreludes
  }
}
