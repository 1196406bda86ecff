// The texts that are searched: each once, with the events that hold it. A text goes when its last event does.

import type { Database } from './port.ts'
import { type Cell, type RowBatch, widths } from './rows.ts'

/** Hashes that are remembered with their ids; the rest are looked up. */
const hashesHeld = 400_000

/** Column of a text by its field: what tools print has one of its own. */
const outputField = 3

export class TextTable {
  private readonly db: Database
  private held = new Map<number, number>()
  private next: number | null = null
  /** True while `held` has all texts that there are: then what is not in it is new. */
  private isComplete = false

  constructor(db: Database) {
    this.db = db
  }

  forget(): void {
    this.held = new Map()
    this.next = null
    this.isComplete = false
  }

  /** Rows for the table of texts and events: text, event, n, field. Texts that are new are stored. */
  place({ texts, words }: Pick<RowBatch, 'texts' | 'words'>): Cell[] {
    const rows: Cell[] = []
    const text = this.db.prepare('INSERT INTO text (id, hash) VALUES (?, ?)')
    const body = this.db.prepare('INSERT INTO words (rowid, body) VALUES (?, ?)')
    const output = this.db.prepare('INSERT INTO words (rowid, output) VALUES (?, ?)')
    for (let at = 0; at < texts.length; at += widths.texts) {
      const [event, n, field, hash] = texts.slice(at, at + 4) as [number, number, number, number]
      let id = this.idOf(hash)
      if (id === undefined) {
        id = this.newId(hash)
        const from = texts[at + 4] as number
        if (from < 0) throw new Error('a text was said to be known, but it is not')
        text.run([id, hash])
        const column = field === outputField ? output : body
        column.run([id, words.subarray(from, texts[at + 5])])
      }
      rows.push(id, event, n, field)
    }
    return rows
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
      this.held = new Map()
      this.isComplete = false
    }
    this.held.set(hash, id)
  }

  /** Takes events out, and texts that no event holds any more. */
  drop(from: number, to: number): void {
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
