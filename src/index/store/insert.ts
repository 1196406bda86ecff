// Writes many rows of one table with few statements.

import type { Database, SqlValue } from './port.ts'

/** Rows of one statement, as many as there are of the next: more gain nothing, and single ones cost the most. */
const rowsAtOnce = [40, 8, 1]

/**
 * `cells`: row after row, `width` cells each. What fails ends the transaction anyway: without `OR FAIL` every statement would be a
 * savepoint of its own, at which FTS5 writes out what it gathers in memory.
 */
export function insertRows(db: Database, table: string, width: number, cells: readonly SqlValue[]): void {
  let at = 0
  for (const rows of rowsAtOnce) {
    const step = width * rows
    if (cells.length - at < step) continue
    const statement = db.prepare(insertSql(table, width, rows))
    for (; cells.length - at >= step; at += step) statement.run(cells.slice(at, at + step))
  }
}

const texts = new Map<string, string>()

function insertSql(table: string, width: number, rows: number): string {
  const key = `${table} ${rows}`
  const known = texts.get(key)
  if (known !== undefined) return known
  const one = `(${new Array(width).fill('?').join(',')})`
  const sql = `INSERT OR FAIL INTO ${table} VALUES ${new Array(rows).fill(one).join(',')}`
  texts.set(key, sql)
  return sql
}
