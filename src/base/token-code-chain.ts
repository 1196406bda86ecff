// The WebAssembly that cuts names joined by `_`, `-` and dots, ids and numbers: `Scan.chain` and what belongs to it, over the
// table of characters. Base64 data is not cut here, only noticed.

import { blank, callOf, codeAt, has, isWord, kindAt, share, shared, two } from './token-code.ts'
import { bits } from './token-table.ts'
import {
  beyondHex,
  dash,
  digit,
  dot,
  equals,
  letters,
  longestName,
  longestToken,
  lower,
  plus,
  randomChanges,
  shortestData,
  shortestHex,
  shortestRandom,
  slash,
  underscore,
  upper,
  uuidShape,
} from './tokens-shape.ts'
import {
  add,
  again,
  anyOf,
  bitAnd,
  type Code,
  choose,
  either,
  get,
  giveBack,
  i32,
  isAbove,
  isAtLeast,
  isBelow,
  isEqual,
  isOther,
  loop,
  multiply,
  number,
  putByte,
  set,
  shiftLeft,
  shiftRight,
  subtract,
  tee,
  type WasmFunction,
  when,
} from './wasm-code.ts'

const one = number(1)
const is = (value: Code, wanted: number): Code => isEqual(value, number(wanted))
const bytesOf = (characters: number): Code => number(2 * characters)
const step = (local: number): Code => set(local, add(get(local), two))

/** `unit(from, to)`: at most so long as a token may be; one with letters beyond ASCII that is longer is not for the quick way. */
function unit(): WasmFunction {
  const [from, to, out] = [0, 1, 2]
  const cutTo = either(
    add(get(from), bytesOf(longestToken)),
    get(to),
    isAbove(subtract(get(to), get(from)), bytesOf(longestToken)),
  )
  const code = [
    putByte(tee(out, shared('units')), number(blank)),
    set(out, add(get(out), one)),
    choose(
      shared('isWide'),
      [
        share('units', callOf('fold', get(from), get(to), get(out))),
        when(isAbove(subtract(shared('units'), get(out)), number(longestToken)), share('isOdd', one)),
      ],
      share('units', callOf('copy', get(from), cutTo, get(out))),
    ),
    share('nameUnits', add(shared('nameUnits'), one)),
    get(to),
  ]
  return { parameters: 2, locals: [i32], code }
}

/** `whole(from, to)`: longer ones are left to their units. */
function whole(): WasmFunction {
  const [from, to, out] = [0, 1, 2]
  const code = [
    when(isAbove(subtract(get(to), get(from)), bytesOf(longestToken)), giveBack(get(to))),
    putByte(tee(out, shared('wholes')), number(blank)),
    set(out, add(get(out), one)),
    choose(
      shared('isWide'),
      [
        share('wholes', callOf('fold', get(from), get(to), get(out))),
        when(isAbove(subtract(shared('wholes'), get(out)), number(longestToken)), share('isOdd', one)),
      ],
      share('wholes', callOf('copy', get(from), get(to), get(out))),
    ),
    get(to),
  ]
  return { parameters: 2, locals: [i32], code }
}

/** `isRandom(from, to)`: of ASCII. */
function isRandom(): WasmFunction {
  const [from, to, changes, make, before, kind, at] = [0, 1, 2, 3, 4, 5, 6]
  const size = shiftRight(subtract(get(to), get(from)), 1)
  const code = [
    set(at, get(from)),
    loop(
      'each',
      when(
        tee(kind, isWord(kindAt(get(at)))),
        set(changes, add(get(changes), isOther(get(kind), get(before)))),
        set(make, anyOf(get(make), get(kind))),
        set(before, get(kind)),
      ),
      step(at),
      when(isBelow(get(at), get(to)), again('each')),
    ),
    bitAnd(
      is(get(make), letters | digit),
      isAtLeast(multiply(get(changes), number(randomChanges.of)), multiply(size, number(randomChanges.part))),
    ),
  ]
  return { parameters: 2, locals: [i32, i32, i32, i32, i32], code }
}

/** `isUuid(from)`: a bit for every dash tells where they stand; no shape is so long that a place has two meanings. */
function isUuid(): WasmFunction {
  const [from, n, kind] = [0, 1, 2]
  const dashes = [...uuidShape].reduce((all, sign, at) => (sign === '-' ? all | (1 << at) : all), 0)
  const at = add(get(from), shiftLeft(get(n), one))
  const hex = letters | digit
  const isHex = bitAnd(isOther(has(get(kind), hex), number(0)), is(has(get(kind), beyondHex | bits.wide), 0))
  const isDash = has(shiftLeft(one, get(n)), dashes)
  const code = [
    loop(
      'each',
      choose(isDash, when(isOther(codeAt(at), number(dash)), giveBack(number(0))), [
        set(kind, kindAt(at)),
        when(is(isHex, 0), giveBack(number(0))),
      ]),
      set(n, add(get(n), one)),
      when(isBelow(get(n), number(uuidShape.length)), again('each')),
    ),
    set(kind, kindAt(at)),
    anyOf(is(has(get(kind), hex), 0), has(get(kind), bits.wide)),
  ]
  return { parameters: 1, locals: [i32, i32], code }
}

/** `split(from, end)`: at changes of case and between letters and digits; numbers go on over dots. */
function split(): WasmFunction {
  const [from, end, at, before, kind, cut] = [0, 1, 2, 3, 4, 5]
  const isWordStart = bitAnd(is(get(before), upper), is(get(kind), lower))
  const isDigitAt = (place: Code): Code => is(kindAt(place), digit)
  const code = [
    set(before, isWord(kindAt(get(from)))),
    set(at, get(from)),
    loop(
      'each',
      step(at),
      when(
        isBelow(get(at), get(end)),
        when(
          isOther(tee(kind, isWord(kindAt(get(at)))), get(before)),
          set(cut, subtract(get(at), shiftLeft(isWordStart, one))),
          when(isAbove(get(cut), get(from)), set(from, callOf('unit', get(from), get(cut)))),
          set(before, get(kind)),
        ),
        again('each'),
      ),
    ),
    when(
      is(get(before), digit),
      loop(
        'version',
        when(
          bitAnd(is(codeAt(get(end)), dot), isDigitAt(add(get(end), two))),
          step(end),
          loop('digits', step(end), when(isDigitAt(get(end)), again('digits'))),
          again('version'),
        ),
      ),
    ),
    callOf('unit', get(from), get(end)),
  ]
  return { parameters: 2, locals: [i32, i32, i32, i32], code }
}

/** Where base64 data may begin: up to its end it is known then that none does. Real data is not for the quick way. */
function noticeData(from: number, end: number, kind: number): Code {
  const isJoin = [plus, slash, equals].map(sign => is(codeAt(get(end)), sign))
  const isLong = isAtLeast(subtract(get(end), get(from)), bytesOf(shortestData))
  return when(
    isAtLeast(get(from), shared('plainUntil')),
    set(end, get(from)),
    loop(
      'each',
      set(kind, kindAt(get(end))),
      when(anyOf(isBelow(get(kind), number(bits.wide)), ...isJoin), step(end), again('each')),
    ),
    share('plainUntil', get(end)),
    when(isLong, when(callOf('isRandom', get(from), get(end)), giveBack(number(0)))),
  )
}

/** The first block, then all of it; by itself it needs no whole beside it. */
function uuid(from: number): Code {
  const all = callOf('unit', get(from), add(get(from), bytesOf(uuidShape.length)))
  return [
    set(from, subtract(callOf('unit', get(from), add(get(from), bytesOf(8))), bytesOf(8))),
    set(from, all),
    share('nameUnits', subtract(shared('nameUnits'), one)),
    giveBack(get(from)),
  ]
}

/** `run(from)`: letters and digits with nothing between them; gives where they end, 0 where they are not for the quick way. */
function run(): WasmFunction {
  const [from, at, make, kind, code, size, base, capitals] = [0, 1, 2, 3, 4, 5, 6, 7]
  const all = giveBack(callOf('unit', get(from), get(at)))
  const isHex = anyOf(is(get(make), lower | digit), is(get(make), upper | digit))
  const isCapital = bitAnd(is(get(capitals), upper), isOther(has(kindAt(get(from)), upper), number(0)))
  const body = [
    set(at, get(from)),
    loop(
      'each',
      when(
        isWord(tee(kind, kindAt(get(at)))),
        set(make, anyOf(get(make), get(kind))),
        set(capitals, add(get(capitals), has(get(kind), upper))),
        step(at),
        again('each'),
      ),
    ),
    when(has(get(kind), bits.odd), giveBack(number(0))),
    when(has(get(make), bits.wide), share('isWide', one), giveBack(callOf('split', get(from), get(at)))),
    set(code, codeAt(get(at))),
    when(anyOf(is(get(code), slash), is(get(code), plus)), noticeData(from, size, kind)),
    set(size, shiftRight(subtract(get(at), get(from)), 1)),
    when(
      bitAnd(bitAnd(is(get(size), 8), is(has(get(make), beyondHex), 0)), is(get(code), dash)),
      when(callOf('isUuid', get(from)), uuid(from)),
    ),
    set(base, isWord(get(make))),
    when(anyOf(is(get(base), lower), is(get(base), upper)), all),
    when(is(get(base), letters), when(isCapital, all)),
    when(isAtLeast(get(size), number(shortestHex)), when(isHex, all)),
    when(isAbove(get(size), number(longestName)), all),
    when(
      bitAnd(isAtLeast(get(size), number(shortestRandom)), is(get(base), letters | digit)),
      when(callOf('isRandom', get(from), get(at)), all),
    ),
    callOf('split', get(from), get(at)),
  ]
  return { parameters: 1, locals: Array<number>(7).fill(i32), code: body }
}

/** `chain(from)`: runs joined to names, names joined by dots; gives where they end, 0 where they are not for the quick way. */
function chain(): WasmFunction {
  const [from, at, nameFrom, code, next, kind, units, wholes, plainUntil] = [0, 1, 2, 3, 4, 5, 6, 7, 8]
  const leave: Code = [
    share('units', get(units)),
    share('wholes', get(wholes)),
    share('plainUntil', get(plainUntil)),
    giveBack(number(0)),
  ]
  const endName = when(isAbove(shared('nameUnits'), one), [callOf('whole', get(nameFrom), get(at)), drop])
  const findNext: Code = [
    set(next, number(0)),
    when(anyOf(is(get(code), dash), is(get(code), dot)), set(next, add(get(at), two))),
    when(
      is(get(code), underscore),
      set(next, get(at)),
      loop('line', step(next), when(is(codeAt(get(next)), underscore), again('line'))),
    ),
  ]
  const goOn: Code = [
    when(has(tee(kind, kindAt(get(next))), bits.odd), leave),
    when(
      isWord(get(kind)),
      when(is(get(code), dot), endName, share('nameUnits', number(0)), set(nameFrom, get(next))),
      set(at, get(next)),
      again('runs'),
    ),
  ]
  const body = [
    set(units, shared('units')),
    set(wholes, shared('wholes')),
    set(plainUntil, shared('plainUntil')),
    share('nameUnits', number(0)),
    share('isWide', number(0)),
    share('isOdd', number(0)),
    set(nameFrom, tee(at, get(from))),
    loop(
      'runs',
      when(is(tee(at, callOf('run', get(at))), 0), leave),
      when(has(tee(kind, kindAt(get(at))), bits.odd), leave),
      when(isWord(get(kind)), again('runs')),
      set(code, codeAt(get(at))),
      findNext,
      when(get(next), goOn),
    ),
    endName,
    when(isAbove(get(nameFrom), get(from)), [callOf('whole', get(from), get(at)), drop]),
    when(shared('isOdd'), leave),
    get(at),
  ]
  return { parameters: 1, locals: Array<number>(8).fill(i32), code: body }
}

/** Leaves what a function gave. */
const drop = 0x1a

export const chainFunctions = () => ({
  unit: unit(),
  whole: whole(),
  isRandom: isRandom(),
  isUuid: isUuid(),
  split: split(),
  run: run(),
  chain: chain(),
})
