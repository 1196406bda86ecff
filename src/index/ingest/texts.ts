// The texts that are searched: each once, with the events that have it. A text goes when its last event does.

import type { Database } from '../store/port.ts'
import { insertRows } from '../store/port.ts'
import { createTextIndexes } from '../store/schema.ts'
import { type Cell, widths } from './rows.ts'

/** Ids of this many texts are remembered; the rest are looked up. */
const mostRemembered = 500_000

export class TextTable {
  private readonly db: Database
  /** Ids by hash. */
  private known = new Map<number, number>()
  private next: number | null = null
  /** All texts that there are, are in `known`: any other is new. */
  private isComplete = false

  constructor(db: Database) {
    this.db = db
  }

  /** Writes which events have which texts, and those that are new. `texts`: as in a batch of rows, with ids of events. */
  place(texts: readonly Cell[]): void {
    const rows: Cell[] = []
    const fresh: Cell[] = []
    // `OR FAIL`: see `insertRows`.
    const insert = this.db.prepare('INSERT OR FAIL INTO words (rowid, text) VALUES (?, ?)')
    for (let at = 0; at < texts.length; at += widths.texts) {
      const [event, n, field, hash, text] = texts.slice(at, at + widths.texts) as [
        number,
        number,
        number,
        number,
        string,
      ]
      let id = this.idOf(hash)
      if (id === undefined) {
        id = this.newId(hash)
        fresh.push(id, hash, text.length)
        insert.run([id, text])
      }
      rows.push(id, event, n, field)
    }
    insertRows(this.db, 'text', 3, fresh)
    insertRows(this.db, 'text_event', 4, rows)
  }

  private idOf(hash: number): number | undefined {
    if (this.next === null) this.start()
    const known = this.known.get(hash)
    if (known !== undefined || this.isComplete) return known
    const found = this.db.prepare('SELECT id FROM text WHERE hash = ?').get([hash])?.[0]
    if (found === undefined) return undefined
    this.remember(hash, Number(found))
    return Number(found)
  }

  private start(): void {
    this.next = Number(this.db.prepare('SELECT coalesce(max(id), 0) + 1 FROM text').get()?.[0])
    this.isComplete = this.next === 1
    if (!this.isComplete) createTextIndexes(this.db)
  }

  private newId(hash: number): number {
    const id = this.next ?? 1
    this.next = id + 1
    this.remember(hash, id)
    return id
  }

  private remember(hash: number, id: number): void {
    if (this.known.size >= mostRemembered) {
      this.known.clear()
      this.isComplete = false
      createTextIndexes(this.db)
    }
    this.known.set(hash, id)
  }

  /** Takes events out, and texts that no event has any more. */
  drop(from: number, to: number): void {
    createTextIndexes(this.db)
    const where = 'event >= ? AND event < ?'
    const values = [from, to]
    const texts = this.db.prepare(`SELECT DISTINCT text FROM text_event WHERE ${where}`).all(values)
    if (texts.length === 0) return
    this.db.prepare(`DELETE FROM text_event WHERE ${where}`).run(values)
    const isUsed = this.db.prepare('SELECT 1 FROM text_event WHERE text = ? LIMIT 1')
    const dropText = this.db.prepare('DELETE FROM text WHERE id = ?')
    const dropWords = this.db.prepare('DELETE FROM words WHERE rowid = ?')
    for (const [text] of texts) {
      if (isUsed.get([text as number]) !== undefined) continue
      dropText.run([text as number])
      dropWords.run([text as number])
    }
    this.known.clear()
    this.next = null
  }
}
