// What the functions of the quick way share: where things stand in their memory, and how they call each other. What they do
// is in the files beside it.

import { foldsPlace, foldsSize } from './token-table.ts'
import { digit, letters } from './tokens-shape.ts'
import { bitAnd, byteAt, type Code, call, number, numberAt, putNumber, shortAt } from './wasm-code.ts'

/** The functions in the order in which they call each other by number. */
export const order = [
  'copy',
  'fold',
  'unit',
  'whole',
  'isRandom',
  'isUuid',
  'split',
  'run',
  'chain',
  'unspaced',
] as const
export const callOf = (name: (typeof order)[number], ...values: Code[]): Code => call(order.indexOf(name), ...values)

/** Numbers that functions share and the caller reads. */
const statePlace = foldsPlace + foldsSize
export const state = { units: 0, wholes: 1, plainUntil: 2, nameUnits: 3, isWide: 4, isOdd: 5, high: 6 } as const
export const stateView = (memory: ArrayBuffer): Int32Array => new Int32Array(memory, statePlace, 16)
type Shared = keyof typeof state
export const shared = (name: Shared): Code => numberAt(number(statePlace), 4 * state[name])
export const share = (name: Shared, value: Code): Code => putNumber(number(statePlace), value, 4 * state[name])

/** The longest text for which there is room, and where it stands: two bytes for each character. */
export const longestText = 128 * 1024
export const textPlace = statePlace + 64
/** A vector and a name may be looked at behind the end. */
const slack = 1024
export const unitsPlace = textPlace + 2 * longestText + slack
/** A pair of characters, six bytes, and a blank for each character. */
export const wholesPlace = unitsPlace + 7 * longestText + slack
/** A character is in two wholes at most: its name and the chain of names. */
export const memorySize = wholesPlace + 7 * longestText + slack

export const blank = 0x20
export const two = number(2)
export const codeAt = (place: Code): Code => shortAt(place)
export const kindAt = (place: Code): Code => byteAt(shortAt(place))
export const isWord = (kind: Code): Code => bitAnd(kind, number(letters | digit))
export const has = (kind: Code, bit: number): Code => bitAnd(kind, number(bit))
