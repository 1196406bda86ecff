// Counts messages while their rows are written, for an index that has none yet: to read them back would cost several times as
// much. What it gives is what `usage.ts` would find in the rows.

import { requestKey } from '../../usage/key.ts'
import { asStored } from '../store/names.ts'
import type { Database } from '../store/port.ts'
import { type Cell, type RowBatch, widths } from './rows.ts'
import { callKey, UsagePack } from './usage-pack.ts'
import { copy, occurrenceColumns } from './usage-rows.ts'

/** So much is held in memory at most, which is enough for several GB of logs; whoever has more reads them back. */
const mostBytes = 48 * 1024 * 1024

export class UsageLoad {
  private readonly db: Database
  private readonly threads = new Map<number, number | null>()
  private readonly most: number
  private pack: UsagePack | null = new UsagePack()
  private readonly cells = new Float64Array(occurrenceColumns.length)
  private readonly calls: number[] = []
  /** Neighbours mostly have the same request. */
  private request: Cell = null
  private requestKey = Number.NaN

  constructor(db: Database, most = mostBytes) {
    this.db = db
    this.most = most
  }

  /** What was counted so far is not what there is any more. */
  drop(): void {
    this.pack = null
  }

  /** All that was written, by row ids of files; null where that is not known. */
  take(): UsagePack | null {
    const { pack } = this
    this.drop()
    return pack
  }

  /** `batch`: with the ids that its rows have in the index. */
  see({ events, messages, calls }: Pick<RowBatch, 'events' | 'messages' | 'calls'>): void {
    const { pack } = this
    if (pack === null) return
    let call = 0
    for (let at = 0; at < messages.length; at += widths.messages) {
      const id = messages[at] as number
      if (messages[at + 17] === null) continue
      while (call < calls.length && (calls[call] as number) < id) call += widths.calls
      const cells = this.cellsOf(messages, at, events, placeOf(id, events))
      pack.add(cells, this.callsOf(calls, call, id))
    }
    if (pack.bytes > this.most) this.drop()
  }

  /** In the order of `occurrenceColumns`; the same list every time. */
  private cellsOf(messages: readonly Cell[], at: number, events: readonly Cell[], event: number): Float64Array {
    const { cells } = this
    for (let column = 0; column < order.length; column++) {
      const cell = messages[at + (order[column] as number)] as number | null
      // Amounts that are not told are 0, and what is not told takes no room.
      cells[column] = cell === null || (cell === 0 && column !== costPlace) ? Number.NaN : cell
    }
    cells[0] = messages[at] as number
    cells[2] = this.requestOf(messages[at + 2] ?? null)
    cells[4] = toNumber(messages[at + 21] ?? events[event + 1])
    cells[5] = toNumber(messages[at + 22] ?? this.threadOf(events[event + 10] as number))
    cells[16] = (events[event + 7] as number) & copy || Number.NaN
    return cells
  }

  private requestOf(request: Cell): number {
    if (request === this.request) return this.requestKey
    const stored = typeof request === 'string' ? asStored(request) : ''
    this.request = request
    this.requestKey = stored === '' ? Number.NaN : requestKey(stored)
    return this.requestKey
  }

  /** Tools and calls of an event, whose first one is at `from`; the same list every time. */
  private callsOf(calls: readonly Cell[], from: number, id: number): readonly number[] {
    const own = this.calls
    own.length = 0
    for (let call = from; calls[call] === id; call += widths.calls) {
      own.push(calls[call + 3] as number, callKey(asStored(calls[call + 2] as string)))
    }
    return own
  }

  private threadOf(origin: number): number | null {
    const known = this.threads.get(origin)
    if (known !== undefined) return known
    const thread = this.db.prepare('SELECT thread FROM origin WHERE id = ?').get([origin])?.[0] as number | null
    this.threads.set(origin, thread)
    return thread
  }
}

/** Where the row of an event begins. */
function placeOf(event: number, events: readonly Cell[]): number {
  // They mostly follow one another without a gap.
  let place = (event - (events[0] as number)) * widths.events
  if (events[place] === event) return place
  for (place = 0; place < events.length && events[place] !== event; ) place += widths.events
  return place
}

function toNumber(cell: Cell | undefined): number {
  return typeof cell === 'number' ? cell : Number.NaN
}

const costPlace = 14
/** Where in a batch's row the cells stand; 0 for those that are found in another way. */
const order = [0, 17, 0, 18, 0, 0, 3, 5, 6, 7, 10, 8, 11, 19, 15, 20, 0, 23]
