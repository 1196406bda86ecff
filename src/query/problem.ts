// What is odd about a query, said to whoever typed it. It never stops a search.

import type { Finding } from '../model/finding.ts'

export interface QueryProblem extends Pick<Finding, 'code' | 'severity' | 'message'> {
  /** Where in the query, as for `slice`. */
  from: number
  to: number
  /** What to write there instead. */
  instead?: string
}

/** The known word that was probably meant. */
export function nearest(written: string, known: readonly string[]): string | undefined {
  const text = written.toLowerCase()
  if (text.length < 2 || text.length > 24) return undefined
  let best: string | undefined
  let least = text.length < 4 ? 2 : 3
  for (const word of known) {
    const steps = word.startsWith(text) ? 1 : stepsBetween(text, word)
    if (steps < least) {
      least = steps
      best = word
    }
  }
  return best
}

/** Letters to add, drop, change, or swap with their neighbour. */
function stepsBetween(one: string, other: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (let a = 1; a <= one.length; a++) {
    const row = [a]
    for (let b = 1; b <= other.length; b++) {
      const same = one[a - 1] === other[b - 1] ? 0 : 1
      let steps = Math.min((last[b] ?? 0) + 1, (row[b - 1] ?? 0) + 1, (last[b - 1] ?? 0) + same)
      if (a > 1 && b > 1 && one[a - 1] === other[b - 2] && one[a - 2] === other[b - 1]) {
        steps = Math.min(steps, (beforeLast[b - 2] ?? 0) + 1)
      }
      row.push(steps)
    }
    beforeLast = last
    last = row
  }
  return last[other.length] ?? 0
}
