// Small WebAssembly modules written in place: the few instructions that are needed, as functions that name them, and the
// frame around them. What the code does is decided by whoever writes it.

/** Bytes of instructions, nested as it is convenient. */
export type Code = readonly (number | Code | Block | Jump)[]

interface Block {
  opening: number
  /** What jumps name. */
  label: string
  body: Code
}
interface Jump {
  to: string
}

export const i32 = 0x7f
export const v128 = 0x7b
export const i64 = 0x7e

/** Variables. */
export const get = (local: number): Code => [0x20, local]
export const set = (local: number, value: Code): Code => [value, 0x21, local]
export const tee = (local: number, value: Code): Code => [value, 0x22, local]
export const number = (value: number): Code => [0x41, signed(value)]

/** Of whole numbers, as if they had no sign. */
export const add = (one: Code, other: Code): Code => [one, other, 0x6a]
export const subtract = (one: Code, other: Code): Code => [one, other, 0x6b]
export const multiply = (one: Code, other: Code): Code => [one, other, 0x6c]
export const exclusiveOr = (one: Code, other: Code): Code => [one, other, 0x73]
export const rotateLeft = (value: Code, by: number): Code => [value, number(by), 0x77]
export const shiftRight = (value: Code, by: number): Code => [value, number(by), 0x76]
export const shiftRightBy = (value: Code, by: Code): Code => [value, by, 0x76]
export const shiftLeft = (value: Code, by: Code): Code => [value, by, 0x74]
export const bitAnd = (one: Code, other: Code): Code => [one, other, 0x71]
export const isEqual = (one: Code, other: Code): Code => [one, other, 0x46]
export const isOther = (one: Code, other: Code): Code => [one, other, 0x47]
export const isBelow = (one: Code, other: Code): Code => [one, other, 0x49]
export const isAbove = (one: Code, other: Code): Code => [one, other, 0x4b]
export const isAtLeast = (one: Code, other: Code): Code => [one, other, 0x4f]
export const anyOf = (...all: Code[]): Code => all.map((one, at) => (at === 0 ? one : [one, 0x72]))
export const leadingZeros = (value: Code): Code => [value, 0x67]
export const trailingZeros = (value: Code): Code => [value, 0x68]
/** The first where the condition is not zero, else the other; both are worked out. */
export const either = (one: Code, other: Code, condition: Code): Code => [one, other, condition, 0x1b]

/** Of whole numbers of eight bytes. */
export const long = (value: bigint): Code => [0x42, signedLong(value)]
export const longAdd = (one: Code, other: Code): Code => [one, other, 0x7c]
export const longSubtract = (one: Code, other: Code): Code => [one, other, 0x7d]
export const longMultiply = (one: Code, other: Code): Code => [one, other, 0x7e]
export const longAnd = (one: Code, other: Code): Code => [one, other, 0x83]
export const longOr = (one: Code, other: Code): Code => [one, other, 0x84]
export const longExclusiveOr = (one: Code, other: Code): Code => [one, other, 0x85]
export const longIsZero = (value: Code): Code => [value, 0x50]
export const longIsOther = (one: Code, other: Code): Code => [one, other, 0x52]
export const longTrailingZeros = (value: Code): Code => [value, 0x7a]
export const longShiftLeft = (value: Code, by: Code): Code => [value, by, 0x86]
export const longShiftRight = (value: Code, by: Code): Code => [value, by, 0x88]
/** The lower four bytes. */
export const longToNumber = (value: Code): Code => [value, 0xa7]
export const numberToLong = (value: Code): Code => [value, 0xad]

/** Memory. */
export const byteAt = (place: Code, offset = 0): Code => [place, 0x2d, 0, unsigned(offset)]
export const numberAt = (place: Code, offset = 0): Code => [place, 0x28, 2, unsigned(offset)]
export const putByte = (place: Code, value: Code, offset = 0): Code => [place, value, 0x3a, 0, unsigned(offset)]
export const putNumber = (place: Code, value: Code, offset = 0): Code => [place, value, 0x36, 2, unsigned(offset)]
/** Two bytes, and eight. */
export const shortAt = (place: Code, offset = 0): Code => [place, 0x2f, 0, unsigned(offset)]
export const putShort = (place: Code, value: Code, offset = 0): Code => [place, value, 0x3b, 0, unsigned(offset)]
export const longAt = (place: Code, offset = 0): Code => [place, 0x29, 0, unsigned(offset)]
export const putLong = (place: Code, value: Code, offset = 0): Code => [place, value, 0x37, 0, unsigned(offset)]

/** Sixteen bytes at once. */
export const bytesAt = (place: Code, offset = 0): Code => [place, 0xfd, 0x00, 0x00, unsigned(offset)]
export const putBytes = (place: Code, value: Code, offset = 0): Code => [
  place,
  value,
  0xfd,
  0x0b,
  0x00,
  unsigned(offset),
]
export const sixteen = (byte: number): Code => [0xfd, 0x0c, Array<number>(16).fill(byte)]
export const lanesEqual = (one: Code, other: Code): Code => [one, other, 0xfd, 0x23]
export const lanesBelow = (one: Code, other: Code): Code => [one, other, 0xfd, 0x26]
/** As if the numbers had a sign: bytes from 0x80 on are below all others. */
export const lanesBelowSigned = (one: Code, other: Code): Code => [one, other, 0xfd, 0x25]
export const lanesSubtract = (one: Code, other: Code): Code => [one, other, 0xfd, 0x71]
/** Twice eight numbers of two bytes as sixteen bytes: 255 for those above it, 0 from 32768 on. */
export const narrowed = (one: Code, other: Code): Code => [one, other, 0xfd, 0x66]
export const lanesAnd = (...all: Code[]): Code => all.map((one, at) => (at === 0 ? one : [one, 0xfd, 0x4e]))
export const lanesOr = (...all: Code[]): Code => all.map((one, at) => (at === 0 ? one : [one, 0xfd, 0x50]))
export const isAnyLane = (lanes: Code): Code => [lanes, 0xfd, 0x53]
export const isEveryLane = (lanes: Code): Code => [lanes, 0xfd, 0x63]
/** One bit for each lane. */
export const laneBits = (lanes: Code): Code => [lanes, 0xfd, 0x64]
/** Sixteen different ones. */
export const lanesOf = (bytes: readonly number[]): Code => [0xfd, 0x0c, bytes.slice(0, 16)]

/** Flow. */
export const when = (condition: Code, ...body: Code[]): Code => [condition, { opening: 0x04, label: '', body }]
export const choose = (condition: Code, body: Code, otherwise: Code): Code => [
  condition,
  { opening: 0x04, label: '', body: [body, 0x05, otherwise] },
]
/** Runs once, unless something in it jumps back to its label. */
export const loop = (label: string, ...body: Code[]): Code => [{ opening: 0x03, label, body }]
export const again = (label: string): Code => [{ to: label }]
export const giveBack = (value: Code): Code => [value, 0x0f]
/** `place`: of the function in its module. */
export const call = (place: number, ...values: Code[]): Code => [values, 0x10, place]

/** A function of whole numbers that gives one. */
export interface WasmFunction {
  parameters: number
  /** Types of its own variables, numbered behind the parameters. */
  locals: readonly number[]
  code: Code
}

/** The part of WebAssembly that is used here; Node's types leave it out. */
interface Engine {
  Memory: new (size: { initial: number }) => { buffer: ArrayBuffer }
  Module: new (code: Uint8Array) => object
  Instance: new (module: object, imports: object) => { exports: Record<string, (...values: number[]) => number> }
}

const pageBytes = 64 * 1024

export interface WasmRun<Name extends string> {
  memory: ArrayBuffer
  run: Record<Name, (...values: number[]) => number>
}

/** The functions over a memory of at least `size` bytes; null where there is no WebAssembly with vectors. */
export function runWasm<Name extends string>(
  functions: Record<Name, WasmFunction>,
  size: number,
): WasmRun<Name> | null {
  const { WebAssembly: engine } = globalThis as { WebAssembly?: Engine }
  if (engine === undefined) return null
  try {
    const memory = new engine.Memory({ initial: Math.ceil(size / pageBytes) })
    const { exports } = new engine.Instance(new engine.Module(moduleOf(functions)), { own: { memory } })
    return { memory: memory.buffer, run: exports as WasmRun<Name>['run'] }
  } catch {
    // An engine without vectors refuses the code.
    return null
  }
}

function moduleOf(functions: Record<string, WasmFunction>): Uint8Array {
  const all = Object.entries<WasmFunction>(functions)
  const types = all.flatMap(([, { parameters }]) => [0x60, parameters, ...Array<number>(parameters).fill(i32), 1, i32])
  const bodies = all.flatMap(([, { locals, code }]) => {
    const body = [locals.length, ...locals.flatMap(type => [1, type])]
    flatten(code, [], body)
    body.push(0x0b)
    return [...unsigned(body.length), ...body]
  })
  return new Uint8Array([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, [all.length, ...types]),
    ...section(2, [1, ...name('own'), ...name('memory'), 0x02, 0x00, 1]),
    ...section(3, [all.length, ...all.map((_, at) => at)]),
    ...section(7, [all.length, ...all.flatMap(([own], at) => [...name(own), 0x00, at])]),
    ...section(10, [all.length, ...bodies]),
  ])
}

/** Code is nested as deep as it is written here, no deeper. A jump counts the blocks out to the one that it names. */
function flatten(code: Code, labels: readonly string[], into: number[]): void {
  for (const part of code) {
    if (typeof part === 'number') {
      into.push(part)
    } else if ('opening' in part) {
      into.push(part.opening, 0x40)
      flatten(part.body, [...labels, part.label], into)
      into.push(0x0b)
    } else if ('to' in part) {
      into.push(0x0c, labels.length - 1 - labels.lastIndexOf(part.to))
    } else {
      flatten(part, labels, into)
    }
  }
}

function section(id: number, content: readonly number[]): number[] {
  return [id, ...unsigned(content.length), ...content]
}

/** Of ASCII characters. */
function name(text: string): number[] {
  return [text.length, ...[...text].map(character => character.charCodeAt(0))]
}

/** LEB128, as WebAssembly writes numbers. */
function unsigned(value: number): number[] {
  const bytes: number[] = []
  for (let rest = value; ; rest >>>= 7) {
    if (rest < 0x80) return [...bytes, rest]
    bytes.push((rest & 0x7f) | 0x80)
  }
}

function signed(value: number): number[] {
  const bytes: number[] = []
  for (let rest = value; ; rest >>= 7) {
    if (rest >= -0x40 && rest < 0x40) return [...bytes, rest & 0x7f]
    bytes.push((rest & 0x7f) | 0x80)
  }
}

function signedLong(value: bigint): number[] {
  const bytes: number[] = []
  for (let rest = BigInt.asIntN(64, value); ; rest >>= 7n) {
    const low = Number(rest & 0x7fn)
    if (rest >= -0x40n && rest < 0x40n) return [...bytes, low]
    bytes.push(low | 0x80)
  }
}
