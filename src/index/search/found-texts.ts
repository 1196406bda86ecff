// Which texts have what a query looks for, as FTS5 finds them: from the latest on, or of those that are named.

import type { Database } from '../store/port.ts'
import { type Expression, toMatch } from './expression.ts'
import { readNumbers } from './places.ts'

const latest = 'SELECT rowid AS number FROM words WHERE words MATCH ? AND rowid < ? ORDER BY rowid DESC LIMIT ?'

/** The plus sign: to look each single text up among those of the words would be far slower. */
const inStretch = `SELECT rowid AS number FROM words WHERE words MATCH ? AND rowid BETWEEN ? AND ?
  AND +rowid IN (SELECT value FROM json_each(?)) ORDER BY rowid`

export class FoundTexts {
  private readonly db: Database
  private readonly match: string
  private before = Number.MAX_SAFE_INTEGER

  constructor(db: Database, expression: Expression) {
    this.db = db
    this.match = toMatch(expression)
  }

  /** The next ones, the latest first; fewer than `size` where there are no others. */
  next(size: number): number[] {
    const found = readNumbers(this.db, latest, [this.match, this.before, size])
    this.before = found.at(-1) ?? 0
    return found
  }

  /** Those of `texts` that are found, the earliest first. */
  among(texts: readonly number[]): number[] {
    let [first, last] = [Number.MAX_SAFE_INTEGER, 0]
    for (const text of texts) {
      first = Math.min(first, text)
      last = Math.max(last, text)
    }
    return readNumbers(this.db, inStretch, [this.match, first, last, JSON.stringify(texts)])
  }
}
