// One line of a text around the words of a query, with the places of those words. Pure.

import { eachWord, foldWord, nameParts } from '../../base/searchable.ts'
import { columnsOf } from '../../base/width.ts'
import type { Term } from './query.ts'

export interface Snippet {
  snippet: string
  highlights: [from: number, to: number][]
}

/** Longer texts are looked at piece by piece: mostly a short first one has the words. So much for each word, then more. */
const pieceLength = 1024
const longestPiece = 16 * 1024
/** Pieces overlap by this much, so that no phrase is cut in two. */
const overlap = 256
/** A longer text is not read to its end. */
const mostScanned = 512 * 1024
const mostTries = 200
const ellipsis = '…'
const blank = /\s/

export function snippetOf(text: string, terms: readonly Term[], columns: number): Snippet {
  const { from, matches } = bestPiece(text, terms)
  const window = chooseWindow(text, from, matches, terms.length, columns)
  return oneLine(text, window, columns)
}

interface Piece {
  from: number
  matches: Match[]
}

/** The first piece that has all words, else the one that has most of them. */
function bestPiece(text: string, terms: readonly Term[]): Piece {
  const [only, ...others] = terms
  const likely = only === undefined || others.length > 0 ? null : likelyPiece(text, only)
  if (likely !== null) return likely
  const first = terms.map(term => text.search(likelyPlace(term))).filter(at => at >= 0)
  const start = first.reduce((least, at) => Math.min(least, at), first[0] ?? 0)
  let best: Piece & { count: number } = { from: 0, matches: [], count: 0 }
  let length = pieceLength * terms.length
  for (let at = start; at < text.length && at < start + mostScanned; length *= 2) {
    const end = wordEnd(text, at + Math.min(length, longestPiece))
    const from = wordStart(text, Math.max(0, at - overlap))
    const matches = findMatches(text.slice(from, end), terms)
    const count = new Set(matches.map(({ term }) => term)).size
    if (count > best.count) best = { from, matches, count }
    if (count === terms.length) break
    at = end
  }
  return best
}

/** Where the words are as they were typed, except for case and what is between them: far faster than reading the text. */
function likelyPlace({ words }: Term): RegExp {
  return new RegExp(words.join('[^a-z0-9]{0,8}'), 'gi')
}

/** A likely place may be inside of a longer word: then the next one is tried. */
function likelyPiece(text: string, term: Term): Piece | null {
  let tries = 0
  for (const { index } of text.matchAll(likelyPlace(term))) {
    const from = wordStart(text, Math.max(0, index - overlap))
    const matches = findMatches(text.slice(from, wordEnd(text, index + pieceLength)), [term])
    if (matches.length > 0) return { from, matches }
    if (++tries > mostTries) break
  }
  return null
}

/** A place before at which no name is cut, if there is one near. */
function wordStart(text: string, from: number): number {
  for (let at = from; at > 0 && at > from - overlap; at--) if (blank.test(text.charAt(at - 1))) return at
  return from
}

/** The same after it. */
function wordEnd(text: string, to: number): number {
  for (let at = to; at < text.length && at < to + overlap; at++) if (blank.test(text.charAt(at))) return at
  return Math.min(text.length, to)
}

interface Window {
  from: number
  to: number
  matches: { from: number; to: number }[]
}

/** So wide that the line is filled: the matches that are nearest to each other with most words, and what is around them. */
function chooseWindow(text: string, shift: number, found: readonly Match[], terms: number, columns: number): Window {
  const matches = found.map(({ from, to, term }) => ({ from: from + shift, to: to + shift, term }))
  const [first, last] = densest(matches, terms, columns)
  const begin = first === undefined ? 0 : first.from
  const end = last === undefined ? 0 : last.to
  const spare = Math.max(0, columns - (end - begin))
  const before = first === undefined ? 0 : Math.min(begin, Math.floor(spare / 3))
  const from = first === undefined ? firstWord(text) : lineStart(text, begin, before)
  return { from, to: Math.min(text.length, from + columns * 2 + 16), matches }
}

/** The first and last match of the best stretch. */
function densest(matches: readonly Match[], terms: number, columns: number): [Match | undefined, Match | undefined] {
  let best: { count: number; matches: number; first: Match; last: Match } | undefined
  let head = 0
  const held = new Map<number, number>()
  for (let tail = 0; tail < matches.length; tail++) {
    const last = matches[tail] as Match
    held.set(last.term, (held.get(last.term) ?? 0) + 1)
    for (
      let first = matches[head] as Match;
      head < tail && last.to - first.from > columns - 8;
      first = matches[++head] as Match
    ) {
      const left = (held.get(first.term) ?? 1) - 1
      if (left === 0) held.delete(first.term)
      else held.set(first.term, left)
    }
    const count = held.size
    const size = tail - head + 1
    if (
      best === undefined ||
      count > best.count ||
      (count === best.count && size > best.matches && size <= terms * 3)
    ) {
      best = { count, matches: size, first: matches[head] as Match, last }
    }
  }
  return [best?.first, best?.last]
}

function firstWord(text: string): number {
  const at = text.search(/\S/)
  return Math.max(0, at)
}

/** At most so far before a match: at the start of its line or sentence, else of a word. */
function lineStart(text: string, match: number, before: number): number {
  const from = Math.max(0, match - before)
  if (from === 0) return firstWord(text)
  const line = text.lastIndexOf('\n', match - 1) + 1
  if (line > from) return line
  for (let at = from; at < match && at < from + 24; at++) if (/\s/.test(text.charAt(at))) return at + 1
  return isLowHalf(text, from) ? from - 1 : from
}

function isLowHalf(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code >= 0xdc00 && code <= 0xdfff
}

/** Blanks and line ends become one blank; marks stay where they were. */
function oneLine(text: string, { from, to, matches }: Window, columns: number): Snippet {
  const head = text.slice(0, from).trim() === '' ? '' : ellipsis
  let snippet = head
  let used = head.length
  /** Where each code unit of the window went. */
  const places = new Map<number, number>()
  let at = from
  let isBlank = false
  for (const character of text.slice(from, to)) {
    const isPlain = character > ' ' && character < '\x7f'
    if (!isPlain && blank.test(character)) {
      isBlank = snippet.length > head.length
    } else {
      const width = (isPlain ? 1 : columnsOf(character)) + (isBlank ? 1 : 0)
      // Space for the sign that something is left out.
      if (used + width > columns - 1) break
      if (isBlank) snippet += ' '
      isBlank = false
      places.set(at, snippet.length)
      snippet += character
      used += width
    }
    at += character.length
  }
  const isCut = text.slice(at, at + 4096).trim() !== ''
  const length = snippet.length
  const highlights: [number, number][] = []
  for (const match of matches) {
    const start = places.get(match.from)
    if (match.from < from || start === undefined) continue
    // A match that the line's end cuts is marked as far as it goes.
    const end = endOf(places, match.to, at, text) ?? length
    addSpan(highlights, start, end)
  }
  return { snippet: isCut ? `${snippet}${ellipsis}` : snippet, highlights }
}

/** The place after the last character before `to`; undefined where the line ends before it. */
function endOf(places: ReadonlyMap<number, number>, to: number, end: number, text: string): number | undefined {
  if (to > end) return undefined
  for (let at = to - 1; at >= 0 && at > to - 4; at--) {
    const place = places.get(at)
    if (place !== undefined) return place + String.fromCodePoint(text.codePointAt(at) ?? 0).length
  }
  return undefined
}

/** Spans that overlap or touch become one. */
function addSpan(spans: [number, number][], from: number, to: number): void {
  const last = spans.at(-1)
  if (last !== undefined && from <= last[1]) last[1] = Math.max(last[1], to)
  else spans.push([from, to])
}

export interface Match {
  from: number
  to: number
  /** Which of the terms. */
  term: number
}

/** In the order of the text; those of one term do not overlap. */
function findMatches(text: string, terms: readonly Term[], most = 5000): Match[] {
  if (terms.length === 0) return []
  const looks = terms.flatMap((term, at) => {
    const folded = (words: readonly string[]) => new PhraseLook(words.map(foldWord), term.isPrefix, at)
    return term.parts === undefined ? [folded(term.words)] : [folded(term.words), folded(term.parts)]
  })
  const matches: Match[] = []
  const add = (word: string, from: number, to: number, isPart: boolean) => {
    const folded = foldWord(word)
    for (const look of looks) {
      const match = look.next(folded, from, to, isPart)
      if (match !== null && matches.length < most) matches.push(match)
    }
  }
  eachWord(text, (word, from, to) => {
    add(word, from, to, false)
    let at = from
    for (const part of nameParts(word)) {
      add(part, at, at + part.length, true)
      at += part.length
    }
    for (const look of looks) look.endName()
  })
  return tidy(matches)
}

/** Follows one phrase through the words of a text, and through the parts of each name by themselves. */
class PhraseLook {
  private readonly words: readonly string[]
  private readonly isPrefix: boolean
  private readonly term: number
  /** Where phrases that may still become complete began, by how many of their words were seen. */
  private begun: (number | undefined)[] = []
  private begunInName: (number | undefined)[] = []

  constructor(words: readonly string[], isPrefix: boolean, term: number) {
    this.words = words
    this.isPrefix = isPrefix
    this.term = term
  }

  next(word: string, from: number, to: number, isPart: boolean): Match | null {
    const before = isPart ? this.begunInName : this.begun
    const after: (number | undefined)[] = []
    let found: Match | null = null
    const last = this.words.length - 1
    for (let place = last; place >= 0; place--) {
      const start = place === 0 ? from : before[place]
      if (start === undefined) continue
      const wanted = this.words[place] ?? ''
      if (word !== wanted && !(place === last && this.isPrefix && word.startsWith(wanted))) continue
      if (place === last) found = { from: start, to, term: this.term }
      else after[place + 1] = start
    }
    if (isPart) this.begunInName = after
    else this.begun = after
    return found
  }

  endName(): void {
    this.begunInName = []
  }
}

/** In order; one that is inside another of its term goes, since a name and its parts are both found. */
function tidy(matches: Match[]): Match[] {
  matches.sort((one, other) => one.from - other.from || other.to - one.to)
  const ends = new Map<number, number>()
  return matches.filter(({ term, from, to }) => {
    if (from < (ends.get(term) ?? -1)) return false
    ends.set(term, to)
    return true
  })
}
