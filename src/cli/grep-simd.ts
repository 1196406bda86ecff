// Finds texts in bytes sixteen at a time, with a small WebAssembly function that is made for the texts in question. It says
// where something may begin; whoever asks looks closer. Where the machine cannot do it, it is not there.

/** Characters of logs, the most frequent first; those that are missing are rare. */
const frequent = ' eatoinsrlcdumhp0_123fg4.5b-67y89w:v,k={}[]()'

export interface Wanted {
  /** Plain ASCII, two or more characters each. */
  texts: readonly string[]
  ignoresCase: boolean
}

/** A place in memory to put bytes, and the next of them where something may begin. */
export interface SimdFinder {
  /** What is searched; its last `slack` bytes are never asked for. */
  readonly bytes: Buffer
  /** The first place from `from` on, before `to`; -1 where there is none. */
  next(from: number, to: number): number
}

const pageBytes = 64 * 1024
/** Bytes behind the end that are looked at, too: a vector, and how far into a text its rarest characters are looked for. */
const slack = 256

/** The part of WebAssembly that is used here; Node's types leave it out. */
interface Engine {
  validate(code: Uint8Array): boolean
  Memory: new (size: { initial: number }) => { buffer: ArrayBuffer }
  Module: new (code: Uint8Array) => object
  Instance: new (module: object, imports: object) => { exports: { find: (from: number, to: number) => number } }
}

/** Null where there is no WebAssembly with vectors. `size`: how many bytes it can hold. */
export function simdFinder(wanted: Wanted, size: number): SimdFinder | null {
  const { WebAssembly: engine } = globalThis as { WebAssembly?: Engine }
  const code = moduleOf(wanted)
  if (engine === undefined || !engine.validate(code)) return null
  const memory = new engine.Memory({ initial: Math.ceil((size + slack) / pageBytes) })
  const { find } = new engine.Instance(new engine.Module(code), { own: { memory } }).exports
  return {
    bytes: Buffer.from(memory.buffer, 0, size),
    next(from, to) {
      const at = find(from, to)
      return at < to ? at : -1
    },
  }
}

/** The places in a text that tell it best from others: of its rarest characters, at most three. */
function rarest(text: string, ignoresCase: boolean): number[] {
  const rank = (at: number) => {
    const character = text[at] ?? ' '
    const place = frequent.indexOf(ignoresCase ? character.toLowerCase() : character)
    return place === -1 ? frequent.length : place
  }
  const places = [...text.slice(0, slack - 32)].map((_, at) => at)
  return places.sort((one, other) => rank(other) - rank(one) || one - other).slice(0, 3)
}

const op = {
  loop: [0x03, 0x40],
  if: [0x04, 0x40],
  end: [0x0b],
  again: [0x0c, 0x00],
  return: [0x0f],
  i32: { ge: [0x4f], add: [0x6a], ctz: [0x68] },
  load: (offset: number) => [0xfd, 0x00, 0x00, ...unsigned(offset)],
  vector: (byte: number) => [0xfd, 0x0c, ...Array<number>(16).fill(byte)],
  eq: [0xfd, 0x23],
  and: [0xfd, 0x4e],
  or: [0xfd, 0x50],
  anyTrue: [0xfd, 0x53],
  bitmask: [0xfd, 0x64],
  get: (local: number) => [0x20, local],
  set: (local: number) => [0x21, local],
  tee: (local: number) => [0x22, local],
  number: (value: number) => [0x41, value & 0x7f],
}

const at = 0
const to = 1
const mask = 2

/** Lanes in which a byte at this distance equals a character. */
function equals(distance: number, character: string, ignoresCase: boolean): number[] {
  const code = character.charCodeAt(0)
  if (!ignoresCase || !/[a-z]/i.test(character)) return [...lane(distance), ...op.vector(code), ...op.eq]
  return [...lane(distance), ...op.vector(0x20), ...op.or, ...op.vector(code | 0x20), ...op.eq]
}

function lane(distance: number): number[] {
  return [...op.get(at), ...op.load(distance)]
}

function allOf(parts: readonly number[][]): number[] {
  return parts.flatMap((part, index) => (index === 0 ? part : [...part, ...op.and]))
}

/** Lanes where a text may begin, or an escape by number, such as `\u0061`, that may be a character of it. */
function lanes({ texts, ignoresCase }: Wanted, shift: number): number[] {
  const numbered = allOf([equals(shift, '\\', false), equals(shift + 1, 'u', false)])
  const wanted = texts.map(text =>
    allOf(rarest(text, ignoresCase).map(place => equals(shift + place, text[place] ?? '', ignoresCase))),
  )
  const all = [numbered, ...wanted]
  return all.flatMap((part, index) => (index === 0 ? part : [...part, ...op.or]))
}

/**
 * `find(at, to)`: looks at 32 bytes a round.
 *
 *     loop: if at >= to, return to
 *           if any lane of both halves: return at + the first of the half that has one
 *           at += 32; again
 */
function bodyOf(wanted: Wanted): number[] {
  const found = (half: number, shift: number) => [
    ...[...op.get(half), ...op.bitmask, ...op.tee(mask + 2)],
    ...op.if,
    ...[...op.get(at), ...op.get(mask + 2), ...op.i32.ctz, ...op.i32.add],
    ...(shift === 0 ? [] : [...op.number(shift), ...op.i32.add]),
    ...[...op.return, ...op.end],
  ]
  return [
    ...op.loop,
    ...[...op.get(at), ...op.get(to), ...op.i32.ge, ...op.if, ...op.get(to), ...op.return, ...op.end],
    ...[...lanes(wanted, 0), ...op.tee(mask)],
    ...[...lanes(wanted, 16), ...op.tee(mask + 1)],
    ...[...op.or, ...op.anyTrue, ...op.if, ...found(mask, 0), ...found(mask + 1, 16), ...op.end],
    ...[...op.get(at), ...op.number(32), ...op.i32.add, ...op.set(at)],
    ...[...op.again, ...op.end],
    ...[...op.get(to), ...op.end],
  ]
}

const i32 = 0x7f
const v128 = 0x7b

function moduleOf(wanted: Wanted): Uint8Array {
  const body = [2, 2, v128, 1, i32, ...bodyOf(wanted)]
  return new Uint8Array([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, [1, 0x60, 2, i32, i32, 1, i32]),
    ...section(2, [1, ...name('own'), ...name('memory'), 0x02, 0x00, 1]),
    ...section(3, [1, 0]),
    ...section(7, [1, ...name('find'), 0x00, 0]),
    ...section(10, [1, ...unsigned(body.length), ...body]),
  ])
}

function section(id: number, content: readonly number[]): number[] {
  return [id, ...unsigned(content.length), ...content]
}

function name(text: string): number[] {
  return [text.length, ...Buffer.from(text, 'latin1')]
}

/** LEB128, as WebAssembly writes numbers. */
function unsigned(value: number): number[] {
  const bytes: number[] = []
  for (let rest = value; ; rest >>>= 7) {
    if (rest < 0x80) return [...bytes, rest]
    bytes.push((rest & 0x7f) | 0x80)
  }
}
