// The columns of a stretch of rows, each as one JSON text: several times as quick as to hand over every cell by itself. What
// they mean is known where they are read.

import { asArray } from '../../base/json.ts'
import type { Database } from '../store/port.ts'

/** Tables that thin events are made of. */
export type ThinTable = 'event' | 'message' | 'call' | 'result' | 'detail' | 'rest' | 'state'

/** Columns of a stretch of a file's rows, one list of cells each, in the order that is said below. */
export type ReadColumns = (table: ThinTable) => readonly (readonly unknown[])[]

/** `lean`: what settling needs; `paths`: with the paths that calls name. */
export type ColumnChoice = 'lean' | 'whole' | 'paths'

export class Columns {
  private readonly db: Database

  constructor(db: Database) {
    this.db = db
  }

  read(sql: string, range: readonly number[]): (readonly unknown[])[] {
    const row = this.db.prepare(sql).get(range) ?? []
    return row.map(text => asArray(text === '[]' ? none : JSON.parse(text as string)))
  }
}

/** Reads them from the index. `state` is always of the whole file. */
export function storedColumns(
  columns: Columns,
  choice: ColumnChoice,
  file: number,
  range: readonly number[],
): ReadColumns {
  return table => columns.read(statements[choice][table], table === 'state' ? [file] : range)
}

const none: readonly unknown[] = []

function columnsSql(
  table: string,
  key: string,
  columns: readonly string[],
  where = `${key} >= ? AND ${key} < ?`,
): string {
  const named = columns.map((column, at) => `${column} AS c${at}`)
  const lists = columns.map((_, at) => `json_group_array(c${at})`)
  return `SELECT ${lists.join(', ')} FROM (SELECT ${named.join(', ')} FROM ${table} WHERE ${where} ORDER BY ${key})`
}

/** Kind, actor and flags in one number. */
const marks = 'kind + 32 * actor + 128 * flags'
const events = ['at', marks, 'coalesce(uuid, offset)', 'parent', 'origin']
const messages = ['event', 'id', 'request', 'model', 'input', 'output', 'cache_creation', 'cache_read', 'cache_5m']
/** JSON would round a cost. */
export const costText = (column: string): string =>
  `CASE WHEN ${column} IS NOT NULL THEN format('%!.17g', ${column}) END`
const cost = costText('cost')
const otherCounts = ['cache_1h', 'searches', 'is_final', cost]
const leanEvents = columnsSql('event', 'id', events)
const wholeEvents = columnsSql('event', 'id', [...events, 'offset', 'bytes', 'line'])
const leanMessages = columnsSql('message', 'event', [...messages, ...otherCounts])
const wholeMessages = columnsSql('message', 'event', [...messages, ...otherCounts, 'stop', 'tier', 'geo', 'duration'])
const leanCalls = columnsSql('call', 'event', ['event', 'n', 'call', 'name'])
const wholeCalls = columnsSql('call', 'event', ['event', 'n', 'call', 'name', 'path'])
const results = columnsSql('result', 'event', ['event', 'n', 'call', 'outcome', 'has_image'])
const details = columnsSql('detail', 'event', ['event', 'json'])
const rests = columnsSql('rest', 'event', ['event', 'json'])
const states = columnsSql('state', 'event', ['event', 'json'], 'file = ?')

const lean = {
  ...{ event: leanEvents, message: leanMessages, call: leanCalls, result: results },
  ...{ detail: details, rest: rests, state: states },
}
const whole = { ...lean, event: wholeEvents, message: wholeMessages }
const statements: Record<ColumnChoice, Record<ThinTable, string>> = {
  lean,
  whole,
  paths: { ...whole, call: wholeCalls },
}
