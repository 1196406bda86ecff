// Texts that very many rows refer to, by their ids: given once, and remembered while rows are written.

import type { Database, SqlValue } from './port.ts'

/** Ids that are remembered; the rest are looked up. */
const idsHeld = 50_000

/** Ids by what they stand for. */
class HeldIds {
  private held = new Map<string, number>()

  of(key: string, find: () => number): number {
    const known = this.held.get(key)
    if (known !== undefined) return known
    const id = find()
    if (this.held.size >= idsHeld) this.held = new Map()
    this.held.set(key, id)
    return id
  }
}

export class NameTable {
  private readonly db: Database
  private readonly names = new HeldIds()
  private readonly origins = new HeldIds()

  constructor(db: Database) {
    this.db = db
  }

  name(text: string): number {
    return this.names.of(text, () => {
      const found = this.db.prepare('SELECT id FROM name WHERE text = ?').get([text])
      return found === undefined ? this.insert('INSERT INTO name (text) VALUES (?)', [text]) : Number(found[0])
    })
  }

  /** `cells`: ids of names, and the dialect. */
  origin(cells: SqlValue[]): number {
    return this.origins.of(cells.join(' '), () => {
      const where = originColumns.map(column => `${column} IS ?`).join(' AND ')
      const found = this.db.prepare(`SELECT id FROM origin WHERE ${where}`).get(cells)
      const sql = `INSERT INTO origin (${originColumns.join(', ')}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`
      return found === undefined ? this.insert(sql, cells) : Number(found[0])
    })
  }

  /** `RETURNING` would be a savepoint, at which words are written out of memory: see `insertRows`. */
  private insert(sql: string, cells: readonly SqlValue[]): number {
    this.db.prepare(sql).run(cells)
    return Number(this.db.prepare('SELECT last_insert_rowid()').get()?.[0])
  }
}

const originColumns = ['session', 'thread', 'cwd', 'branch', 'version', 'dialect', 'wire', 'common']
