// Which events of a file say something in words, and what sort of words. The words themselves are not read.

import { type TextField, textFields } from '../../session/indexed-texts.ts'
import type { Database } from '../store/port.ts'
import { eventsPerFile } from '../store/schema.ts'

/** Places in their file of the events that hold texts of one of the fields. */
export function eventsWithTexts(db: Database, file: number, fields: readonly TextField[]): Set<number> {
  const numbers = fields.map(field => textFields.indexOf(field)).join(', ')
  const sql = `SELECT DISTINCT event FROM text_event WHERE event >= ? AND event < ? AND field IN (${numbers})`
  const first = file * eventsPerFile
  const rows = db.prepare(sql).all([first, first + eventsPerFile])
  return new Set(rows.map(([event]) => Number(event) - first))
}
