// What is odd about a query, said to whoever typed it. It never stops a search.

import { editSteps } from '../../base/edit-steps.ts'
import type { Finding } from '../../model/finding.ts'

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
    const steps = word.startsWith(text) ? 1 : editSteps(text, word)
    if (steps < least) {
      least = steps
      best = word
    }
  }
  return best
}
