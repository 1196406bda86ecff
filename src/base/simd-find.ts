// Finds texts in bytes sixteen at a time, with a small WebAssembly function that is made for the texts in question. It says
// where something may begin; whoever asks looks closer. Where the machine cannot do it, it is not there.

import {
  add,
  again,
  anyOf,
  bitAnd,
  byteAt,
  bytesAt,
  type Code,
  get,
  giveBack,
  i32,
  isAnyLane,
  isAtLeast,
  isEqual,
  isEveryLane,
  laneBits,
  lanesAnd,
  lanesEqual,
  lanesOf,
  lanesOr,
  loop,
  number,
  runWasm,
  set,
  shiftLeft,
  sixteen,
  subtract,
  tee,
  trailingZeros,
  v128,
  type WasmFunction,
  when,
} from './wasm-code.ts'

/** Characters of logs, the most frequent first; those that are missing are rare. */
const frequent = ' eatoinsrlcdumhp0_123fg4.5b-67y89w:v,k={}[]()'

export interface Wanted {
  /** Plain ASCII, two or more characters each. */
  texts: readonly string[]
  ignoresCase: boolean
  /** Single bytes that are looked for, too. */
  bytes?: readonly number[]
  /** Escapes by number, which may be characters of a text, are passed over. */
  isPlain?: true
}

/** A place in memory to put bytes, and the next of them where something may begin. */
export interface SimdFinder {
  /** What is searched. */
  readonly bytes: Uint8Array
  /** The first place from `from` on, before `to`; -1 where there is none. */
  next(from: number, to: number): number
}

/** Bytes behind the end that are looked at, too: a vector, and how far into a text its rarest characters are looked for. */
export const simdSlack = 256

/** Null where there is no WebAssembly with vectors. `size`: how many bytes it can hold. */
export function simdFinder(wanted: Wanted, size: number): SimdFinder | null {
  const wasm = runWasm({ find: finding(wanted) }, size + simdSlack)
  if (wasm === null) return null
  const { find } = wasm.run
  return {
    bytes: new Uint8Array(wasm.memory, 0, size),
    next(from, to) {
      const at = find(from, to)
      return at < to ? at : -1
    },
  }
}

/** The places in a text that tell it best from others: of its two rarest characters. */
function rarest(text: string, ignoresCase: boolean): number[] {
  const rank = (at: number) => {
    const character = text[at] ?? ' '
    const place = frequent.indexOf(ignoresCase ? character.toLowerCase() : character)
    return place === -1 ? frequent.length : place
  }
  const places = [...text.slice(0, simdSlack - 32)].map((_, at) => at)
  return places.sort((one, other) => rank(other) - rank(one) || one - other).slice(0, 2)
}

const at = 0
const to = 1
const first = 2
const second = 3
const bits = 4
/** The bytes at the distance that was looked at last. */
const held = 5
const place = 6

const backslash = 0x5c

/** Lanes where a text may begin, or an escape by number that may be a character of it. */
function lanes({ texts, ignoresCase, bytes = [], isPlain }: Wanted, shift: number): Code {
  let loaded = -1
  const equals = (distance: number, character: string, isAnyCase: boolean): Code => {
    const code = character.charCodeAt(0)
    const lane = distance === loaded ? get(held) : tee(held, bytesAt(get(at), distance + shift))
    loaded = distance
    if (!isAnyCase || !/[a-z]/i.test(character)) return lanesEqual(lane, sixteen(code))
    return lanesEqual(lanesOr(lane, sixteen(0x20)), sixteen(code | 0x20))
  }
  const escaped: [number, string, boolean][] = [1, 0].map(distance => [distance, '\\u'[distance] ?? '', false])
  const all: [distance: number, character: string, isAnyCase: boolean][][] = [
    ...(isPlain === true ? [] : [escaped]),
    ...bytes.map((byte): [number, string, boolean][] => [[0, String.fromCharCode(byte), false]]),
    ...texts.map(text =>
      rarest(text, ignoresCase).map((distance): [number, string, boolean] => [
        distance,
        text[distance] ?? '',
        ignoresCase,
      ]),
    ),
  ]
  return lanesOr(...all.map(parts => lanesAnd(...parts.map(part => equals(...part)))))
}

/**
 * `find(at, to)`: the first place where something may begin; `to` or more where there is none. 32 bytes a round. What looks
 * like a text is held against its first sixteen characters at once, since most places are none.
 */
export function finding(wanted: Wanted): WasmFunction {
  const code = [
    loop(
      'round',
      when(isAtLeast(get(at), get(to)), giveBack(get(to))),
      when(
        isAnyLane(lanesOr(tee(first, lanes(wanted, 0)), tee(second, lanes(wanted, 16)))),
        set(bits, anyOf(laneBits(get(first)), shiftLeft(laneBits(get(second)), number(16)))),
        loop(
          'lane',
          set(place, add(get(at), trailingZeros(get(bits)))),
          when(isSure(wanted), giveBack(get(place))),
          when(tee(bits, bitAnd(get(bits), subtract(get(bits), number(1)))), again('lane')),
        ),
      ),
      set(at, add(get(at), number(32))),
      again('round'),
    ),
    get(to),
  ]
  return { parameters: 2, locals: [v128, v128, i32, v128, i32], code }
}

/** Whether one of the single bytes, an escape or the first characters of a text stand at the place. */
function isSure({ texts, ignoresCase, bytes = [], isPlain }: Wanted): Code {
  const singles = isPlain === true ? bytes : [backslash, ...bytes]
  return anyOf(
    ...singles.map(byte => isEqual(byteAt(get(place)), number(byte))),
    ...texts.map(text =>
      isEveryLane(lanesEqual(lanesOr(bytesAt(get(place)), hidden(text, ignoresCase)), seen(text, ignoresCase))),
    ),
  )
}

/** The first sixteen characters of a text as lanes that bytes have once what does not count in them is set. */
function seen(text: string, ignoresCase: boolean): Code {
  return lanesOf(places16.map(at => (text.charCodeAt(at) || 0xff) | uncounted(text, at, ignoresCase)))
}

/** The bits that do not count: the case of letters, and all behind the end of the text. */
function hidden(text: string, ignoresCase: boolean): Code {
  return lanesOf(places16.map(at => uncounted(text, at, ignoresCase)))
}

const places16 = Array.from({ length: 16 }, (_, at) => at)

function uncounted(text: string, at: number, ignoresCase: boolean): number {
  if (at >= text.length) return 0xff
  return ignoresCase && /[a-z]/i.test(text[at] ?? '') ? 0x20 : 0
}
