// The texts that are searched: each once, with the events that hold it. A text goes when its last event does.

import { NumberTable } from '../../base/number-table.ts'
import { insertRows } from '../store/insert.ts'
import type { Database } from '../store/port.ts'
import { createTextIndexes } from '../store/schema.ts'
import { type Cell, type RowBatch, widths } from './rows.ts'
import { handWordsOver, type WordLoad, wordLoad } from './word-load.ts'

/** Hashes that are remembered with their ids; the rest are looked up. */
const hashesHeld = 400_000

/** Column of a text by its field: what tools print has one of its own. */
const outputField = 3

export class TextTable {
  private readonly db: Database
  private held = new NumberTable()
  private next: number | null = null
  /** True while `held` has all texts that there are: then what is not in it is new. */
  private isComplete = false
  /** Stores words in place of FTS5. */
  private load: WordLoad | null = null

  constructor(db: Database) {
    this.db = db
  }

  /** Much will be placed: where that is the first there is, its words are gathered and stored by `flush`. */
  expectMuch(): void {
    if (this.next === null) this.start()
    if (this.isComplete) this.load ??= wordLoad(this.db)
  }

  /** Stores words that were gathered. */
  flush(): void {
    this.load?.flush()
  }

  private leaveWordsToFts(): void {
    this.flush()
    this.load = null
    handWordsOver(this.db)
  }

  forget(): void {
    this.held = new NumberTable()
    this.next = null
    this.isComplete = false
  }

  /** Says which events have which texts, and stores those that are new. */
  place({ texts, words }: Pick<RowBatch, 'texts' | 'words'>): void {
    const rows: Cell[] = []
    const fresh: Cell[] = []
    for (let at = 0; at < texts.length; at += widths.texts) {
      const event = texts[at] as number
      const n = texts[at + 1] as number
      const field = texts[at + 2] as number
      const hash = texts[at + 3] as number
      let id = this.idOf(hash)
      if (id === undefined) {
        id = this.newId(hash)
        const from = texts[at + 4] as number
        if (from < 0) throw new Error('a text was said to be known, but it is not')
        fresh.push(id, hash)
        this.addWords(id, Number(field === outputField), words.subarray(from, texts[at + 5]))
      }
      rows.push(id, event, n, field)
    }
    insertRows(this.db, 'text', 2, fresh)
    insertRows(this.db, 'text_event', 4, rows)
  }

  private addWords(id: number, column: number, words: Uint8Array): void {
    if (this.load?.add(id, column, words) === true) return
    this.leaveWordsToFts()
    const sql = `INSERT INTO words (rowid, ${column === 1 ? 'output' : 'body'}) VALUES (?, ?)`
    this.db.prepare(sql).run([id, words])
  }

  private idOf(hash: number): number | undefined {
    const known = this.held.get(hash)
    if (known !== undefined || this.isComplete) return known
    if (this.next === null) this.start()
    if (this.isComplete) return undefined
    const found = this.db.prepare('SELECT id FROM text WHERE hash = ?').get([hash])?.[0]
    if (found === undefined) return undefined
    this.hold(hash, Number(found))
    return Number(found)
  }

  private start(): void {
    this.next = Number(this.db.prepare('SELECT coalesce(max(id), 0) + 1 FROM text').get()?.[0])
    this.isComplete = this.next === 1
    if (!this.isComplete) createTextIndexes(this.db)
  }

  private newId(hash: number): number {
    if (this.next === null) this.start()
    const id = this.next ?? 1
    this.next = id + 1
    this.hold(hash, id)
    return id
  }

  private hold(hash: number, id: number): void {
    if (this.held.size >= hashesHeld) {
      this.held = new NumberTable()
      this.isComplete = false
      createTextIndexes(this.db)
    }
    this.held.add(hash, id)
  }

  /** Takes events out, and texts that no event holds any more. */
  drop(from: number, to: number): void {
    this.leaveWordsToFts()
    createTextIndexes(this.db)
    const where = 'event >= ? AND event < ?'
    const values = [from, to]
    const held = this.db.prepare(`SELECT DISTINCT text FROM text_event WHERE ${where}`).all(values)
    if (held.length === 0) return
    this.db.prepare(`DELETE FROM text_event WHERE ${where}`).run(values)
    const isUsed = this.db.prepare('SELECT 1 FROM text_event WHERE text = ? LIMIT 1')
    const dropText = this.db.prepare('DELETE FROM text WHERE id = ?')
    const dropWords = this.db.prepare('DELETE FROM words WHERE rowid = ?')
    for (const [text] of held) {
      if (isUsed.get([text as number]) !== undefined) continue
      dropText.run([text as number])
      dropWords.run([text as number])
    }
    this.forget()
  }
}
