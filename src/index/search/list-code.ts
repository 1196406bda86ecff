// The loop through a word's list of texts, as WebAssembly: which texts have the word, and where in them it stands beside the
// other words of a phrase. What is looked for, and in which order, is decided elsewhere.

import {
  add,
  again,
  anyOf,
  bitAnd,
  byteAt,
  type Code,
  choose,
  get,
  giveBack,
  i32,
  isAbove,
  isAtLeast,
  isBelow,
  isEqual,
  isOther,
  loop,
  number,
  numberAt,
  putNumber,
  set,
  shiftLeft,
  shiftRight,
  shiftRightBy,
  subtract,
  type WasmFunction,
  when,
} from '../../base/wasm-code.ts'

/** Texts that are looked at in one go. */
export const mostTexts = 65_536
const setBytes = mostTexts / 8

/**
 * The memory: texts that are asked about and texts that were found, one bit each; for each text where its places begin and end
 * in `held`; where in the list the numbers of texts are written out; the list; places where a phrase may begin.
 */
export const memory = {
  asked: 0,
  found: setBytes,
  starts: 2 * setBytes,
  ends: 2 * setBytes + 4 * mostTexts,
  wholes: 2 * setBytes + 8 * mostTexts,
  list: 2 * setBytes + 8 * mostTexts + 65_536,
  held: 2 * setBytes + 8 * mostTexts + 65_536 + 2 ** 23,
  size: 2 * setBytes + 8 * mostTexts + 65_536 + 2 ** 23 + 2 ** 24,
} as const

/**
 * What to do with the word. `mark`: its texts are found. `hold`: so are they, and its places are held. `keep`: only texts where
 * it stands beside held places, which alone stay held. `find`: the same, for the last word of a phrase: held places stay.
 */
export const tasks = { mark: 0, hold: 1, keep: 2, find: 3 } as const

/** Columns are so far apart that no phrase goes from one to the next. */
const columnBits = 26
/** Keeps places from being negative; no phrase has so many words. */
const beforeFirst = 4096

const [at, to, whole, low, high, place, task, end] = [0, 1, 2, 3, 4, 5, 6, 7]
const [text, value, byte, after, bit, base, position, next, stop, kept] = [8, 9, 10, 11, 12, 13, 14, 15, 16, 17]

const step = (local: number, by: number): Code => set(local, add(get(local), number(by)))
const is = (local: number, wanted: number): Code => isEqual(get(local), number(wanted))

/** Seven bits a byte, the highest first; all but the last have the eighth. */
const read = (into: number): Code => [
  set(byte, byteAt(get(at))),
  step(at, 1),
  set(into, bitAnd(get(byte), number(127))),
  loop(
    'byte',
    when(
      isAtLeast(get(byte), number(128)),
      set(byte, byteAt(get(at))),
      step(at, 1),
      set(into, anyOf(shiftLeft(get(into), number(7)), bitAnd(get(byte), number(127)))),
      again('byte'),
    ),
  ),
]

/** Of the four bytes that have the bit of a text. */
const wordOfBit = bitAnd(shiftRight(get(bit), 3), number(-4))

const found: Code = putNumber(
  wordOfBit,
  anyOf(numberAt(wordOfBit, memory.found), shiftLeft(number(1), get(bit))),
  memory.found,
)

/** Of the text, in arrays of four bytes each. */
const slot = shiftLeft(get(bit), number(2))
const wanted = add(get(base), get(position))

/** Goes through the places of the word in a text: `visit` finds one in `base` and `position`. */
const places = (condition: Code, visit: Code): Code => [
  set(base, subtract(number(beforeFirst), get(place))),
  set(position, number(0)),
  loop(
    'place',
    when(
      condition,
      read(value),
      choose(
        is(value, 1),
        [
          read(value),
          set(base, add(shiftLeft(get(value), number(columnBits)), subtract(number(beforeFirst), get(place)))),
          set(position, number(0)),
        ],
        [set(position, add(get(position), subtract(get(value), number(2)))), visit],
      ),
      again('place'),
    ),
  ),
]

const hold: Code = [
  putNumber(slot, get(end), memory.starts),
  places(isBelow(get(at), get(after)), [putNumber(get(end), wanted), step(end, 4)]),
  putNumber(slot, get(end), memory.ends),
  found,
]

/** Both have an order, so each is gone through once. */
const meet: Code = [
  set(next, numberAt(slot, memory.starts)),
  set(kept, get(next)),
  set(stop, numberAt(slot, memory.ends)),
  places(bitAnd(isBelow(get(at), get(after)), isBelow(get(next), get(stop))), [
    loop(
      'held',
      when(isBelow(get(next), get(stop)), when(isBelow(numberAt(get(next)), wanted), step(next, 4), again('held'))),
    ),
    when(
      isBelow(get(next), get(stop)),
      when(
        isEqual(numberAt(get(next)), wanted),
        choose(
          is(task, tasks.find),
          [found, set(next, get(stop))],
          [putNumber(get(kept), wanted), step(kept, 4), step(next, 4)],
        ),
      ),
    ),
  ]),
  when(
    isOther(get(task), number(tasks.find)),
    putNumber(slot, get(kept), memory.ends),
    when(isOther(get(kept), numberAt(slot, memory.starts)), found),
  ),
]

/**
 * `pass(at, to, whole, low, high, place, task, end)`: the list from `at` to `to`, for texts from `low` on and before `high`.
 * Gives back where held places end; 0 where the list is not as it should be.
 */
export const pass: WasmFunction = {
  parameters: 8,
  locals: Array<number>(10).fill(i32),
  code: [
    loop(
      'text',
      when(
        isBelow(get(at), get(to)),
        choose(
          isEqual(get(at), numberAt(get(whole))),
          [read(text), step(whole, 4)],
          [read(value), set(text, add(get(text), get(value)))],
        ),
        read(value),
        // A list that takes texts back.
        when(bitAnd(get(value), number(1)), giveBack(number(0))),
        set(after, add(get(at), shiftRight(get(value), 1))),
        // One that goes on behind its end, or back.
        when(isAbove(get(after), get(to)), giveBack(number(0))),
        when(isAbove(get(at), get(after)), giveBack(number(0))),
        when(isAtLeast(get(text), get(high)), giveBack(get(end))),
        set(bit, subtract(get(text), get(low))),
        when(
          isAtLeast(get(text), get(low)),
          when(
            bitAnd(shiftRightBy(numberAt(wordOfBit, memory.asked), get(bit)), number(1)),
            choose(is(task, tasks.mark), found, [choose(is(task, tasks.hold), hold, meet)]),
          ),
        ),
        set(at, get(after)),
        again('text'),
      ),
    ),
    get(end),
  ],
}
