// Which plain text must stand in a line that an expression matches, as far as that is sure. It errs to the side of knowing
// nothing: then every line is decoded.

import type { Expression } from './expression.ts'

const leastLength = 3
const mostAlternatives = 8

/**
 * Texts of which one must occur, in bytes that JSON never writes otherwise than as they are or as `\u00…`; null where that
 * cannot be said.
 */
export function requiredTexts({ source, flags }: Expression): string[] | null {
  // With both, letters outside ASCII match some inside: the long s and the sign of Kelvin.
  if (flags.includes('u') && flags.includes('i')) return null
  const alternatives = new LiteralReader(source).read()
  if (alternatives === null || alternatives.length > mostAlternatives) return null
  const texts: string[] = []
  for (const runs of alternatives) {
    const longest = runs.reduce((best, run) => (run.length > best.length ? run : best), '')
    if (longest.length < leastLength) return null
    texts.push(longest)
  }
  return [...new Set(texts)]
}

/** Printable ASCII without what JSON may put a backslash before. */
function isPlain(character: string): boolean {
  return character >= ' ' && character <= '~' && character !== '"' && character !== '\\' && character !== '/'
}

/** Reads an expression's top level into runs of characters that must follow each other; groups and classes end a run. */
class LiteralReader {
  private readonly source: string
  private at = 0
  private run = ''
  private runs: string[] = []
  private readonly alternatives: string[][] = []

  constructor(source: string) {
    this.source = source
  }

  /** The runs of each alternative; null where the expression has something that is not understood here. */
  read(): string[][] | null {
    while (this.at < this.source.length) if (!this.step()) return null
    this.endAlternative()
    return this.alternatives
  }

  /** False where it cannot go on. */
  private step(): boolean {
    const character = this.source[this.at] as string
    switch (character) {
      case '|':
        this.at++
        this.endAlternative()
        return true
      case '(':
        return this.skipGroup()
      case '[':
        return this.skipClass()
      case '\\':
        return this.escape()
      case '.':
      case '^':
      case '$':
        this.at++
        this.endRun()
        return this.quantifier()
      case '*':
      case '+':
      case '?':
      case ')':
        return false
      default:
        this.at++
        return this.character(character)
    }
  }

  /** A character with what says how often it stands there. */
  private character(character: string): boolean {
    const next = this.source[this.at]
    if (next === '*' || next === '?' || next === '{') {
      this.endRun()
      return this.quantifier()
    }
    if (isPlain(character)) this.run += character
    else this.endRun()
    if (next !== '+') return true
    this.endRun()
    return this.quantifier()
  }

  private quantifier(): boolean {
    const found = /^(?:[*+?]|\{\d+(?:,\d*)?\})\??/.exec(this.source.slice(this.at, this.at + 40))
    if (found !== null) this.at += found[0].length
    // A brace that counts nothing is a character of its own; not worth being understood.
    return found !== null || this.source[this.at] !== '{'
  }

  private escape(): boolean {
    const escaped = this.source[this.at + 1]
    if (escaped === undefined || /[xucpPk0-9]/.test(escaped)) return false
    this.at += 2
    if (!/[A-Za-z]/.test(escaped)) return this.character(escaped)
    this.endRun()
    return this.quantifier()
  }

  private skipClass(): boolean {
    this.at = classEnd(this.source, this.at)
    this.endRun()
    return this.quantifier()
  }

  private skipGroup(): boolean {
    // Modifiers such as `(?i:` change what stands inside alone, and that is skipped.
    let depth = 0
    for (; this.at < this.source.length; this.at++) {
      const character = this.source[this.at]
      if (character === '\\') this.at++
      else if (character === '[') this.at = classEnd(this.source, this.at) - 1
      else if (character === '(') depth++
      else if (character === ')' && --depth === 0) break
    }
    this.at++
    this.endRun()
    return this.quantifier()
  }

  private endRun(): void {
    if (this.run !== '') this.runs.push(this.run)
    this.run = ''
  }

  private endAlternative(): void {
    this.endRun()
    this.alternatives.push(this.runs)
    this.runs = []
  }
}

/** The place behind the bracket that closes a class. */
function classEnd(source: string, from: number): number {
  let at = from + 1
  while (at < source.length && source[at] !== ']') at += source[at] === '\\' ? 2 : 1
  return at + 1
}
