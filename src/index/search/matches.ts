// Where in a text the words of a query stand. Pure; what is shown of it is decided in `snippet`.

import { eachWord, foldWord, nameParts } from '../../base/searchable.ts'
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
  const looks = terms.flatMap((term, at) => {
    const folded = (words: readonly string[]) => new PhraseLook(words.map(foldWord), term.isPrefix, at)
    return term.parts === undefined ? [folded(term.words)] : [folded(term.words), folded(term.parts)]
  })
  const matches: Match[] = []
  const add = (word: string, from: number, to: number, isPart: boolean) => {
    const folded = foldWord(word)
    for (const look of looks) {
      const match = look.next(folded, from, to, isPart)
      if (match !== null && matches.length < most) matches.push(match)
    }
  }
  eachWord(text, (word, from, to) => {
    add(word, from, to, false)
    let at = from
    for (const part of nameParts(word)) {
      add(part, at, at + part.length, true)
      at += part.length
    }
    for (const look of looks) look.endName()
  })
  return tidy(matches)
}

/** Follows one phrase through the words of a text, and through the parts of each name by themselves. */
class PhraseLook {
  private readonly words: readonly string[]
  private readonly isPrefix: boolean
  private readonly term: number
  /** Where phrases that may still become complete began, by how many of their words were seen. */
  private begun: (number | undefined)[] = []
  private begunInName: (number | undefined)[] = []

  constructor(words: readonly string[], isPrefix: boolean, term: number) {
    this.words = words
    this.isPrefix = isPrefix
    this.term = term
  }

  next(word: string, from: number, to: number, isPart: boolean): Match | null {
    const before = isPart ? this.begunInName : this.begun
    const after: (number | undefined)[] = []
    let found: Match | null = null
    const last = this.words.length - 1
    for (let place = last; place >= 0; place--) {
      const start = place === 0 ? from : before[place]
      if (start === undefined) continue
      const wanted = this.words[place] ?? ''
      if (word !== wanted && !(place === last && this.isPrefix && word.startsWith(wanted))) continue
      if (place === last) found = { from: start, to, term: this.term }
      else after[place + 1] = start
    }
    if (isPart) this.begunInName = after
    else this.begun = after
    return found
  }

  endName(): void {
    this.begunInName = []
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
