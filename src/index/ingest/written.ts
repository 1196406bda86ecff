// Rows that were just written, held until their session is settled: to read them back from SQLite costs more than much of what
// is made of them. Nothing depends on it: a file that is not held, or whose cells SQLite would change, is read back.

import type { ReadColumns, ThinTable } from '../refresh/thin-rows.ts'
import { isStoredAsIs } from '../store/names.ts'
import { eventsPerFile } from '../store/schema.ts'
import { type Cell, type RowBatch, widths } from './rows.ts'

/** About so many bytes are held, of all files together; those that have waited longest go first. */
const bytesHeld = 4 * 1024 * 1024
/** A cell and its share of a text. */
const bytesPerCell = 16

type State = [ordinal: number, json: string]

interface WrittenFile {
  columns: Record<RowTable, Cell[][]>
  /** By type, those of a last line without end apart. */
  states: Map<string, State>
  tailStates: Map<string, State>
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
    this.files.set(file, { columns: emptyColumns(), states: new Map(), tailStates: new Map(), bytes: 0 })
  }

  /** A batch as it was written. One of a file that is not held says nothing: rows before it are missing. */
  note(batch: RowBatch): void {
    const file = this.files.get(batch.file)
    if (file === undefined) return
    if (!addRows(file.columns, batch) || !addStates(file, batch)) {
      this.drop(batch.file)
      return
    }
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

  /** Nothing that was noted is sure, or wanted. */
  clear(): void {
    this.files.clear()
    this.bytes = 0
  }

  /** What settling would read back of the file; undefined where it has to. */
  columns(file: number): ReadColumns | undefined {
    const held = this.files.get(file)
    if (held === undefined) return undefined
    return table => (table === 'state' ? stateColumns(held, file * eventsPerFile) : held.columns[table])
  }
}

/** What a column holds; `key` and `marks` are made of several cells. */
type CellType = 'number' | 'text' | 'parent' | 'cost' | 'key' | 'marks'
type RowTable = Exclude<ThinTable, 'state'>
type RowList = 'events' | 'messages' | 'calls' | 'results' | 'details' | 'rests'

/** Columns in the order of `thin-rows`: their places in the list of a batch, and what they hold. */
interface Plan {
  list: RowList
  columns: readonly (readonly [place: number, type: CellType])[]
}

const json: Plan['columns'] = [
  [0, 'number'],
  [1, 'text'],
]
const plans: Record<RowTable, Plan> = {
  event: {
    list: 'events',
    columns: [
      [1, 'number'],
      [5, 'marks'],
      [8, 'key'],
      [9, 'parent'],
      [10, 'number'],
    ],
  },
  message: {
    list: 'messages',
    columns: [
      [0, 'number'],
      [1, 'text'],
      [2, 'text'],
      ...[3, 5, 6, 7, 8, 9, 10, 11, 14].map(place => [place, 'number'] as const),
      [15, 'cost'],
    ],
  },
  call: {
    list: 'calls',
    columns: [
      [0, 'number'],
      [1, 'number'],
      [2, 'text'],
      [3, 'number'],
    ],
  },
  result: {
    list: 'results',
    columns: [
      [0, 'number'],
      [1, 'number'],
      [2, 'text'],
      [4, 'number'],
      [6, 'number'],
    ],
  },
  detail: { list: 'details', columns: json },
  rest: { list: 'rests', columns: json },
}
const tables = Object.keys(plans) as RowTable[]

function emptyColumns(): WrittenFile['columns'] {
  const empty = (table: RowTable): Cell[][] => plans[table].columns.map(() => [])
  return {
    ...{ event: empty('event'), message: empty('message'), call: empty('call') },
    ...{ result: empty('result'), detail: empty('detail'), rest: empty('rest') },
  }
}

/** False where a cell would come back as another. */
function addRows(into: WrittenFile['columns'], batch: RowBatch): boolean {
  for (const table of tables) {
    const { list, columns } = plans[table]
    const cells = batch[list]
    const width = widths[list]
    for (const [n, [place, type]] of columns.entries()) {
      const column = into[table][n] as Cell[]
      for (let at = place; at < cells.length; at += width) {
        const cell = readBack(cells, at, type)
        if (cell === undefined) return false
        column.push(cell)
      }
    }
  }
  return true
}

/**
 * What is read of the cell, where that is the same number or text; else undefined. Tables took the row: null stands only where
 * it may.
 */
function readBack(cells: readonly Cell[], at: number, type: CellType): Cell | undefined {
  const cell = cells[at] as Cell
  switch (type) {
    case 'number':
      return cell === null || isWhole(cell) ? cell : undefined
    case 'text':
      return cell === null || isText(cell) ? cell : undefined
    case 'parent':
      return cell === null || cell === 1 || isText(cell) ? cell : undefined
    case 'cost':
      return cell === null || isExact(cell) ? cell : undefined
    case 'key':
      // The offset stands six places before.
      return cell === null ? readBack(cells, at - 6, 'number') : readBack(cells, at, 'text')
    case 'marks':
      return marksOf(cell, cells[at + 1] as Cell, cells[at + 2] as Cell)
  }
}

function marksOf(kind: Cell, actor: Cell, flags: Cell): number | undefined {
  return isWhole(kind) && isWhole(actor) && isWhole(flags) ? kind + 32 * actor + 128 * flags : undefined
}

function isWhole(cell: Cell): cell is number {
  return Number.isSafeInteger(cell) && !Object.is(cell, -0)
}

function isText(cell: Cell): boolean {
  return typeof cell === 'string' && isStoredAsIs(cell)
}

/** Costs are read back from decimals, which are those of another number where it is very small or large. */
function isExact(cell: Cell): boolean {
  return typeof cell === 'number' && cell >= 1e-9 && cell <= 1e9
}

function addStates(file: WrittenFile, { states, tailStates }: RowBatch): boolean {
  for (const [type, state] of states) file.states.set(type, state)
  for (const [type, state] of tailStates) file.tailStates.set(type, state)
  return [...states, ...tailStates].every(([type, [, text]]) => isText(type) && isText(text))
}

/** In no order: each belongs to an event of its own. */
function stateColumns({ states, tailStates }: WrittenFile, base: number): Cell[][] {
  const all = [...states.values(), ...tailStates.values()]
  return [all.map(([ordinal]) => base + ordinal), all.map(([, text]) => text)]
}

function bytesOf(batch: RowBatch): number {
  let bytes = 0
  for (const table of tables) {
    const { list, columns } = plans[table]
    bytes += (batch[list].length / widths[list]) * columns.length * bytesPerCell
  }
  for (const list of [batch.details, batch.rests]) {
    for (const cell of list) if (typeof cell === 'string') bytes += cell.length
  }
  for (const list of [batch.states, batch.tailStates]) for (const [, text] of list.values()) bytes += text.length
  return bytes
}
