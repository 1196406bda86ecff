// The WebAssembly that copies a line and leaves out long texts on the way. It keeps just enough track of where it is to know
// which field a text belongs to; whether the line is JSON at all is for `JSON.parse` to say. Which lines may lose what is
// decided in `lean.ts`.

import {
  add,
  again,
  anyOf,
  bitAnd,
  byteAt,
  bytesAt,
  type Code,
  call,
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
  lanesBelow,
  lanesBelowSigned,
  lanesEqual,
  loop,
  number,
  putByte,
  putBytes,
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
} from '../../base/wasm-code.ts'
import { backslash, both, escaped, isText, type KeptOutput, shorten, sign, step, unit } from './lean-code.ts'

/** What was left out, and what else the caller has to know; bits. */
export const cuts = {
  /** Texts within `toolUseResult`. */
  structured: 1,
  /** The middle of a tool's output. */
  output: 2,
  /** `data.output` and `data.fullOutput`. */
  progress: 4,
  signature: 8,
  /** Said instead of `output`: the middle is needed after all. */
  isOutputNeeded: 16,
  /** `toolUseResult` names an agent. */
  hasAgent: 32,
  /** There is a result with the id of its call. */
  hasResult: 64,
} as const

/** `walk` gives the end of what it wrote and, from this bit on, the cuts. */
export const cutShift = 24
/** Instead: the line is not written as the client writes lines, or it holds too many characters that need an escape. */
export const isOdd = 0
export const isForeign = 1

const quote = 0x22
const letterN = 0x6e

/** Where it is: containers whose fields matter, and two for all that is inside others. */
const place = { outside: 0, top: 1, message: 2, content: 3, block: 4, data: 5, structured: 6, other: 7 } as const

/** Fields that matter; 0 for all others. */
const fields = [
  [place.top, 'message'],
  [place.top, 'toolUseResult'],
  [place.top, 'data'],
  [place.top, 'isError'],
  [place.message, 'content'],
  [place.block, 'type'],
  [place.block, 'tool_use_id'],
  [place.block, 'content'],
  [place.block, 'is_error'],
  [place.block, 'signature'],
  [place.data, 'output'],
  [place.data, 'fullOutput'],
  [place.structured, 'agentId'],
] as const

type FieldName = (typeof fields)[number][1]

function field(at: number, name: FieldName): number {
  return 1 + fields.findIndex(known => known[0] === at && known[1] === name)
}

/** Shorter ones cost less to parse than to leave out. */
const shortText = { structured: 256, progress: 96, signature: 96 } as const

/** Of the block that is open. */
const ofBlock = { isResult: 1, hasCall: 2, isCut: 4 } as const

const mark = (local: number, bits: number): Code => set(local, anyOf(get(local), number(bits)))
const isSet = (local: number, bits: number): Code => bitAnd(get(local), number(bits))

/** `field(from, end, place)`. */
function fieldOf(): WasmFunction {
  const [from, end, where] = [0, 1, 2]
  const code = fields.map(([at, name]) =>
    when(
      both(isEqual(subtract(get(end), get(from)), number(name.length)), isEqual(get(where), number(at))),
      when(isText(get(from), name), giveBack(number(field(at, name)))),
    ),
  )
  return { parameters: 3, locals: [], code: [code, number(0)] }
}

/** Variables of `walk`. */
const [at, to, out, allowed, most] = [0, 1, 2, 3, 4]
const [byte, start, bits, where, back, nest, key, found, block, hasEscape, n] = [5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]
/** Bits of sixteen bytes. */
const [quotes, slashes, escapes, follows, rare, carried] = [16, 17, 18, 19, 20, 21]
const lanes = 22

const odd = giveBack(number(isOdd))
const copy = (n: number): Code => [step(at, n), step(out, n)]
const isByte = (character: string): Code => isEqual(get(byte), number(character.charCodeAt(0)))

interface Calls {
  field: number
  sign: number
  escaped: number
  shorten: number
}

/**
 * Which bytes stand behind a backslash that begins an escape, as bits: in a row of backslashes every other one does. A row that
 * begins at an odd place carries when it is added to its own start.
 */
function findEscaped(): Code {
  const even = number(0x5555)
  const not = (value: Code) => exclusiveOr(value, number(-1))
  return [
    set(n, bitAnd(get(slashes), not(get(escapes)))),
    set(follows, anyOf(shiftLeft(get(n), number(1)), get(escapes))),
    set(n, add(both(get(n), not(even), not(get(follows))), get(n))),
    set(escapes, both(exclusiveOr(even, shiftLeft(get(n), number(1))), get(follows), number(0xffff))),
    set(carried, bitAnd(shiftRight(get(n), 16), number(1))),
  ]
}

/** Sorts out which quotes end the text, and which escapes have another letter than most: those are looked at one by one. */
function lookClosely(isQuote: Code, isLetterN: Code): Code {
  const not = (value: Code) => exclusiveOr(value, number(-1))
  return [
    set(escapes, get(carried)),
    findEscaped(),
    set(quotes, isQuote),
    set(rare, bitAnd(get(escapes), not(anyOf(get(quotes), get(slashes), isLetterN)))),
    set(bits, bitAnd(get(bits), not(bitAnd(get(quotes), get(escapes))))),
  ]
}

/** From behind a quote up to the next: copies, and checks what `JSON.parse` would refuse. */
function stringLoop(calls: Calls, isRaw: boolean): Code {
  const below = isRaw ? lanesBelow : lanesBelowSigned
  const is = (code: number): Code => laneBits(lanesEqual(get(lanes), sixteen(code)))
  const before = subtract(shiftLeft(number(1), get(n)), number(1))
  return [
    set(carried, number(0)),
    loop(
      'string',
      putBytes(get(out), tee(lanes, bytesAt(get(at)))),
      set(slashes, is(backslash)),
      set(bits, anyOf(is(quote), laneBits(below(get(lanes), sixteen(0x20))))),
      set(rare, number(0)),
      // Mostly there is no backslash.
      when(anyOf(get(slashes), get(carried)), lookClosely(is(quote), is(letterN))),
      loop(
        'bits',
        when(
          isEqual(anyOf(get(bits), get(rare)), number(0)),
          set(hasEscape, anyOf(get(hasEscape), get(slashes))),
          copy(16),
          when(isBelow(get(at), get(to)), again('string')),
          odd,
        ),
        set(n, trailingZeros(anyOf(get(bits), get(rare)))),
        when(
          bitAnd(shiftLeft(number(1), get(n)), get(rare)),
          when(isEqual(call(calls.escaped, subtract(add(get(at), get(n)), number(1))), number(0)), odd),
          set(rare, bitAnd(get(rare), subtract(get(rare), number(1)))),
          again('bits'),
        ),
      ),
      set(hasEscape, anyOf(get(hasEscape), bitAnd(get(slashes), before))),
      step(at, get(n)),
      step(out, get(n)),
      set(byte, byteAt(get(at))),
      when(
        isOther(get(byte), number(quote)),
        when(isBelow(get(byte), number(0x20)), odd),
        ...(isRaw ? [odd] : beyondAscii(calls)),
      ),
    ),
  ]
}

function beyondAscii(calls: Calls): Code[] {
  return [
    set(bits, call(calls.sign, get(at), get(out))),
    when(isEqual(get(bits), number(0)), odd),
    when(
      isAbove(subtract(get(bits), get(out)), number(1)),
      when(isEqual(get(most), number(0)), giveBack(number(isForeign))),
      set(most, subtract(get(most), number(1))),
    ),
    set(out, get(bits)),
    step(at, 2),
    when(isAtLeast(get(byte), number(0xe0)), step(at, 1)),
    when(isAtLeast(get(byte), number(0xf0)), step(at, 1)),
    set(carried, number(0)),
    again('string'),
  ]
}

/** A text that is no key: whether it is left out. */
function value(calls: Calls, isRaw: boolean): Code {
  const isLong = (least: number) => isAbove(subtract(get(out), get(start)), number(least))
  const leaveOut = (cut: number, least: number): Code =>
    when(both(isLong(least), isOther(isSet(allowed, cut), number(0))), set(out, get(start)), mark(found, cut))
  const isField = (holder: number, name: FieldName) => isEqual(get(key), number(field(holder, name)))
  const type = 'tool_result'
  const isResult = both(isEqual(subtract(get(out), get(start)), number(type.length)), isText(get(start), type))
  const output = [
    set(bits, call(calls.shorten, get(start), get(out))),
    when(isOther(get(bits), get(out)), set(out, get(bits)), mark(block, ofBlock.isCut), mark(found, cuts.output)),
  ]
  return [
    when(isEqual(get(where), number(place.structured)), leaveOut(cuts.structured, shortText.structured)),
    when(
      get(key),
      when(
        anyOf(isField(place.data, 'output'), isField(place.data, 'fullOutput')),
        leaveOut(cuts.progress, shortText.progress),
      ),
      when(isField(place.block, 'signature'), leaveOut(cuts.signature, shortText.signature)),
      when(isField(place.block, 'tool_use_id'), mark(block, ofBlock.hasCall)),
      when(
        isField(place.block, 'type'),
        set(block, bitAnd(get(block), number(~ofBlock.isResult))),
        when(isResult, mark(block, ofBlock.isResult)),
      ),
      ...(isRaw
        ? []
        : [
            when(
              both(
                isField(place.block, 'content'),
                isLong(longOutput),
                isOther(isSet(allowed, cuts.output), number(0)),
              ),
              ...output,
            ),
          ]),
      set(key, number(0)),
    ),
  ]
}

/** Shorter ones are searched as a whole. */
const longOutput = 9 * 1024

/** Behind the closing quote. */
function stringEnd(calls: Calls, isRaw: boolean): Code {
  return [
    when(isAtLeast(get(at), get(to)), odd),
    step(at, 1),
    when(
      isEqual(byteAt(get(at)), number(0x3a)),
      when(
        isOther(get(where), number(place.other)),
        when(get(hasEscape), when(isOther(get(where), number(place.structured)), odd)),
        set(key, call(calls.field, get(start), get(out), get(where))),
        when(isEqual(get(key), number(field(place.structured, 'agentId'))), mark(found, cuts.hasAgent)),
      ),
      putByte(get(out), number(quote)),
      putByte(get(out), number(0x3a), 1),
      step(at, 1),
      step(out, 2),
      again('next'),
    ),
    value(calls, isRaw),
    putByte(get(out), number(quote)),
    step(out, 1),
    again('next'),
  ]
}

function opening(): Code {
  const enter = (from: number, name: FieldName | null, bracket: string, into: number, ...more: Code[]): Code =>
    when(
      both(
        isEqual(get(where), number(from)),
        isEqual(get(key), number(name === null ? 0 : field(from, name))),
        isByte(bracket),
      ),
      set(where, number(into)),
      set(key, number(0)),
      ...more,
      again('next'),
    )
  return [
    when(isAtLeast(get(where), number(place.structured)), step(nest, 1), again('next')),
    enter(place.outside, null, '{', place.top),
    enter(place.content, null, '{', place.block, set(block, number(0))),
    enter(place.top, 'message', '{', place.message),
    enter(place.top, 'data', '{', place.data),
    enter(place.message, 'content', '[', place.content),
    set(nest, number(0)),
    enter(place.top, 'toolUseResult', '{', place.structured),
    set(back, get(where)),
    set(where, number(place.other)),
    set(key, number(0)),
    again('next'),
  ]
}

function closing(): Code {
  const isSound = both(isSet(block, ofBlock.isResult), shiftRight(isSet(block, ofBlock.hasCall), 1))
  return [
    when(
      isAtLeast(get(where), number(place.structured)),
      when(get(nest), set(nest, subtract(get(nest), number(1))), again('next')),
      when(isEqual(get(where), number(place.structured)), set(where, number(place.top)), again('next')),
      set(where, get(back)),
      again('next'),
    ),
    when(
      isEqual(get(where), number(place.block)),
      when(isSound, mark(found, cuts.hasResult)),
      when(
        both(shiftRight(isSet(block, ofBlock.isCut), 2), isEqual(isSound, number(0))),
        mark(found, cuts.isOutputNeeded),
      ),
    ),
    when(isEqual(get(where), number(place.data)), set(where, number(place.top)), again('next')),
    set(where, subtract(get(where), number(1))),
    again('next'),
  ]
}

/**
 * `walk(at, to, out, allowed, most)`: copies the line from `at` to `to` to `out`, without what is `allowed` to go. `most`:
 * characters that may be written as escapes. `isRaw`: they are copied as they are.
 */
function walk(calls: Calls, isRaw: boolean): WasmFunction {
  const isErrorField = anyOf(
    isEqual(get(key), number(field(place.top, 'isError'))),
    isEqual(get(key), number(field(place.block, 'is_error'))),
  )
  const code = [
    loop(
      'next',
      when(isAtLeast(get(at), get(to)), giveBack(anyOf(get(out), shiftLeft(get(found), number(cutShift))))),
      set(byte, byteAt(get(at))),
      putByte(get(out), get(byte)),
      copy(1),
      when(
        isByte('"'),
        set(start, get(out)),
        set(hasEscape, number(0)),
        stringLoop(calls, isRaw),
        stringEnd(calls, isRaw),
      ),
      when(isBelow(subtract(get(byte), number(0x30)), number(10)), again('next')),
      when(isByte(','), set(key, number(0)), again('next')),
      when(anyOf(isByte('{'), isByte('[')), opening()),
      when(anyOf(isByte('}'), isByte(']')), closing()),
      when(isByte('t'), when(isErrorField, mark(found, cuts.isOutputNeeded))),
      when(isBelow(get(byte), number(0x80)), again('next')),
    ),
    number(isOdd),
  ]
  return { parameters: 5, locals: [...Array<number>(17).fill(i32), v128], code }
}

/** `walk` writes one byte for a character, `walkRaw` UTF-8 as it is. */
export function leanFunctions(kept: KeptOutput): Record<'walk' | 'walkRaw', WasmFunction> {
  const calls = { field: 0, sign: 2, escaped: 3, shorten: 4 }
  const functions = {
    field: fieldOf(),
    unit: unit(),
    sign: sign(1),
    escaped: escaped(),
    shorten: shorten(kept),
    walk: walk(calls, false),
    walkRaw: walk(calls, true),
  }
  return functions
}
