// Parts of the WebAssembly that makes lines lean: characters beyond ASCII, escapes, the middle of a long output. Which texts
// they are used on is decided in `lean-walk.ts`.

import {
  add,
  again,
  anyOf,
  bitAnd,
  byteAt,
  bytesAt,
  type Code,
  call,
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
  lanesEqual,
  lanesOr,
  loop,
  number,
  numberAt,
  putByte,
  putBytes,
  set,
  shiftLeft,
  shiftRight,
  sixteen,
  subtract,
  type WasmFunction,
  when,
} from '../../base/wasm-code.ts'

export const backslash = 0x5c
const [letterN, letterU] = [0x6e, 0x75]

/** Whether the bytes at `from` are the text, whose length was compared before. */
export function isText(from: Code, text: string): Code {
  const codes = [...text].map(character => character.charCodeAt(0))
  const parts: Code[] = []
  for (let at = 0; at < codes.length; at += 4) {
    const start = Math.min(at, Math.max(0, codes.length - 4))
    const word = codes.slice(start, start + 4).reduce((sum, code, n) => sum | (code << (8 * n)), 0)
    parts.push(isOther(numberAt(from, start), number(word)))
  }
  return isEqual(anyOf(...parts), number(0))
}

/** Adds to a variable. */
export const step = (local: number, by: number | Code): Code =>
  set(local, add(get(local), typeof by === 'number' ? number(by) : by))
export const both = (...all: Code[]): Code => all.map((one, at) => (at === 0 ? one : [one, 0x71]))

/** `unit(out, code)`: writes `\uXXXX`, gives the place behind it. */
export function unit(): WasmFunction {
  const [out, code, digit] = [0, 1, 2]
  const digits = [12, 8, 4, 0].map((shift, n) => [
    set(digit, bitAnd(shiftRight(get(code), shift), number(15))),
    when(isAbove(get(digit), number(9)), step(digit, 39)),
    putByte(get(out), add(get(digit), number(48)), n + 2),
  ])
  const opening = [putByte(get(out), number(backslash)), putByte(get(out), number(letterU), 1)]
  return { parameters: 2, locals: [i32], code: [opening, digits, add(get(out), number(6))] }
}

/** `sign(at, out)`: writes a character beyond ASCII as Latin-1 or as an escape, gives the place behind it; 0: no UTF-8. */
export function sign(unitPlace: number): WasmFunction {
  const [at, out, first, code] = [0, 1, 2, 3]
  const more = (n: number): Code => [
    when(isOther(bitAnd(byteAt(get(at), n), number(0xc0)), number(0x80)), giveBack(number(0))),
    set(code, anyOf(shiftLeft(get(code), number(6)), bitAnd(byteAt(get(at), n), number(0x3f)))),
  ]
  const two = [
    set(code, bitAnd(get(first), number(0x1f))),
    more(1),
    when(isBelow(get(code), number(0x80)), giveBack(number(0))),
    when(isBelow(get(code), number(0x100)), putByte(get(out), get(code)), giveBack(add(get(out), number(1)))),
    giveBack(call(unitPlace, get(out), get(code))),
  ]
  const three = [
    set(code, bitAnd(get(first), number(0x0f))),
    more(1),
    more(2),
    when(isBelow(get(code), number(0x800)), giveBack(number(0))),
    when(isEqual(shiftRight(get(code), 11), number(0x1b)), giveBack(number(0))),
    giveBack(call(unitPlace, get(out), get(code))),
  ]
  const four = [
    set(code, bitAnd(get(first), number(0x07))),
    more(1),
    more(2),
    more(3),
    set(code, subtract(get(code), number(0x10000))),
    when(isAbove(get(code), number(0xfffff)), giveBack(number(0))),
    set(out, call(unitPlace, get(out), add(shiftRight(get(code), 10), number(0xd800)))),
    call(unitPlace, get(out), add(bitAnd(get(code), number(0x3ff)), number(0xdc00))),
  ]
  const code2 = [
    set(first, byteAt(get(at))),
    when(isBelow(get(first), number(0xc0)), giveBack(number(0))),
    when(isBelow(get(first), number(0xe0)), ...two),
    when(isBelow(get(first), number(0xf0)), ...three),
    when(isAbove(get(first), number(0xf4)), giveBack(number(0))),
    four,
  ]
  return { parameters: 2, locals: [i32, i32], code: code2 }
}

/** `escaped(at)`: how many bytes the escape there has; 0 where it is none of JSON's. */
export function escaped(): WasmFunction {
  const [at, byte, n] = [0, 1, 2]
  const isOneOf = (text: string) =>
    anyOf(...[...text].map(character => isEqual(get(byte), number(character.charCodeAt(0)))))
  const isDigit = (): Code =>
    anyOf(
      isBelow(subtract(get(byte), number(0x30)), number(10)),
      isBelow(subtract(anyOf(get(byte), number(0x20)), number(0x61)), number(6)),
    )
  const code = [
    set(byte, byteAt(get(at), 1)),
    when(isOneOf('n"\\'), giveBack(number(2))),
    when(isOneOf('trbf/'), giveBack(number(2))),
    when(isOther(get(byte), number(letterU)), giveBack(number(0))),
    set(n, number(2)),
    loop(
      'digits',
      set(byte, byteAt(add(get(at), get(n)))),
      when(isEqual(isDigit(), number(0)), giveBack(number(0))),
      step(n, 1),
      when(isBelow(get(n), number(6)), again('digits')),
    ),
    number(6),
  ]
  return { parameters: 1, locals: [i32, i32], code }
}

/** How much of an output is kept, in characters: a little more at its beginning, so that it is still seen to be too long. */
export interface KeptOutput {
  head: number
  tail: number
}

/**
 * `shorten(from, end)`: takes out the middle of an output that is written with one byte for a character, and gives its new
 * end. An output that names an agent stays as it is, and one that tells where the whole is.
 */
export function shorten({ head, tail }: KeptOutput): WasmFunction {
  const [from, end, at, left, back, to] = [0, 1, 2, 3, 4, 5]
  const asItIs = giveBack(get(end))
  const code = [
    when(both(isEqual(byteAt(get(from)), number(0x3c)), isEqual(byteAt(get(from), 1), number(0x70))), asItIs),
    namesAgent(from, end, at, asItIs),
    set(at, get(from)),
    set(left, number(head + 1)),
    skip('head', at, left, end),
    set(to, get(at)),
    set(back, subtract(get(end), number(tail + (tail >> 2)))),
    loop(
      'tail',
      when(isBelow(get(back), add(get(to), number(256))), asItIs),
      // An escape has at most six bytes: without a backslash in as many before it, a place is in none.
      when(
        bitAnd(laneBits(lanesEqual(bytesAt(subtract(get(back), number(6))), sixteen(backslash))), number(63)),
        set(back, subtract(get(back), number(1))),
        again('tail'),
      ),
      set(at, get(back)),
      set(left, number(tail)),
      skip('count', at, left, end),
      when(get(left), set(back, subtract(get(back), add(get(left), get(left)))), again('tail')),
    ),
    // So that no word is made of what was apart.
    putByte(get(to), number(backslash)),
    putByte(get(to), number(letterN), 1),
    step(to, 2),
    set(left, subtract(get(end), get(back))),
    set(at, get(to)),
    loop(
      'move',
      putBytes(get(at), bytesAt(get(back))),
      step(at, 16),
      step(back, 16),
      when(isBelow(get(back), get(end)), again('move')),
    ),
    add(get(to), get(left)),
  ]
  return { parameters: 2, locals: [i32, i32, i32, i32], code }
}

/** Moves `at` on by `left` characters, or up to the end; an escape is one. */
function skip(label: string, at: number, left: number, end: number): Code {
  const hasBackslash = laneBits(lanesEqual(bytesAt(get(at)), sixteen(backslash)))
  return loop(
    label,
    when(
      both(isAtLeast(get(left), number(16)), isBelow(add(get(at), number(16)), get(end))),
      when(isEqual(hasBackslash, number(0)), step(at, 16), set(left, subtract(get(left), number(16))), again(label)),
    ),
    when(
      both(isAbove(get(left), number(0)), isBelow(get(at), get(end))),
      set(left, subtract(get(left), number(1))),
      when(
        isEqual(byteAt(get(at)), number(backslash)),
        when(isEqual(byteAt(get(at), 1), number(letterU)), step(at, 4)),
        step(at, 1),
      ),
      step(at, 1),
      again(label),
    ),
  )
}

/** Does `then` where `agentId: ` is in the text, or an escape that could stand for a letter of it. */
function namesAgent(from: number, end: number, at: number, then: Code): Code {
  const is = (character: string, distance: number) =>
    lanesEqual(bytesAt(get(at), distance), sixteen(character.charCodeAt(0)))
  const isNamed = [is('a', 0), is('I', 5), is(':', 7)]
  const isWritten = [is('\\', 0), is('u', 1), is('0', 2), is('0', 3), lanesBelow(sixteen(0x31), bytesAt(get(at), 4))]
  const all = (lanes: Code[]): Code => lanes.map((one, n) => (n === 0 ? one : [one, 0xfd, 0x4e]))
  return [
    set(at, get(from)),
    loop(
      'search',
      when(laneBits(lanesOr(all(isNamed), all(isWritten))), then),
      step(at, 16),
      when(isBelow(get(at), get(end)), again('search')),
    ),
  ]
}
