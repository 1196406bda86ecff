// Statements about API messages as rows of numbers, with one list of names: what crosses threads cheaply. Statements of one
// file about one message and request become one row. Joining files is not done here.

import { asArray, asString, jsonText, parseJson } from '../base/json.ts'
import type { UsageOccurrence } from '../model/spent.ts'

/** What another thread gets. */
export interface UsageTable {
  numbers: Float64Array
  names: string[]
}

const column = {
  key: 0,
  request: 1,
  file: 2,
  echo: 3,
  /** NaN without a time. */
  at: 4,
  offset: 5,
  thread: 6,
  model: 7,
  input: 8,
  output: 9,
  cacheCreation: 10,
  cacheCreation1h: 11,
  cacheRead: 12,
  webSearches: 13,
  flags: 14,
  /** -1 without a cost. */
  nanos: 15,
  visible: 16,
  /** A list of tools' names as JSON; -1 without any. */
  tools: 17,
}
const width = 18
const flag = { fast: 1, us: 2, final: 4, synthetic: 8, error: 16 }

export class UsageRows {
  private numbers = new Float64Array(1024 * width)
  private count = 0
  private readonly names: string[] = []
  private readonly nameIds = new Map<string, number>()
  /** Rows by hash of key, request and file: their numbers plus one. */
  private slots = new Int32Array(4096)
  private readonly joins: boolean

  /** `joins`: false keeps a row for each statement, which what records show is told by. */
  constructor(joins: boolean) {
    this.joins = joins
  }

  /** Everything that was added. */
  table(): UsageTable {
    return { numbers: this.numbers.slice(0, this.count * width), names: this.names }
  }

  add(from: UsageOccurrence): void {
    const numbers = this.room()
    const row = this.count * width
    numbers[row + column.key] = from.key
    numbers[row + column.request] = from.request
    numbers[row + column.file] = from.file
    numbers[row + column.echo] = from.echo
    numbers[row + column.at] = from.at ?? Number.NaN
    numbers[row + column.offset] = from.offset
    numbers[row + column.thread] = this.nameId(from.thread)
    numbers[row + column.model] = this.nameId(from.model)
    numbers[row + column.input] = from.inputTokens
    numbers[row + column.output] = from.outputTokens
    numbers[row + column.cacheCreation] = from.cacheCreationTokens
    numbers[row + column.cacheCreation1h] = from.cacheCreation1hTokens
    numbers[row + column.cacheRead] = from.cacheReadTokens
    numbers[row + column.webSearches] = from.webSearches
    numbers[row + column.flags] = flagsOf(from)
    numbers[row + column.nanos] = from.statedNanos ?? -1
    numbers[row + column.visible] = from.visibleTokens
    numbers[row + column.tools] = from.tools?.length ? this.nameId(jsonText(from.tools)) : -1
    if (this.joins) this.join(row)
    else this.count++
  }

  /** The row behind the last one becomes part of an earlier one where there is one. */
  private join(row: number): void {
    const slot = this.slotOf(row)
    const known = this.slots[slot] as number
    if (known !== 0) {
      joinRows(this.numbers, (known - 1) * width, row)
      return
    }
    this.slots[slot] = ++this.count
    if (this.count * 2 > this.slots.length) this.grow()
  }

  private slotOf(row: number): number {
    const { numbers, slots } = this
    const mask = slots.length - 1
    const key = numbers[row] as number
    const request = numbers[row + column.request] as number
    const file = numbers[row + column.file] as number
    let slot = (key ^ request ^ Math.imul(file, 0x9e3779b1)) & mask
    for (let known = slots[slot] as number; known !== 0; known = slots[slot] as number) {
      const other = (known - 1) * width
      if (numbers[other] === key && numbers[other + 1] === request && numbers[other + 2] === file) break
      slot = (slot + 1) & mask
    }
    return slot
  }

  private grow(): void {
    this.slots = new Int32Array(this.slots.length * 2)
    for (let row = 0; row < this.count; row++) this.slots[this.slotOf(row * width)] = row + 1
  }

  private room(): Float64Array {
    if ((this.count + 1) * width > this.numbers.length) {
      const larger = new Float64Array(this.numbers.length * 2)
      larger.set(this.numbers)
      this.numbers = larger
    }
    return this.numbers
  }

  private nameId(name: string): number {
    const known = this.nameIds.get(name)
    if (known !== undefined) return known
    const id = this.names.length
    this.names.push(name)
    this.nameIds.set(name, id)
    return id
  }
}

function flagsOf(from: UsageOccurrence): number {
  return (
    (from.isFast ? flag.fast : 0) |
    (from.isUs ? flag.us : 0) |
    (from.isFinal ? flag.final : 0) |
    (from.isSynthetic ? flag.synthetic : 0) |
    (from.isError ? flag.error : 0)
  )
}

/** Of the same file: amounts are the larger ones, the place is the smaller by echo, time and offset. */
function joinRows(numbers: Float64Array, to: number, from: number): void {
  for (const amount of amounts) {
    const more = numbers[from + amount] as number
    if (more > (numbers[to + amount] as number)) numbers[to + amount] = more
  }
  const flags = to + column.flags
  numbers[flags] = (numbers[flags] as number) | (numbers[from + column.flags] as number)
  if (!isBefore(numbers, from, to)) return
  for (const place of places) numbers[to + place] = numbers[from + place] as number
}

const amounts = [
  column.input,
  column.output,
  column.cacheCreation,
  column.cacheCreation1h,
  column.cacheRead,
  column.webSearches,
  column.nanos,
]
const places = [column.echo, column.at, column.offset, column.thread, column.model]

function isBefore(numbers: Float64Array, one: number, other: number): boolean {
  const echo = (numbers[one + column.echo] as number) - (numbers[other + column.echo] as number)
  if (echo !== 0) return echo < 0
  const at = numbers[one + column.at] as number
  const otherAt = numbers[other + column.at] as number
  if (at < otherAt || at > otherAt) return at < otherAt
  if (Number.isNaN(at) !== Number.isNaN(otherAt)) return Number.isNaN(otherAt)
  return (numbers[one + column.offset] as number) < (numbers[other + column.offset] as number)
}

/** The rows as statements, in one object that is used again for each. `isWanted`: which rows are given. */
export function* statementsOf(
  { numbers, names }: UsageTable,
  isWanted: (row: number, file: number) => boolean,
): Generator<UsageOccurrence> {
  const lists = new Map<number, readonly string[]>()
  const statement = emptyStatement()
  for (let row = 0; row < numbers.length; row += width) {
    if (!isWanted(row / width, numbers[row + column.file] as number)) continue
    readRow(numbers, row, names, statement)
    const tools = numbers[row + column.tools] as number
    if (tools >= 0) statement.tools = listOf(lists, tools, names)
    else delete statement.tools
    yield statement
  }
}

export function emptyStatement(): UsageOccurrence {
  return {
    key: 0,
    request: 0,
    echo: 0,
    at: null,
    file: 0,
    offset: 0,
    thread: '',
    model: '',
    inputTokens: 0,
    outputTokens: 0,
    cacheCreationTokens: 0,
    cacheCreation1hTokens: 0,
    cacheReadTokens: 0,
    webSearches: 0,
    isFast: false,
    isUs: false,
    isFinal: false,
    isSynthetic: false,
    isError: false,
    statedNanos: null,
    visibleTokens: 0,
  }
}

function readRow(numbers: Float64Array, row: number, names: readonly string[], into: UsageOccurrence): void {
  const at = numbers[row + column.at] as number
  const flags = numbers[row + column.flags] as number
  const nanos = numbers[row + column.nanos] as number
  into.key = numbers[row] as number
  into.request = numbers[row + column.request] as number
  into.echo = numbers[row + column.echo] as number
  into.at = Number.isNaN(at) ? null : at
  into.file = numbers[row + column.file] as number
  into.offset = numbers[row + column.offset] as number
  into.thread = names[numbers[row + column.thread] as number] ?? ''
  into.model = names[numbers[row + column.model] as number] ?? ''
  into.inputTokens = numbers[row + column.input] as number
  into.outputTokens = numbers[row + column.output] as number
  into.cacheCreationTokens = numbers[row + column.cacheCreation] as number
  into.cacheCreation1hTokens = numbers[row + column.cacheCreation1h] as number
  into.cacheReadTokens = numbers[row + column.cacheRead] as number
  into.webSearches = numbers[row + column.webSearches] as number
  into.isFast = (flags & flag.fast) !== 0
  into.isUs = (flags & flag.us) !== 0
  into.isFinal = (flags & flag.final) !== 0
  into.isSynthetic = (flags & flag.synthetic) !== 0
  into.isError = (flags & flag.error) !== 0
  into.statedNanos = nanos < 0 ? null : nanos
  into.visibleTokens = numbers[row + column.visible] as number
}

function listOf(lists: Map<number, readonly string[]>, id: number, names: readonly string[]): readonly string[] {
  const known = lists.get(id) ?? asArray(parseJson(names[id] ?? '')).map(name => asString(name) ?? '')
  lists.set(id, known)
  return known
}

/** For the rows of several tables, which of them share their message with no other: 1 for those. */
export function loneRows(tables: readonly UsageTable[]): Uint8Array[] {
  const rows = tables.reduce((sum, { numbers }) => sum + numbers.length / width, 0)
  let size = 1024
  while (size < rows * 2) size *= 2
  const keys = new Float64Array(size).fill(-1)
  /** Of the first row with each key: its table and its place there. */
  const firstTable = new Int32Array(size)
  const firstRow = new Int32Array(size)
  const lone = tables.map(({ numbers }) => new Uint8Array(numbers.length / width).fill(1))
  tables.forEach(({ numbers }, table) => {
    const own = lone[table] as Uint8Array
    for (let row = 0; row < own.length; row++) {
      const key = numbers[row * width] as number
      let slot = key & (size - 1)
      while (keys[slot] !== -1 && keys[slot] !== key) slot = (slot + 1) & (size - 1)
      if (keys[slot] === -1) {
        keys[slot] = key
        firstTable[slot] = table
        firstRow[slot] = row
      } else {
        own[row] = 0
        const first = lone[firstTable[slot] as number] as Uint8Array
        first[firstRow[slot] as number] = 0
      }
    }
  })
  return lone
}
