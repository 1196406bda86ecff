// The one place that calls SQLite: opening, statements, transactions, many rows at once. The package has the interface of
// `node:sqlite`: moving to the built-in one changes this file only. It knows no table.

import { DatabaseSync, type StatementSyncInstance } from '@photostructure/sqlite'

/** What SQLite stores in a column. */
export type SqlValue = number | string | bigint | Uint8Array | null

export interface PortOptions {
  isReadOnly?: boolean
  /** How long to wait for another process's transaction. */
  waitMs?: number
  /** Called before every statement that changes something: tests stop here. */
  onStep?: (what: string) => void
}

/** One statement, prepared once. */
export interface Statement {
  run(values?: readonly SqlValue[]): void
  get(values?: readonly SqlValue[]): Row | undefined
  all(values?: readonly SqlValue[]): Row[]
  each(values?: readonly SqlValue[]): IterableIterator<Row>
}

/** A row as a list, in the order of its columns. */
export type Row = SqlValue[]

export class Database {
  readonly path: string
  private readonly db: InstanceType<typeof DatabaseSync>
  private readonly statements = new Map<string, Statement>()
  private readonly onStep: ((what: string) => void) | undefined

  constructor(path: string, options: PortOptions = {}) {
    this.path = path
    this.onStep = options.onStep
    const { isReadOnly = false, waitMs = 5000 } = options
    this.db = new DatabaseSync(path, { readOnly: isReadOnly, timeout: waitMs, enableForeignKeyConstraints: false })
  }

  exec(sql: string): void {
    this.onStep?.(sql)
    this.db.exec(sql)
  }

  /** The same text gives the same statement. */
  prepare(sql: string): Statement {
    const known = this.statements.get(sql)
    if (known !== undefined) return known
    const made = this.make(sql)
    this.statements.set(sql, made)
    return made
  }

  private make(sql: string): Statement {
    const statement: StatementSyncInstance = this.db.prepare(sql)
    statement.setReturnArrays(true)
    const { onStep } = this
    return {
      run(values = []) {
        onStep?.(sql)
        statement.run(...values)
      },
      get: (values = []) => statement.get(...values) as Row | undefined,
      all: (values = []) => statement.all(...values) as Row[],
      each: (values = []) => statement.iterate(...values) as IterableIterator<Row>,
    }
  }

  /** All or nothing. */
  transaction<Value>(work: () => Value): Value {
    this.begin()
    try {
      const value = work()
      this.commit()
      return value
    } catch (error) {
      this.rollBack()
      throw error
    }
  }

  /** Reads in it see one snapshot, whatever others write meanwhile. */
  reading<Value>(work: () => Value): Value {
    if (this.db.isTransaction) return work()
    this.db.exec('BEGIN')
    try {
      const value = work()
      this.db.exec('COMMIT')
      return value
    } catch (error) {
      this.rollBack()
      throw error
    }
  }

  begin(): void {
    this.exec('BEGIN IMMEDIATE')
  }

  commit(): void {
    this.exec('COMMIT')
  }

  /** A full disk has rolled back already. */
  rollBack(): void {
    try {
      this.db.exec('ROLLBACK')
    } catch {
      // There is nothing left to undo.
    }
  }

  close(): void {
    this.statements.clear()
    if (this.db.isOpen) this.db.close()
  }
}

/** Rows per INSERT statement, from large to small: more gain nothing, and single rows cost the most. */
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

const insertTexts = new Map<string, string>()

function insertSql(table: string, width: number, rows: number): string {
  const key = `${table} ${rows}`
  const known = insertTexts.get(key)
  if (known !== undefined) return known
  const one = `(${new Array(width).fill('?').join(',')})`
  const sql = `INSERT OR FAIL INTO ${table} VALUES ${new Array(rows).fill(one).join(',')}`
  insertTexts.set(key, sql)
  return sql
}

/** SQLite's own words for what may be wrong with a file or its disk: an error of a question comes without its number. */
const codesByWords: readonly [RegExp, number][] = [
  [/malformed/, 11],
  [/not a database/, 26],
  [/disk I\/O error/, 10],
  [/disk is full/, 13],
  [/locked/, 5],
  [/unable to open/, 14],
  [/readonly/, 8],
]

export function isSqliteError(error: unknown): error is Error {
  return error instanceof Error && ('errcode' in error || (error as { code?: unknown }).code === 'ERR_SQLITE_ERROR')
}

/** What SQLite says of an error: its extended code, 0 where the error is not its own. */
export function sqliteCode(error: unknown): number {
  if (!isSqliteError(error)) return 0
  const code = (error as { errcode?: unknown }).errcode
  if (typeof code === 'number') return code
  return codesByWords.find(([words]) => words.test(error.message))?.[1] ?? 1
}
