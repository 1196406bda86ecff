// The content of an index in canonical form: no ids of its own, rows in an order that follows from their content. Two indexes
// of the same bytes have the same dump, whether built or updated.

import type { Database, Row } from './port.ts'
import { eventsPerFile } from './schema.ts'

/** A row with its key. */
export interface DumpRow {
  table: string
  key: string
  value: string
}

/** Row by row, sorted by key within each table. */
export function* dump(db: Database): Generator<DumpRow> {
  for (const { table, sql } of questions) {
    for (const [key, ...cells] of db.prepare(sql).each() as IterableIterator<Row>) {
      yield { table, key: String(key), value: JSON.stringify(cells) }
    }
  }
}

const eventKey = (column: string) =>
  `(SELECT generation FROM file WHERE id = ${column} / ${eventsPerFile}) || ' ' || printf('%08d', ${column} % ${eventsPerFile})`
const name = (column: string) => `(SELECT text FROM name WHERE id = ${column})`

/** Every table, each row by a key of its own. Checkpoints are left out: where they are depends on how often it was refreshed. */
const questions: readonly { table: string; sql: string }[] = [
  {
    table: 'file',
    sql: `SELECT generation, path, number, standing, role, session, name_session, agent, stored, size, covered, indexed, lines, events,
      tail FROM file ORDER BY 1`,
  },
  {
    table: 'event',
    sql: `SELECT ${eventKey('event.id')}, at, offset, bytes, line, kind, actor, flags, uuid, parent, content,
      ${name('origin.session')}, ${name('origin.thread')}, ${name('origin.cwd')}, ${name('origin.branch')},
      ${name('origin.version')}, origin.dialect, ${name('origin.wire')}, ${name('origin.common')}
      FROM event JOIN origin ON origin.id = event.origin ORDER BY 1`,
  },
  {
    table: 'message',
    sql: `SELECT ${eventKey('event')}, id, request, ${name('model')}, ${name('stop')}, input, output, cache_creation,
      cache_read, cache_5m, cache_1h, searches, ${name('tier')}, ${name('geo')}, is_final, cost, duration, key, echo, marks,
      visible FROM message ORDER BY 1`,
  },
  {
    table: 'call',
    sql: `SELECT ${eventKey('event')} || ' ' || n, call, ${name('name')}, ${name('path')}, command FROM call ORDER BY 1`,
  },
  {
    table: 'result',
    sql: `SELECT ${eventKey('event')} || ' ' || n, call, ${name('name')}, outcome, duration, has_image
      FROM result ORDER BY 1`,
  },
  { table: 'stored', sql: `SELECT ${eventKey('event')} || ' ' || name FROM stored ORDER BY 1` },
  { table: 'detail', sql: `SELECT ${eventKey('event')}, json FROM detail ORDER BY 1` },
  { table: 'rest', sql: `SELECT ${eventKey('event')}, json FROM rest ORDER BY 1` },
  {
    table: 'state',
    sql: `SELECT (SELECT generation FROM file WHERE id = file) || ' ' || type || ' ' || tail,
      event % ${eventsPerFile}, json FROM state ORDER BY 1`,
  },
  {
    table: 'text_event',
    sql: `SELECT ${eventKey('event')} || ' ' || n, field, (SELECT hash FROM text WHERE id = text) FROM text_event ORDER BY 1`,
  },
  { table: 'text', sql: "SELECT printf('%017d', hash), count(*) FROM text GROUP BY hash ORDER BY 1" },
  { table: 'words', sql: "SELECT term || ' ' || col, doc, cnt FROM temp.vocabulary ORDER BY 1" },
  {
    table: 'session',
    sql: 'SELECT id, slug, files, facts, summaries, title, started, ended, own, copied FROM session ORDER BY 1',
  },
  { table: 'folder', sql: `SELECT session || ' ' || path FROM folder ORDER BY 1` },
  { table: 'session_log', sql: `SELECT session || ' ' || printf('%06d', n), generation FROM session_log ORDER BY 1` },
  { table: 'thread', sql: `SELECT session || ' ' || id, kind, events, started, ended, agent FROM thread ORDER BY 1` },
  {
    table: 'turn',
    sql: `SELECT session || ' ' || printf('%06d', n), prompt, thread, started, ended, duration, events, calls
      FROM turn ORDER BY 1`,
  },
  {
    table: 'message_usage',
    sql: `SELECT printf('%017d %017d', key, request), ${eventKey('event')}, quarter, at, ${name('session')}, ${name('thread')},
      ${name('model')}, flags, input, output, cache_creation, cache_1h, cache_read, searches, more, stated, ${name('tools')}
      FROM message_usage ORDER BY 1`,
  },
  {
    table: 'usage_bucket',
    sql: `SELECT ${name('session')} || ' ' || quarter || ' ' || ${name('thread')} || ' ' || ${name('model')} || ' ' || flags
      || ' ' || above, first, last, messages, input, output, cache_creation, cache_1h, cache_read, searches, partial, more,
      stated FROM usage_bucket ORDER BY 1`,
  },
  { table: 'titled', sql: `SELECT ${eventKey('event')}, session, leaf FROM titled ORDER BY 1` },
  { table: 'digest', sql: `SELECT session || ' ' || what || ' ' || value FROM digest ORDER BY 1` },
]

/** What the dump of words needs; once for each connection. */
export function prepareDump(db: Database): void {
  db.exec(`CREATE VIRTUAL TABLE IF NOT EXISTS temp.vocabulary USING fts5vocab(main, words, 'col')`)
}

/** A row that only one of two has, or that differs. */
export interface Difference {
  table: string
  key: string
  index: unknown
  rebuilt: unknown
}

/** At most `most` of them; both dumps are read in step, so that neither is held in memory. */
export function differences(index: Database, rebuilt: Database, most: number): Difference[] {
  prepareDump(index)
  prepareDump(rebuilt)
  const found: Difference[] = []
  const [ones, others] = [dump(index), dump(rebuilt)]
  let one = ones.next().value as DumpRow | undefined
  let other = others.next().value as DumpRow | undefined
  while ((one !== undefined || other !== undefined) && found.length < most) {
    const order = compare(one, other)
    if (order !== 0 || one?.value !== other?.value) {
      const row = (order <= 0 ? one : other) as DumpRow
      const [left, right] = [order <= 0 ? one : undefined, order >= 0 ? other : undefined]
      found.push({ table: row.table, key: row.key, index: cellsOf(left), rebuilt: cellsOf(right) })
    }
    if (order <= 0) one = ones.next().value as DumpRow | undefined
    if (order >= 0) other = others.next().value as DumpRow | undefined
  }
  return found
}

function cellsOf(row: DumpRow | undefined): unknown {
  return row === undefined ? null : JSON.parse(row.value)
}

const places = new Map(questions.map(({ table }, at) => [table, at]))

/** As SQLite orders texts: by their bytes in UTF-8. */
function compare(one: DumpRow | undefined, other: DumpRow | undefined): number {
  if (one === undefined || other === undefined) return one === undefined ? 1 : -1
  const tables = (places.get(one.table) ?? 0) - (places.get(other.table) ?? 0)
  if (tables !== 0) return Math.sign(tables)
  if (one.key === other.key) return 0
  return Buffer.compare(Buffer.from(one.key), Buffer.from(other.key))
}
