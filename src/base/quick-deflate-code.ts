// The two loops of the quick DEFLATE encoder, as WebAssembly: `parse` finds repeats and counts symbols, `emit` writes bits.
// Which bits stand for a symbol is decided between the two, elsewhere.

import {
  add,
  again,
  anyOf,
  bitAnd,
  byteAt,
  bytesAt,
  type Code,
  choose,
  either,
  exclusiveOr,
  get,
  i32,
  i64,
  isAbove,
  isAtLeast,
  isBelow,
  isEqual,
  laneBits,
  lanesEqual,
  leadingZeros,
  long,
  longAdd,
  longAnd,
  longAt,
  longMultiply,
  longOr,
  longShiftLeft,
  longShiftRight,
  longSubtract,
  longToNumber,
  loop,
  number,
  numberAt,
  numberToLong,
  putBytes,
  putLong,
  putNumber,
  putShort,
  set,
  shiftLeft,
  shiftRight,
  shiftRightBy,
  shortAt,
  subtract,
  tee,
  trailingZeros,
  type WasmFunction,
  when,
} from './wasm-code.ts'

/**
 * The memory, from its start: where bytes with a hash were last, in two bytes each; how often each literal, length and
 * distance symbol occurs, then the bits of each, in four bytes each; what is compressed. The lower two bytes of a place
 * tell how far back it is, and those that were never written tell the start of the input, because that is at a multiple
 * of 64 KiB.
 */
export const seenBytes = 2 ** 16
export const literalCounts = seenBytes
export const lengthCounts = literalCounts + 4 * 256
export const distanceCounts = lengthCounts + 4 * 256
export const literalBits = distanceCounts + 4 * 32
export const lengthBits = literalBits + 4 * 256
export const distanceBits = lengthBits + 4 * 256
export const inputStart = 2 * 2 ** 16

/** So many bytes behind the input are looked at, and behind the literals written. */
export const slack = 16

/** A token: how many literals; then length and distance less one of the repeat behind them, zero where there is none. */
export const tokenBytes = 8

/** Repeats that are found have at least so many bytes. */
export const shortestFound = 4

/** Lengths of repeats that can be told. */
const shortestRepeat = 3
const longestRepeat = 258
const farthestBits = 15

const increase = (local: number, by: Code): Code => set(local, add(get(local), by))
const isNone = (value: Code): Code => isEqual(value, number(0))
const decrease = (local: number, by: Code): Code => set(local, subtract(get(local), by))

/** How many extra bits a distance less one has; what is above them is part of its symbol. */
const extraOf = (less: Code): Code => subtract(number(30), leadingZeros(anyOf(less, number(2))))
const distanceSymbol = (less: Code, extra: Code): Code => add(shiftLeft(extra, number(1)), shiftRightBy(less, extra))

/** Of `parse`. From `from` on, nothing is written yet; `at` is looked at. */
const from = 0
const to = 1
const tokens = 2
const literals = 3
const at = 4
const distance = 5
const length = 6
const place = 7
const some = 8
const symbol = 9
const counted = 10
const word = 11

const countOne = (one: Code, counts: number): Code =>
  putNumber(tee(place, shiftLeft(one, number(2))), add(numberAt(get(place), counts), number(1)), counts)

/** Where the last place is held of bytes that begin with the same five. */
function seenPlace(bytes: Code): Code {
  const hash = longMultiply(longShiftLeft(bytes, long(24n)), long(0x9e3779b97f4a7c15n))
  return bitAnd(longToNumber(longShiftRight(hash, long(48n))), number(seenBytes - 2))
}

const remember = (one: Code): Code => putShort(seenPlace(longAt(one)), one)

/** From where four bytes are equal: sixteen at a time as far as they are, then back over what nothing was found for. */
const extend: Code = [
  set(length, number(shortestFound)),
  loop(
    'extend',
    set(some, add(get(at), get(length))),
    set(some, laneBits(lanesEqual(bytesAt(get(some)), bytesAt(subtract(get(some), get(distance)))))),
    choose(
      isEqual(get(some), number(0xffff)),
      [increase(length, number(16)), when(isBelow(add(get(at), get(length)), get(to)), again('extend'))],
      increase(length, trailingZeros(exclusiveOr(get(some), number(0xffff)))),
    ),
  ),
  when(isAbove(add(get(at), get(length)), get(to)), set(length, subtract(get(to), get(at)))),
  loop(
    'back',
    when(
      isAbove(get(at), get(from)),
      when(
        isAbove(tee(some, subtract(get(at), get(distance))), number(inputStart)),
        when(
          isEqual(byteAt(subtract(get(at), number(1))), byteAt(subtract(get(some), number(1)))),
          decrease(at, number(1)),
          increase(length, number(1)),
          again('back'),
        ),
      ),
    ),
  ),
]

/** Literals up to `at` go behind those before: sixteen at a time, whether there are as many or not. */
const putLiterals: Code = [
  putNumber(get(tokens), tee(some, subtract(get(at), get(from)))),
  set(place, get(literals)),
  increase(literals, get(some)),
  loop(
    'literals',
    putBytes(get(place), bytesAt(get(from))),
    increase(from, number(16)),
    when(isBelow(tee(place, add(get(place), number(16))), get(literals)), again('literals')),
  ),
]

const putPiece = (bytes: Code): Code => [
  putNumber(get(tokens), anyOf(shiftLeft(bytes, number(16)), get(distance)), 4),
  countOne(bytes, lengthCounts - 4 * shortestRepeat),
  countOne(get(symbol), distanceCounts),
  increase(tokens, number(tokenBytes)),
]

/** A long repeat is told in pieces, the last of which must not be too short. */
const putRepeat: Code = [
  increase(at, get(length)),
  set(from, get(at)),
  decrease(distance, number(1)),
  set(symbol, distanceSymbol(get(distance), tee(some, extraOf(get(distance))))),
  loop(
    'pieces',
    when(
      isAbove(get(length), number(longestRepeat)),
      set(
        some,
        either(
          number(longestRepeat),
          number(longestRepeat - shortestRepeat),
          isAtLeast(get(length), number(longestRepeat + shortestRepeat)),
        ),
      ),
      putPiece(get(some)),
      decrease(length, get(some)),
      putNumber(get(tokens), number(0)),
      again('pieces'),
    ),
  ),
  putPiece(get(length)),
]

const countLiterals: Code = loop(
  'count',
  when(
    isBelow(get(counted), get(literals)),
    countOne(byteAt(get(counted)), literalCounts),
    increase(counted, number(1)),
    again('count'),
  ),
)

/**
 * `parse(from, to, tokens, literals)`: tokens for these bytes, their literals and how often each symbol occurs. Gives the
 * end of the tokens. It takes the first repeat that it remembers, and goes on faster where it finds none for long. Of what a
 * repeat covers it remembers four places: that takes no time, since the next search waits for the end of this one, and more
 * would find hardly more.
 */
export const parse: WasmFunction = {
  parameters: 4,
  locals: [i32, i32, i32, i32, i32, i32, i32, i64],
  code: [
    set(counted, get(literals)),
    set(at, get(from)),
    loop(
      'search',
      when(
        isBelow(add(get(at), number(7)), get(to)),
        set(place, seenPlace(tee(word, longAt(get(at))))),
        set(distance, bitAnd(subtract(get(at), shortAt(get(place))), number(0xffff))),
        putShort(get(place), get(at)),
        when(
          isNone(
            anyOf(
              shiftRight(subtract(get(distance), number(1)), farthestBits),
              exclusiveOr(numberAt(subtract(get(at), get(distance))), longToNumber(get(word))),
            ),
          ),
          extend,
          putLiterals,
          remember(add(get(at), number(2))),
          remember(add(get(at), shiftRight(get(length), 1))),
          putRepeat,
          remember(subtract(get(at), number(2))),
          remember(subtract(get(at), number(1))),
          again('search'),
        ),
        set(at, add(add(get(at), number(1)), shiftRight(subtract(get(at), get(from)), 5))),
        again('search'),
      ),
    ),
    set(at, get(to)),
    putLiterals,
    putNumber(get(tokens), number(0), 4),
    countLiterals,
    add(get(tokens), number(tokenBytes)),
  ],
}

/** Of `emit`: bits that wait are in `held`, so many as the lowest six bits of `count` say. */
const token = 0
const tokensEnd = 1
const literal = 2
const bit = 3
const output = 4
const run = 5
const repeat = 6
const extra = 7
const bits = 8
const held = 9
const count = 10

const hold = (value: Code): Code => set(held, longOr(get(held), longShiftLeft(value, get(count))))

/** Bits of a symbol, behind their number in the lowest byte. */
const putSymbol = (symbolBits: Code): Code => [
  set(bits, numberToLong(symbolBits)),
  hold(longShiftRight(get(bits), long(8n))),
  set(count, longAdd(get(count), get(bits))),
]

/** Writes whole bytes. */
const flush: Code = [
  putLong(get(output), get(held)),
  increase(output, bitAnd(shiftRight(longToNumber(get(count)), 3), number(7))),
  set(held, longShiftRight(get(held), longAnd(get(count), long(0x38n)))),
  set(count, longAnd(get(count), long(7n))),
]

const emitLiteral = (offset: number): Code =>
  putSymbol(numberAt(shiftLeft(byteAt(get(literal), offset), number(2)), literalBits))

const emitLiterals: Code = [
  set(run, numberAt(get(token))),
  loop(
    'four',
    when(
      isAtLeast(get(run), number(4)),
      [0, 1, 2, 3].map(emitLiteral),
      flush,
      increase(literal, number(4)),
      decrease(run, number(4)),
      again('four'),
    ),
  ),
  when(
    get(run),
    emitLiteral(0),
    when(isAtLeast(get(run), number(2)), emitLiteral(1), when(isAtLeast(get(run), number(3)), emitLiteral(2))),
    flush,
    increase(literal, get(run)),
  ),
]

const emitRepeat: Code = [
  putSymbol(numberAt(shiftLeft(shiftRight(get(repeat), 16), number(2)), lengthBits - 4 * shortestRepeat)),
  set(repeat, bitAnd(get(repeat), number(0xffff))),
  set(extra, extraOf(get(repeat))),
  putSymbol(numberAt(shiftLeft(distanceSymbol(get(repeat), get(extra)), number(2)), distanceBits)),
  hold(numberToLong(bitAnd(get(repeat), subtract(shiftLeft(number(1), get(extra)), number(1))))),
  set(count, longAdd(get(count), numberToLong(get(extra)))),
  flush,
]

/** `emit(tokens, end, literals, bit)`: writes them to memory from that bit on. Gives the bit behind them. */
export const emit: WasmFunction = {
  parameters: 4,
  locals: [i32, i32, i32, i32, i64, i64, i64],
  code: [
    set(output, shiftRight(get(bit), 3)),
    set(count, numberToLong(bitAnd(get(bit), number(7)))),
    set(held, numberToLong(byteAt(get(output)))),
    set(held, longAnd(get(held), longSubtract(longShiftLeft(long(1n), get(count)), long(1n)))),
    loop(
      'tokens',
      emitLiterals,
      when(tee(repeat, numberAt(get(token), 4)), emitRepeat),
      increase(token, number(tokenBytes)),
      when(isBelow(get(token), get(tokensEnd)), again('tokens')),
    ),
    putLong(get(output), get(held)),
    add(shiftLeft(get(output), number(3)), longToNumber(get(count))),
  ],
}
