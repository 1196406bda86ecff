// Chance that can be repeated: the same seed gives the same numbers on every machine. Not for secrets.

/**
 * Numbers in [0, 1) from a 32-bit state.
 * @param {number} seed
 * @returns {() => number}
 */
export function mulberry(seed) {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

/** True with the given probability. */
export const chance = (random, probability) => random() < probability

/** One of the items. */
export const pick = (random, items) => items[Math.floor(random() * items.length)]
