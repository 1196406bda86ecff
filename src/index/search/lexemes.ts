// A query cut into words, phrases, filters, operators and parentheses. What they mean together is read elsewhere.

import { filterNames } from './filters.ts'
import { nearest, type QueryProblem } from './problem.ts'

interface Place {
  from: number
  to: number
}

export type Lexeme = Place &
  (
    | { type: 'word' | 'phrase'; text: string; isPrefix: boolean }
    | { type: 'filter'; name: string; value: string; isQuoted: boolean }
    | { type: 'open' | 'close' | 'or' | 'and' | 'not' }
  )

const operators: ReadonlyMap<string, 'or' | 'and' | 'not'> = new Map([
  ['OR', 'or'],
  ['AND', 'and'],
  ['NOT', 'not'],
])
const blank = /\s/
const quotes = '"“”„'

export function cutQuery(text: string, problems: QueryProblem[]): Lexeme[] {
  const cut = new Cutter(text, problems)
  return cut.all()
}

class Cutter {
  private readonly text: string
  private readonly problems: QueryProblem[]
  private readonly lexemes: Lexeme[] = []
  private at = 0
  private open = 0

  constructor(text: string, problems: QueryProblem[]) {
    this.text = text
    this.problems = problems
  }

  all(): Lexeme[] {
    while (this.at < this.text.length) {
      const from = this.at
      const character = this.text.charAt(from)
      if (blank.test(character)) this.at++
      else if (quotes.includes(character)) this.phrase()
      else if (character === '(') this.parenthesis('open', 1)
      else if (character === ')') this.close()
      else if (this.isMinus(from)) {
        this.at++
        this.lexemes.push({ type: 'not', from, to: this.at })
      } else this.wordOrFilter()
    }
    return this.lexemes
  }

  /** `-word` excludes; `--flag`, `->` and a lone dash are text. */
  private isMinus(at: number): boolean {
    return this.text.charAt(at) === '-' && /[^\s\->)]/.test(this.text.charAt(at + 1))
  }

  private parenthesis(type: 'open' | 'close', step: number): void {
    const from = this.at++
    this.open += step
    this.lexemes.push({ type, from, to: this.at })
  }

  private close(): void {
    if (this.open > 0) {
      this.parenthesis('close', -1)
      return
    }
    const from = this.at++
    this.problems.push({
      code: 'parenthesis',
      severity: 'warning',
      message: 'this ) closes nothing and is left out',
      from,
      to: this.at,
    })
  }

  private phrase(): void {
    const from = this.at
    const text = this.quoted()
    this.lexemes.push({ type: 'phrase', text, isPrefix: this.skipStar(), from, to: this.at })
  }

  private skipStar(): boolean {
    if (this.text.charAt(this.at) !== '*') return false
    this.at++
    return true
  }

  /** What stands in the quotes that begin here; they are closed at the end of the query if nobody did. */
  private quoted(): string {
    const from = this.at
    let end = from + 1
    while (end < this.text.length && !quotes.includes(this.text.charAt(end))) end++
    this.at = Math.min(end + 1, this.text.length)
    if (end >= this.text.length) {
      this.problems.push({
        code: 'quote',
        severity: 'warning',
        message: 'this quote is not closed: it goes to the end',
        from,
        to: this.text.length,
        instead: `${this.text.slice(from)}"`,
      })
    }
    return this.text.slice(from + 1, end)
  }

  private wordOrFilter(): void {
    const from = this.at
    const colon = /^\p{L}{2,24}:/u.exec(this.text.slice(from, from + 26))
    const name = colon?.[0].slice(0, -1).toLowerCase()
    if (name !== undefined && filterNames.includes(name)) {
      this.filter(name)
      return
    }
    const word = this.bare()
    if (name !== undefined) this.mistypedFilter(name, word, from)
    const operator = operators.get(word)
    if (operator !== undefined) {
      this.lexemes.push({ type: operator, from, to: this.at })
      return
    }
    const text = word.replace(/\*+$/, '')
    if (text.includes('*')) {
      this.problems.push({
        code: 'star',
        severity: 'info',
        message: 'a * stands for the rest of a word only at its end; `grep` finds regular expressions',
        from,
        to: this.at,
      })
    }
    this.lexemes.push({ type: 'word', text, isPrefix: text !== word, from, to: this.at })
  }

  private filter(name: string): void {
    const from = this.at
    this.at += name.length + 1
    const isQuoted = this.at < this.text.length && quotes.includes(this.text.charAt(this.at))
    const value = isQuoted ? this.quoted() : this.bare()
    this.lexemes.push({ type: 'filter', name, value, isQuoted, from, to: this.at })
  }

  /** Up to a blank, a quote or a parenthesis that is not the word's own: `main(argv)` is one word. */
  private bare(): string {
    const from = this.at
    let own = 0
    for (; this.at < this.text.length; this.at++) {
      const character = this.text.charAt(this.at)
      if (blank.test(character) || quotes.includes(character)) break
      if (character === '(') own++
      else if (character === ')' && own-- === 0) break
    }
    return this.text.slice(from, this.at)
  }

  private mistypedFilter(name: string, word: string, from: number): void {
    const meant = nearest(name, filterNames)
    const value = word.slice(name.length + 1)
    // `http://`, `std::x` and `C:\` are no filters.
    if (meant === undefined || /^[/\\:]/.test(value)) return
    this.problems.push({
      code: 'filter-name',
      severity: 'warning',
      message: `there is no filter ${name}:, so its words are searched for; did you mean ${meant}:?`,
      from,
      to: this.at,
      instead: `${meant}:${value}`,
    })
  }
}
