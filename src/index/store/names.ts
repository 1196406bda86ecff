// Texts that very many rows refer to by id: stored once, and remembered while rows are written.

import type { Database, SqlValue } from './port.ts'

/** Ids that are remembered; the rest are looked up. */
const idsHeld = 50_000

/** Ids of one table by their texts. */
class HeldIds {
  private readonly db: Database
  private readonly table: string
  private held = new Map<string, number>()
  private next: number | null = null
  /** True while all ids are in memory: a text that is not among them is new. */
  private isComplete = false

  constructor(db: Database, table: string) {
    this.db = db
    this.table = table
  }

  /** Of those that are remembered. */
  get(key: string): number | undefined {
    return this.held.get(key)
  }

  of(key: string, find: () => SqlValue | undefined, insert: (id: number) => void): number {
    const known = this.held.get(key)
    if (known !== undefined) return known
    this.next ??= this.start()
    const found = this.isComplete ? undefined : find()
    const id = found === undefined ? this.next++ : Number(found)
    if (found === undefined) insert(id)
    if (this.held.size >= idsHeld) {
      this.held = new Map()
      this.isComplete = false
    }
    this.held.set(key, id)
    return id
  }

  private start(): number {
    const next = Number(this.db.prepare(`SELECT coalesce(max(id), 0) + 1 FROM ${this.table}`).get()?.[0])
    this.isComplete = next === 1
    return next
  }
}

export class NameTable {
  private readonly db: Database
  private readonly names: HeldIds
  private readonly origins: HeldIds

  constructor(db: Database) {
    this.db = db
    this.names = new HeldIds(db, 'name')
    this.origins = new HeldIds(db, 'origin')
  }

  name(written: string): number {
    const known = this.names.get(written)
    if (known !== undefined) return known
    const text = asStored(written)
    return this.names.of(
      text,
      () => this.db.prepare('SELECT id FROM name WHERE text = ?').get([text])?.[0],
      id => this.db.prepare('INSERT OR FAIL INTO name VALUES (?, ?)').run([id, text]),
    )
  }

  /** `cells`: ids of names, and the dialect. */
  origin(cells: SqlValue[]): number {
    return this.origins.of(
      cells.join(' '),
      () => this.db.prepare(originSql).get(cells)?.[0],
      id => this.db.prepare('INSERT OR FAIL INTO origin VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)').run([id, ...cells]),
    )
  }
}

/** SQLite stores a text up to its first zero, and half a character as U+FFFD: texts that differ only in that are equal. */
function asStored(text: string): string {
  const end = text.indexOf('\0')
  const part = end === -1 ? text : text.slice(0, end)
  // Most texts have no halves at all, which is quicker to find out than where they are.
  return /[\ud800-\udfff]/.test(part) ? part.replace(/\p{Surrogate}/gu, '\ufffd') : part
}

const originColumns = ['session', 'thread', 'cwd', 'branch', 'version', 'dialect', 'wire', 'common']
const originSql = `SELECT id FROM origin WHERE ${originColumns.map(column => `${column} IS ?`).join(' AND ')}`
