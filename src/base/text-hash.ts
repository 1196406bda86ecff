// Quick hashes: they show whether a text was seen before. They are not safe against an attacker who wants two texts to be taken
// for one.

import { textCodes } from './text-codes.ts'

/** 53 bits, so that it is a whole number everywhere; `seed` separates uses. */
export function textHash(text: string, seed: number): number {
  const { length } = text
  if (length >= mixing.groupsFrom) return codesHash(textCodes(text), length, seed)
  let low = mixing.low.start ^ length
  let high = mixing.high.start ^ seed
  for (let at = 0; at < length; at += 2) {
    const next = at + 1 < length ? text.charCodeAt(at + 1) : 0
    const pair = text.charCodeAt(at) | (next << 16)
    low = mixLow(low, pair)
    high = mixHigh(high, pair)
  }
  return joinedHash(low, high)
}

/** How pairs of characters are mixed into both halves of a hash; also in WebAssembly. */
export const mixing = {
  low: { start: 0x811c9dc5 | 0, factor: 0x9e3779b1 | 0 },
  high: { start: 0x2f0b4c47, factor: 0x85ebca6b | 0 },
  /** From this length on, whole groups of eight characters are mixed first. */
  groupsFrom: 128,
} as const

/** Of a text's codes with a zero behind them, which an odd length takes along. */
export function codesHash(codes: Uint16Array, length: number, seed: number): number {
  let low = mixing.low.start ^ length
  let high = mixing.high.start ^ seed
  let at = 0
  if (length >= mixing.groupsFrom) {
    at = length & ~7
    for (const mixed of mixGroups(codes, at, low, high)) {
      low = mixLow(low, mixed)
      high = mixHigh(high, mixed)
    }
  }
  for (; at < length; at += 2) {
    const pair = (codes[at] as number) | ((codes[at + 1] as number) << 16)
    low = mixLow(low, pair)
    high = mixHigh(high, pair)
  }
  return joinedHash(low, high)
}

/** Four hashes side by side, one for each pair of a group, so that none waits for the one before: lower halves, then upper. */
function mixGroups(codes: Uint16Array, end: number, low: number, high: number): Int32Array {
  const lanes = new Int32Array(8).fill(low, 0, 4).fill(high, 4)
  for (let at = 0; at < end; at += 2) {
    const pair = (codes[at] as number) | ((codes[at + 1] as number) << 16)
    const lane = (at >> 1) & 3
    lanes[lane] = mixLow(lanes[lane] as number, pair)
    lanes[lane + 4] = mixHigh(lanes[lane + 4] as number, pair)
  }
  return lanes
}

function mixLow(low: number, pair: number): number {
  return Math.imul(((low << 13) | (low >>> 19)) ^ pair, mixing.low.factor)
}

function mixHigh(high: number, pair: number): number {
  return Math.imul(((high << 17) | (high >>> 15)) + pair, mixing.high.factor)
}

/** One number of both halves of a hash. */
export function joinedHash(low: number, high: number): number {
  return (spread(high) & 0x1fffff) * 0x100000000 + spread(low ^ high)
}

/** Lets every bit of a hash depend on every other. */
export function spread(hash: number): number {
  let bits = Math.imul(hash ^ (hash >>> 16), 0xc2b2ae35)
  bits = Math.imul(bits ^ (bits >>> 13), 0x27d4eb2f)
  return (bits ^ (bits >>> 16)) >>> 0
}
