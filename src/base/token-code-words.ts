// The WebAssembly that cuts plain words, which most are, and runs of scripts without blanks; names and ids are in
// token-code-chain.ts. The rules are those of `Scan`. Here nothing is decided that needs more than the table of characters.

import { blank, callOf, codeAt, has, isWord, kindAt, share, shared, two } from './token-code.ts'
import { bits, foldsPlace } from './token-table.ts'
import { kinds } from './tokens-fold.ts'
import { digit, plus, slash } from './tokens-shape.ts'
import {
  add,
  again,
  anyOf,
  byteAt,
  bytesAt,
  type Code,
  choose,
  either,
  exclusiveOr,
  get,
  giveBack,
  i32,
  isAtLeast,
  isBelow,
  isEqual,
  isOther,
  laneBits,
  lanesAnd,
  lanesBelow,
  lanesOr,
  lanesSubtract,
  loop,
  narrowed,
  number,
  numberAt,
  putByte,
  putBytes,
  putNumber,
  set,
  shiftLeft,
  shiftRight,
  sixteen,
  subtract,
  tee,
  trailingZeros,
  v128,
  type WasmFunction,
  when,
} from './wasm-code.ts'

const between = (lanes: Code, first: number, count: number): Code =>
  lanesBelow(lanesSubtract(lanes, sixteen(first)), sixteen(count))
const sixteenAt = (place: Code): Code => narrowed(bytesAt(place), bytesAt(place, 16))

/** `copy(from, to, out)`: characters of ASCII in lower case; gives the place behind them. What follows there is overwritten. */
function copying(): WasmFunction {
  const [from, to, out, held, end] = [0, 1, 2, 3, 4]
  const inLower = lanesOr(get(held), lanesAnd(between(get(held), 0x41, 26), sixteen(0x20)))
  const code = [
    set(end, add(get(out), shiftRight(subtract(get(to), get(from)), 1))),
    loop(
      'sixteen',
      set(held, sixteenAt(get(from))),
      putBytes(get(out), inLower),
      set(out, add(get(out), number(16))),
      set(from, add(get(from), number(32))),
      when(isBelow(get(from), get(to)), again('sixteen')),
    ),
    get(end),
  ]
  return { parameters: 3, locals: [v128, i32], code }
}

/** `fold(from, to, out)`: the same for characters of any kind, one by one. */
function folding(): WasmFunction {
  const [from, to, out, code, kind] = [0, 1, 2, 3, 4]
  const isUpper = isEqual(has(get(kind), kinds.upper | bits.wide), number(kinds.upper))
  const folded = numberAt(shiftLeft(get(code), two), foldsPlace)
  const body = [
    loop(
      'each',
      set(kind, byteAt(tee(code, codeAt(get(from))))),
      choose(
        has(get(kind), bits.wide),
        [putNumber(get(out), folded), set(out, add(get(out), shiftRight(folded, 24)))],
        [putByte(get(out), anyOf(get(code), shiftLeft(isUpper, number(5)))), set(out, add(get(out), number(1)))],
      ),
      set(from, add(get(from), two)),
      when(isBelow(get(from), get(to)), again('each')),
    ),
    get(out),
  ]
  return { parameters: 3, locals: [i32, i32], code: body }
}

/** `unspaced(from)`: pairs of characters, and the last one by itself; gives where they end, 0 where it is not for the quick way. */
function pairing(): WasmFunction {
  const [from, before, at, out, kind] = [0, 1, 2, 3, 4]
  const one = (place: number, into: number): Code =>
    set(into, callOf('fold', get(place), add(get(place), two), get(into)))
  const start: Code = [putByte(get(out), number(blank)), set(out, add(get(out), number(1)))]
  const code = [
    set(at, get(from)),
    set(out, shared('units')),
    loop(
      'each',
      set(before, get(at)),
      set(at, add(get(at), two)),
      when(has(tee(kind, kindAt(get(at))), bits.odd), giveBack(number(0))),
      when(isEqual(get(kind), number(bits.wide)), start, one(before, out), one(at, out), again('each')),
    ),
    when(isEqual(get(before), get(from)), start, one(before, out)),
    share('units', get(out)),
    when(
      isOther(get(before), get(from)),
      set(out, shared('wholes')),
      start,
      one(before, out),
      share('wholes', get(out)),
    ),
    get(at),
  ]
  return { parameters: 1, locals: [i32, i32, i32, i32], code }
}

/** Whether a sign that may join words joins none: in a path, once it is known that it is no data, or before another sign. */
function joinsNothing(sign: Code, next: Code, at: Code): Code {
  const isInPath = isBelow(at, shared('plainUntil'))
  const isOfData = anyOf(isEqual(sign, number(slash)), isEqual(sign, number(plus)))
  return either(isInPath, isEqual(kindAt(next), number(bits.sign)), isOfData)
}

/** `cut(at, end)`: writes tokens; gives the place of what is not for the quick way, `end` or more where all was written. */
function cutting(): WasmFunction {
  const [at, end, out, held, kind, length, after] = [0, 1, 2, 3, 4, 5, 6]
  const lower = between(get(held), 0x61, 26)
  const numeric = between(get(held), 0x30, 10)
  // The first character may be a capital. Where all sixteen belong to it, the one behind them decides.
  const notLetters = exclusiveOr(anyOf(laneBits(lower), number(1)), number(0x1ffff))
  const notDigits = exclusiveOr(laneBits(numeric), number(0x1ffff))
  const lengthFrom = (others: Code): Code => set(length, trailingZeros(others))
  const behind = add(get(at), shiftLeft(get(length), number(1)))
  const write: Code = [
    putByte(get(out), number(blank)),
    putBytes(get(out), lanesOr(get(held), sixteen(0x20)), 1),
    set(out, add(add(get(out), get(length)), number(1))),
    set(at, add(behind, two)),
    again('next'),
  ]
  const plainWord: Code = [
    set(held, sixteenAt(get(at))),
    choose(has(get(kind), digit), lengthFrom(notDigits), lengthFrom(notLetters)),
    when(isEqual(tee(after, kindAt(behind)), number(bits.sign)), write),
    when(isEqual(get(after), number(bits.join)), when(joinsNothing(codeAt(behind), add(behind, two), get(at)), write)),
  ]
  const code = [
    set(out, shared('units')),
    loop(
      'next',
      when(isAtLeast(get(at), get(end)), share('units', get(out)), giveBack(get(at))),
      set(kind, kindAt(get(at))),
      when(has(get(kind), bits.sign | bits.join), when(isBelow(get(kind), number(bits.odd)), skip(at), again('next'))),
      when(isBelow(get(kind), number(bits.wide)), plainWord),
      share('units', get(out)),
      set(length, get(at)),
      when(has(get(kind), bits.odd), giveBack(get(at))),
      choose(isWord(get(kind)), set(at, callOf('chain', get(at))), set(at, callOf('unspaced', get(at)))),
      when(isEqual(get(at), number(0)), giveBack(get(length))),
      set(out, shared('units')),
      again('next'),
    ),
    get(at),
  ]
  return { parameters: 2, locals: [i32, v128, i32, i32, i32], code }
}

const skip = (at: number): Code => set(at, add(get(at), two))

export const wordFunctions = () => ({ copy: copying(), fold: folding(), unspaced: pairing(), cut: cutting() })
