// The query language of `search`: what is typed becomes words to find, filters that places must pass, and hints. It never fails
// and reads no index.
//
//   rounding invoice     both          "rounding error"   a phrase          round*   a beginning
//   a OR b               one of them   -word, NOT word    without it        ( )      groups
//   tool:Bash kind:prompt project:shop file:main.ts model:opus is:error since:7d until:2026-01-01 session:3f2a thread:main
//
// Operators are capitals. AND, written or not, binds tighter than OR. Filters apply to the whole query, wherever they are
// written: values of one filter are alternatives, different filters must all pass; -tool:Bash excludes.

import { nearestOf } from '../../base/edit-steps.ts'
import { eachWord, nameParts } from '../../base/searchable.ts'
import type { Finding } from '../../model/finding.ts'
import { otherWords, textKindNamed, textKinds } from '../../session/text-kinds.ts'
import { readWhen, type TimeContext, timeExamples } from './when.ts'

export interface SearchQuery {
  /** What texts must have; null where only filters or exclusions were written. */
  expression: Expression | null
  /** What texts must not have, where there is no `expression` that could say so (`-word` alone, with filters). */
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

/** What is between two ORs. */
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
      this.hint('parenthesis', 'this ( is not closed; the group goes to the end', { from, to: from + 1 })
      this.closeGroup()
    }
    const { group } = this
    const only = group.sides.length === 1 ? group.sides[0] : undefined
    const isBare = only !== undefined && only.wanted.length === 0 && only.unwanted.length > 0
    const expression = isBare ? null : this.groupToExpression(group)
    const excluded = isBare ? oneOf(only.unwanted) : null
    if (expression === null && Object.keys(this.filters).length === 0 && this.problems.length === 0) {
      const message = isBare ? 'all words are excluded; add a word to find' : 'there is nothing to search for'
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
      this.hint('operator', `${name} has nothing before it and is ignored; as a word write "${name}"`, lexeme)
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
      this.hint('operator', `${name} has nothing after it and is ignored; as a word write "${name}"`, waiting)
    }
    this.taken()
  }

  private addTerm(lexeme: Lexeme & { type: 'word' | 'phrase' }): void {
    const isExcluded = this.taken()
    if (this.wordsLeft === 0) return
    const term = termOf(lexeme.text, lexeme.isPrefix, this.wordsLeft)
    if (term !== null && lexeme.type === 'phrase') term.isExact = true
    if (term === null) {
      const message = 'no letter or digit in this, so it is ignored; clew grep finds punctuation'
      this.hint('no-words', message, lexeme)
      return
    }
    this.wordsLeft -= term.words.length
    if (term.isPrefix && term.words.length === 1 && /^[a-z0-9]$/i.test(term.words[0] ?? '')) {
      // A tenth of all words begins with the same letter.
      term.isPrefix = false
      this.hint('prefix-short', 'a * needs two letters before it; this is searched as a word', lexeme)
    }
    if (this.wordsLeft === 0) this.hint('too-long', 'the query is too long; the rest is ignored', lexeme)
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
        this.hint('too-deep', 'groups are nested too deep; these parentheses are ignored', { from, to })
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
        const message = 'with OR, an excluded word needs one to find; it is ignored'
        this.hint('only-excluded', message, { from, to: from + 1 })
      }
    }
    if (found.length > 0 && sides.some(side => side.filters > 0 && side.wanted.length === 0)) {
      this.hint('filter-or', 'a filter applies to the whole query, also with OR', { from, to: from + 1 })
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

export interface QueryProblem extends Pick<Finding, 'code' | 'severity' | 'message'> {
  /** Where in the query, as for `slice`. */
  from: number
  to: number
  /** What to write there instead. */
  instead?: string
}

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

function cutQuery(text: string, problems: QueryProblem[]): Lexeme[] {
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
      message: 'this ) closes nothing and is ignored',
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

  /** What is in the quotes that begin here; the end of the query closes them too. */
  private quoted(): string {
    const from = this.at
    let end = from + 1
    while (end < this.text.length && !quotes.includes(this.text.charAt(end))) end++
    this.at = Math.min(end + 1, this.text.length)
    if (end >= this.text.length) {
      this.problems.push({
        code: 'quote',
        severity: 'warning',
        message: 'this quote is not closed; it goes to the end',
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
        message: 'a * means the rest of a word, only at its end; clew grep takes regular expressions',
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
    const meant = nearestOf(name, filterNames)
    const value = word.slice(name.length + 1)
    // `http://`, `std::x` and `C:\` are not filters.
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

const states = ['error', 'archived']

const textFilters = ['tool', 'kind', 'project', 'file', 'model', 'is', 'session', 'thread'] as const
export type TextFilter = (typeof textFilters)[number]
const filterNames: readonly string[] = [...textFilters, 'since', 'until']

/** Values of one filter: a row has one of `any` (where there are some) and none of `none`. */
export interface FilterValues {
  any: string[]
  none: string[]
}

/** Every filter must pass; one that was not written is absent. */
export type QueryFilters = { [Name in TextFilter]?: FilterValues } & {
  /** Milliseconds since 1970; from then on. */
  since?: number
  /** Before then. */
  until?: number
}

export interface WrittenFilter {
  name: string
  value: string
  isQuoted: boolean
  isExcluded: boolean
  from: number
  to: number
}

/** Adds one to those read so far; what is odd about it is given back. */
export function addFilter(
  filters: QueryFilters,
  written: WrittenFilter,
  context: TimeContext,
): Omit<QueryProblem, 'from' | 'to'> | undefined {
  const { name, value } = written
  if (value.trim() === '') {
    return { code: 'filter-empty', severity: 'warning', message: `${name}: needs a value, as in ${examples[name]}` }
  }
  if (name === 'since' || name === 'until') return addTime(filters, name, written, context)
  const textName = textFilters.find(known => known === name)
  return textName === undefined ? undefined : addText(filters, textName, written)
}

const examples: Readonly<Record<string, string>> = {
  tool: 'tool:Bash',
  kind: 'kind:prompt',
  project: 'project:shop',
  file: 'file:main.ts',
  model: 'model:opus',
  is: 'is:error',
  session: 'session:3f2a',
  thread: 'thread:main',
  since: 'since:7d',
  until: 'until:2026-01-31',
}

function addTime(
  filters: QueryFilters,
  name: 'since' | 'until',
  { value, isExcluded }: WrittenFilter,
  context: TimeContext,
): Omit<QueryProblem, 'from' | 'to'> | undefined {
  if (isExcluded) {
    const other = name === 'since' ? 'until' : 'since'
    const message = `${name}: cannot be excluded; write ${other}:${value}`
    return { code: 'filter-excluded', severity: 'error', message, instead: `${other}:${value}` }
  }
  const at = readWhen(value, name, context)
  if (at === undefined || !Number.isFinite(at)) {
    const message = `${name}:${value} is not a time; write one as ${timeExamples}`
    return { code: 'filter-time', severity: 'error', message }
  }
  filters[name] = at
  if (filters.since === undefined || filters.until === undefined || filters.since < filters.until) return undefined
  return { code: 'filter-span', severity: 'warning', message: 'since: is not before until:, so nothing can be found' }
}

function addText(
  filters: QueryFilters,
  name: TextFilter,
  { value, isQuoted, isExcluded }: WrittenFilter,
): Omit<QueryProblem, 'from' | 'to'> | undefined {
  // Paths may have commas.
  const isList = !isQuoted && name !== 'project' && name !== 'file'
  const values = (isList ? value.split(',') : [value]).map(part => part.trim()).filter(part => part !== '')
  let problem: Omit<QueryProblem, 'from' | 'to'> | undefined
  for (const part of values) {
    const found = meantValue(name, part)
    if (found === undefined) {
      problem = unknownValue(name, part, name === 'kind' ? textKinds : states)
      continue
    }
    const kept = filters[name] ?? { any: [], none: [] }
    filters[name] = kept
    const list = isExcluded ? kept.none : kept.any
    if (!list.includes(found)) list.push(found)
  }
  return problem
}

/** The value that is meant; undefined where there is none such. */
function meantValue(name: TextFilter, written: string): string | undefined {
  if (name === 'kind') return textKindNamed(written)
  if (name === 'is') return states.find(state => state === written.toLowerCase().replace(/s$/, ''))
  return written
}

/** An error: without the filter, the query would find what was not asked for. */
export function unknownValue(name: string, value: string, known: readonly string[]): Omit<QueryProblem, 'from' | 'to'> {
  const { hint, meant } = otherWords(value, known, `${name}:`)
  return {
    code: 'filter-value',
    severity: 'error',
    message: `there is no ${name}:${value}; ${hint}`,
    ...(meant === undefined ? {} : { instead: `${name}:${meant}` }),
  }
}

/** One word or phrase. */
export interface Term {
  type: 'term'
  /** As written, without quotes and star. */
  text: string
  /** Stand one after the other in every text that is meant. Never empty. */
  words: string[]
  /** Of a single word that is a camelCase name: texts with its parts in order are meant too. */
  parts?: string[]
  /** The last word is the beginning of one. */
  isPrefix: boolean
  /** It was quoted: other forms of the word are not meant. */
  isExact?: true
}

/** Depth is bounded by the parser. */
export type Expression =
  | Term
  /** Every one of `of`, none of `except`. `of` is never empty: FTS5 has no "everything but". */
  | { type: 'all'; of: Expression[]; except: Expression[] }
  | { type: 'any'; of: Expression[] }

/** Null where the text has nothing to search for. */
function termOf(text: string, isPrefix: boolean, mostWords: number): Term | null {
  const words: string[] = []
  eachWord(text.normalize('NFKC'), word => words.push(word))
  const [only] = words
  if (only === undefined) return null
  if (words.length > mostWords) return { type: 'term', text, words: words.slice(0, mostWords), isPrefix: false }
  const parts = words.length === 1 ? nameParts(only) : []
  return { type: 'term', text, words, ...(parts.length > 0 && { parts }), isPrefix }
}

/** Valid FTS5 whatever the words: every phrase is quoted, every operator has its parentheses. */
export function toMatch(expression: Expression): string {
  if (expression.type === 'term') return termToMatch(expression)
  const wanted = joined(expression.of, expression.type === 'any' ? 'OR' : 'AND')
  if (expression.type === 'any' || expression.except.length === 0) return wanted
  return `(${wanted} NOT ${joined(expression.except, 'OR')})`
}

function joined(parts: readonly Expression[], operator: string): string {
  const [only] = parts
  if (only === undefined) return '""'
  return parts.length === 1 ? toMatch(only) : `(${parts.map(toMatch).join(` ${operator} `)})`
}

/** Words are letters and digits: nothing in them ends a quote. */
function termToMatch({ words, parts, isPrefix }: Term): string {
  const phrase = (list: readonly string[]) => `"${list.join(' ')}"${isPrefix ? ' *' : ''}`
  return parts === undefined ? phrase(words) : `(${phrase(words)} OR ${phrase(parts)})`
}

/** The expression with other forms of the words that no text has: `errors` also finds error; null where there are none. */
export function loosened(expression: Expression, isMissing: (term: Term) => boolean): Expression | null {
  if (expression.type === 'term') return isMissing(expression) ? looseTerm(expression) : null
  const of = expression.of.map(part => loosened(part, isMissing) ?? part)
  if (of.every((part, at) => part === expression.of[at])) return null
  return { ...expression, of }
}

function looseTerm({ text, words, isPrefix, isExact }: Term): Term | null {
  const [word = ''] = words
  if (words.length > 1 || isPrefix || isExact || !/^\p{L}{3,}$/u.test(word)) return null
  return { type: 'term', text, words: [stemOf(word)], isPrefix: true }
}

/** What the forms of an English word begin with; short words stay as they are. */
function stemOf(word: string): string {
  for (const [ending, least] of [
    ['ies', 3],
    ['ing', 4],
    ['es', 4],
    ['ed', 4],
    ['s', 3],
  ] as const) {
    const body = word.slice(0, -ending.length)
    if (!word.toLowerCase().endsWith(ending) || body.length < least || (ending === 's' && /s$/i.test(body))) continue
    // `running` is a form of run.
    return body.replace(/([bdgmnprt])\1$/i, '$1')
  }
  return word
}
