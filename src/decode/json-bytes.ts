// JSON as bytes in one place of memory: where texts end, and where values end that nobody wants to know. It is as strict as
// `JSON.parse`: what that would refuse, or what is too unusual to be looked at here, has no end. It makes no values.

import { newline } from '../base/bytes.ts'
import { finding, simdSlack, type Wanted } from '../base/simd-find.ts'
import {
  add,
  again,
  anyOf,
  byteAt,
  bytesAt,
  get,
  giveBack,
  i32,
  isAbove,
  isAtLeast,
  isEqual,
  isOther,
  laneBits,
  lanesBelow,
  lanesEqual,
  lanesOr,
  leadingZeros,
  loop,
  number,
  runWasm,
  set,
  sixteen,
  subtract,
  tee,
  trailingZeros,
  v128,
  type WasmFunction,
  when,
} from '../base/wasm-code.ts'

/** What looks at the bytes: vectors where there are any. Positions are those of `bytes`. */
export interface ByteLook {
  /** Lines are put here. Behind the last one there has to be a newline. */
  readonly bytes: Uint8Array
  /** The first place from `from` on where something that is wanted may begin; `to` or more where there is none. */
  find(from: number, to: number): number
  /** The first byte of the line that holds the byte before `at`, not before `from`. */
  lineStart(at: number, from: number): number
  /** The first quote, backslash or control character. */
  plainEnd(at: number): number
  /** The same behind escapes of one character: a quote that closes, an escape by number, or what may not be in a text. */
  textEnd(at: number): number
}

const quote = 0x22
const backslash = 0x5c
/** What may follow a backslash, beside a number. */
const simpleEscapes = 'n"\\trbf/'

/** `size`: how many bytes it can hold. */
export function byteLook(wanted: Wanted, size: number, usesVectors = true): ByteLook {
  const functions = { find: finding(wanted), lineStart: lineStarting, plainEnd: ending(false), textEnd: ending(true) }
  const wasm = usesVectors ? runWasm(functions, size + simdSlack) : null
  if (wasm === null) return plainLook(wanted, new Uint8Array(size + 1))
  const { find, lineStart, plainEnd, textEnd } = wasm.run
  return { bytes: new Uint8Array(wasm.memory, 0, size + 1), find, lineStart, plainEnd, textEnd }
}

const at = 0
const from = 1

/** `lineStart(at, from)`: from behind, sixteen bytes a round, one by one where fewer are left. */
export const lineStarting: WasmFunction = {
  parameters: 2,
  locals: [i32],
  code: [
    loop(
      'round',
      when(
        isAbove(add(get(from), number(16)), get(at)),
        loop(
          'byte',
          when(isAtLeast(get(from), get(at)), giveBack(get(from))),
          when(isEqual(byteAt(subtract(get(at), number(1))), number(newline)), giveBack(get(at))),
          set(at, subtract(get(at), number(1))),
          again('byte'),
        ),
      ),
      when(
        tee(2, laneBits(lanesEqual(bytesAt(subtract(get(at), number(16))), sixteen(newline)))),
        giveBack(subtract(add(get(at), number(16)), leadingZeros(get(2)))),
      ),
      set(at, subtract(get(at), number(16))),
      again('round'),
    ),
    get(from),
  ],
}

/** `plainEnd(at)`, or `textEnd(at)` where it skips escapes of one character. */
export function ending(skipsEscapes: boolean): WasmFunction {
  const bits = 1
  const lanes = 2
  const isStop = lanesOr(
    lanesEqual(tee(lanes, bytesAt(get(at))), sixteen(quote)),
    lanesEqual(get(lanes), sixteen(backslash)),
    lanesBelow(get(lanes), sixteen(0x20)),
  )
  const isSkipped = anyOf(...[...simpleEscapes].map(one => isEqual(get(bits), number(one.charCodeAt(0)))))
  const skip = [
    when(isOther(byteAt(get(at)), number(backslash)), giveBack(get(at))),
    set(bits, byteAt(get(at), 1)),
    when(isSkipped, set(at, add(get(at), number(2))), again('round')),
  ]
  const code = [
    loop(
      'round',
      when(
        tee(bits, laneBits(isStop)),
        set(at, add(get(at), trailingZeros(get(bits)))),
        ...(skipsEscapes ? skip : []),
        giveBack(get(at)),
      ),
      set(at, add(get(at), number(16))),
      again('round'),
    ),
    get(at),
  ]
  return { parameters: 1, locals: [i32, v128], code }
}

/** Where there are no vectors. */
function plainLook({ texts, bytes: singles = [] }: Wanted, bytes: Uint8Array): ByteLook {
  const starts = new Uint8Array(256)
  for (const text of texts) starts[text.charCodeAt(0)] = 1
  for (const byte of [...singles, backslash]) starts[byte] = 1
  const plainEnd = (place: number) => {
    let end = place
    for (let byte = bytes[end] as number; byte >= 0x20 && byte !== quote && byte !== backslash; )
      byte = bytes[++end] ?? 0
    return end
  }
  return {
    bytes,
    find(place, to) {
      let found = place
      while (found < to && starts[bytes[found] as number] === 0) found++
      return found
    },
    lineStart(place, least) {
      let start = place
      while (start > least && bytes[start - 1] !== newline) start--
      return start
    },
    plainEnd,
    textEnd(place) {
      let end = plainEnd(place)
      while (bytes[end] === backslash && isSimpleEscape(bytes[end + 1] as number)) end = plainEnd(end + 2)
      return end
    },
  }
}

function isSimpleEscape(byte: number): boolean {
  return simpleEscapes.includes(String.fromCharCode(byte))
}

/** Deeper values are left to whoever can parse them. */
const deepest = 200

/** Goes over JSON. Every method gives the place behind what it went over, or -1 where that is not well-formed. */
export class JsonBytes {
  readonly bytes: Uint8Array
  private readonly look: ByteLook
  /** For every open object or array, whether it is an object. */
  private readonly open = new Uint8Array(deepest)

  constructor(look: ByteLook) {
    this.look = look
    this.bytes = look.bytes
  }

  /** The first byte from `place` on that is no blank. */
  blanks(place: number): number {
    const { bytes } = this
    let end = place
    for (let byte = bytes[end]; byte === 0x20 || byte === 0x09 || byte === 0x0d; ) byte = bytes[++end]
    return end
  }

  /** `place` is behind the opening quote. */
  text(place: number): number {
    const { bytes, look } = this
    let end = look.textEnd(place)
    while (bytes[end] === backslash) {
      if (!this.isNumberedEscape(end)) return -1
      end = look.textEnd(end + 6)
    }
    return bytes[end] === quote ? end + 1 : -1
  }

  private isNumberedEscape(place: number): boolean {
    if (this.bytes[place + 1] !== 0x75) return false
    for (let digit = place + 2; digit < place + 6; digit++)
      if (hexDigits[this.bytes[digit] as number] !== 1) return false
    return true
  }

  /** A text without escapes; `place` is behind the opening quote. */
  plainText(place: number): number {
    const end = this.look.plainEnd(place)
    return this.bytes[end] === quote ? end + 1 : -1
  }

  /** Behind the colon and the blanks around it. */
  colon(place: number): number {
    const end = this.blanks(place)
    return this.bytes[end] === 0x3a ? this.blanks(end + 1) : -1
  }

  /** Any value, without a call for each of those in it: they may be nested as deep as they like. */
  value(place: number): number {
    const { bytes, open } = this
    let depth = 0
    let end = place
    for (;;) {
      const byte = bytes[end]
      if (byte === 0x7b || byte === 0x5b) {
        const inner = this.blanks(end + 1)
        if (bytes[inner] === byte + 2) {
          end = inner + 1
        } else {
          if (depth === deepest) return -1
          open[depth++] = byte === 0x7b ? 1 : 0
          end = byte === 0x7b ? this.key(inner) : inner
          if (end === -1) return -1
          continue
        }
      } else {
        end = byte === quote ? this.text(end + 1) : this.scalar(end)
        if (end === -1) return -1
      }
      while (depth > 0) {
        end = this.blanks(end)
        const isObject = open[depth - 1] === 1
        if (bytes[end] === 0x2c) {
          end = this.blanks(end + 1)
          if (isObject) end = this.key(end)
          break
        }
        if (bytes[end] !== (isObject ? 0x7d : 0x5d)) return -1
        end++
        depth--
      }
      if (depth === 0 || end === -1) return end
    }
  }

  /** A key with its colon. */
  private key(place: number): number {
    if (this.bytes[place] !== quote) return -1
    const end = this.text(place + 1)
    return end === -1 ? -1 : this.colon(end)
  }

  /** A number, `true`, `false` or `null`. */
  scalar(place: number): number {
    switch (this.bytes[place]) {
      case 0x74:
        return this.word(place, trueWord)
      case 0x66:
        return this.word(place, falseWord)
      case 0x6e:
        return this.word(place, nullWord)
      default:
        return this.number(place)
    }
  }

  private word(place: number, word: Uint8Array): number {
    for (let at = 0; at < word.length; at++) if (this.bytes[place + at] !== word[at]) return -1
    return place + word.length
  }

  private number(place: number): number {
    const { bytes } = this
    const first = bytes[place] === 0x2d ? place + 1 : place
    let end = this.digits(first)
    if (end === -1 || (bytes[first] === 0x30 && end > first + 1)) return -1
    if (bytes[end] === 0x2e) end = this.digits(end + 1)
    if (end !== -1 && (bytes[end] === 0x65 || bytes[end] === 0x45)) {
      const sign = bytes[end + 1]
      end = this.digits(sign === 0x2b || sign === 0x2d ? end + 2 : end + 1)
    }
    return end
  }

  /** One or more. */
  digits(place: number): number {
    const { bytes } = this
    let end = place
    for (let byte = bytes[end] as number; byte >= 0x30 && byte <= 0x39; ) byte = bytes[++end] as number
    return end === place ? -1 : end
  }
}

const codesOf = (text: string) => Uint8Array.from(text, character => character.charCodeAt(0))
const trueWord = codesOf('true')
const falseWord = codesOf('false')
const nullWord = codesOf('null')
const hexDigits = new Uint8Array(256)
for (const character of '0123456789abcdefABCDEF') hexDigits[character.charCodeAt(0)] = 1
