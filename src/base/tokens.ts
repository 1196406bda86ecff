// The one tokenizer of the full-text index, for texts and for queries. It cuts and folds; it neither ranks nor knows SQL.
//
// Every place of a text has one *unit*: a word, or a part of one (`foo_bar`: foo, bar; `HTTPServer2`: http, server, 2;
// `2.1.219` and hex ids are one unit; a uuid is two, its first block and the whole; CJK: overlapping pairs). Beside them
// stand *wholes*, which take no place: `foo_bar`, `httpserver2`, `main.ts`, the last character of a CJK run. What
// somebody cuts out of a text at the borders of its units has the same units in the same order. (Exception: a piece cut
// at a change of case or digit that looks like a hex or random id by itself, as `1234abc` of `get1234abc`.)
// The same rules stand once more, for most of what texts hold, in token-code-*.ts, which is quicker; tests compare both.
// Tokens hold only a-z 0-9 _ . - and characters beyond ASCII: made for FTS5 with `tokenize = "ascii tokenchars '_.-'"`.

import { textCodes } from './text-codes.ts'
import { foldCluster, kindOf, kinds, safeCut } from './tokens-fold.ts'
import {
  ascii,
  beyondHex,
  dash,
  digit,
  dot,
  foldWide,
  isCapital,
  isData,
  isRandom,
  isUuid,
  letters,
  longestName,
  longestToken,
  lower,
  plainEnd,
  plus,
  shortestData,
  shortestHex,
  shortestRandom,
  slash,
  underscore,
  upper,
  uuidShape,
  versionEnd,
} from './tokens-shape.ts'

/**
 * `position` counts units from 0. A whole comes after its units and has the position of the first of them (for a CJK
 * run's last character: of the last), so a token is a unit exactly if its position is one beyond the last unit's.
 * `text.slice(from, to)` is what the token was made from.
 */
export type TokenVisit = (token: string, from: number, to: number, position: number) => void

export function tokenize(text: string, visit: TokenVisit): void {
  new Scan(text, textCodes(text), new VisitedTokens(text, visit)).all()
}

/** Where tokens go. Most are a stretch of the text in lower case: whoever writes bytes needs no string for those. */
export interface TokenSink {
  /** `text.slice(from, end)` in lower case, all of it ASCII; made from the stretch up to `to`. */
  plain(from: number, end: number, to: number, position: number, isLower: boolean): void
  other(token: string, from: number, to: number, position: number): void
}

class VisitedTokens implements TokenSink {
  private readonly text: string
  private readonly visit: TokenVisit

  constructor(text: string, visit: TokenVisit) {
    this.text = text
    this.visit = visit
  }

  plain(from: number, end: number, to: number, position: number, isLower: boolean): void {
    const token = this.text.slice(from, end)
    this.visit(isLower ? token : token.toLowerCase(), from, to, position)
  }

  other(token: string, from: number, to: number, position: number): void {
    this.visit(token, from, to, position)
  }
}

/** Stands between units and wholes, so that no phrase reaches from one into the other; no query has it. */
export const border = '_'

/** What is given to FTS5 for a text: its units in order, then its wholes, each after a blank. */
export function textToTokens(text: string): string {
  let units = ''
  let wholes = ''
  let next = 0
  tokenize(text, (token, _from, _to, position) => {
    if (position === next) {
      next++
      units += units === '' ? token : ` ${token}`
    } else {
      wholes += ` ${token}`
    }
  })
  return wholes === '' ? units : `${units} ${border}${wholes}`
}

/** Cuts one text. `position` is that of the next unit. */
export class Scan {
  position = 0
  /** Up to here it is known that no base64 data begins. */
  plainUntil = 0
  private readonly text: string
  private readonly codes: Uint16Array
  private readonly sink: TokenSink
  /** Units of the name being read: `list-times` in `list-times.ts`. */
  private nameUnits = 0
  private isWide = false
  /** Data has characters that no token may have. */
  private hasData = false

  /** `codes`: of the text, and a zero behind them. */
  constructor(text: string, codes: Uint16Array, sink: TokenSink) {
    this.text = text
    this.codes = codes
    this.sink = sink
  }

  all(): void {
    const { codes } = this
    const end = this.text.length
    let at = 0
    while (at < end) {
      const code = codes[at] as number
      at = code < 128 && ascii[code] === 0 ? at + 1 : this.step(at)
    }
  }

  /** Everything that belongs to the word or sign at a place; gives the place behind it. */
  step(at: number): number {
    const code = this.codes[at] as number
    if (code < 128) return ascii[code] === 0 ? at + 1 : this.word(at)
    const kind = this.kindAt(at)
    if (kind === kinds.cjk) return this.unspacedRun(at)
    return kind === kinds.separator || kind === kinds.mark ? at + this.widthAt(at) : this.chain(at)
  }

  private kindAt(at: number): number {
    const code = this.codes[at] as number
    if (code < 128) return (ascii[code] ?? 0) & ~beyondHex
    return kindOf(code >= 0xd800 && code <= 0xdfff ? (this.text.codePointAt(at) ?? 0) : code)
  }

  private widthAt(at: number): number {
    return (this.text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1
  }

  private isWordAt(at: number): boolean {
    const code = this.codes[at] as number
    if (code < 128) return ascii[code] !== 0
    return at < this.text.length && (this.kindAt(at) & (letters | digit)) !== 0
  }

  private unit(from: number, to: number, isLower: boolean): void {
    const end = to - from > longestToken ? from + longestToken : to
    this.sink.plain(from, end, to, this.position++, isLower)
    this.nameUnits++
  }

  private word(from: number): number {
    const at = plainEnd(this.codes, from)
    if (at === from) return this.chain(from)
    this.sink.plain(from, at, at, this.position++, false)
    return at
  }

  /** Names joined by dots, made of runs joined by `_` and `-`. */
  chain(from: number): number {
    const { codes } = this
    let at = from
    const first = this.position
    let nameFrom = from
    let namePosition = first
    this.nameUnits = 0
    this.isWide = false
    this.hasData = false
    for (;;) {
      at = this.run(at)
      if (this.isWordAt(at)) continue
      const code = codes[at] as number
      if (code === underscore || code === dash) {
        let next = at + 1
        if (code === underscore) while ((codes[next] as number) === underscore) next++
        if (!this.isWordAt(next)) break
        at = next
      } else if (code === dot && this.isWordAt(at + 1)) {
        if (this.nameUnits > 1) this.whole(nameFrom, at, namePosition)
        this.nameUnits = 0
        at++
        nameFrom = at
        namePosition = this.position
      } else break
    }
    if (this.nameUnits > 1) this.whole(nameFrom, at, namePosition)
    if (nameFrom > from && first < this.position) this.whole(from, at, first)
    return at
  }

  private whole(from: number, to: number, position: number): void {
    if (this.hasData || to - from > longestToken) return
    if (!this.isWide) {
      if (to > from) this.sink.plain(from, to, to, position, false)
      return
    }
    const token = foldWide(this.text.slice(from, to))
    if (token.length > 0 && token.length <= longestToken) this.sink.other(token, from, to, position)
  }

  /** Letters and digits with nothing between them. */
  private run(from: number): number {
    const { codes } = this
    let at = from
    let make = 0
    let code = codes[at] as number
    let kind = 0
    while (code < 128) {
      kind = ascii[code] ?? 0
      if (kind === 0) break
      make |= kind
      code = codes[++at] as number
    }
    if (code >= 128 && (this.kindAt(at) & (letters | digit | kinds.mark)) !== 0) return this.wideRun(from)
    if ((code === slash || code === plus) && from >= this.plainUntil) {
      const data = this.dataEnd(from)
      if (data > from) return data
    }
    return this.asciiRun(from, at, make)
  }

  private asciiRun(from: number, end: number, make: number): number {
    const { codes } = this
    const size = end - from
    const base = make & ~beyondHex
    if (size === 8 && make === base && (codes[end] as number) === dash && isUuid(codes, from)) return this.uuid(from)
    if (base === lower) this.unit(from, end, true)
    else if (base === upper || (base === letters && isCapital(codes, from, end))) this.unit(from, end, false)
    else if (size >= shortestHex && (make === (lower | digit) || make === (upper | digit))) this.unit(from, end, false)
    else if (
      size > longestName ||
      (size >= shortestRandom && base === (letters | digit) && isRandom(codes, from, end))
    ) {
      this.unit(from, end, false)
    } else return this.split(from, end)
    return end
  }

  /** At changes of case and between letters and digits; numbers go on over dots. */
  private split(from: number, end: number): number {
    const { codes } = this
    let start = from
    let before = this.kindAt(from)
    for (let at = from + 1; at < end; at++) {
      const kind = this.kindAt(at)
      if (kind === before) continue
      const isWordStart = before === upper && kind === lower
      const cut = isWordStart ? at - 1 : at
      if (cut > start) {
        this.unit(start, cut, false)
        start = cut
      }
      before = kind
    }
    const to = before === digit ? versionEnd(codes, end) : end
    this.unit(start, to, false)
    return to
  }

  private uuid(from: number): number {
    const units = this.nameUnits
    this.unit(from, from + 8, false)
    this.unit(from, from + uuidShape.length, false)
    // By itself it needs no whole beside it.
    this.nameUnits = units + 1
    return from + uuidShape.length
  }

  /** Where base64 data that begins here ends, given as one unit; `from` where it is no data. */
  private dataEnd(from: number): number {
    const { codes } = this
    let end = from
    for (let code = codes[end] as number; isData(code); code = codes[++end] as number);
    this.plainUntil = end
    if (end - from < shortestData || !isRandom(codes, from, end)) return from
    const shown = this.text.slice(from, Math.min(end, from + longestToken)).toLowerCase()
    const token = shown.replace(/[+/=]/g, found => (found === '+' ? '-' : '_'))
    this.sink.other(token, from, end, this.position++)
    this.hasData = true
    return end
  }

  /** A run with letters beyond ASCII. */
  private wideRun(from: number): number {
    this.isWide = true
    let at = from
    let start = from
    let token = ''
    let before = 0
    let last = { from, text: '' }
    while (this.isWordAt(at)) {
      const kind = this.kindAt(at)
      const next = this.clusterEnd(at)
      const text = foldCluster(this.text.slice(at, next), kind)
      if (before !== 0 && kind !== before) {
        const isWordStart = before === upper && kind === lower
        if (!isWordStart) {
          this.wideUnit(token + last.text, start, at)
          start = at
          token = ''
          last.text = ''
        } else if (last.from > start) {
          this.wideUnit(token, start, last.from)
          start = last.from
          token = ''
        }
      }
      if (token.length <= longestToken) token += last.text
      last = { from: at, text }
      before = kind
      at = next
    }
    const end = before === digit ? versionEnd(this.codes, at) : at
    this.wideUnit(token + last.text + this.text.slice(at, Math.min(end, at + longestToken)), start, end)
    return end
  }

  private wideUnit(token: string, from: number, to: number): void {
    if (token === '') return
    this.sink.other(safeCut(token, longestToken), from, to, this.position++)
    this.nameUnits++
  }

  /** The character and the marks that belong to it. */
  private clusterEnd(from: number): number {
    let at = from + this.widthAt(from)
    while ((this.codes[at] as number) >= 128 && this.kindAt(at) === kinds.mark) at += this.widthAt(at)
    return at
  }

  private unspacedRun(from: number): number {
    let at = from
    let before = { from, text: '' }
    let pairs = 0
    while (at < this.text.length && this.kindAt(at) === kinds.cjk) {
      const next = this.clusterEnd(at)
      const text = foldCluster(this.text.slice(at, next), kinds.cjk)
      if (text !== '') {
        if (before.text !== '') {
          this.sink.other(before.text + text, before.from, next, this.position++)
          pairs++
        }
        before = { from: at, text }
      }
      at = next
    }
    if (before.text === '') return at
    // Beside pairs it takes no place; alone it is the unit.
    this.sink.other(before.text, before.from, at, pairs > 0 ? this.position - 1 : this.position++)
    return at
  }
}
