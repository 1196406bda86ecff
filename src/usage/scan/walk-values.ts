// Reads values that a walk has found, in WebAssembly: short loops over bytes that would be slow until the engine has learned
// them. What the values mean is decided in `usage-reader.ts`.

import {
  add,
  again,
  anyOf,
  bitAnd,
  byteAt,
  bytesAt,
  type Code,
  choose,
  exclusiveOr,
  get,
  giveBack,
  i32,
  isAbove,
  isAtLeast,
  isBelow,
  isEqual,
  isOther,
  laneBits,
  lanesEqual,
  loop,
  multiply,
  number,
  numberAt,
  putNumber,
  rotateLeft,
  set,
  shiftLeft,
  shiftRight,
  subtract,
  type WasmFunction,
  when,
} from '../../base/wasm-code.ts'

/** `same(from, to, place)`: sixteen bytes a round; of the last ones only those count that are the text's. */
export const sameness: WasmFunction = (() => {
  const [from, to, place, bits] = [0, 1, 2, 3]
  const isHere = laneBits(lanesEqual(bytesAt(get(from)), bytesAt(get(place))))
  const inText = subtract(shiftLeft(number(1), subtract(get(to), get(from))), number(1))
  const code = [
    loop(
      'round',
      when(isAtLeast(get(from), get(to)), giveBack(number(1))),
      set(bits, isHere),
      when(isBelow(subtract(get(to), get(from)), number(16)), giveBack(isEqual(bitAnd(get(bits), inText), inText))),
      when(isOther(get(bits), number(0xffff)), giveBack(number(0))),
      set(from, add(get(from), number(16))),
      set(place, add(get(place), number(16))),
      again('round'),
    ),
    number(0),
  ]
  return { parameters: 3, locals: [i32], code }
})()

/** As `spread` in `text-hash.ts`. */
function spread(value: Code, into: number): Code {
  return [
    set(into, value),
    set(into, multiply(exclusiveOr(get(into), shiftRight(get(into), 16)), number(0xc2b2ae35 | 0))),
    set(into, multiply(exclusiveOr(get(into), shiftRight(get(into), 13)), number(0x27d4eb2f))),
    set(into, exclusiveOr(get(into), shiftRight(get(into), 16))),
  ]
}

/** `hash(from, to, seed)`: as `codesHash` in `text-hash.ts`. */
export function hashing(answer: number): WasmFunction {
  const [from, to, seed, low, high, pair, all] = [0, 1, 2, 3, 4, 5, 6]
  const code = [
    set(low, exclusiveOr(number(0x811c9dc5 | 0), subtract(get(to), get(from)))),
    set(high, exclusiveOr(number(0x2f0b4c47), get(seed))),
    loop(
      'pair',
      when(
        isBelow(get(from), get(to)),
        set(pair, byteAt(get(from))),
        when(
          isBelow(add(get(from), number(1)), get(to)),
          set(pair, anyOf(get(pair), shiftLeft(byteAt(get(from), 1), number(16)))),
        ),
        set(all, anyOf(get(all), get(pair))),
        set(low, multiply(exclusiveOr(rotateLeft(get(low), 13), get(pair)), number(0x9e3779b1 | 0))),
        set(high, multiply(add(rotateLeft(get(high), 17), get(pair)), number(0x85ebca6b | 0))),
        set(from, add(get(from), number(2))),
        again('pair'),
      ),
    ),
    when(bitAnd(get(all), number(0x00800080)), giveBack(number(1))),
    spread(get(high), pair),
    putNumber(number(answer), bitAnd(get(pair), number(0x1fffff))),
    spread(exclusiveOr(get(low), get(high)), pair),
    putNumber(number(answer), get(pair), 4),
    number(0),
  ]
  return { parameters: 3, locals: [i32, i32, i32, i32], code }
}

/** `counts(first, fields)`: whole numbers of up to nine digits. */
export function counting(spans: number, answer: number): WasmFunction {
  const [field, left, at, to, count, into] = [0, 1, 2, 3, 4, 5]
  const span = add(shiftLeft(get(field), number(3)), number(spans))
  const digit = subtract(byteAt(get(at)), number(0x30))
  const read = [
    set(to, numberAt(span, 4)),
    // An object or array has no end.
    when(isAbove(subtract(get(to), get(at)), number(9)), giveBack(number(1))),
    loop(
      'digit',
      when(
        isBelow(get(at), get(to)),
        when(isAbove(digit, number(9)), giveBack(number(1))),
        set(count, add(multiply(get(count), number(10)), digit)),
        set(at, add(get(at), number(1))),
        again('digit'),
      ),
    ),
  ]
  const code = [
    set(into, number(answer)),
    loop(
      'field',
      set(count, number(0)),
      set(at, numberAt(span)),
      when(get(at), choose(isEqual(byteAt(get(at)), number(0x6e)), [], read)),
      putNumber(get(into), get(count)),
      set(into, add(get(into), number(4))),
      set(field, add(get(field), number(1))),
      set(left, subtract(get(left), number(1))),
      when(get(left), again('field')),
    ),
    number(0),
  ]
  return { parameters: 2, locals: [i32, i32, i32, i32], code }
}
