// Rewrites an expression so that it can be tried on text whose bytes were taken for characters, which saves decoding UTF-8:
// it matches there wherever the expression matches the text itself, and maybe more. Where that is not sure, there is none.

import type { Expression } from './expression.ts'

/** Every byte that is no ASCII, and every character that an escape of JSON may have put in. */
const high = '\\u0080-\\uffff'
/** So many bytes at most stand for one UTF-16 unit. */
const mostBytes = 3

export function bytewise({ source, flags }: Expression): string | null {
  if (flags.includes('u') || flags.includes('v')) return null
  return new Rewriter(source).rewrite()
}

/** Whether it matches nothing but ASCII, so that it matches the same in bytes taken for characters. */
export function isAsciiOnly({ source, flags }: Expression): boolean {
  if (flags.includes('u') || flags.includes('v')) return false
  const rewriter = new Rewriter(source)
  return rewriter.rewrite() !== null && !rewriter.isWide
}

/** One piece of the expression; `isWide` where it matches characters of several bytes. */
interface Atom {
  text: string
  isWide: boolean
}

class Rewriter {
  private readonly source: string
  private at = 0
  private out = ''
  /** For each open group: whether something wide stands in it. */
  private readonly groups: boolean[] = []
  /** Whether anything wide stands in it. */
  isWide = false

  constructor(source: string) {
    this.source = source
  }

  rewrite(): string | null {
    while (this.at < this.source.length) if (!this.step()) return null
    return this.out
  }

  /** False where it cannot go on. */
  private step(): boolean {
    const character = this.source[this.at] as string
    if (character === '(') return this.openGroup()
    if (character === ')') return this.closeGroup()
    if (character === '|' || character === '^' || character === '$') {
      this.at++
      this.out += character
      return true
    }
    const atom = this.atom(character)
    if (atom === null) return false
    this.out += atom.text
    if (!atom.isWide) return this.copyQuantifier()
    this.isWide = true
    if (this.groups.length > 0) this.groups[this.groups.length - 1] = true
    return this.widenQuantifier()
  }

  private atom(character: string): Atom | null {
    if (character === '[') return this.class()
    if (character === '\\') return this.escape()
    // A brace that counts nothing is not worth being understood.
    if ('*+?{'.includes(character) || character > '~') return null
    this.at++
    return { text: character, isWide: character === '.' }
  }

  private escape(): Atom | null {
    const escaped = this.source[this.at + 1]
    if (escaped === undefined || escaped > '~' || /[ace-eg-mo-qu-ux-zACE-RT-VX-Z0-9]/.test(escaped)) return null
    this.at += 2
    if (escaped === 's' || escaped === 'S') return { text: `[\\${escaped}${high}]`, isWide: true }
    // Between the bytes of one character there is no end of a word, either.
    if (escaped === 'B') this.isWide = true
    return { text: `\\${escaped}`, isWide: escaped === 'D' || escaped === 'W' }
  }

  private class(): Atom | null {
    const found = /^\[(\^?)((?:[^\\\]]|\\.)*)\]/s.exec(this.source.slice(this.at))
    const [whole, negation, inner] = found ?? []
    if (whole === undefined || inner === undefined) return null
    // Escapes by number or name, and characters of several bytes.
    if (/\\[xucpP0-9k]|[^\t -~]/.test(inner)) return null
    this.at += whole.length
    const isWide = /\\[sSDW]/.test(inner)
    if (negation === '^') return { text: isWide ? `(?:[^${inner}${high}]|[${high}])` : whole, isWide: true }
    return { text: isWide ? `[${inner}${high}]` : whole, isWide }
  }

  private openGroup(): boolean {
    const opening = /^\((?:\?:|\?<[A-Za-z]\w*>|(?!\?))/.exec(this.source.slice(this.at))?.[0]
    // What looks around itself, or changes flags.
    if (opening === undefined) return false
    this.at += opening.length
    // Names may not stand twice, and nobody asks for what a group holds.
    this.out += '(?:'
    this.groups.push(false)
    return true
  }

  private closeGroup(): boolean {
    const isWide = this.groups.pop()
    if (isWide === undefined) return false
    if (isWide && this.groups.length > 0) this.groups[this.groups.length - 1] = true
    this.at++
    this.out += ')'
    // Repeated, it could divide the same bytes in very many ways.
    const next = this.source[this.at]
    return isWide && (next === '*' || next === '+' || next === '{') ? false : this.copyQuantifier()
  }

  private quantifier(): RegExpExecArray | null {
    const found = /^(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/.exec(this.source.slice(this.at, this.at + 40))
    this.at += found?.[0].length ?? 0
    return found
  }

  private copyQuantifier(): boolean {
    this.out += this.quantifier()?.[0] ?? ''
    return true
  }

  /** What has no upper limit has none in bytes; every other limit becomes that of bytes. */
  private widenQuantifier(): boolean {
    const found = this.quantifier()
    const [whole = '', sign, least, comma, most] = found ?? []
    if (sign === '*' || sign === '+' || (comma === ',' && most === '')) this.out += whole
    else if (sign === '?') this.out += `{0,${mostBytes}}${whole.slice(1)}`
    else if (found === null) this.out += `{1,${mostBytes}}`
    else this.out += `{${least},${mostBytes * Number(comma === ',' ? most : least)}}${whole.endsWith('}?') ? '?' : ''}`
    return true
  }
}
