// Finds texts in bytes sixteen at a time, with a small WebAssembly function that is made for the texts in question. It says
// where something may begin; whoever asks looks closer. Where the machine cannot do it, it is not there.

import {
  add,
  again,
  bytesAt,
  type Code,
  get,
  giveBack,
  i32,
  isAnyLane,
  isAtLeast,
  laneBits,
  lanesAnd,
  lanesEqual,
  lanesOr,
  loop,
  number,
  runWasm,
  set,
  sixteen,
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

/** The places in a text that tell it best from others: of its rarest characters, at most three. */
function rarest(text: string, ignoresCase: boolean): number[] {
  const rank = (at: number) => {
    const character = text[at] ?? ' '
    const place = frequent.indexOf(ignoresCase ? character.toLowerCase() : character)
    return place === -1 ? frequent.length : place
  }
  const places = [...text.slice(0, simdSlack - 32)].map((_, at) => at)
  return places.sort((one, other) => rank(other) - rank(one) || one - other).slice(0, 3)
}

const at = 0
const to = 1
const first = 2
const second = 3
const bits = 4
/** The bytes at the distance that was looked at last. */
const held = 5

/** Lanes where a text may begin, or an escape by number that may be a character of it. */
function lanes({ texts, ignoresCase, bytes = [] }: Wanted, shift: number): Code {
  let loaded = -1
  const equals = (distance: number, character: string, isAnyCase: boolean): Code => {
    const code = character.charCodeAt(0)
    const lane = distance === loaded ? get(held) : tee(held, bytesAt(get(at), distance + shift))
    loaded = distance
    if (!isAnyCase || !/[a-z]/i.test(character)) return lanesEqual(lane, sixteen(code))
    return lanesEqual(lanesOr(lane, sixteen(0x20)), sixteen(code | 0x20))
  }
  const all: [distance: number, character: string, isAnyCase: boolean][][] = [
    [1, 0].map(place => [place, '\\u'[place] ?? '', false]),
    ...bytes.map((byte): [number, string, boolean][] => [[0, String.fromCharCode(byte), false]]),
    ...texts.map(text =>
      rarest(text, ignoresCase).map((place): [number, string, boolean] => [place, text[place] ?? '', ignoresCase]),
    ),
  ]
  return lanesOr(...all.map(parts => lanesAnd(...parts.map(part => equals(...part)))))
}

/** `find(at, to)`: the first place where something may begin; `to` or more where there is none. 32 bytes a round. */
export function finding(wanted: Wanted): WasmFunction {
  return findingLanes(lanes(wanted, 0), lanes(wanted, 16))
}

function findingLanes(half: Code, otherHalf: Code): WasmFunction {
  const code = [
    loop(
      'round',
      when(isAtLeast(get(at), get(to)), giveBack(get(to))),
      when(
        isAnyLane(lanesOr(tee(first, half), tee(second, otherHalf))),
        when(tee(bits, laneBits(get(first))), giveBack(add(get(at), trailingZeros(get(bits))))),
        giveBack(add(add(get(at), trailingZeros(laneBits(get(second)))), number(16))),
      ),
      set(at, add(get(at), number(32))),
      again('round'),
    ),
    get(to),
  ]
  return { parameters: 2, locals: [v128, v128, i32, v128], code }
}
