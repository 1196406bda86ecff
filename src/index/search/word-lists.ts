// The texts that have a word, as FTS5 lists them: found on its pages, and read from there into sets of texts and places of
// words in them. A list is long where a word is common, so only its pages for the texts in question are read.

import { type PageRange, type Segment, UnknownForm, type WordPages } from './word-pages.ts'

/** Texts of one word in one segment, the first one first, over one page or several. */
export interface WordList {
  segment: Segment
  page: number
  /** Where it begins and ends on its first page. */
  from: number
  to: number
  /** The last page that may have some of it. */
  last: number
}

/** What its pages have of one list, as one would read it in a row. */
export interface ListBytes {
  parts: Uint8Array[]
  /** Of all parts. */
  length: number
  /** Where the number of a text is written out; elsewhere it is the difference to the one before. */
  wholes: number[]
  deleted: ReadonlySet<number> | null
}

const encoder = new TextEncoder()
/** FTS5's own word for words that are no beginnings. */
const mainWords = '0'
const pageHead = 4

export class WordLists {
  private readonly pages: WordPages
  /** By word, then by segment. */
  private readonly known = new Map<string, Map<Segment, WordList[]>>()

  constructor(pages: WordPages) {
    this.pages = pages
  }

  segmentsOf(low: number, high: number): Segment[] {
    return this.pages.segmentsOf(low, high)
  }

  /** Of a word, or of all words that begin so. */
  listsOf(word: string, isBeginning: boolean, segments: readonly Segment[]): WordList[] {
    const key = `${isBeginning ? '*' : ' '}${word}`
    const known = this.known.get(key) ?? new Map<Segment, WordList[]>()
    this.known.set(key, known)
    const missing = segments.filter(segment => !known.has(segment))
    if (missing.length > 0) this.find(encoder.encode(mainWords + word), isBeginning, missing, known)
    return segments.flatMap(segment => known.get(segment) ?? [])
  }

  private find(
    word: Uint8Array,
    isBeginning: boolean,
    segments: readonly Segment[],
    known: Map<Segment, WordList[]>,
  ): void {
    const { pages } = this
    // No word has the byte 255, so all that begin like this one are before it.
    const ranges = pages.rangesOf(word, isBeginning ? Uint8Array.of(...word, 255) : word, segments)
    if (!isBeginning) pages.fetch(ranges.map(({ segment, first }) => ({ segment, page: first })))
    for (const range of ranges) {
      const found: WordList[] = []
      if (isBeginning) this.findOnAll(range, word, found)
      else this.findOn(range.first, range, word, false, found)
      known.set(range.segment, found)
    }
  }

  private findOnAll(range: PageRange, word: Uint8Array, found: WordList[]): void {
    this.pages.fetchRange(range.segment, range.first, range.last)
    for (let page = range.first; page <= range.last; page++) {
      const open = found.at(-1)
      // What was the last word of an earlier page goes on until a page has another one.
      if (open !== undefined && open.page < page && open.last > page && this.hasWords(range.segment, page)) {
        open.last = page
      }
      this.findOn(page, range, word, true, found)
    }
  }

  private hasWords(segment: Segment, page: number): boolean {
    const bytes = this.pages.page(segment, page)
    return bytes.length > endOf(bytes)
  }

  private findOn(page: number, range: PageRange, word: Uint8Array, isBeginning: boolean, found: WordList[]): void {
    const { segment, last } = range
    const bytes = this.pages.page(segment, page)
    const end = endOf(bytes)
    eachWord(bytes, (term, length, from, to) => {
      const isIt = isBeginning ? length >= word.length : length === word.length
      if (!isIt || !beginsWith(term, word)) return
      found.push({ segment, page, from, to, last: to === end ? last : page })
    })
  }

  /** What a list tells of texts from `low` on, maybe of earlier ones too. */
  read(list: WordList, low: number): ListBytes {
    const { segment, page, last, from, to } = list
    const { deleted } = segment
    const first = last - page > fewPages ? this.pageWith(list, low) : page
    const start = this.pages.page(segment, first)
    const parts = [first === page ? start.subarray(from, to) : start.subarray(wholeOn(start), firstWordOn(start))]
    const wholes = [0]
    let length = parts[0]?.length ?? 0
    if (first < last) this.pages.fetchRange(segment, first + 1, last)
    for (let next = first + 1; next <= last; next++) {
      const bytes = this.pages.page(segment, next)
      const end = firstWordOn(bytes)
      const whole = wholeOn(bytes)
      if (whole > 0 && whole < end) wholes.push(length + whole - pageHead)
      const part = bytes.subarray(pageHead, end)
      parts.push(part)
      length += part.length
    }
    return { parts, length, wholes, deleted }
  }

  /** The last page whose texts begin before `low`. */
  private pageWith({ segment, page, last }: WordList, low: number): number {
    let [first, behind] = [page, last]
    while (behind - first > 1) {
      let middle = (first + behind) >> 1
      let bytes = this.pages.page(segment, middle)
      // Where a single text fills a page, none begins there.
      while (wholeOn(bytes) === 0 && middle > first) bytes = this.pages.page(segment, --middle)
      if (middle === first) break
      if (numberAt(bytes, wholeOn(bytes)) <= low) first = middle
      else behind = middle
    }
    return first
  }
}

/** To look for the right one among so few costs more than to read all. */
const fewPages = 6

/** Where the first number of a text is that begins on a page; 0 where there is none. */
function wholeOn(bytes: Uint8Array): number {
  return ((bytes[0] as number) << 8) | (bytes[1] as number)
}

/** Where lists end and the places of words begin. */
function endOf(bytes: Uint8Array): number {
  return ((bytes[2] as number) << 8) | (bytes[3] as number)
}

/** Where the list of an earlier page ends. */
function firstWordOn(bytes: Uint8Array): number {
  const end = endOf(bytes)
  return bytes.length > end ? numberAt(bytes, end) : end
}

function numberAt(bytes: Uint8Array, at: number): number {
  let number = 0
  for (; at < bytes.length; at++) {
    const byte = bytes[at] as number
    number = number * 128 + (byte & 127)
    if (byte < 128) return number
  }
  throw new UnknownForm('a number without end')
}

function lengthOf(bytes: Uint8Array, at: number): number {
  let length = 1
  while ((bytes[at++] as number) >= 128) length++
  return length
}

function beginsWith(term: Uint8Array, word: Uint8Array): boolean {
  for (let at = word.length - 1; at >= 0; at--) if (term[at] !== word[at]) return false
  return true
}

/** Words of a page, each with where its list is. `term` is the same array for all. */
function eachWord(
  bytes: Uint8Array,
  visit: (term: Uint8Array, length: number, from: number, to: number) => void,
): void {
  const end = endOf(bytes)
  let term = new Uint8Array(256)
  let place = end
  let [next, length] = [0, 0]
  if (place < bytes.length) next = numberAt(bytes, place)
  for (let isFirst = true; place < bytes.length; isFirst = false) {
    let at = next
    place += lengthOf(bytes, place)
    next = place < bytes.length ? next + numberAt(bytes, place) : end
    // Each word but the first of a page leaves out what it has in common with the one before.
    let common = 0
    if (!isFirst) {
      common = numberAt(bytes, at)
      at += lengthOf(bytes, at)
    }
    const size = numberAt(bytes, at)
    at += lengthOf(bytes, at)
    if (common > length || at + size > end) throw new UnknownForm('a word without end')
    if (common + size > term.length) {
      const longer = new Uint8Array((common + size) * 2)
      longer.set(term)
      term = longer
    }
    for (let n = 0; n < size; n++) term[common + n] = bytes[at + n] as number
    length = common + size
    visit(term, length, at + size, next)
  }
}
