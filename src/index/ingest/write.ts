// Writes batches of rows: several rows a statement, names and texts by their ids, and a file's position together with its
// rows. When a transaction begins and ends is decided by `ingest.ts`.

import { NameTable } from '../store/names.ts'
import type { Database, SqlValue } from '../store/port.ts'
import { insertRows } from '../store/port.ts'
import { eventsPerFile } from '../store/schema.ts'
import { type Cell, type RowBatch, widths } from './rows.ts'
import { TextTable } from './texts.ts'
import { notesUsage } from './usage.ts'

export class RowWriter {
  private readonly db: Database
  private readonly texts: TextTable
  private readonly names: NameTable
  /** Whether messages that change are noted, to be counted again one by one. */
  private readonly notesUsage: boolean

  constructor(db: Database) {
    this.db = db
    this.texts = new TextTable(db)
    this.names = new NameTable(db)
    this.notesUsage = notesUsage(db)
  }

  /** Before the first batch of a file: rows of a last line that had no end yet are replaced. */
  begin(file: number): void {
    const [tail, events] = this.db.prepare('SELECT tail, events FROM file WHERE id = ?').get([file]) ?? [0, 0]
    if (Number(tail) === 0) return
    this.dropEvents(file * eventsPerFile + Number(events), (file + 1) * eventsPerFile)
    this.db.prepare('DELETE FROM state WHERE file = ? AND tail = 1').run([file])
    this.db.prepare('UPDATE file SET tail = 0 WHERE id = ?').run([file])
  }

  /** Files with all their rows. */
  dropFiles(files: readonly number[]): void {
    for (const file of files) {
      this.dropEvents(file * eventsPerFile, (file + 1) * eventsPerFile)
      this.dropDerived(file)
      this.db.prepare('DELETE FROM file WHERE id = ?').run([file])
    }
  }

  /** All rows of a file, which then is as if it had never been read. */
  dropRows(file: number): void {
    this.dropEvents(file * eventsPerFile, (file + 1) * eventsPerFile)
    this.dropDerived(file)
    const sql = `UPDATE file SET covered = 0, indexed = 0, lines = 0, events = 0, tail = 0, state = NULL, check_sum = NULL
      WHERE id = ?`
    this.db.prepare(sql).run([file])
  }

  private dropDerived(file: number): void {
    for (const table of ['checkpoint', 'state']) {
      this.db.prepare(`DELETE FROM ${table} WHERE file = ?`).run([file])
    }
  }

  /** The messages of a file have to be counted again, since it changed its place. */
  noteMoved(file: number): void {
    this.noteMessages(file * eventsPerFile, (file + 1) * eventsPerFile)
  }

  private noteMessages(from: number, to: number): void {
    if (!this.notesUsage) return
    const sql = `INSERT OR IGNORE INTO usage_due
      SELECT key FROM message WHERE event >= ? AND event < ? AND key IS NOT NULL`
    this.db.prepare(sql).run([from, to])
  }

  private dropEvents(from: number, to: number): void {
    this.texts.drop(from, to)
    this.noteMessages(from, to)
    this.db.prepare('DELETE FROM event WHERE id >= ? AND id < ?').run([from, to])
    for (const table of ['message', 'call', 'result', 'detail', 'rest', 'stored', 'titled']) {
      this.db.prepare(`DELETE FROM ${table} WHERE event >= ? AND event < ?`).run([from, to])
    }
  }

  write(batch: RowBatch): void {
    const base = batch.file * eventsPerFile
    const names = batch.names.map(text => this.names.name(text))
    const origins = this.originIds(batch, names)
    toIds(batch.events, widths.events, base)
    for (let at = 10; at < batch.events.length; at += widths.events) {
      batch.events[at] = origins[batch.events[at] as number] ?? 0
    }
    toIds(batch.messages, widths.messages, base, names, [3, 4, 12, 13])
    toIds(batch.calls, widths.calls, base, names, [3, 4])
    toIds(batch.results, widths.results, base, names, [3])
    toIds(batch.details, widths.details, base)
    toIds(batch.rests, widths.rests, base)
    toIds(batch.stored, widths.stored, base)
    toIds(batch.texts, widths.texts, base)
    insertRows(this.db, 'event', widths.events, batch.events)
    insertRows(this.db, 'message', widths.messages, batch.messages)
    const first = batch.messages[0]
    if (first !== undefined) this.noteMessages(first as number, base + eventsPerFile)
    insertRows(this.db, 'call', widths.calls, batch.calls)
    insertRows(this.db, 'result', widths.results, batch.results)
    insertRows(this.db, 'detail', widths.details, batch.details)
    insertRows(this.db, 'rest', widths.rests, batch.rests)
    insertRows(this.db, 'stored', widths.stored, batch.stored)
    this.texts.place(batch.texts)
    this.writeStates(batch, base)
    this.writePosition(batch)
  }

  private writeStates({ file, states, tailStates }: RowBatch, base: number): void {
    const sql = 'INSERT OR REPLACE INTO state (file, type, tail, event, json) VALUES (?, ?, ?, ?, ?)'
    const statement = this.db.prepare(sql)
    for (const [type, [ordinal, json]] of states) statement.run([file, type, 0, base + ordinal, json])
    for (const [type, [ordinal, json]] of tailStates) statement.run([file, type, 1, base + ordinal, json])
  }

  private writePosition(batch: RowBatch): void {
    const { file, indexed, covered, lines, eventCount, tail, checkpoint, checkSum } = batch
    this.db
      .prepare(
        `UPDATE file SET indexed = ?, covered = ?, lines = ?, events = ?, tail = ?, check_sum = coalesce(?, check_sum)
         WHERE id = ? AND indexed <= ?`,
      )
      .run([indexed, covered, lines, eventCount, tail, checkSum ?? null, file, indexed])
    if (checkpoint !== undefined) {
      const sql = 'INSERT OR REPLACE INTO checkpoint (file, at, state) VALUES (?, ?, ?)'
      this.db.prepare(sql).run([file, checkpoint.at, checkpoint.state])
    }
  }

  private originIds(batch: RowBatch, names: readonly number[]): number[] {
    const ids: number[] = []
    for (let at = 0; at < batch.origins.length; at += 8) {
      const cells = batch.origins.slice(at, at + 8).map((cell, n) => (n === 5 ? cell : nameOf(names, cell)))
      ids.push(this.names.origin(cells as SqlValue[]))
    }
    return ids
  }
}

function nameOf(names: readonly number[], place: Cell | undefined): number | null {
  return place === null || place === undefined ? null : (names[place as number] ?? null)
}

/** Ordinals become row ids, and places in the list of names become ids of names. */
function toIds(
  cells: Cell[],
  width: number,
  base: number,
  names: readonly number[] = [],
  named: readonly number[] = [],
): void {
  for (let at = 0; at < cells.length; at += width) {
    cells[at] = base + (cells[at] as number)
    for (const column of named) cells[at + column] = nameOf(names, cells[at + column])
  }
}
