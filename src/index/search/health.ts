// Whether the file of the index is sound as SQLite sees it: the pages of its tables, not what rows say.

import type { Database } from '../store/port.ts'

/** Table by table: asked of the whole, SQLite would also go through every word, which takes many times as long. */
export function isSound(db: Database): boolean {
  const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'")
  return tables.all().every(([name]) => {
    const quoted = String(name).replaceAll('"', '""')
    return db.prepare(`PRAGMA quick_check("${quoted}")`).get()?.[0] === 'ok'
  })
}
