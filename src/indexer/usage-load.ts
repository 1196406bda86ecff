// Counts messages while their rows are written, for an index that has none yet: to read them back would cost as much again.
// What it gives is what `usage.ts` would find in the rows.

import { UsageMerge } from '../analyze/usage-merge.ts'
import type { Database } from './port.ts'
import { type Cell, type RowBatch, widths } from './rows.ts'
import { ThinNames } from './thin-names.ts'
import { occurrenceOf } from './usage-rows.ts'

/** So many records are held in memory at most; whoever has more reads them back. */
const mostRecords = 160_000

export class UsageLoad {
  private readonly db: Database
  private readonly names: ThinNames
  private readonly threads = new Map<number, Cell>()
  private merge: UsageMerge | null = new UsageMerge()
  private records = 0
  private readonly cells: Cell[] = []

  constructor(db: Database) {
    this.db = db
    this.names = new ThinNames(db)
  }

  /** What was counted so far is not what there is any more. */
  drop(): void {
    this.merge = null
  }

  /** All that was written, by row ids of files; null where that is not known. */
  take(): UsageMerge | null {
    const { merge } = this
    this.drop()
    return merge
  }

  /** `batch`: with the ids that its rows have in the index. */
  see({ events, messages, calls }: RowBatch): void {
    const { merge } = this
    if (merge === null) return
    let event = 0
    let call = 0
    for (let at = 0; at < messages.length; at += widths.messages) {
      const id = messages[at] as number
      if (messages[at + 17] === null) continue
      while (event < events.length && events[event] !== id) event += widths.events
      while (call < calls.length && (calls[call] as number) < id) call += widths.calls
      const called: string[] = []
      for (let own = call; calls[own] === id; own += widths.calls) called.push(`${calls[own + 3]} ${calls[own + 2]}`)
      merge.add(occurrenceOf(this.cellsOf(messages, at, events, event), called, this.names))
      this.records++
    }
    if (this.records > mostRecords) this.drop()
  }

  /** In the order of `occurrenceColumns`; the same list every time. */
  private cellsOf(messages: readonly Cell[], at: number, events: readonly Cell[], event: number): readonly Cell[] {
    const { cells } = this
    for (let column = 0; column < order.length; column++) cells[column] = messages[at + (order[column] ?? 0)] ?? null
    cells[4] = messages[at + 21] ?? events[event + 1] ?? null
    cells[5] = messages[at + 22] ?? this.threadOf(events[event + 10] as number)
    cells[16] = events[event + 7] ?? null
    return cells
  }

  private threadOf(origin: number): Cell {
    const known = this.threads.get(origin)
    if (known !== undefined) return known
    const thread = this.db.prepare('SELECT thread FROM origin WHERE id = ?').get([origin])?.[0] as Cell
    this.threads.set(origin, thread)
    return thread
  }
}

/** Where in a batch's row the cells stand; time, thread and flags are told by the event. */
const order = [0, 17, 2, 18, 21, 22, 3, 5, 6, 7, 10, 8, 11, 19, 15, 20, 0, 23]
