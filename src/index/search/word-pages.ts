// The pages in which FTS5 keeps for each word the texts that have it: its segments, where in them a word stands, and which
// texts were deleted since. Only the form of the tables is known here, as `fts5_index.c` describes it; `word-lists` reads on.

import type { Database, Row } from '../store/port.ts'

/** Words of texts that were written at the same time, in order, on pages with numbers that follow each other. */
export interface Segment {
  id: number
  first: number
  last: number
  /** When its texts were written, by FTS5's own count, which grows from text to text. */
  oldest: number
  newest: number
  /** Texts that it still has but that are gone; null where there are none. */
  deleted: ReadonlySet<number> | null
}

/** Pages of a segment between which a word stands, if it does. */
export interface PageRange {
  segment: Segment
  first: number
  last: number
}

/** The tables are not as they are known here: FTS5 itself has to be asked. */
export class UnknownForm extends Error {}

/** The form of FTS5's tables since 2014, as its `version` tells it. */
const knownForm = 4
const structureRow = 10
/** What begins the list of segments where texts can be deleted without their content. */
const withDeletions = 0xff000001
const segmentStep = 2 ** 37
const tombstoneStep = 2 ** 16

export class WordPages {
  private readonly segments: readonly Segment[]
  private readonly db: Database
  private readonly held = new Map<number, Uint8Array>()

  /** Whoever makes one has begun to read: what it tells holds only as long as nobody writes. */
  constructor(db: Database) {
    this.db = db
    const form = db.prepare("SELECT v FROM words_config WHERE k = 'version'").get()?.[0]
    if (form !== knownForm) throw new UnknownForm('another form of words')
    this.segments = readSegments(db)
  }

  /** Those that may have texts from `low` on and before `high`: later texts with words were written later. */
  segmentsOf(low: number, high: number): Segment[] {
    const from = this.db.prepare(`${writtenSql} AND id >= ? ORDER BY id LIMIT 1`).get([low])?.[0]
    const to = this.db.prepare(`${writtenSql} AND id < ? ORDER BY id DESC LIMIT 1`).get([high])?.[0]
    return this.segments.filter(({ oldest, newest }) => newest >= Number(from) && oldest <= Number(to))
  }

  /** Where words from `from` on, up to `to`, may stand: of each segment. */
  rangesOf(from: Uint8Array, to: Uint8Array, segments: readonly Segment[]): PageRange[] {
    const ids = JSON.stringify(segments.map(({ id }) => id))
    const rows = this.db.prepare(rangeSql).all([from, to, ids])
    return segments.map((segment, at) => {
      const [first, last] = rows[at] ?? []
      // The last bit tells whether there is a list of pages for what begins there.
      const begin = first === null || first === undefined ? segment.first : Math.floor(Number(first) / 2)
      const end = last === null || last === undefined ? segment.last : Math.floor(Number(last) / 2)
      return { segment, first: Math.max(begin, segment.first), last: end }
    })
  }

  /** Reads at once what is asked for one by one later. */
  fetch(places: readonly { segment: Segment; page: number }[]): void {
    const ids = places.map(({ segment, page }) => segment.id * segmentStep + page).filter(id => !this.held.has(id))
    if (ids.length === 0) return
    const sql = 'SELECT d.id, d.block FROM json_each(?) j CROSS JOIN words_data d ON d.id = j.value'
    this.hold(this.db.prepare(sql).all([JSON.stringify(ids)]))
  }

  fetchRange(segment: Segment, first: number, last: number): void {
    const base = segment.id * segmentStep
    while (first < last && this.held.has(base + first)) first++
    const sql = 'SELECT id, block FROM words_data WHERE id BETWEEN ? AND ?'
    if (!this.held.has(base + first) || first < last) this.hold(this.db.prepare(sql).all([base + first, base + last]))
  }

  page(segment: Segment, page: number): Uint8Array {
    const id = segment.id * segmentStep + page
    if (!this.held.has(id)) this.fetchRange(segment, page, page)
    const found = this.held.get(id)
    if (found === undefined) throw new UnknownForm('a page is missing')
    return found
  }

  private hold(rows: readonly Row[]): void {
    for (const [id, block] of rows) if (block instanceof Uint8Array) this.held.set(Number(id), block)
  }
}

/** FTS5 may count anew where the latest texts have no words: two columns without any. */
const writtenSql = "SELECT origin FROM words_docsize WHERE sz <> x'0000'"

/** Of each segment the last page that begins before or with a word, and the first one that begins behind the others. */
const rangeSql = `SELECT
  (SELECT pgno FROM words_idx WHERE segid = j.value AND term <= ?1 ORDER BY term DESC LIMIT 1),
  (SELECT pgno FROM words_idx WHERE segid = j.value AND term > ?2 ORDER BY term LIMIT 1)
  FROM json_each(?3) j`

function readSegments(db: Database): Segment[] {
  const block = db.prepare('SELECT block FROM words_data WHERE id = ?').get([structureRow])?.[0]
  if (!(block instanceof Uint8Array)) throw new UnknownForm('no list of segments')
  if (readWord(block, 4) !== withDeletions) throw new UnknownForm('another list of segments')
  const numbers = readVarints(block, 8)
  const take = () => {
    const { value } = numbers.next()
    if (value === undefined) throw new UnknownForm('a list of segments without end')
    return value
  }
  const levels = take()
  take()
  take()
  const segments: Segment[] = []
  for (let level = 0; level < levels; level++) {
    take()
    for (let count = take(); count > 0; count--) {
      const [id, first, last, oldest, newest, pages] = [take(), take(), take(), take(), take(), take()]
      take()
      take()
      const deleted = pages === 0 ? null : readDeleted(db, id, pages)
      if (first > 0) segments.push({ id, first, last, oldest, newest, deleted })
    }
  }
  return segments
}

/** A table of numbers by their remainders: empty places are zero. */
function readDeleted(db: Database, segment: number, pages: number): Set<number> {
  const deleted = new Set<number>()
  const sql = 'SELECT block FROM words_data WHERE id >= (?1 << 37) AND id < (?1 << 37) + ?2'
  for (const [block] of db.prepare(sql).all([segment + tombstoneStep, pages])) {
    if (!(block instanceof Uint8Array)) throw new UnknownForm('a page is missing')
    const size = block[0] === 4 ? 4 : 8
    for (let at = 8; at + size <= block.length; at += size) {
      const high = size === 8 ? readWord(block, at) : 0
      const text = high * 2 ** 32 + readWord(block, at + size - 4)
      if (text !== 0) deleted.add(text)
    }
  }
  return deleted
}

function readWord(bytes: Uint8Array, at: number): number {
  const [a = 0, b = 0, c = 0, d = 0] = bytes.subarray(at, at + 4)
  return ((a << 24) | (b << 16) | (c << 8) | d) >>> 0
}

/** Seven bits a byte, the highest first, all but the last with the eighth; a ninth byte has eight. */
function* readVarints(bytes: Uint8Array, from: number): Generator<number, undefined> {
  let [number, length] = [0, 0]
  for (let at = from; at < bytes.length; at++) {
    const byte = bytes[at] as number
    length++
    number = length === 9 ? number * 256 + byte : number * 128 + (byte & 127)
    if (byte >= 128 && length < 9) continue
    yield number
    number = 0
    length = 0
  }
  return undefined
}
