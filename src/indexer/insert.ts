// Writes many rows of one table with few statements.

import type { Database } from './port.ts'
import type { Cell } from './rows.ts'

/** Rows of one statement: more gain nothing. */
const rowsAtOnce = 40

/**
 * `cells`: row after row, `width` cells each. What fails ends the transaction anyway: without `OR FAIL` every statement would be a
 * savepoint of its own, at which FTS5 writes out what it gathers in memory.
 */
export function insertRows(db: Database, table: string, width: number, cells: readonly Cell[]): void {
  const step = width * rowsAtOnce
  const one = `(${new Array(width).fill('?').join(',')})`
  const whole = cells.length - (cells.length % step)
  if (whole > 0) {
    const many = db.prepare(`INSERT OR FAIL INTO ${table} VALUES ${new Array(rowsAtOnce).fill(one).join(',')}`)
    for (let at = 0; at < whole; at += step) many.run(cells.slice(at, at + step))
  }
  if (whole === cells.length) return
  const single = db.prepare(`INSERT OR FAIL INTO ${table} VALUES ${one}`)
  for (let at = whole; at < cells.length; at += width) single.run(cells.slice(at, at + width))
}
