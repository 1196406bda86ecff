// The WebAssembly that hashes a text: the same as `codesHash`, over the text's place in memory.

import { mixing } from './text-hash.ts'
import { share, textPlace } from './token-code.ts'
import {
  add,
  again,
  bitAnd,
  type Code,
  exclusiveOr,
  get,
  i32,
  isAtLeast,
  isBelow,
  loop,
  multiply,
  number,
  numberAt,
  rotateLeft,
  set,
  shiftLeft,
  type WasmFunction,
  when,
} from './wasm-code.ts'

const [length, seed, at, end, pair, low, high] = [0, 1, 2, 3, 4, 5, 6]
/** One for each pair of a group. */
const lows = [7, 8, 9, 10]
const highs = [11, 12, 13, 14]

const mixLow = (into: number, value: Code): Code =>
  set(into, multiply(exclusiveOr(rotateLeft(get(into), 13), value), number(mixing.low.factor)))
const mixHigh = (into: number, value: Code): Code =>
  set(into, multiply(add(rotateLeft(get(into), 17), value), number(mixing.high.factor)))
const mixPair = (offset: number, lowInto: number, highInto: number): Code => [
  set(pair, numberAt(get(at), offset)),
  mixLow(lowInto, get(pair)),
  mixHigh(highInto, get(pair)),
]

/** Whole groups only. */
const groups: Code = [
  ...lows.map(lane => set(lane, get(low))),
  ...highs.map(lane => set(lane, get(high))),
  set(end, add(get(at), shiftLeft(bitAnd(get(length), number(~7)), number(1)))),
  loop(
    'group',
    ...lows.map((lane, n) => mixPair(4 * n, lane, highs[n] ?? 0)),
    set(at, add(get(at), number(16))),
    when(isBelow(get(at), get(end)), again('group')),
  ),
  ...[...lows, ...highs].map(lane => [mixLow(low, get(lane)), mixHigh(high, get(lane))]),
]

/** `hash(length, seed)`: gives the lower half before it is spread; the upper one is shared. */
export function hashing(): WasmFunction {
  const code = [
    set(low, exclusiveOr(get(length), number(mixing.low.start))),
    set(high, exclusiveOr(get(seed), number(mixing.high.start))),
    set(at, number(textPlace)),
    when(isAtLeast(get(length), number(mixing.groupsFrom)), groups),
    set(end, add(number(textPlace), shiftLeft(get(length), number(1)))),
    loop(
      'pair',
      when(isBelow(get(at), get(end)), mixPair(0, low, high), set(at, add(get(at), number(4))), again('pair')),
    ),
    share('high', get(high)),
    get(low),
  ]
  return { parameters: 2, locals: Array<number>(13).fill(i32), code }
}
