// A quick hash that shows whether a text was seen before. It is not safe against someone who wants two texts to be taken for
// one.

/** 53 bits, so that it is a whole number everywhere; `seed` separates uses. The algorithm is known as cyrb53. */
export function textHash(text: string, seed: number): number {
  let low = 0xdeadbeef ^ seed
  let high = 0x41c6ce57 ^ seed
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    low = Math.imul(low ^ code, 0x9e3779b1)
    high = Math.imul(high ^ code, 0x5f356495)
  }
  return (spread(high ^ low) & 0x1fffff) * 0x100000000 + spread(low ^ (high >>> 13))
}

/** Lets every bit of a hash depend on every other. */
export function spread(hash: number): number {
  let bits = Math.imul(hash ^ (hash >>> 16), 0xc2b2ae35)
  bits = Math.imul(bits ^ (bits >>> 13), 0x27d4eb2f)
  return (bits ^ (bits >>> 16)) >>> 0
}
