// What API messages used, from the index: stored sums, or single messages with their places. Nothing is read from a
// log. How sums become reports is decided in `src/usage`.

import { asObject, parseJson } from '../../base/json.ts'
import { type MessageUsage, type UsageCell, type UsageFile, usualPromptSteps } from '../../model/usage.ts'
import { rollUp } from '../../usage/cell.ts'
import { type ClientTotal, clientTotal } from '../../usage/reconcile.ts'
import { bucketsSql, countedMessages, isUsageCounted, toolsIn } from '../ingest/usage.ts'
import type { Database, Row } from '../store/port.ts'
import { eventsPerFile, noQuarter, usageFlags } from '../store/schema.ts'
import type { InScope } from './sessions.ts'

export interface UsageQuestion {
  /** Prompt sizes at which a price changes. */
  promptSteps: readonly number[]
  /** Split by the tools that messages call. */
  withTools: boolean
  /** False: session and thread are not needed; cells say `''`. */
  withSessions: boolean
  /** The id of a session: of it alone. */
  only?: string | undefined
  /** Counts only files in this scope; absent: all that are indexed. */
  isInScope?: InScope
}

/** Null where the index has not counted everything yet. */
export function usageCells(db: Database, question: UsageQuestion): UsageCell[] | null {
  if (!isUsageCounted(db)) return null
  const { isInScope, withTools, promptSteps, only } = question
  if (isInScope !== undefined && !isAllIn(db, isInScope)) {
    const { messages } = countedMessages(db, isInScope)
    const own = only === undefined ? messages : messages.filter(({ session }) => session === only)
    return rollUp(own, { promptSteps, withTools })
  }
  const names = new Map<number, string>()
  const cells: UsageCell[] = []
  // A name that is not there has no rows.
  const session = only === undefined ? undefined : Number(db.prepare(nameSql).get([only])?.[0] ?? -1)
  const where = session === undefined ? '1' : `session = ${session}`
  const rows = db.prepare(sqlOf(question, where)).all()
  for (const [id, text] of db.prepare(namesSql(question, where)).all()) names.set(id as number, text as string)
  for (const row of rows) cells.push(toCell(row, names, withTools))
  return cells
}

/** Messages with their files and the byte at which each begins. */
export function usageMessages(db: Database, isInScope?: InScope): UsageMessages | null {
  if (!isUsageCounted(db)) return null
  const { messages, files, ids } = countedMessages(db, isInScope)
  const offset = db.prepare('SELECT offset FROM event WHERE id = ?')
  for (const message of messages) {
    const event = (ids[message.file] ?? 0) * eventsPerFile + message.offset
    message.offset = Number(offset.get([event])?.[0] ?? 0)
  }
  return { messages, files }
}

/** The price that the records of a message state, in billionths of a dollar. */
export function statedPriceOf(db: Database, key: number): number | null {
  const sql = `SELECT max(stated) FROM message_usage WHERE key = ? AND flags & ${usageFlags.stated}`
  return (db.prepare(sql).get([key])?.[0] ?? null) as number | null
}

/** Running totals that Claude Code wrote, the last of each process, with the session of their file. */
export function clientTotals(db: Database, isInScope?: InScope): ClientTotal[] {
  const sql = `SELECT file.session, file.path, state.json FROM state JOIN file ON file.id = state.file
    WHERE state.type LIKE 'cost-state %' ORDER BY state.file, state.tail, state.event`
  const totals: ClientTotal[] = []
  for (const [session, path, json] of db.prepare(sql).all()) {
    if (session === null || isInScope?.(String(path)) === false) continue
    const total = clientTotal(String(session), asObject(parseJson(String(json))))
    if (total !== null) totals.push(total)
  }
  return totals
}

export interface UsageMessages {
  messages: MessageUsage[]
  files: readonly UsageFile[]
}

function isAllIn(db: Database, isInScope: InScope): boolean {
  return db
    .prepare('SELECT path FROM file')
    .all()
    .every(([path]) => isInScope(String(path)))
}

const amounts = [
  'messages',
  'input',
  'output',
  'cache_creation',
  'cache_1h',
  'cache_read',
  'searches',
  'partial',
  'more',
]

const nameSql = 'SELECT id FROM name WHERE text = ?'

function sqlOf({ promptSteps, withTools, withSessions }: UsageQuestion, where: string): string {
  if (withTools || !isUsual(promptSteps)) return bucketsSql(promptSteps, { withTools, where })
  if (withSessions) return `SELECT * FROM usage_bucket WHERE ${where}`
  const sums = [...amounts, 'stated'].map(column => `sum(${column})`).join(', ')
  return `SELECT -1, quarter, -1, model, flags, above, min(first), max(last), ${sums} FROM usage_bucket
    WHERE ${where} GROUP BY quarter, model, flags, above`
}

/** Names that the rows refer to. */
function namesSql({ withTools, withSessions }: UsageQuestion, where: string): string {
  const columns = [...(withSessions || withTools ? ['session', 'thread'] : []), 'model']
  const from = columns.map(column => `SELECT ${column} FROM usage_bucket WHERE ${where}`)
  if (withTools) from.push(`SELECT tools FROM message_usage WHERE ${where}`)
  return `SELECT id, text FROM name WHERE id IN (${from.join(' UNION ')})`
}

function isUsual(steps: readonly number[]): boolean {
  return steps.length === usualPromptSteps.length && steps.every(step => usualPromptSteps.includes(step))
}

function toCell(row: Row, names: ReadonlyMap<number, string>, withTools: boolean): UsageCell {
  const numbers = row as number[]
  const flags = numbers[4] as number
  const quarter = numbers[1] as number
  return {
    quarter: quarter === noQuarter ? null : quarter,
    firstAt: numbers[6] as number | null,
    lastAt: numbers[7] as number | null,
    session: names.get(numbers[0] as number) ?? '',
    thread: names.get(numbers[2] as number) ?? '',
    model: names.get(numbers[3] as number) ?? '',
    isFast: (flags & usageFlags.fast) !== 0,
    isUs: (flags & usageFlags.us) !== 0,
    isSynthetic: (flags & usageFlags.synthetic) !== 0,
    isError: (flags & usageFlags.error) !== 0,
    abovePrompt: numbers[5] as number,
    hasStated: (flags & usageFlags.stated) !== 0,
    tools: withTools ? toolsIn(names.get(numbers[18] as number)) : null,
    messages: numbers[8] as number,
    inputTokens: numbers[9] as number,
    outputTokens: numbers[10] as number,
    cacheCreationTokens: numbers[11] as number,
    cacheCreation1hTokens: numbers[12] as number,
    cacheReadTokens: numbers[13] as number,
    webSearches: numbers[14] as number,
    partial: numbers[15] as number,
    estimatedMore: numbers[16] as number,
    statedNanos: numbers[17] as number,
  }
}
