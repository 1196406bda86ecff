// Goes over a line of JSON as bytes, once, and notes where the values of some fields lie. It is as strict as `JSON.parse`:
// what that would refuse, and what is too unusual to be read from bytes, it refuses. What the values mean is decided in
// `usage-line.ts`. It is WebAssembly, which is quick from the first line on; where there is none, it refuses every line.

import { finding, simdSlack, type Wanted } from '../../base/simd-find.ts'
import {
  add,
  again,
  anyOf,
  bitAnd,
  byteAt,
  bytesAt,
  type Code,
  call,
  choose,
  get,
  giveBack,
  i32,
  isAbove,
  isBelow,
  isEqual,
  isOther,
  laneBits,
  lanesEqual,
  loop,
  number,
  numberAt,
  putByte,
  putBytes,
  putNumber,
  runWasm,
  set,
  shiftLeft,
  sixteen,
  subtract,
  type WasmFunction,
  when,
} from '../../base/wasm-code.ts'
import { byteLook, ending, lineStarting } from '../../decode/json-bytes.ts'
import { asciiBytes, type Key, keys, kind, level } from './names.ts'
import { at, blanks, digits, is, isNot, next, none, place, refuse, scalar, skipBlanks, text } from './walk-tokens.ts'
import { counting, hashing, sameness } from './walk-values.ts'

/** Positions are those of `bytes`. */
export interface UsageWalk {
  /** Lines are put here. Behind the last one there has to be a newline. */
  readonly bytes: Uint8Array
  /** Of each field the first byte of its value and, where that is no object or array, the place behind it; 0 without one. */
  readonly spans: Int32Array
  find(from: number, to: number): number
  lineStart(at: number, from: number): number
  /** The place behind the object that begins here; -1 where it is refused. */
  walk(at: number): number
  /** Whether the bytes from `from` to `to` are those that were put behind `place`. */
  same(from: number, to: number, place: number): number
  /** Puts the hash of ASCII bytes into `answer`, its upper half first, as `textHash` has it; 1 where they are not ASCII. */
  hash(from: number, to: number, seed: number): number
  /** Puts whole numbers of so many fields into `answer`, 0 for those that are null or not there; 1 where one is too unusual. */
  counts(first: number, fields: number): number
  readonly answer: Int32Array
  /** Room for texts to compare with; places are those of `same`. */
  readonly room: Uint8Array
  readonly roomAt: number
}

/** Beside the levels that are looked into: other objects, and arrays. */
const plainObject = 5
const array = 6
const deepest = 200
const longestName = 31
const entryBytes = 64
const roomBytes = 1024

/** Where in memory the walk keeps what it knows; all of it lies behind the bytes. */
function layoutOf(size: number) {
  const spans = Math.ceil((size + simdSlack) / 16) * 16
  const stack = spans + 256
  const current = stack + 256
  const index = current + 16
  const entries = index + Object.keys(level).length * (longestName + 1) * 2
  const kinds = entries + keys.length * entryBytes
  const answer = kinds + 256
  const room = answer + 64
  return { spans, stack, current, index, entries, kinds, answer, room, end: room + roomBytes + simdSlack }
}
type Layout = ReturnType<typeof layoutOf>

/** `size`: how many bytes it can hold. */
export function usageWalk(wanted: Wanted, size: number, usesVectors: boolean): UsageWalk {
  const layout = layoutOf(size)
  const wasm = usesVectors ? runWasm(functionsOf(wanted, layout), layout.end) : null
  if (wasm === null) {
    const { bytes, find, lineStart } = byteLook(wanted, size, false)
    const none = new Int32Array(64)
    const refused = () => -1
    const readers = { walk: refused, same: refused, hash: refused, counts: refused }
    return { bytes, spans: none, answer: none, room: new Uint8Array(roomBytes), roomAt: 0, find, lineStart, ...readers }
  }
  const { memory, run } = wasm
  writeKeys(memory, layout)
  return {
    bytes: new Uint8Array(memory, 0, size + 1),
    spans: new Int32Array(memory, layout.spans, 64),
    answer: new Int32Array(memory, layout.answer, 16),
    room: new Uint8Array(memory, layout.room, roomBytes),
    roomAt: layout.room,
    ...run,
  }
}

/**
 * For each level and length, how many names there are and which is the first; for each name its bytes, its last sixteen, its
 * field, what it opens, a bit for each of its first sixteen bytes, and its usual kinds.
 */
function writeKeys(memory: ArrayBuffer, { index, entries, kinds }: Layout): void {
  const bytes = new Uint8Array(memory)
  const view = new DataView(memory)
  for (const [bit, starts] of kindStarts) for (const start of starts) bytes[kinds + start.charCodeAt(0)] = bit
  keys.forEach(({ name, at, field, opens, usual }: Key, n) => {
    const place = index + (at * (longestName + 1) + name.length) * 2
    if (bytes[place] === 0) bytes[place + 1] = n
    bytes[place] = (bytes[place] ?? 0) + 1
    const entry = entries + n * entryBytes
    bytes.set(asciiBytes(name.slice(0, 16)), entry)
    bytes.set(asciiBytes(name.slice(-16)), entry + 16)
    view.setInt32(entry + 32, field, true)
    view.setInt32(entry + 36, opens ?? plainObject, true)
    view.setInt32(entry + 40, (1 << Math.min(16, name.length)) - 1, true)
    view.setInt32(entry + 44, usual, true)
  })
}

const kindStarts: [kind: number, starts: string][] = [
  [kind.text, '"'],
  [kind.nothing, 'n'],
  [kind.truth, 'tf'],
  [kind.number, '-0123456789'],
  [kind.object, '{'],
  [kind.array, '['],
]

function functionsOf(wanted: Wanted, layout: Layout) {
  return {
    find: finding(wanted),
    lineStart: lineStarting,
    plainEnd: ending(false),
    textEnd: ending(true),
    blanks,
    text,
    digits,
    scalar,
    key: keyReading(layout),
    walk: walking(layout),
    same: sameness,
    hash: hashing(layout.answer),
    counts: counting(layout.spans, layout.answer),
  }
}

/** `key(at, level)`: the place of the value behind a key; which field it is and what it opens is put into `current`. */
function keyReading({ current, index, entries }: Layout): WasmFunction {
  const [owner, start, length, entry, left] = [1, 2, 3, 4, 5]
  const isHead = isEqual(
    bitAnd(laneBits(lanesEqual(bytesAt(get(start)), bytesAt(get(entry)))), numberAt(get(entry), 40)),
    numberAt(get(entry), 40),
  )
  const tail = bytesAt(subtract(add(get(start), get(length)), number(16)))
  const isTailOther = isOther(laneBits(lanesEqual(tail, bytesAt(get(entry), 16))), number(0xffff))
  const lookUp = [
    set(left, add(shiftLeft(add(shiftLeft(get(owner), number(5)), get(length)), number(1)), number(index))),
    set(entry, add(shiftLeft(byteAt(get(left), 1), number(6)), number(entries))),
    set(left, byteAt(get(left))),
    loop(
      'entry',
      when(
        get(left),
        set(left, subtract(get(left), number(1))),
        when(
          isHead,
          when(
            isAbove(get(length), number(16)),
            when(isTailOther, set(entry, add(get(entry), number(entryBytes))), again('entry')),
          ),
          putNumber(number(current), numberAt(get(entry), 32)),
          putNumber(number(current), numberAt(get(entry), 36), 4),
          putNumber(number(current), numberAt(get(entry), 44), 8),
          set(left, number(0)),
        ),
        set(entry, add(get(entry), number(entryBytes))),
        again('entry'),
      ),
    ),
  ]
  const code = [
    when(isNot(byteAt(get(at)), '"'), refuse),
    putNumber(number(current), none),
    putNumber(number(current), number(plainObject), 4),
    set(start, next(at)),
    choose(
      isEqual(get(owner), number(plainObject)),
      [set(at, call(place.text, get(start))), when(isEqual(get(at), none), refuse)],
      [
        // A name with an escape in it may be any of them.
        set(at, call(place.plainEnd, get(start))),
        when(isNot(byteAt(get(at)), '"'), refuse),
        set(length, subtract(get(at), get(start))),
        when(isBelow(get(length), number(longestName + 1)), ...lookUp),
        set(at, next(at)),
      ],
    ),
    skipBlanks(at),
    when(isNot(byteAt(get(at)), ':'), refuse),
    set(at, next(at)),
    skipBlanks(at),
    get(at),
  ]
  return { parameters: 2, locals: [i32, i32, i32, i32], code }
}

const [depth, first, field, owner] = [1, 2, 3, 4]

/** The next value has no name. */
const unnamed = ({ current }: Layout): Code => [
  putNumber(number(current), none),
  putNumber(number(current), number(plainObject), 4),
]
const readKey: Code = [set(at, call(place.key, get(at), get(owner))), when(isEqual(get(at), none), refuse)]
const spanOf = ({ spans }: Layout): Code => add(shiftLeft(get(field), number(3)), number(spans))

/** An object or array: into it where something is in it, over it where nothing is. */
function opening(layout: Layout): Code {
  return [
    when(isEqual(get(depth), number(deepest)), refuse),
    choose(is(get(first), '{'), set(owner, numberAt(number(layout.current), 4)), set(owner, number(array))),
    putByte(add(get(depth), number(layout.stack)), get(owner)),
    set(at, next(at)),
    skipBlanks(at),
    when(
      isOther(byteAt(get(at)), add(get(first), number(2))),
      set(depth, next(depth)),
      choose(is(get(first), '{'), readKey, unnamed(layout)),
      again('value'),
    ),
    set(at, next(at)),
  ]
}

/** A text, number or word. A field with an escape in its text is left to whoever parses. */
function leaf(layout: Layout): Code {
  const named = [set(at, call(place.plainEnd, next(at))), when(isNot(byteAt(get(at)), '"'), refuse), set(at, next(at))]
  return [
    choose(
      is(get(first), '"'),
      choose(isEqual(get(field), none), set(at, call(place.text, next(at))), named),
      set(at, call(place.scalar, get(at))),
    ),
    when(isEqual(get(at), none), refuse),
    when(isOther(get(field), none), putNumber(spanOf(layout), get(at), 4)),
  ]
}

/** Behind a value: to the next one, or out of the objects and arrays that end here. */
function closing(layout: Layout): Code {
  // `}` and `]` differ by a bit.
  const closer = subtract(number(0x7d), shiftLeft(isEqual(get(owner), number(array)), number(5)))
  return loop(
    'after',
    when(isEqual(get(depth), number(0)), giveBack(get(at))),
    skipBlanks(at),
    set(first, byteAt(get(at))),
    set(owner, byteAt(add(get(depth), number(layout.stack - 1)))),
    when(
      is(get(first), ','),
      set(at, next(at)),
      skipBlanks(at),
      choose(isEqual(get(owner), number(array)), unnamed(layout), readKey),
      again('value'),
    ),
    when(isOther(get(first), closer), refuse),
    set(at, next(at)),
    set(depth, subtract(get(depth), number(1))),
    again('after'),
  )
}

/** Values one after the other, with a stack of the objects and arrays that are open: they may be nested at will. */
function walking(layout: Layout): WasmFunction {
  const { spans, current, kinds } = layout
  const isUsual = bitAnd(byteAt(add(get(first), number(kinds))), numberAt(number(current), 8))
  const code = [
    ...Array.from({ length: 16 }, (_, n) => putBytes(number(spans), sixteen(0), n * 16)),
    when(isNot(byteAt(get(at)), '{'), refuse),
    putNumber(number(current), none),
    putNumber(number(current), number(level.record), 4),
    loop(
      'value',
      set(first, byteAt(get(at))),
      set(field, numberAt(number(current))),
      when(
        isOther(get(field), none),
        // Of two fields with one name the last would count: left to whoever parses.
        when(numberAt(spanOf(layout)), refuse),
        when(isEqual(isUsual, number(0)), refuse),
        putNumber(spanOf(layout), get(at)),
      ),
      choose(anyOf(is(get(first), '{'), is(get(first), '[')), opening(layout), leaf(layout)),
      closing(layout),
    ),
    none,
  ]
  return { parameters: 1, locals: [i32, i32, i32, i32], code }
}
