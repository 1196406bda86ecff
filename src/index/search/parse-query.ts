// The language of `search`: what somebody typed becomes words to find, filters that rows must pass, and hints. It never
// fails and reads no index.
//
//   rounding invoice     both          "rounding error"   a phrase          round*   a beginning
//   a OR b               one of them   -word, NOT word    without it        ( )      groups
//   tool:Bash kind:prompt project:shop file:main.ts model:opus is:error since:7d until:2026-01-01 session:3f2a thread:main
//
// Operators are capitals. AND, written or not, binds tighter than OR. Filters hold for the whole query, wherever they
// stand: values of one filter are alternatives, different filters must all hold; -tool:Bash excludes.

import { type Expression, termOf } from './expression.ts'
import { addFilter, type QueryFilters } from './filters.ts'
import { cutQuery, type Lexeme } from './lexemes.ts'
import type { QueryProblem } from './problem.ts'
import type { TimeContext } from './when.ts'

export interface SearchQuery {
  /** What texts must have; null where only filters or exclusions were written. */
  expression: Expression | null
  /** What texts must not have, where there is no `expression` that could say so (`-word` alone, beside filters). */
  excluded: Expression | null
  filters: QueryFilters
  problems: QueryProblem[]
}

/** Beyond these a query is no longer something that a person wrote, and SQLite's own limits come near. */
const mostWords = 256
const deepestGroup = 12

export function parseQuery(text: string, context: TimeContext): SearchQuery {
  const problems: QueryProblem[] = []
  const lexemes = cutQuery(text, problems)
  const query = new QueryReader(context, problems).read(lexemes, text)
  problems.sort((one, other) => one.from - other.from)
  return query
}

/** What stands between two ORs. */
interface Side {
  wanted: Expression[]
  unwanted: Expression[]
  filters: number
}

interface Group {
  sides: Side[]
  isExcluded: boolean
  from: number
}

class QueryReader {
  private readonly context: TimeContext
  private readonly problems: QueryProblem[]
  private readonly filters: QueryFilters = {}
  private group: Group = { sides: [newSide()], isExcluded: false, from: 0 }
  private readonly outer: Group[] = []
  /** Groups that are too deep count only so that their ends are known. */
  private tooDeep = 0
  private isExcluding = false
  /** An operator that still waits for what comes after it. */
  private waiting: Lexeme | null = null
  private wordsLeft = mostWords

  constructor(context: TimeContext, problems: QueryProblem[]) {
    this.context = context
    this.problems = problems
  }

  read(lexemes: readonly Lexeme[], text: string): SearchQuery {
    for (const lexeme of lexemes) this.add(lexeme)
    this.dropWaiting()
    while (this.outer.length > 0) {
      const { from } = this.group
      this.hint('parenthesis', 'this ( is not closed: the group goes to the end', { from, to: from + 1 })
      this.closeGroup()
    }
    const { group } = this
    const only = group.sides.length === 1 ? group.sides[0] : undefined
    const isBare = only !== undefined && only.wanted.length === 0 && only.unwanted.length > 0
    const expression = isBare ? null : this.groupToExpression(group)
    const excluded = isBare ? oneOf(only.unwanted) : null
    if (expression === null && Object.keys(this.filters).length === 0 && this.problems.length === 0) {
      const message = isBare ? 'all words are excluded; say what to find as well' : 'there is nothing to search for'
      this.hint('empty', message, { from: 0, to: text.length })
    }
    return { expression, excluded, filters: this.filters, problems: this.problems }
  }

  private hint(code: string, message: string, { from, to }: { from: number; to: number }): void {
    this.problems.push({ code, severity: 'warning', message, from, to })
  }

  private get side(): Side {
    const last = this.group.sides.at(-1)
    if (last !== undefined) return last
    const side = newSide()
    this.group.sides.push(side)
    return side
  }

  private add(lexeme: Lexeme): void {
    if (lexeme.type === 'word' || lexeme.type === 'phrase') this.addTerm(lexeme)
    else if (lexeme.type === 'filter') this.addFilter(lexeme)
    else if (lexeme.type === 'open') this.openGroup(lexeme)
    else if (lexeme.type === 'close') this.endGroup()
    else if (lexeme.type === 'not') {
      this.isExcluding = !this.isExcluding
      this.waiting ??= lexeme
    } else this.addOperator(lexeme)
  }

  private addOperator(lexeme: Lexeme): void {
    const { side } = this
    const hasLeft = this.waiting === null && (side.wanted.length > 0 || side.unwanted.length > 0 || side.filters > 0)
    if (!hasLeft) {
      const name = lexeme.type.toUpperCase()
      this.hint('operator', `${name} has nothing before it and is left out; as a word write "${name}"`, lexeme)
      return
    }
    this.waiting = lexeme
    if (lexeme.type === 'or') this.group.sides.push(newSide())
  }

  /** Whatever an operator waited for has come. */
  private taken(): boolean {
    const isExcluded = this.isExcluding
    this.isExcluding = false
    this.waiting = null
    return isExcluded
  }

  private dropWaiting(): void {
    const { waiting } = this
    if (waiting !== null) {
      const name = waiting.type.toUpperCase()
      this.hint('operator', `${name} has nothing after it and is left out; as a word write "${name}"`, waiting)
    }
    this.taken()
  }

  private addTerm(lexeme: Lexeme & { type: 'word' | 'phrase' }): void {
    const isExcluded = this.taken()
    if (this.wordsLeft === 0) return
    const term = termOf(lexeme.text, lexeme.isPrefix, this.wordsLeft)
    if (term === null) {
      const message = 'there is no letter or digit in this, so it is left out; `grep` finds signs'
      this.hint('no-words', message, lexeme)
      return
    }
    this.wordsLeft -= term.words.length
    if (term.isPrefix && term.words.length === 1 && /^[a-z0-9]$/i.test(term.words[0] ?? '')) {
      // A tenth of all words begins with the same letter.
      term.isPrefix = false
      this.hint('prefix-short', 'a * needs two letters before it; what stands there is searched as a word', lexeme)
    }
    if (this.wordsLeft === 0) this.hint('too-long', 'the query is too long; what is beyond is left out', lexeme)
    this.place(term, isExcluded)
  }

  private place(expression: Expression, isExcluded: boolean): void {
    const { side } = this
    if (isExcluded) side.unwanted.push(expression)
    else side.wanted.push(expression)
  }

  private addFilter(lexeme: Lexeme & { type: 'filter' }): void {
    const isExcluded = this.taken()
    this.side.filters++
    const problem = addFilter(this.filters, { ...lexeme, isExcluded }, this.context)
    if (problem !== undefined) this.problems.push({ ...problem, from: lexeme.from, to: lexeme.to })
  }

  private openGroup({ from, to }: Lexeme): void {
    if (this.outer.length >= deepestGroup) {
      if (this.tooDeep === 0)
        this.hint('too-deep', 'groups are nested too deep; these parentheses are left out', { from, to })
      this.tooDeep++
      return
    }
    const isExcluded = this.taken()
    this.outer.push(this.group)
    this.group = { sides: [newSide()], isExcluded, from }
  }

  private endGroup(): void {
    this.dropWaiting()
    if (this.tooDeep > 0) this.tooDeep--
    else this.closeGroup()
  }

  private closeGroup(): void {
    const inner = this.group
    const outer = this.outer.pop()
    if (outer === undefined) return
    this.group = outer
    const { isExcluded } = inner
    const only = inner.sides.length === 1 ? inner.sides[0] : undefined
    if (only !== undefined) this.side.filters += only.filters
    if (only !== undefined && only.wanted.length === 0) {
      // Without anything wanted, `(-a -b)` is `-a -b`, and `-(-a -b)` is `(a OR b)`.
      const expression = oneOf(only.unwanted)
      if (expression !== null) this.place(expression, !isExcluded)
      return
    }
    const expression = this.groupToExpression(inner)
    if (expression !== null) this.place(expression, isExcluded)
  }

  private groupToExpression({ sides, from }: Group): Expression | null {
    const found: Expression[] = []
    for (const side of sides) {
      if (side.wanted.length > 0) found.push(sideToExpression(side))
      else if (side.unwanted.length > 0) {
        const message = 'beside OR, something excluded needs a word that is wanted; it is left out'
        this.hint('only-excluded', message, { from, to: from + 1 })
      }
    }
    if (found.length > 0 && sides.some(side => side.filters > 0 && side.wanted.length === 0)) {
      this.hint('filter-or', 'a filter holds for the whole query, also beside OR', { from, to: from + 1 })
    }
    return oneOf(found)
  }
}

function newSide(): Side {
  return { wanted: [], unwanted: [], filters: 0 }
}

function sideToExpression({ wanted, unwanted }: Side): Expression {
  const [only] = wanted
  if (only !== undefined && wanted.length === 1 && unwanted.length === 0) return only
  return { type: 'all', of: wanted, except: unwanted }
}

function oneOf(expressions: Expression[]): Expression | null {
  const [only] = expressions
  if (only === undefined || expressions.length === 1) return only ?? null
  return { type: 'any', of: expressions }
}
