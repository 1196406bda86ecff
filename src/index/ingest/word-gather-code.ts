// The WebAssembly that gathers words: which texts have which word, and where. It knows how FTS5 writes such lists, since they
// are copied as they are; what pages are made of them is `word-segment`' business.

import {
  add,
  again,
  anyOf,
  bitAnd,
  byteAt,
  type Code,
  call,
  choose,
  get,
  giveBack,
  i32,
  i64,
  isAbove,
  isAtLeast,
  isBelow,
  isEqual,
  isOther,
  long,
  longAnd,
  longAt,
  longExclusiveOr,
  longIsOther,
  longIsZero,
  longMultiply,
  longShiftLeft,
  longShiftRight,
  longSubtract,
  longToNumber,
  longTrailingZeros,
  loop,
  multiply,
  number,
  numberAt,
  putByte,
  putLong,
  putNumber,
  set,
  shiftLeft,
  shiftRight,
  subtract,
  tee,
  type WasmFunction,
  when,
} from '../../base/wasm-code.ts'

const kib = 1024
/** Numbers that functions share and the caller reads, each at its place. */
export const shared = { top: 0, terms: 4, used: 8, text: 12 } as const
/** The words of one text, with a blank behind them. */
export const wordsPlace = 64
export const mostBytes = 2048 * kib
/** For each word of a text the next place of the same one. Places are counted from 1. */
const nextPlace = wordsPlace + mostBytes + 64
export const mostTokens = 512 * kib
/** Terms of the text that is being read. */
const usedPlace = nextPlace + 4 * (mostTokens + 1)
export const slotCount = 256 * kib
/** Finding a free slot takes long in a table that is fuller. */
export const mostTerms = 180 * kib
export const slotsPlace = usedPlace + 4 * mostTerms
/** From here on terms, their bytes and their lists, as they come. */
export const arenaPlace = slotsPlace + 4 * slotCount

/** A term. `first`: its first eight bytes. `list`: its first chunk. `chunk`, `place`, `end`: where the list goes on. */
export const term = {
  first: 0,
  length: 8,
  bytes: 12,
  text: 16,
  head: 20,
  tail: 24,
  size: 28,
  row: 32,
  list: 36,
  chunk: 40,
  place: 44,
  end: 48,
} as const
const termSize = 56
/** A piece of a list: the next one, how much of it is used unless it is the last, and the bytes. */
export const chunk = { next: 0, used: 4, bytes: 8 } as const
const firstChunk = 16
const longestChunk = 248
/** Of what is written without looking whether there is room: a row, a size, a column. */
const longestEntry = 12
const longestNumber = 5

/** What a text of so many words needs at most; less where there are no terms yet, which then have no long chunks. */
export const roomPerToken = { usual: 280, fresh: termSize + chunk.bytes + firstChunk + 8 + 16 } as const

const blank = 0x20
const one = number(1)
const four = number(4)
const eight = number(8)
const stepBy = (local: number, by: Code): Code => set(local, add(get(local), by))
const sharedNumber = (place: number): Code => numberAt(number(0), place)
const share = (place: number, value: Code): Code => putNumber(number(0), value, place)

const order = ['varint', 'room', 'isSame', 'newTerm'] as const
const callOf = (name: (typeof order)[number], ...values: Code[]): Code => call(order.indexOf(name), ...values)

/** `varint(place, value)`: seven bits a byte, the highest first, as SQLite writes numbers; gives the place behind it. */
function varint(): WasmFunction {
  const [place, value] = [0, 1]
  const shorter = (bytes: number): Code =>
    when(
      isBelow(get(value), number(2 ** (7 * bytes))),
      ...Array.from({ length: bytes }, (_, at) => putByte(get(place), part(bytes - 1 - at), at)),
      giveBack(add(get(place), number(bytes))),
    )
  const part = (from: number): Code => {
    const bits = from === 0 ? get(value) : shiftRight(get(value), 7 * from)
    return from === 0 ? bitAnd(bits, number(0x7f)) : add(bitAnd(bits, number(0x7f)), number(0x80))
  }
  const code = [
    ...[1, 2, 3, 4].map(shorter),
    ...[4, 3, 2, 1, 0].map((from, at) => putByte(get(place), part(from), at)),
    add(get(place), number(5)),
  ]
  return { parameters: 2, locals: [], code }
}

/** `room(term, need)`: a further chunk where so much does not fit any more; gives where to write. */
function room(): WasmFunction {
  const [entry, need, last, length, fresh] = [0, 1, 2, 3, 4]
  const code = [
    when(
      isBelow(subtract(numberAt(get(entry), term.end), numberAt(get(entry), term.place)), get(need)),
      set(last, numberAt(get(entry), term.chunk)),
      putNumber(get(last), subtract(numberAt(get(entry), term.place), add(get(last), number(chunk.bytes))), chunk.used),
      set(length, shiftLeft(subtract(numberAt(get(entry), term.end), add(get(last), number(chunk.bytes))), one)),
      when(isAbove(get(length), number(longestChunk)), set(length, number(longestChunk))),
      set(fresh, sharedNumber(shared.top)),
      putNumber(get(last), get(fresh), chunk.next),
      putNumber(get(fresh), number(0), chunk.next),
      putNumber(get(entry), get(fresh), term.chunk),
      putNumber(get(entry), add(get(fresh), number(chunk.bytes)), term.place),
      stepBy(fresh, add(get(length), number(chunk.bytes))),
      putNumber(get(entry), get(fresh), term.end),
      share(shared.top, get(fresh)),
    ),
    numberAt(get(entry), term.place),
  ]
  return { parameters: 2, locals: [i32, i32, i32], code }
}

/** `isSame(one, other, length)` for more than eight bytes of which the first eight are the same. */
function isSame(): WasmFunction {
  const [left, right, length, at, end] = [0, 1, 2, 3, 4]
  const differAt = (place: Code): Code => longIsOther(longAt(add(get(left), place)), longAt(add(get(right), place)))
  const code = [
    set(at, eight),
    set(end, subtract(get(length), eight)),
    loop(
      'eight',
      when(isBelow(get(at), get(end)), when(differAt(get(at)), giveBack(number(0))), stepBy(at, eight), again('eight')),
    ),
    when(differAt(get(end)), giveBack(number(0))),
    one,
  ]
  return { parameters: 3, locals: [i32, i32], code }
}

/** `newTerm(slot, from, length)`: with an empty list; its first bytes are left to the caller. */
function newTerm(): WasmFunction {
  const [slot, from, length, entry, place, at] = [0, 1, 2, 3, 4, 5]
  const code = [
    set(entry, sharedNumber(shared.top)),
    set(place, add(get(entry), number(termSize))),
    putNumber(get(entry), get(length), term.length),
    putNumber(get(entry), get(place), term.bytes),
    putNumber(get(entry), number(0), term.text),
    putNumber(get(entry), number(0), term.row),
    set(at, number(0)),
    loop(
      'copy',
      putLong(add(get(place), get(at)), longAt(add(get(from), get(at)))),
      stepBy(at, eight),
      when(isBelow(get(at), get(length)), again('copy')),
    ),
    stepBy(place, get(at)),
    putNumber(get(place), number(0), chunk.next),
    putNumber(get(entry), get(place), term.list),
    putNumber(get(entry), get(place), term.chunk),
    putNumber(get(entry), add(get(place), number(chunk.bytes)), term.place),
    stepBy(place, number(chunk.bytes + firstChunk)),
    putNumber(get(entry), get(place), term.end),
    share(shared.top, get(place)),
    share(shared.terms, add(sharedNumber(shared.terms), one)),
    putNumber(get(slot), get(entry)),
    get(entry),
  ]
  return { parameters: 3, locals: [i32, i32, i32], code }
}

const slotMask = number(4 * (slotCount - 1))
const nextOf = (token: Code): Code => add(number(nextPlace), shiftLeft(token, number(2)))

/** Variables of `read`. */
const [at, to, token, slot, entry, length, from, delta] = [0, 1, 2, 3, 4, 5, 6, 7]
const [word, marks, hash, first] = [8, 9, 10, 11]

// The lowest of eight bytes that is a blank has its highest bit set; bits above that one may be set for no reason.
const withoutBlanks = longExclusiveOr(get(word), long(0x2020202020202020n))
const blanks = longAnd(
  longAnd(longSubtract(withoutBlanks, long(0x0101010101010101n)), longExclusiveOr(withoutBlanks, long(-1n))),
  long(0x8080808080808080n),
)
const load = [set(word, longAt(get(at))), set(marks, blanks)]
const mix = [
  set(hash, longMultiply(longExclusiveOr(get(hash), get(word)), long(0x9e3779b97f4a7c15n))),
  set(hash, longExclusiveOr(get(hash), longShiftRight(get(hash), long(29n)))),
]

/** Where the word ends, its hash and its first bytes. */
const findEnd: Code = [
  set(from, get(at)),
  set(hash, long(0n)),
  load,
  set(first, get(word)),
  loop('long', when(longIsZero(get(marks)), mix, stepBy(at, eight), load, again('long'))),
  // Seven bits less: as many as the bytes before the blank have.
  set(marks, longSubtract(longTrailingZeros(get(marks)), long(7n))),
  set(word, longAnd(get(word), longSubtract(longShiftLeft(long(1n), get(marks)), long(1n)))),
  when(isEqual(get(at), get(from)), set(first, get(word))),
  stepBy(at, shiftRight(longToNumber(get(marks)), 3)),
  mix,
  set(length, subtract(get(at), get(from))),
]

const isOtherTerm = anyOf(
  longIsOther(longAt(get(entry), term.first), get(first)),
  isOther(numberAt(get(entry), term.length), get(length)),
)
const nextSlot = set(slot, bitAnd(add(get(slot), four), slotMask))
const slotPlace = add(number(slotsPlace), get(slot))

/** The term that it is, which may be new. */
const find: Code = [
  set(slot, bitAnd(longToNumber(longShiftRight(get(hash), long(20n))), slotMask)),
  loop(
    'probe',
    set(entry, numberAt(slotPlace)),
    choose(
      get(entry),
      [
        when(isOtherTerm, nextSlot, again('probe')),
        when(
          isAbove(get(length), eight),
          when(
            isEqual(callOf('isSame', numberAt(get(entry), term.bytes), get(from), get(length)), number(0)),
            nextSlot,
            again('probe'),
          ),
        ),
      ],
      [set(entry, callOf('newTerm', slotPlace, get(from), get(length))), putLong(get(entry), get(first), term.first)],
    ),
  ),
]

const sizeOfDelta = add(
  add(one, isAtLeast(get(delta), number(2 ** 7))),
  add(isAtLeast(get(delta), number(2 ** 14)), isAtLeast(get(delta), number(2 ** 21))),
)

/** One more place of it in this text. */
const link: Code = [
  choose(
    isOther(numberAt(get(entry), term.text), sharedNumber(shared.text)),
    [
      putNumber(get(entry), sharedNumber(shared.text), term.text),
      putNumber(add(number(usedPlace), shiftLeft(sharedNumber(shared.used), number(2))), get(entry)),
      share(shared.used, add(sharedNumber(shared.used), one)),
      putNumber(get(entry), get(token), term.head),
      putNumber(get(entry), number(0), term.size),
      set(delta, add(get(token), one)),
    ],
    [
      putNumber(nextOf(numberAt(get(entry), term.tail)), get(token)),
      set(delta, add(subtract(get(token), numberAt(get(entry), term.tail)), number(2))),
    ],
  ),
  putNumber(get(entry), get(token), term.tail),
  putNumber(nextOf(get(token)), number(0)),
  putNumber(get(entry), add(numberAt(get(entry), term.size), sizeOfDelta), term.size),
]

/** `read(at, to)`: finds the words of a text and links the places of each; gives how many there are, and one more. */
function read(): WasmFunction {
  const code = [
    set(token, one),
    share(shared.used, number(0)),
    share(shared.text, add(sharedNumber(shared.text), one)),
    loop(
      'word',
      when(
        isBelow(get(at), get(to)),
        when(isEqual(byteAt(get(at)), number(blank)), stepBy(at, one), again('word')),
        findEnd,
        find,
        link,
        stepBy(token, one),
        again('word'),
      ),
    ),
    get(token),
  ]
  return { parameters: 2, locals: [i32, i32, i32, i32, i32, i32, i64, i64, i64, i64], code }
}

/** `note(row, column)`: writes the places of the text that was read into the lists of its terms. */
function note(): WasmFunction {
  const [row, column, at, end, entry, place, token, before, delta, limit] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
  const put = (value: Code): Code => set(place, callOf('varint', get(place), value))
  const putPlace = choose(
    isBelow(get(delta), number(0x80)),
    [putByte(get(place), get(delta)), stepBy(place, one)],
    put(get(delta)),
  )
  const places = [
    set(token, numberAt(get(entry), term.head)),
    set(before, one),
    loop(
      'place',
      set(delta, add(subtract(get(token), get(before)), number(2))),
      when(
        isBelow(subtract(get(limit), get(place)), number(longestNumber)),
        putNumber(get(entry), get(place), term.place),
        set(place, callOf('room', get(entry), number(longestNumber))),
        set(limit, numberAt(get(entry), term.end)),
      ),
      putPlace,
      set(before, get(token)),
      when(tee(token, numberAt(nextOf(get(token)))), again('place')),
    ),
  ]
  const code = [
    set(at, number(usedPlace)),
    set(end, add(get(at), shiftLeft(sharedNumber(shared.used), number(2)))),
    loop(
      'term',
      when(
        isBelow(get(at), get(end)),
        set(entry, numberAt(get(at))),
        set(place, callOf('room', get(entry), number(longestEntry))),
        set(limit, numberAt(get(entry), term.end)),
        put(subtract(get(row), numberAt(get(entry), term.row))),
        putNumber(get(entry), get(row), term.row),
        // A column other than the first is named before its places.
        put(multiply(add(numberAt(get(entry), term.size), shiftLeft(get(column), one)), number(2))),
        when(get(column), putByte(get(place), one), putByte(get(place), get(column), 1), stepBy(place, number(2))),
        places,
        putNumber(get(entry), get(place), term.place),
        stepBy(at, four),
        again('term'),
      ),
    ),
    number(0),
  ]
  return { parameters: 2, locals: Array<number>(8).fill(i32), code }
}

export const gatherFunctions = {
  varint: varint(),
  room: room(),
  isSame: isSame(),
  newTerm: newTerm(),
  read: read(),
  note: note(),
}
