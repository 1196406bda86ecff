// The words of texts for an index that is made anew: gathered in memory and stored as FTS5 would have stored them, at a third
// of the cost. FTS5 does not notice by itself: before it is asked for anything in the same connection, see `handWordsOver`.

import { insertRows } from '../store/insert.ts'
import type { Database, SqlValue } from '../store/port.ts'
import { type WordGather, wordGather } from './word-gather.ts'
import { putVarint, SegmentWriter } from './word-segment.ts'

/** Rows of FTS5's own table of data. */
const sumsRow = 1
const structureRow = 10
/** Behind the number of the settings. */
const structureMark = [0xff, 0, 0, 1]

interface Segment {
  id: number
  lastPage: number
  /** Which texts are in it: those that were stored with this number. */
  origin: number
  texts: number
}

export class WordLoad {
  private readonly db: Database
  private readonly gather: WordGather
  private readonly segments: Segment[] = []
  /** Of each text that is not stored yet: row, column, how many words. */
  private texts: number[] = []
  private readonly sums = [0, 0, 0]

  constructor(db: Database, gather: WordGather) {
    this.db = db
    this.gather = gather
  }

  /** A text whose words are for the given column; rows come in order. False where it is too large for this way. */
  add(row: number, column: number, words: Uint8Array): boolean {
    if (!this.gather.fits(words)) {
      this.flush()
      if (!this.gather.fits(words)) return false
    }
    this.texts.push(row, column, this.gather.add(row, column, words))
    return true
  }

  /** Stores what was gathered: before a transaction ends, and before FTS5 is asked for anything. */
  flush(): void {
    if (this.texts.length === 0) return
    this.db.changeInner(() => {
      const origin = this.segments.length + 1
      if (!this.gather.isEmpty) this.segments.push(this.storeSegment(origin))
      this.storeSizes(origin)
      this.storeRow(structureRow, this.structure())
      this.storeRow(sumsRow, varints(this.sums))
    })
    this.gather.clear()
    this.texts = []
  }

  private storeSegment(origin: number): Segment {
    const borders: SqlValue[] = []
    const insert = this.db.prepare('INSERT OR FAIL INTO words_data VALUES (?, ?)')
    const store = {
      page: (id: number, block: Uint8Array) => insert.run([id, block]),
      border: (key: Uint8Array, value: number) => borders.push(origin, key, value),
    }
    const writer = new SegmentWriter(store, origin)
    this.gather.each((bytes, from, to, list, length) => writer.add(bytes, from, to, list, length))
    const lastPage = writer.end()
    insertRows(this.db, 'words_idx', 3, borders)
    return { id: origin, lastPage, origin, texts: this.texts.length / 3 }
  }

  /** How many words each column of each text has. */
  private storeSizes(origin: number): void {
    const rows: SqlValue[] = []
    const known = new Map<number, Uint8Array>()
    for (let at = 0; at < this.texts.length; at += 3) {
      const [row, column, count] = this.texts.slice(at, at + 3) as [number, number, number]
      const key = 2 * count + column
      const size = known.get(key) ?? varints(column === 0 ? [count, 0] : [0, count])
      known.set(key, size)
      rows.push(row, size, origin)
      this.sums[0] = (this.sums[0] as number) + 1
      this.sums[column + 1] = (this.sums[column + 1] as number) + count
    }
    insertRows(this.db, 'words_docsize', 3, rows)
  }

  /** All segments in one level, as if each had just been written. */
  private structure(): Uint8Array {
    const before = this.db.prepare('SELECT block FROM words_data WHERE id = ?').get([structureRow])?.[0]
    const settings = (before as Uint8Array).subarray(0, 4)
    const { segments } = this
    const list = segments.flatMap(({ id, lastPage, origin, texts }) => [id, 1, lastPage, origin, origin, 0, 0, texts])
    const levels = segments.length === 0 ? [] : [0, segments.length, ...list]
    const head = [segments.length === 0 ? 0 : 1, segments.length, 0]
    return Buffer.concat([settings, Buffer.from(structureMark), varints([...head, ...levels])])
  }

  private storeRow(id: number, block: Uint8Array): void {
    this.db.prepare('UPDATE words_data SET block = ? WHERE id = ?').run([block, id])
  }
}

function varints(values: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(9 * values.length)
  let length = 0
  for (const value of values) length = putVarint(bytes, length, value)
  return bytes.slice(0, length)
}

/** Null where words are left to FTS5: somebody may have asked it for something, or there is no WebAssembly with vectors. */
export function wordLoad(db: Database): WordLoad | null {
  if (!db.isNew) return null
  const gather = wordGather()
  return gather === null ? null : new WordLoad(db, gather)
}

/**
 * From here on FTS5 stores words itself, and looks anew at what is stored: any setting makes it remember which segments there
 * are. Rolling back makes it forget that.
 */
export function handWordsOver(db: Database): void {
  if (!db.isNew) return
  db.isNew = false
  db.exec('SAVEPOINT words')
  db.prepare("INSERT INTO words (words, rank) SELECT k, v FROM words_config WHERE k = 'pgsz'").run()
  db.exec('ROLLBACK TO words')
  db.exec('RELEASE words')
}
