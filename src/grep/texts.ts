// Finds lines that may match where no plain text tells them from others: parses each and tries the expression on every
// string in it, wherever it stands. What a matching line means is found out elsewhere.

import { bytesToText, newline } from '../base/bytes.ts'
import { isObject, parseJson } from '../base/json.ts'
import { bytewise } from './bytewise.ts'
import { type Looking, plainPlace, type Region } from './candidates.ts'
import { type Expression, isLocal } from './expression.ts'
import type { LineMatcher } from './lines.ts'

/** Where most lines match, so many regions are decoded before it is tried again. */
const mostPasses = 16

export class TextFilter {
  /** Where regions are best read into. */
  readonly place: Buffer
  private readonly mayMatch: (text: string) => boolean
  private readonly toText: (line: Buffer) => string
  private passes = 0

  constructor(expression: Expression, matcher: LineMatcher, looking: Looking = {}) {
    this.place = plainPlace(looking)
    // Bytes taken for characters are there at once; decoding UTF-8 takes as long as parsing.
    const bytes = isLocal(expression.source) ? bytewise(expression) : null
    const tried = bytes === null ? null : new RegExp(bytes, `${expression.flags}m`)
    this.mayMatch = tried === null ? text => matcher.mayMatch(text) : text => tried.test(text)
    this.toText = tried === null ? bytesToText : line => line.toString('latin1')
  }

  /** The lines of a region that have to be decoded, one or more at a time. */
  *candidates(region: Region): Generator<Region> {
    if (this.passes-- > 0) return yield region
    const { bytes, offset } = region
    let lines = 0
    let found = 0
    for (let from = 0; from < bytes.length; ) {
      const end = bytes.indexOf(newline, from)
      const to = end === -1 ? bytes.length : end + 1
      const line = bytes.subarray(from, to)
      const value = parseJson(this.toText(line))
      // What is odd is looked at more closely.
      lines++
      if (!isObject(value) || this.hasMatch(value)) {
        found++
        yield { bytes: line, offset: offset + from }
      }
      from = to
    }
    this.passes = found * 2 > lines ? mostPasses : 0
  }

  private hasMatch(value: unknown): boolean {
    const stack: unknown[] = [value]
    while (stack.length > 0) {
      const next = stack.pop()
      if (typeof next === 'string') {
        if (this.mayMatch(next)) return true
      } else if (Array.isArray(next)) {
        for (const one of next) stack.push(one)
      } else if (isObject(next)) {
        for (const key in next) stack.push(next[key])
      }
    }
    return false
  }
}
