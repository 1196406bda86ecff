// Sets of texts, one bit each, made of the lists of words: which texts have a word, which have several one after the other.

import { runWasm, type WasmRun } from '../../base/wasm-code.ts'
import { memory, mostTexts, pass, tasks } from './list-code.ts'
import type { ListBytes, WordList, WordLists } from './word-lists.ts'
import { type Segment, UnknownForm } from './word-pages.ts'

export { mostTexts } from './list-code.ts'

/** Texts from `low` on and before `high`, at most `mostTexts`; both are multiples of 32. */
export interface Span {
  low: number
  high: number
  /** All that may have them. */
  segments: readonly Segment[]
}

export type TextSet = Uint32Array

export function emptySet({ low, high }: Pick<Span, 'low' | 'high'>): TextSet {
  return new Uint32Array((high - low) / 32)
}

export function intersect(set: TextSet, other: TextSet): void {
  for (let at = 0; at < set.length; at++) set[at] = (set[at] as number) & (other[at] as number)
}

export function unite(set: TextSet, other: TextSet): void {
  for (let at = 0; at < set.length; at++) set[at] = (set[at] as number) | (other[at] as number)
}

export function subtract(set: TextSet, other: TextSet): void {
  for (let at = 0; at < set.length; at++) set[at] = (set[at] as number) & ~(other[at] as number)
}

function isEmpty(set: TextSet): boolean {
  return set.every(bits => bits === 0)
}

/** Texts that have a word, or one that begins so. */
export function textsWithWord(lists: WordLists, word: string, isBeginning: boolean, span: Span): TextSet {
  const passes = new Passes(span)
  return passes.run(tasks.mark, lists, lists.listsOf(word, isBeginning, span.segments), 0, null)
}

/** Texts that have the words one after the other; of the last one maybe only its beginning. */
export function textsWithPhrase(lists: WordLists, words: readonly string[], isBeginning: boolean, span: Span): TextSet {
  const last = words.length - 1
  const parts = words.map((word, place) => {
    const isBegun = isBeginning && place === last
    const found = lists.listsOf(word, isBegun, span.segments)
    return { place, lists: found, order: isBegun ? Number.POSITIVE_INFINITY : bytesOf(found) }
  })
  // Rare words first: few places are left to be compared with those of common ones. A beginning may have several lists.
  parts.sort((one, other) => one.order - other.order)
  const passes = new Passes(span)
  let set: TextSet | null = null
  for (const [at, part] of parts.entries()) {
    const task = at === 0 ? tasks.hold : at === last ? tasks.find : tasks.keep
    set = passes.run(task, lists, part.lists, part.place, set)
    if (isEmpty(set)) break
  }
  return set ?? emptySet(span)
}

/** About how long they are. */
function bytesOf(lists: readonly WordList[]): number {
  return lists.reduce((sum, { page, last, from, to }) => sum + (last - page) * 8192 + to - from, 0)
}

let made: WasmRun<'pass'> | null | undefined

/** Whether lists can be gone through: else FTS5 has to be asked. */
export function canPass(): boolean {
  if (made === undefined) made = runWasm({ pass }, memory.size)
  return made !== null
}

/** Goes through lists for texts of one span, one word of a query after the other. */
class Passes {
  private readonly span: Span
  private readonly wasm: WasmRun<'pass'>
  private end: number = memory.held

  constructor(span: Span) {
    if (!canPass() || !made || span.high - span.low > mostTexts || span.high >= 2 ** 31) {
      throw new UnknownForm('no way through lists')
    }
    this.span = span
    this.wasm = made
  }

  /** `asked`: only these texts; null for all. */
  run(task: number, lists: WordLists, wanted: readonly WordList[], place: number, asked: TextSet | null): TextSet {
    const { low } = this.span
    const set = asked ?? emptySet(this.span).fill(0xffffffff)
    const found = new Uint32Array(this.wasm.memory, memory.found, set.length)
    found.fill(0)
    let deleted: ReadonlySet<number> | null | undefined
    for (const list of wanted) {
      const read = lists.read(list, low)
      if (read.deleted !== deleted) this.ask(set, read.deleted)
      deleted = read.deleted
      this.pass(read, place, task)
    }
    return found.slice()
  }

  /** What a segment no longer has is not asked of it. */
  private ask(set: TextSet, deleted: ReadonlySet<number> | null): void {
    const { low, high } = this.span
    const asked = new Uint32Array(this.wasm.memory, memory.asked, set.length)
    asked.set(set)
    for (const text of deleted ?? []) {
      const bit = text - low
      if (text >= low && text < high) asked[bit >> 5] = (asked[bit >> 5] as number) & ~(1 << (bit & 31))
    }
  }

  private pass({ parts, length, wholes }: ListBytes, place: number, task: number): void {
    const { low, high } = this.span
    const isTooLong = length + 4 > memory.held - memory.list || wholes.length * 4 + 4 > memory.list - memory.wholes
    if (isTooLong || length * 4 > memory.size - this.end) throw new UnknownForm('a list that is too long')
    const list = new Uint8Array(this.wasm.memory, memory.list, length + 4)
    // Numbers that go on behind the list end here.
    list.fill(0, length)
    let to = 0
    for (const part of parts) {
      list.set(part, to)
      to += part.length
    }
    const places = new Uint32Array(this.wasm.memory, memory.wholes, wholes.length + 1)
    wholes.forEach((whole, at) => {
      places[at] = memory.list + whole
    })
    places[wholes.length] = 0
    const { pass: go } = this.wasm.run
    this.end = go(memory.list, memory.list + length, memory.wholes, low, high, place, task, this.end)
    if (this.end === 0) throw new UnknownForm('a list that is not one')
  }
}
