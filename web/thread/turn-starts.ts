// Where turns begin: at prompts, and at commands that a person typed instead of one.

import { eventKinds } from '../../src/model/event.ts'
import type { Outline } from '../../src/view/reading.ts'

const command = eventKinds.indexOf('command')
const known = new WeakMap<Outline, Set<number>>()

/** The slots that begin a turn, in order. */
export function turnStarts(outline: Outline): ReadonlySet<number> {
  let starts = known.get(outline)
  if (!starts) {
    starts = findStarts(outline)
    known.set(outline, starts)
  }
  return starts
}

function findStarts({ ids, turns, prompts, kinds }: Outline): Set<number> {
  const starts = new Set<number>()
  const begun = new Set<number>()
  for (let slot = 0; slot < ids.length; slot++) if (prompts[slot] !== undefined) begun.add(turns[slot] ?? -1)
  for (let slot = 0; slot < ids.length; slot++) {
    const turn = turns[slot] ?? -1
    const isFirstCommand = kinds[slot] === command && turn >= 0 && !begun.has(turn)
    if (isFirstCommand) begun.add(turn)
    if (isFirstCommand || prompts[slot] !== undefined) starts.add(slot)
  }
  return starts
}
