// The columns of a stretch of rows, each as one JSON text: several times as quick as to hand over every cell by itself. What
// they mean is known where they are read.

import { asArray } from '../base/json.ts'
import type { Database } from './port.ts'

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

export const eventSql = (isWhole: boolean): string => (isWhole ? wholeEvents : leanEvents)
export const messageSql = (isWhole: boolean): string => (isWhole ? wholeMessages : leanMessages)
export const callSql = (isWhole: boolean): string => (isWhole ? wholeCalls : leanCalls)
export const resultSql = columnsSql('result', 'event', ['event', 'n', 'call', 'outcome', 'has_image'])
export const detailSql = columnsSql('detail', 'event', ['event', 'json'])
export const restSql = columnsSql('rest', 'event', ['event', 'json'])
export const stateSql = columnsSql('state', 'event', ['event', 'json'], 'file = ?')
