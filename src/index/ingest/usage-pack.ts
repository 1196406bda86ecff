// Statements about API messages, held in few bytes until all of them are there: some twenty each, where an object would take
// hundreds. Those that stand one behind the other about one message are told by what differs. How they are joined is decided
// in `analyze`.

import { NumberPack } from '../../base/number-pack.ts'
import { textHash } from '../../base/text-hash.ts'
import { calledTool, type UsageOccurrence } from '../../model/spent.ts'
import type { ThinNames } from '../refresh/thin-names.ts'
import type { Cell } from './rows.ts'
import { occurrenceColumns, occurrenceOf } from './usage-rows.ts'

/** Places in `occurrenceColumns`. */
const [eventPlace, keyPlace, timePlace, toolsPlace] = [0, 1, 4, 17]
const columns = occurrenceColumns.length
/** The key is told once for all, so its bit says whether there are calls. */
const hasCalls = 1 << keyPlace
/** So many statements a run has at most. */
const runLength = 64
/** What a run takes besides its numbers. */
const runBytes = 16
const callSeed = 0x63616c6c

/** By which the copies of one call are known here. */
export function callKey(id: string): number {
  return textHash(id, callSeed)
}

export class UsagePack {
  private readonly numbers = new NumberPack()
  /** Of each run of statements its key, and where it begins, times `runLength`, and how many follow the first. */
  private readonly keys: number[] = []
  private readonly runs: number[] = []
  private readonly last = new Float64Array(columns)
  /** What is put next. */
  private next = new Float64Array(columns + 2)

  /** Room that all of it takes. */
  get bytes(): number {
    return this.numbers.bytes + this.runs.length * runBytes
  }

  /**
   * `cells`: in the order of `occurrenceColumns`, NaN for null, a request as its key. `calls`: the id of the tool's name and the
   * key of each call. Neither list is kept.
   */
  add(cells: Float64Array, calls: readonly number[]): void {
    const { numbers, runs, last } = this
    const { end } = numbers
    // Which columns changed, those, and how many calls.
    const most = columns + 2 + calls.length
    const start = numbers.start(most)
    const key = cells[keyPlace] as number
    if (start === end && this.isNext(key)) {
      runs[runs.length - 1] = (runs.at(-1) ?? 0) + 1
    } else {
      this.keys.push(key)
      runs.push(start * runLength)
      last.fill(Number.NaN)
    }
    last[keyPlace] = key
    if (this.next.length < most) this.next = new Float64Array(most)
    numbers.put(this.next, this.tell(cells, calls))
  }

  /** Whether a statement can be told by what differs from the last one. */
  private isNext(key: number): boolean {
    return key === this.last[keyPlace] && (this.runs.at(-1) ?? 0) % runLength < runLength - 1
  }

  /** Puts into `next` what differs from the last statement, which this one then is; gives how many numbers tell it. */
  private tell(cells: Float64Array, calls: readonly number[]): number {
    const { next, last } = this
    let changed = calls.length > 0 ? hasCalls : 0
    let count = 1
    for (let column = 0; column < columns; column++) {
      const cell = cells[column] as number
      const before = last[column] as number
      if (cell === before || (Number.isNaN(cell) && Number.isNaN(before))) continue
      changed |= 1 << column
      last[column] = cell
      next[count++] = isGrowing(column) && !Number.isNaN(before) ? cell - before : cell
    }
    next[0] = changed
    if (calls.length === 0) return count
    next[count++] = calls.length
    for (const number of calls) next[count++] = number
    return count
  }

  /** All statements, those with one key together, by key. The list is the same every time. */
  *byKey(names: ThinNames): Generator<readonly UsageOccurrence[]> {
    const { keys, runs } = this
    const statements: UsageOccurrence[] = []
    let last: number | undefined
    for (const run of this.runsByKey()) {
      const key = keys[run] ?? 0
      if (key !== last && statements.length > 0) {
        yield statements
        statements.length = 0
      }
      last = key
      this.read(key, runs[run] ?? 0, names, statements)
    }
    if (statements.length > 0) yield statements
  }

  private runsByKey(): Uint32Array {
    const keys = Float64Array.from(this.keys)
    const order = new Uint32Array(keys.length)
    for (let run = 0; run < order.length; run++) order[run] = run
    return order.sort((one, other) => (keys[one] ?? 0) - (keys[other] ?? 0))
  }

  private read(key: number, run: number, names: ThinNames, statements: UsageOccurrence[]): void {
    const { numbers } = this
    const cells = new Array<Cell>(columns).fill(null)
    cells[keyPlace] = key
    numbers.seek(Math.floor(run / runLength))
    for (let left = run % runLength; left >= 0; left--) {
      const changed = numbers.take()
      for (let rest = changed & ~hasCalls; rest !== 0; rest &= rest - 1) {
        const column = 31 - Math.clz32(rest & -rest)
        const number = numbers.take()
        const before = isGrowing(column) ? ((cells[column] as number | null) ?? 0) : 0
        cells[column] = Number.isNaN(number) ? null : before + number
      }
      const called = (changed & hasCalls) === 0 ? noCalls : this.readCalls(names)
      const statement = occurrenceOf(cells, called, names)
      if (cells[toolsPlace] !== null) statement.tools = (statement.tools ?? noCalls).map(inShort)
      statements.push(statement)
    }
  }

  private readCalls(names: ThinNames): readonly string[] {
    const called: string[] = []
    for (let left = this.numbers.take(); left > 0; left -= 2) {
      const name = names.name(this.numbers.take()) ?? ''
      called.push(calledByKey(name, this.numbers.take()))
    }
    return called
  }
}

const noCalls: readonly string[] = []

/** Whether a column mostly grows from one statement to the next in a run, and is told by how much. */
function isGrowing(column: number): boolean {
  return column === eventPlace || column === timePlace
}

/** A call that is known by its key: as a few characters, which are quicker to make than figures. */
function calledByKey(name: string, key: number): string {
  const high = Math.floor(key / 2 ** 32)
  return calledTool(name, String.fromCharCode(high >>> 16, high & 0xffff, (key >>> 16) & 0xffff, key & 0xffff))
}

/** A call that is told with its id, by its key. */
function inShort(called: string): string {
  const end = called.indexOf('\0')
  return end < 0 ? called : calledByKey(called.slice(0, end), callKey(called.slice(end + 1)))
}
