// Quick hashes: they tell whether a text was seen before. They are not safe against somebody who wants two texts to be taken
// for one.

import { textCodes } from './text-codes.ts'

/** 53 bits, so that it is a whole number everywhere; `seed` tells uses apart. */
export function textHash(text: string, seed: number): number {
  return codesHash(textCodes(text), text.length, seed)
}

/** Of a text's codes with a zero behind them, which an odd length takes along. */
export function codesHash(codes: Uint16Array, length: number, seed: number): number {
  let low = 0x811c9dc5 ^ length
  let high = 0x2f0b4c47 ^ seed
  for (let at = 0; at < length; at += 2) {
    const pair = (codes[at] as number) | ((codes[at + 1] as number) << 16)
    low = Math.imul(((low << 13) | (low >>> 19)) ^ pair, 0x9e3779b1)
    high = Math.imul(((high << 17) | (high >>> 15)) + pair, 0x85ebca6b)
  }
  return (spread(high) & 0x1fffff) * 0x100000000 + (spread(low ^ high) >>> 0)
}

/** Lets every bit of a hash depend on every other. */
export function spread(hash: number): number {
  let bits = Math.imul(hash ^ (hash >>> 16), 0xc2b2ae35)
  bits = Math.imul(bits ^ (bits >>> 13), 0x27d4eb2f)
  return (bits ^ (bits >>> 16)) >>> 0
}
