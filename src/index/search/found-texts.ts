// Which texts have what a query looks for: from the latest on, or of those that are named. Read from FTS5's own pages, which
// takes a fraction of asking it where words are common; where these are not as they are known here, FTS5 is asked.

import type { Database } from '../store/port.ts'
import { type Expression, type Term, toMatch } from './expression.ts'
import { newestText, readNumbers } from './places.ts'
import {
  canPass,
  emptySet,
  intersect,
  mostTexts,
  type Span,
  subtract,
  type TextSet,
  textsWithPhrase,
  textsWithWord,
  unite,
} from './text-sets.ts'
import { WordLists } from './word-lists.ts'
import { UnknownForm, WordPages } from './word-pages.ts'

export interface FoundTexts {
  /** The next ones, the latest first; fewer than `size` where there are no others. */
  next(size: number): number[]
  /** Those of `texts` that are found, the earliest first. */
  among(texts: readonly number[]): number[]
}

/** For one question: what it tells holds only as long as nobody writes. */
export class TextFinder {
  private readonly db: Database
  private words: WordLists | null | undefined

  constructor(db: Database) {
    this.db = db
  }

  find(expression: Expression): FoundTexts {
    const asked = new AskedTexts(this.db, expression)
    const lists = isListed(expression) && canPass() ? this.lists() : null
    return lists === null ? asked : new EitherTexts(new ListedTexts(lists, expression, newestText(this.db)), asked)
  }

  private lists(): WordLists | null {
    if (this.words !== undefined) return this.words
    try {
      this.words = new WordLists(new WordPages(this.db))
    } catch (error) {
      if (!(error instanceof UnknownForm)) throw error
      this.words = null
    }
    return this.words
  }
}

/** Words as FTS5 cuts texts at blanks and signs; it would cut others once more. */
const plainWord = /^[a-z0-9_.\-\u0080-\uffff]+$/

function isListed(expression: Expression): boolean {
  if (expression.type === 'term') {
    const { units, whole } = expression
    return units.every(unit => plainWord.test(unit)) && (whole === undefined || plainWord.test(whole))
  }
  return expression.of.every(isListed) && (expression.type === 'any' || expression.except.every(isListed))
}

/** From lists, as long as these are as they are known. */
class EitherTexts implements FoundTexts {
  private readonly asked: AskedTexts
  private listed: ListedTexts | null

  constructor(listed: ListedTexts, asked: AskedTexts) {
    this.listed = listed
    this.asked = asked
  }

  next(size: number): number[] {
    const found = this.tried(listed => listed.next(size)) ?? this.asked.next(size)
    this.asked.goOnBefore(found.at(-1) ?? 0)
    return found
  }

  among(texts: readonly number[]): number[] {
    return this.tried(listed => listed.among(texts)) ?? this.asked.among(texts)
  }

  private tried(ask: (listed: ListedTexts) => number[]): number[] | null {
    if (this.listed === null) return null
    try {
      return ask(this.listed)
    } catch (error) {
      if (!(error instanceof UnknownForm)) throw error
      this.listed = null
      return null
    }
  }
}

const latest = 'SELECT rowid AS number FROM words WHERE words MATCH ? AND rowid < ? ORDER BY rowid DESC LIMIT ?'

/** The plus sign: to look each single text up among those of the words would be far slower. */
const inStretch = `SELECT rowid AS number FROM words WHERE words MATCH ? AND rowid BETWEEN ? AND ?
  AND +rowid IN (SELECT value FROM json_each(?)) ORDER BY rowid`

/** FTS5 is asked. */
export class AskedTexts implements FoundTexts {
  private readonly db: Database
  private readonly match: string
  private before = Number.MAX_SAFE_INTEGER

  constructor(db: Database, expression: Expression) {
    this.db = db
    this.match = toMatch(expression)
  }

  goOnBefore(text: number): void {
    this.before = text
  }

  next(size: number): number[] {
    const found = readNumbers(this.db, latest, [this.match, this.before, size])
    this.before = found.at(-1) ?? 0
    return found
  }

  among(texts: readonly number[]): number[] {
    let [first, last] = [Number.MAX_SAFE_INTEGER, 0]
    for (const text of texts) {
      first = Math.min(first, text)
      last = Math.max(last, text)
    }
    return readNumbers(this.db, inStretch, [this.match, first, last, JSON.stringify(texts)])
  }
}

/** So many of the latest texts are looked through first; each further stretch is longer. */
const firstSpan = 16_384
const growth = 4

/** FTS5's pages are read. */
export class ListedTexts implements FoundTexts {
  private readonly lists: WordLists
  private readonly expression: Expression
  /** Of all texts; those before `low` are not decided yet. */
  private readonly found: TextSet
  private low: number
  private stretch: number
  private before: number

  /** `stretch`: how many of the latest texts are looked through first, a multiple of 32. */
  constructor(lists: WordLists, expression: Expression, newest: number, stretch = firstSpan) {
    this.lists = lists
    this.stretch = stretch
    this.expression = expression
    this.before = newest + 1
    this.low = Math.ceil(this.before / 32) * 32
    this.found = emptySet({ low: 0, high: this.low })
  }

  next(size: number): number[] {
    const texts: number[] = []
    while (this.before > 0 && texts.length < size) {
      if (this.before <= this.low) this.decideMore()
      this.gather(texts, size)
    }
    return texts
  }

  /** Down to where texts are not decided. */
  private gather(texts: number[], size: number): void {
    let text = this.before
    while (text > this.low && texts.length < size) {
      text--
      const bits = this.found[text >> 5] as number
      if (bits === 0) text &= ~31
      else if (((bits >>> (text & 31)) & 1) === 1) texts.push(text)
    }
    this.before = text
  }

  among(texts: readonly number[]): number[] {
    const first = texts.reduce((least, text) => Math.min(least, text), this.low)
    while (this.low > first) this.decideMore()
    const { found } = this
    const having = texts.filter(text => (((found[text >> 5] ?? 0) >>> (text & 31)) & 1) === 1)
    return having.sort((one, other) => one - other)
  }

  private decideMore(): void {
    const low = Math.max(0, this.low - this.stretch)
    const span = { low, high: this.low, segments: this.lists.segmentsOf(low, this.low) }
    this.found.set(this.textsFor(this.expression, span), low / 32)
    this.low = low
    this.stretch = Math.min(mostTexts, this.stretch * growth)
  }

  private textsFor(expression: Expression, span: Span): TextSet {
    if (expression.type === 'term') return this.textsWith(expression, span)
    const [first, ...others] = expression.of.map(part => this.textsFor(part, span))
    if (first === undefined) return emptySet(span)
    const combine = expression.type === 'any' ? unite : intersect
    for (const other of others) combine(first, other)
    if (expression.type === 'all') for (const part of expression.except) subtract(first, this.textsFor(part, span))
    return first
  }

  private textsWith({ units, whole, isPrefix }: Term, span: Span): TextSet {
    const [only, ...more] = units
    if (only === undefined) return emptySet(span)
    const set =
      more.length === 0
        ? textsWithWord(this.lists, only, isPrefix, span)
        : textsWithPhrase(this.lists, units, isPrefix, span)
    if (whole !== undefined) unite(set, textsWithWord(this.lists, whole, isPrefix, span))
    return set
  }
}
