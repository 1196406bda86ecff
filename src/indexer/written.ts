// Rows that were just written, held until their session is settled: to read them back from SQLite costs more than all that is
// made of them. Nothing depends on it: a file that is not held, or holds what SQLite would change, is read back.

import { isStoredAsIs } from './names.ts'
import { type Cell, type RowBatch, widths } from './rows.ts'
import { eventsPerFile } from './schema.ts'
import type { ReadColumns, ThinTable } from './thin-rows.ts'

/** About so many bytes are held, of all files together; those that have waited longest go first. */
const bytesHeld = 8 * 1024 * 1024
/** A cell and its share of a text. */
const bytesPerCell = 16

type RowLists = Pick<RowBatch, 'events' | 'messages' | 'calls' | 'results' | 'details' | 'rests'>

interface WrittenFile {
  /** As they were written, ids in place of ordinals. */
  batches: RowLists[]
  /** By type, those of a last line without end apart. */
  states: Map<string, [number, string]>
  tailStates: Map<string, [number, string]>
  bytes: number
}

export class WrittenRows {
  private readonly files = new Map<number, WrittenFile>()
  private readonly most: number
  private bytes = 0

  constructor(most = bytesHeld) {
    this.most = most
  }

  /** From now on all rows of this file are noted: it has none. */
  begin(file: number): void {
    this.drop(file)
    this.files.set(file, { batches: [], states: new Map(), tailStates: new Map(), bytes: 0 })
  }

  /** A batch as it was written. One of a file that is not held says nothing: rows before it are missing. */
  note(batch: RowBatch): void {
    const file = this.files.get(batch.file)
    if (file === undefined) return
    const { events, messages, calls, results, details, rests } = batch
    file.batches.push({ events, messages, calls, results, details, rests })
    for (const [type, state] of batch.states) file.states.set(type, state)
    for (const [type, state] of batch.tailStates) file.tailStates.set(type, state)
    const bytes = bytesOf(batch)
    file.bytes += bytes
    this.bytes += bytes
    for (const held of this.files.keys()) {
      if (this.bytes <= this.most) break
      this.drop(held)
    }
  }

  /** Its rows are no more what was noted, or nobody will ask again. */
  drop(file: number): void {
    this.bytes -= this.files.get(file)?.bytes ?? 0
    this.files.delete(file)
  }

  /** Nothing that was noted is sure. */
  clear(): void {
    this.files.clear()
    this.bytes = 0
  }

  /** What settling would read back of the file; undefined where it has to. */
  columns(file: number): ReadColumns | undefined {
    const held = this.files.get(file)
    return held === undefined ? undefined : columnsOf(held, file * eventsPerFile)
  }
}

function bytesOf({ events, messages, calls, results, details, rests, states, tailStates }: RowBatch): number {
  let bytes = (events.length + messages.length + calls.length + results.length) * bytesPerCell
  for (const list of [details, rests]) for (const cell of list) bytes += bytesPerCell + textLength(cell)
  for (const list of [states, tailStates]) for (const [, json] of list.values()) bytes += bytesPerCell + json.length
  return bytes
}

function textLength(cell: Cell): number {
  return typeof cell === 'string' ? cell.length : 0
}

/** Whether a cell of a column comes back as it went. */
type Check = (cell: Cell | undefined) => boolean

const isNumber: Check = cell => Number.isSafeInteger(cell) && !Object.is(cell, -0)
const isText: Check = cell => typeof cell === 'string' && isStoredAsIs(cell)
const isNumberOrNull: Check = cell => cell === null || isNumber(cell)
const isTextOrNull: Check = cell => cell === null || isText(cell)
const isParent: Check = cell => cell === 1 || isTextOrNull(cell)
/** Costs are read back from decimals, which are those of another number where it is very small or large. */
const isCost: Check = cell => cell === null || (typeof cell === 'number' && cell >= 1e-9 && cell <= 1e9)

/** A column's place in the lists of a batch, and what it may hold. */
type Column = readonly [place: number, check: Check]

const json: readonly Column[] = [
  [0, isNumber],
  [1, isText],
]
/** In the order of `thin-rows`. */
const messages: readonly Column[] = [
  [0, isNumber],
  [1, isText],
  [2, isTextOrNull],
  ...[3, 5, 6, 7, 8, 9, 10, 11, 14].map((place): Column => [place, isNumberOrNull]),
  [15, isCost],
]
const calls: readonly Column[] = [
  [0, isNumber],
  [1, isNumber],
  [2, isText],
  [3, isNumber],
]
const results: readonly Column[] = [
  [0, isNumber],
  [1, isNumber],
  [2, isText],
  [4, isNumber],
  [6, isNumber],
]

type Lists = Cell[][]

function columnsOf({ batches, states, tailStates }: WrittenFile, base: number): ReadColumns | undefined {
  const told: Record<ThinTable, Lists | undefined> = {
    event: eventColumns(batches),
    message: columnsIn(batches, 'messages', messages),
    call: columnsIn(batches, 'calls', calls),
    result: columnsIn(batches, 'results', results),
    detail: columnsIn(batches, 'details', json),
    rest: columnsIn(batches, 'rests', json),
    state: stateColumns([...states, ...tailStates], base),
  }
  if (Object.values(told).includes(undefined)) return undefined
  return table => told[table] ?? []
}

/** Undefined where a cell would come back as another. */
function columnsIn(batches: readonly RowLists[], list: keyof RowLists, columns: readonly Column[]): Lists | undefined {
  const lists: Lists = columns.map(() => [])
  for (const batch of batches) {
    const cells = batch[list]
    for (let n = 0; n < columns.length; n++) {
      const [place, check] = columns[n] as Column
      const into = lists[n] as Cell[]
      for (let at = place; at < cells.length; at += widths[list]) {
        const cell = cells[at] as Cell
        if (!check(cell)) return undefined
        into.push(cell)
      }
    }
  }
  return lists
}

/** at, offset, kind, actor, flags, uuid, parent, origin. */
const eventCells: readonly Column[] = [
  [1, isNumberOrNull],
  [2, isNumber],
  [5, isNumber],
  [6, isNumber],
  [7, isNumber],
  [8, isTextOrNull],
  [9, isParent],
  [10, isNumber],
]

function eventColumns(batches: readonly RowLists[]): Lists | undefined {
  const cells = columnsIn(batches, 'events', eventCells)
  if (cells === undefined) return undefined
  const [times, offsets, kinds, actors, flags, uuids, parents, origins] = cells as [
    ...[Cell[], Cell[], number[], number[], number[], Cell[], Cell[], Cell[]],
  ]
  const marks = kinds.map((kind, at) => kind + 32 * (actors[at] ?? 0) + 128 * (flags[at] ?? 0))
  const keys = uuids.map((uuid, at) => uuid ?? offsets[at] ?? 0)
  return [times, marks, keys, parents, origins]
}

/** In no order: each belongs to an event of its own. */
function stateColumns(states: readonly [string, [number, string]][], base: number): Lists | undefined {
  if (!states.every(([type, [, text]]) => isText(type) && isText(text))) return undefined
  return [states.map(([, [ordinal]]) => base + ordinal), states.map(([, [, text]]) => text)]
}
