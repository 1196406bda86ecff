// The parts of JSON that have no parts, in WebAssembly: blanks, texts, numbers and words. Every function gives the place behind
// what it went over, or -1 where that is not as `JSON.parse` wants it.

import {
  add,
  again,
  anyOf,
  bitAnd,
  byteAt,
  type Code,
  call,
  get,
  giveBack,
  i32,
  isAbove,
  isBelow,
  isEqual,
  isOther,
  loop,
  number,
  numberAt,
  set,
  subtract,
  type WasmFunction,
  when,
} from '../../base/wasm-code.ts'
import { asciiBytes } from './names.ts'

/** Places of the functions in the module. */
export const place = {
  find: 0,
  lineStart: 1,
  plainEnd: 2,
  textEnd: 3,
  blanks: 4,
  text: 5,
  digits: 6,
  scalar: 7,
  key: 8,
}

export const none = number(-1)
export const refuse = giveBack(none)
export const is = (value: Code, character: string) => isEqual(value, number(character.charCodeAt(0)))
export const isNot = (value: Code, character: string) => isOther(value, number(character.charCodeAt(0)))
export const next = (local: number, by = 1) => add(get(local), number(by))
/** Mostly there are none. */
export const skipBlanks = (local: number) =>
  when(isBelow(byteAt(get(local)), number(0x21)), set(local, call(place.blanks, get(local))))

export const at = 0

export const blanks: WasmFunction = {
  parameters: 1,
  locals: [],
  code: [
    loop(
      'byte',
      when(
        anyOf(is(byteAt(get(at)), ' '), is(byteAt(get(at)), '\t'), is(byteAt(get(at)), '\r')),
        set(at, next(at)),
        again('byte'),
      ),
    ),
    get(at),
  ],
}

const isHexDigit = (value: Code): Code =>
  anyOf(
    isBelow(subtract(value, number(0x30)), number(10)),
    isBelow(subtract(subtract(value, number(0x41)), bitAnd(value, number(0x20))), number(6)),
  )

/** Behind the quote that closes the text whose first character is here. */
export const text: WasmFunction = {
  parameters: 1,
  locals: [],
  code: [
    loop(
      'piece',
      set(at, call(place.textEnd, get(at))),
      when(is(byteAt(get(at)), '"'), giveBack(next(at))),
      when(isNot(byteAt(get(at)), '\\'), refuse),
      when(isNot(byteAt(get(at), 1), 'u'), refuse),
      ...[2, 3, 4, 5].map(digit => when(isEqual(isHexDigit(byteAt(get(at), digit)), number(0)), refuse)),
      set(at, next(at, 6)),
      again('piece'),
    ),
    none,
  ],
}

/** One or more. */
export const digits: WasmFunction = {
  parameters: 1,
  locals: [i32],
  code: [
    set(1, get(at)),
    loop(
      'digit',
      when(isBelow(subtract(byteAt(get(at)), number(0x30)), number(10)), set(at, next(at)), again('digit')),
    ),
    when(isEqual(get(at), get(1)), refuse),
    get(at),
  ],
}

/** Four characters as the number that they are in memory. */
const four = (characters: string) => number(new DataView(asciiBytes(characters).buffer).getInt32(0, true))

/** `true`, `false`, `null` or a number. */
export const scalar: WasmFunction = {
  parameters: 1,
  locals: [i32],
  code: [
    when(isEqual(numberAt(get(at)), four('null')), giveBack(next(at, 4))),
    when(isEqual(numberAt(get(at)), four('true')), giveBack(next(at, 4))),
    when(is(byteAt(get(at)), 'f'), when(isEqual(numberAt(get(at), 1), four('alse')), giveBack(next(at, 5)))),
    when(is(byteAt(get(at)), '-'), set(at, next(at))),
    set(1, call(place.digits, get(at))),
    when(isEqual(get(1), none), refuse),
    when(is(byteAt(get(at)), '0'), when(isAbove(get(1), next(at)), refuse)),
    when(is(byteAt(get(1)), '.'), set(1, call(place.digits, next(1))), when(isEqual(get(1), none), refuse)),
    when(
      anyOf(is(byteAt(get(1)), 'e'), is(byteAt(get(1)), 'E')),
      set(1, next(1)),
      when(anyOf(is(byteAt(get(1)), '+'), is(byteAt(get(1)), '-')), set(1, next(1))),
      set(1, call(place.digits, get(1))),
    ),
    get(1),
  ],
}
