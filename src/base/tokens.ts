// The one tokenizer of the full-text index, for texts and for queries. It cuts and folds; it neither ranks nor knows SQL.
//
// Every place of a text has one *unit*: a word, or a part of one (`foo_bar`: foo, bar; `HTTPServer2`: http, server, 2;
// `2.1.219` and hex ids are one unit; a uuid is two, its first block and the whole; CJK: overlapping pairs). Beside them
// stand *wholes*, which take no place: `foo_bar`, `httpserver2`, `main.ts`, the last character of a CJK run. What
// somebody cuts out of a text at the borders of its units has the same units in the same order. (Exception: a piece cut
// at a change of case or digit that looks like a hex or random id by itself, as `1234abc` of `get1234abc`.)
// Tokens hold only a-z 0-9 _ . - and characters beyond ASCII: made for FTS5 with `tokenize = "ascii tokenchars '_.-'"`.

import { foldCluster, kindOf, kinds, safeCut } from './tokens-fold.ts'

/**
 * `position` counts units from 0. A whole comes after its units and has the position of the first of them (for a CJK
 * run's last character: of the last), so a token is a unit exactly if its position is one beyond the last unit's.
 * `text.slice(from, to)` is what the token was made from.
 */
export type TokenVisit = (token: string, from: number, to: number, position: number) => void

/** Longer units keep their beginning; longer wholes are left to their units. */
export const longestToken = 64

export function tokenize(text: string, visit: TokenVisit): void {
  new Scan(text, visit).all()
}

/** Stands between units and wholes, so that no phrase reaches from one into the other; no query has it. */
const border = '_'

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

const { lower, upper, digit } = kinds
const letters = lower | upper
/** A letter that no hex number has. */
const beyondHex = 8
const ascii = asciiKinds()

function asciiKinds(): Uint8Array {
  const table = new Uint8Array(128)
  for (let code = 0x30; code <= 0x39; code++) table[code] = digit
  for (let at = 0; at < 26; at++) {
    const hex = at < 6 ? 0 : beyondHex
    table[0x61 + at] = lower | hex
    table[0x41 + at] = upper | hex
  }
  return table
}

const [dash, dot, slash, underscore, plus, equals] = [0x2d, 0x2e, 0x2f, 0x5f, 0x2b, 0x3d]
const joins = new Uint8Array(128)
for (const code of [dash, dot, slash, underscore, plus]) joins[code] = 1
/** Shorter ones are words or counts. */
const shortestHex = 7
/** From here on a run that changes its kind at nearly every second character is an id or data, not a name. */
const shortestRandom = 20
const shortestData = 40
const randomChanges = 0.45
/** No name is longer. */
const longestName = 256

class Scan {
  private readonly text: string
  private readonly visit: TokenVisit
  private position = 0
  /** Units of the name being read: `list-times` in `list-times.ts`. */
  private nameUnits = 0
  private isWide = false
  /** Data has characters that no token may have. */
  private hasData = false
  /** Up to here it is known that no base64 data begins. */
  private plainUntil = 0

  constructor(text: string, visit: TokenVisit) {
    this.text = text
    this.visit = visit
  }

  all(): void {
    const { text } = this
    const end = text.length
    let at = 0
    while (at < end) {
      const code = text.charCodeAt(at)
      if (code < 128) {
        at = ascii[code] === 0 ? at + 1 : this.word(at)
        continue
      }
      const kind = this.kindAt(at)
      if (kind === kinds.cjk) at = this.unspacedRun(at)
      else if (kind === kinds.separator || kind === kinds.mark) at += this.widthAt(at)
      else at = this.chain(at)
    }
  }

  private kindAt(at: number): number {
    const code = this.text.charCodeAt(at)
    if (code < 128) return (ascii[code] ?? 0) & ~beyondHex
    return kindOf(code >= 0xd800 && code <= 0xdfff ? (this.text.codePointAt(at) ?? 0) : code)
  }

  private widthAt(at: number): number {
    return (this.text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1
  }

  private isWordAt(at: number): boolean {
    const code = this.text.charCodeAt(at)
    if (code < 128) return ascii[code] !== 0
    return at < this.text.length && (this.kindAt(at) & (letters | digit)) !== 0
  }

  private unit(from: number, to: number, isLower: boolean): void {
    const token = this.text.slice(from, to - from > longestToken ? from + longestToken : to)
    this.visit(isLower ? token : token.toLowerCase(), from, to, this.position++)
    this.nameUnits++
  }

  /** The short way for what most texts are made of: lower-case words with nothing joined to them. */
  private word(from: number): number {
    const { text } = this
    let at = from
    let code = text.charCodeAt(at)
    while (code >= 0x61 && code <= 0x7a) code = text.charCodeAt(++at)
    const isPlain = at === text.length || (code < 128 && ascii[code] === 0 && joins[code] === 0)
    if (at === from || !isPlain) return this.chain(from)
    this.visit(text.slice(from, at - from > longestToken ? from + longestToken : at), from, at, this.position++)
    return at
  }

  /** Names joined by dots, made of runs joined by `_` and `-`. */
  private chain(from: number): number {
    const { text } = this
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
      const code = text.charCodeAt(at)
      if (code === underscore || code === dash) {
        let next = at + 1
        if (code === underscore) while (text.charCodeAt(next) === underscore) next++
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
    const written = this.text.slice(from, to)
    const token = this.isWide ? foldWide(written) : written.toLowerCase()
    if (token.length > 0 && token.length <= longestToken) this.visit(token, from, to, position)
  }

  /** Letters and digits with nothing between them. */
  private run(from: number): number {
    const { text } = this
    let at = from
    let make = 0
    let code = text.charCodeAt(at)
    let kind = 0
    while (code < 128) {
      kind = ascii[code] ?? 0
      if (kind === 0) break
      make |= kind
      code = text.charCodeAt(++at)
    }
    if (code >= 128 && (this.kindAt(at) & (letters | digit | kinds.mark)) !== 0) return this.wideRun(from)
    if ((code === slash || code === plus) && from >= this.plainUntil) {
      const data = this.dataEnd(from)
      if (data > from) return data
    }
    return this.asciiRun(from, at, make)
  }

  private asciiRun(from: number, end: number, make: number): number {
    const { text } = this
    const size = end - from
    const base = make & ~beyondHex
    if (size === 8 && make === base && text.charCodeAt(end) === dash && isUuid(text, from)) return this.uuid(from)
    if (base === lower) this.unit(from, end, true)
    else if (base === upper || (base === letters && isCapital(text, from, end))) this.unit(from, end, false)
    else if (size >= shortestHex && (make === (lower | digit) || make === (upper | digit))) this.unit(from, end, false)
    else if (
      size > longestName ||
      (size >= shortestRandom && base === (letters | digit) && isRandom(text, from, end))
    ) {
      this.unit(from, end, false)
    } else return this.split(from, end)
    return end
  }

  /** At changes of case and between letters and digits; numbers go on over dots. */
  private split(from: number, end: number): number {
    const { text } = this
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
    const to = before === digit ? versionEnd(text, end) : end
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
    const { text } = this
    let end = from
    for (let code = text.charCodeAt(end); isData(code); code = text.charCodeAt(++end));
    this.plainUntil = end
    if (end - from < shortestData || !isRandom(text, from, end)) return from
    const shown = text.slice(from, Math.min(end, from + longestToken)).toLowerCase()
    const token = shown.replace(/[+/=]/g, found => (found === '+' ? '-' : '_'))
    this.visit(token, from, end, this.position++)
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
    const end = before === digit ? versionEnd(this.text, at) : at
    this.wideUnit(token + last.text + this.text.slice(at, Math.min(end, at + longestToken)), start, end)
    return end
  }

  private wideUnit(token: string, from: number, to: number): void {
    if (token === '') return
    this.visit(safeCut(token, longestToken), from, to, this.position++)
    this.nameUnits++
  }

  /** The character and the marks that belong to it. */
  private clusterEnd(from: number): number {
    let at = from + this.widthAt(from)
    while (this.text.charCodeAt(at) >= 128 && this.kindAt(at) === kinds.mark) at += this.widthAt(at)
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
          this.visit(before.text + text, before.from, next, this.position++)
          pairs++
        }
        before = { from: at, text }
      }
      at = next
    }
    if (before.text === '') return at
    // Beside pairs it takes no place; alone it is the unit.
    this.visit(before.text, before.from, at, pairs > 0 ? this.position - 1 : this.position++)
    return at
  }
}

function isCapital(text: string, from: number, end: number): boolean {
  for (let at = from + 1; at < end; at++) if (((ascii[text.charCodeAt(at)] ?? 0) & upper) !== 0) return false
  return true
}

function versionEnd(text: string, from: number): number {
  let end = from
  while (text.charCodeAt(end) === dot && isDigit(text.charCodeAt(end + 1))) {
    end += 2
    while (isDigit(text.charCodeAt(end))) end++
  }
  return end
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39
}

function isData(code: number): boolean {
  return code < 128 && (ascii[code] !== 0 || code === plus || code === slash || code === equals)
}

/** Whether letters of both cases and digits change places as in data, not as in names. */
function isRandom(text: string, from: number, end: number): boolean {
  let changes = 0
  let make = 0
  let before = 0
  for (let at = from; at < end; at++) {
    const kind = (ascii[text.charCodeAt(at)] ?? 0) & ~beyondHex
    if (kind === 0) continue
    if (kind !== before) changes++
    make |= kind
    before = kind
  }
  return make === (letters | digit) && changes >= randomChanges * (end - from)
}

const uuidShape = '00000000-0000-0000-0000-000000000000'

function isUuid(text: string, from: number): boolean {
  for (let at = 0; at < uuidShape.length; at++) {
    const code = text.charCodeAt(from + at)
    const kind = code < 128 ? (ascii[code] ?? 0) : 0
    if (uuidShape.charCodeAt(at) === dash ? code !== dash : kind === 0 || (kind & beyondHex) !== 0) return false
  }
  const after = text.charCodeAt(from + uuidShape.length)
  return !(after < 128 && ascii[after] !== 0)
}

function foldWide(written: string): string {
  let token = ''
  for (const character of written.normalize('NFC')) {
    const code = character.codePointAt(0) ?? 0
    token += code < 128 ? character.toLowerCase() : foldCluster(character, kindOf(code))
  }
  return token
}
