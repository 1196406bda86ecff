// Where turns begin: at prompts, and at commands that a person typed instead of one.

import type { Outline } from '../../src/view/reading.ts'

const known = new WeakMap<Outline, Set<number>>()

/** The slots that begin a turn, in order. */
export function turnStarts(outline: Outline): ReadonlySet<number> {
  let starts = known.get(outline)
  if (!starts) {
    starts = new Set()
    const seen = new Set<number>()
    for (let slot = 0; slot < outline.ids.length; slot++) {
      const turn = outline.turns[slot] ?? -1
      const isNew = turn >= 0 && !seen.has(turn)
      if (isNew) seen.add(turn)
      if (isNew || outline.prompts[slot] !== undefined) starts.add(slot)
    }
    known.set(outline, starts)
  }
  return starts
}
