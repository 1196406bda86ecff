// Where in a text the words of a query stand, cut as the index cuts them. Pure; what is shown of it is `snippet`'s business.

import { tokenize } from '../../base/tokens.ts'
import type { Term } from './expression.ts'

export interface Match {
  from: number
  to: number
  /** Which of the terms. */
  term: number
}

/** In the order of the text; those of one term do not overlap. */
export function findMatches(text: string, terms: readonly Term[], most = 5000): Match[] {
  if (terms.length === 0) return []
  const looks = terms.map((term, at) => new TermLook(term, at))
  const matches: Match[] = []
  let next = 0
  tokenize(text, (token, from, to, position) => {
    if (matches.length >= most) return
    const isUnit = position === next
    if (isUnit) next++
    for (const look of looks) {
      const match = isUnit ? look.unit(token, from, to) : look.whole(token, from, to)
      if (match !== null) matches.push(match)
    }
  })
  return tidy(matches)
}

/** Follows one term through the units of a text. */
class TermLook {
  private readonly term: Term
  private readonly at: number
  /** Where phrases that may still come whole began, by how many of their units were seen. */
  private begun: number[] = []

  constructor(term: Term, at: number) {
    this.term = term
    this.at = at
  }

  unit(token: string, from: number, to: number): Match | null {
    const { units, isPrefix } = this.term
    const next: number[] = []
    let found: Match | null = null
    const last = units.length - 1
    for (let place = last; place >= 0; place--) {
      const start = place === 0 ? from : this.begun[place]
      if (start === undefined) continue
      const wanted = units[place] ?? ''
      if (token !== wanted && !(place === last && isPrefix && token.startsWith(wanted))) continue
      if (place === last) found = { from: start, to, term: this.at }
      else next[place + 1] = start
    }
    this.begun = next
    return found
  }

  whole(token: string, from: number, to: number): Match | null {
    const { whole, units, isPrefix } = this.term
    const isIt = (wanted: string | undefined) =>
      wanted !== undefined && (token === wanted || (isPrefix && token.startsWith(wanted)))
    // A word may also be all of a name, or a character the end of a run.
    return isIt(whole) || (units.length === 1 && isIt(units[0])) ? { from, to, term: this.at } : null
  }
}

/** In order; one that lies inside another of its term goes, since a name and its parts are both found. */
function tidy(matches: Match[]): Match[] {
  matches.sort((one, other) => one.from - other.from || other.to - one.to)
  const ends = new Map<number, number>()
  return matches.filter(({ term, from, to }) => {
    if (from < (ends.get(term) ?? -1)) return false
    ends.set(term, to)
    return true
  })
}
