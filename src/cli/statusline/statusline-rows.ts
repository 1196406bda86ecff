// Statements about messages as rows of numbers, to be kept in a file and found again by their message, without making an
// object of each. It joins nothing.

import type { UsageOccurrence } from '../../model/spent.ts'

/** The message's key comes first; the names of thread and model are places in a list. */
const rowNumbers = 16
const fileColumn = 4
const flagNames = ['isFast', 'isUs', 'isFinal', 'isSynthetic', 'isError'] as const

export interface StatusRows {
  numbers: Float64Array
  names: string[]
}

export function rowCount({ numbers }: StatusRows): number {
  return numbers.length / rowNumbers
}

/** Places of the rows that are about one of these messages. */
export function rowsOf({ numbers }: StatusRows, keys: ReadonlySet<number>): number[] {
  const places: number[] = []
  for (let at = 0; at < numbers.length; at += rowNumbers) {
    if (keys.has(numbers[at] as number)) places.push(at / rowNumbers)
  }
  return places
}

/** The rows without some of them, which are given in order, and with others behind. */
export function replaceRows(
  rows: StatusRows,
  without: readonly number[],
  added: readonly UsageOccurrence[],
): StatusRows {
  const kept = rowCount(rows) - without.length
  const numbers = new Float64Array((kept + added.length) * rowNumbers)
  let from = 0
  let to = 0
  for (const place of [...without, rowCount(rows)]) {
    const part = rows.numbers.subarray(from * rowNumbers, place * rowNumbers)
    numbers.set(part, to)
    to += part.length
    from = place + 1
  }
  const names = [...rows.names]
  const places = new Map(names.map((name, place) => [name, place]))
  const placeOf = (name: string) => {
    const known = places.get(name)
    if (known !== undefined) return known
    places.set(name, names.length)
    return names.push(name) - 1
  }
  for (const one of added) {
    writeRow(numbers, to, one, placeOf)
    to += rowNumbers
  }
  return { numbers, names }
}

/** Places of the files that rows are of. */
export function filesOf({ numbers }: StatusRows): Set<number> {
  const files = new Set<number>()
  for (let at = fileColumn; at < numbers.length; at += rowNumbers) files.add(numbers[at] as number)
  return files
}

/** The rows, where files have got other places. */
export function withFiles({ numbers, names }: StatusRows, places: ReadonlyMap<number, number>): StatusRows {
  const changed = numbers.slice()
  for (let at = fileColumn; at < changed.length; at += rowNumbers) {
    changed[at] = places.get(changed[at] as number) ?? 0
  }
  return { numbers: changed, names }
}

export function emptyRows(): StatusRows {
  return { numbers: new Float64Array(0), names: [] }
}

function writeRow(numbers: Float64Array, at: number, one: UsageOccurrence, placeOf: (name: string) => number): void {
  let flags = 0
  for (let bit = 0; bit < flagNames.length; bit++) if (one[flagNames[bit] as 'isFast']) flags |= 1 << bit
  numbers[at] = one.key
  numbers[at + 1] = one.request
  numbers[at + 2] = one.echo
  numbers[at + 3] = one.at ?? Number.NaN
  numbers[at + fileColumn] = one.file
  numbers[at + 5] = one.offset
  numbers[at + 6] = placeOf(one.thread)
  numbers[at + 7] = placeOf(one.model)
  numbers[at + 8] = one.inputTokens
  numbers[at + 9] = one.outputTokens
  numbers[at + 10] = one.cacheCreationTokens
  numbers[at + 11] = one.cacheCreation1hTokens
  numbers[at + 12] = one.cacheReadTokens
  numbers[at + 13] = one.webSearches
  numbers[at + 14] = flags
  numbers[at + 15] = one.statedNanos ?? Number.NaN
}

/** The statement in a row; what records show is not kept. */
export function rowAt({ numbers, names }: StatusRows, place: number): UsageOccurrence {
  const number = (column: number) => numbers[place * rowNumbers + column] as number
  const flags = number(14)
  return {
    key: number(0),
    request: number(1),
    echo: number(2),
    at: orNull(number(3)),
    file: number(fileColumn),
    offset: number(5),
    thread: names[number(6)] ?? '',
    model: names[number(7)] ?? '',
    inputTokens: number(8),
    outputTokens: number(9),
    cacheCreationTokens: number(10),
    cacheCreation1hTokens: number(11),
    cacheReadTokens: number(12),
    webSearches: number(13),
    isFast: (flags & 1) !== 0,
    isUs: (flags & 2) !== 0,
    isFinal: (flags & 4) !== 0,
    isSynthetic: (flags & 8) !== 0,
    isError: (flags & 16) !== 0,
    statedNanos: orNull(number(15)),
    visibleTokens: 0,
  }
}

function orNull(value: number): number | null {
  return Number.isNaN(value) ? null : value
}
