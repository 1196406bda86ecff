// Paths of a conversation that split: which slots lie on the one that is read. Slots of paths that were left are marked in
// the outline with that path's leaf; all others are on the path that was gone on with.
//
//      shared ──┬── left (leaf A)          forks: A → the slot after which A began
//               └── gone on with

import type { Outline } from '../../src/view/reading.ts'

export interface Fork {
  leaf: string
  isActive: boolean
  title?: string
  eventCount: number
  /** The slot behind which this path begins; -1 where it is not known. */
  slot: number
}

/** Whether any slot lies on a path that was left. */
export function hasPaths(outline: Outline): boolean {
  for (const _ in outline.branches) return true
  return false
}

/** Undefined where there is only one path. */
export function pathTest(
  outline: Outline,
  forks: readonly Fork[],
  leaf: string | undefined,
): ((slot: number) => boolean) | undefined {
  if (!hasPaths(outline)) return undefined
  const chosen = forks.find(fork => fork.leaf === leaf && !fork.isActive)
  if (!chosen) return slot => outline.branches[slot] === undefined
  const ends = endsOf(outline, forks, chosen)
  return slot => slot <= (ends.get(outline.branches[slot] ?? '') ?? -1)
}

/** For each path that the chosen one goes along, the last slot that both have; the empty name is the main path. */
function endsOf(outline: Outline, forks: readonly Fork[], chosen: Fork): Map<string, number> {
  const ends = new Map<string, number>([[chosen.leaf, Number.POSITIVE_INFINITY]])
  let at = chosen.slot
  while (at >= 0) {
    const on = outline.branches[at] ?? ''
    if (ends.has(on)) break
    ends.set(on, at)
    at = on === '' ? -1 : (forks.find(fork => fork.leaf === on)?.slot ?? -1)
  }
  return ends
}

/** Forks by the slot behind which they begin: where a switch is shown. The path gone on with has the place of the others. */
export function splitsOf(forks: readonly Fork[]): Map<number, Fork[]> {
  const splits = new Map<number, Fork[]>()
  for (const fork of forks) {
    if (fork.isActive || fork.slot < 0) continue
    const known = splits.get(fork.slot)
    if (known) known.push(fork)
    else splits.set(fork.slot, [fork])
  }
  return splits
}
