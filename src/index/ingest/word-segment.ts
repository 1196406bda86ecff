// Writes a segment of an FTS5 index: terms in order and their lists as pages, the first terms of pages, and for lists over many
// pages where each begins. The format is described in SQLite's own source (fts5_index.c). Where pages are kept is the caller's
// business.
//
//   page:  rowid at · end of data · ⟨term · list⟩… · places of the terms        (two bytes, two bytes, then as long as it is)

/** Where pages go. */
export interface PageStore {
  /** The bytes of a page are used again after that. */
  page(id: number, block: Uint8Array): void
  /** `key`: no term before the page is as large, and its first one is not smaller; `value`: twice its number, and a flag. */
  border(key: Uint8Array, value: number): void
}

/** A page is full from here on; the same as the table is told for its own pages. */
const pageBytes = 8100
/** FTS5 puts this before every term of its main index. */
const mainIndex = 0x30
/** A list that fills so many pages by itself gets a list of their beginnings. */
const fewestPages = 4
const headerBytes = 4
const longestVarint = 9
/** Words are cut much shorter: what is behind would be lost. */
const longestTerm = 4096

/** A number of SQLite: seven bits a byte, the highest first; gives the place behind it. Up to 2^49. */
export function putVarint(bytes: Uint8Array, at: number, value: number): number {
  if (value < 0x80) {
    bytes[at] = value
    return at + 1
  }
  let length = 1
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) length++
  let rest = value
  for (let place = at + length - 1; place >= at; place--) {
    bytes[place] = (rest % 0x80) | (place === at + length - 1 ? 0 : 0x80)
    rest = Math.floor(rest / 0x80)
  }
  return at + length
}

/** Where the number that begins here ends. */
function varintEnd(bytes: Uint8Array, at: number): number {
  let end = at
  while (((bytes[end] as number) & 0x80) !== 0) end++
  return end + 1
}

function varintAt(bytes: Uint8Array, at: number): number {
  let value = 0
  for (let place = at; ; place++) {
    const byte = bytes[place] as number
    value = value * 0x80 + (byte & 0x7f)
    if (byte < 0x80) return value
  }
}

export class SegmentWriter {
  private readonly store: PageStore
  private readonly base: number
  private readonly data = new Uint8Array(4 * pageBytes)
  private length = headerBytes
  private readonly places = new Uint8Array(2 * pageBytes)
  private placesLength = 0
  private lastPlace = 0
  private number = 1
  /** The last one; its length counts what FTS5 puts before it. */
  private readonly term = new Uint8Array(longestTerm)
  private termLength = 0
  private hasTerm = false
  private hasRow = false
  /** Key of the last page with a term, until it is told; the first page is known without one. */
  private key: Uint8Array | null = new Uint8Array(0)
  private keyPage = 1
  /** Pages without a term behind that one. */
  private without = 0
  private readonly rows: RowList

  /** `segment`: its number in the table. */
  constructor(store: PageStore, segment: number) {
    this.store = store
    this.base = segment * 2 ** 37
    this.rows = new RowList()
  }

  /** A term, which stands from one place to another, and its list of rows and places. Terms come in order. */
  add(bytes: Uint8Array, from: number, to: number, list: Uint8Array, length: number): void {
    this.addTerm(bytes, from, to)
    if (this.filled + length < pageBytes) this.append(list, 0, length)
    else this.addRows(list, length)
  }

  /** Gives the number of the last page. */
  end(): number {
    if (this.length > headerBytes) this.flush()
    this.flushKey()
    return this.number - 1
  }

  private get filled(): number {
    return this.length + this.placesLength
  }

  private addTerm(bytes: Uint8Array, from: number, to: number): void {
    const length = to - from + 1
    if (length > longestTerm) throw new Error('a word is longer than any')
    if (this.filled + length + 2 >= pageBytes && this.length > headerBytes) this.flush()
    this.placesLength = putVarint(this.places, this.placesLength, this.length - this.lastPlace)
    this.lastPlace = this.length
    const common = this.takeTerm(bytes, from, length)
    if (this.hasTerm) this.putNumber(common)
    else if (this.number > 1) this.begin(this.term.slice(0, common + 1))
    const known = this.hasTerm ? common : 0
    this.putNumber(length - known)
    this.append(this.term, known, length)
    this.hasTerm = true
    this.hasRow = true
    this.rows.page = this.number
  }

  /** Gives how much of its beginning is that of the term before it. */
  private takeTerm(bytes: Uint8Array, from: number, length: number): number {
    const { term } = this
    const most = Math.min(this.termLength, length)
    term[0] = mainIndex
    let common = Math.min(1, most)
    while (common < most && term[common] === bytes[from + common - 1]) common++
    for (let at = Math.max(1, common); at < length; at++) term[at] = bytes[from + at - 1] as number
    this.termLength = length
    return common
  }

  /** The first term of a page. */
  private begin(key: Uint8Array): void {
    this.flushKey()
    this.key = key
    this.keyPage = this.number
  }

  private flushKey(): void {
    if (this.key === null) return
    const isLong = this.without >= fewestPages && this.rows.isOfUse
    if (isLong) this.store.page(this.base + 2 ** 36 + this.rows.page, this.rows.take())
    this.rows.clear()
    this.without = 0
    this.store.border(this.key, 2 * this.keyPage + Number(isLong))
    this.key = null
  }

  /** Of a list that does not fit: each row on the page where there is room, the first of a page in full. */
  private addRows(list: Uint8Array, length: number): void {
    let row = 0
    for (let at = 0; at < length; ) {
      const before = row
      row += varintAt(list, at)
      at = varintEnd(list, at)
      if (this.hasRow) this.putNumber(row - before)
      else {
        this.data[0] = this.length >> 8
        this.data[1] = this.length & 0xff
        this.rows.add(this.number, row)
        this.putNumber(row)
        this.hasRow = true
      }
      const end = varintEnd(list, at) + Math.floor(varintAt(list, at) / 2)
      this.addPlaces(list, at, end)
      at = end
    }
  }

  /** Parted between pages as they get full, but never within a number. */
  private addPlaces(list: Uint8Array, from: number, to: number): void {
    let at = from
    while (at < to) {
      const room = pageBytes - this.filled
      let end = to
      if (to - at > room) {
        end = varintEnd(list, at)
        for (let next = end; next < to; ) {
          next = varintEnd(list, next)
          if (next - at > room) break
          end = next
        }
      }
      this.append(list, at, end)
      at = end
      // A number that did not fit any more is the last of its page.
      if (this.filled >= pageBytes || at < to) this.flush()
    }
  }

  private flush(): void {
    const { data, length } = this
    data[2] = length >> 8
    data[3] = length & 0xff
    if (!this.hasTerm) {
      if (!this.hasRow) this.rows.skip()
      this.without++
    }
    this.append(this.places, 0, this.placesLength)
    this.store.page(this.base + this.number, data.subarray(0, this.length))
    data.fill(0, 0, headerBytes)
    this.length = headerBytes
    this.placesLength = 0
    this.lastPlace = 0
    this.number++
    this.hasTerm = false
    this.hasRow = false
  }

  private putNumber(value: number): void {
    this.length = putVarint(this.data, this.length, value)
  }

  private append(bytes: Uint8Array, from: number, to: number): void {
    const { data } = this
    let { length } = this
    for (let at = from; at < to; at++) data[length++] = bytes[at] as number
    this.length = length
  }
}

/** The first row of each page of a list that goes over several. One that is too long for a page of its own is left out. */
class RowList {
  private readonly bytes = new Uint8Array(pageBytes + 2 * longestVarint)
  private length = 0
  private last = 0
  private isTooLong = false
  /** On which its term stands. */
  page = 0

  get isOfUse(): boolean {
    return this.length > 0 && !this.isTooLong
  }

  add(page: number, row: number): void {
    if (this.length === 0) {
      this.length = putVarint(this.bytes, 1, page)
      this.length = putVarint(this.bytes, this.length, row)
    } else if (this.hasRoom()) this.length = putVarint(this.bytes, this.length, row - this.last)
    this.last = row
  }

  /** A page on which no row begins. */
  skip(): void {
    if (this.length > 0 && this.hasRoom()) this.length = putVarint(this.bytes, this.length, 0)
  }

  take(): Uint8Array {
    return this.bytes.subarray(0, this.length)
  }

  clear(): void {
    this.length = 0
    this.isTooLong = false
  }

  private hasRoom(): boolean {
    if (this.length >= pageBytes) this.isTooLong = true
    return !this.isTooLong
  }
}
