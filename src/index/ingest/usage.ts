// Counts each API message once, from all rows that state it, and sums messages by bucket for reports. Only messages whose
// statements changed are counted again. How statements are joined is decided in `usage/message.ts`.

import { asArray, parseJson } from '../../base/json.ts'
import { eventFlags } from '../../model/event.ts'
import {
  calledTool,
  type MessageUsage,
  type UsageFile,
  type UsageStatement,
  usualPromptSteps,
} from '../../model/usage.ts'
import { quarterMillis } from '../../usage/cell.ts'
import { markInherited, UsageMerge } from '../../usage/message.ts'
import { nanosOf, requestKey } from '../../usage/statement.ts'
import { costText, NameReader, readColumns } from '../refresh/projection.ts'
import { NameTable } from '../store/names.ts'
import type { Database } from '../store/port.ts'
import { insertRows } from '../store/port.ts'
import { eventsPerFile, noQuarter, usageFlags } from '../store/schema.ts'
import { type Cell, marksOf } from './rows.ts'

const cellFlags = usageFlags.partial - 1

/** Occurrences in memory at once. */
const occurrencesAtOnce = 60_000
const keys = 2 ** 53
const usageColumns = 18
/** A multiple of the rows that one statement inserts. */
const cellsAtOnce = usageColumns * 2000

/** Brings `message_usage` and `usage_bucket` up to the rows of messages. For the one that writes. */
export function countUsage(db: Database): void {
  if (isUsageCounted(db)) return
  db.transaction(() => {
    if (notesUsage(db)) countDue(db)
    else countAll(db)
  })
}

/** Whether changes of messages have to be noted: before the first count, all are due. */
export function notesUsage(db: Database): boolean {
  return db.prepare("SELECT 1 FROM meta WHERE key = 'usage'").get() !== undefined
}

/** All messages of a session have to be counted again: which of them are its own changed. */
export function noteUsageDue(db: Database, session: string): void {
  if (!notesUsage(db)) return
  const sql = `INSERT OR IGNORE INTO usage_due SELECT message.key FROM file JOIN message
    ON message.event >= file.id * ${eventsPerFile} AND message.event < (file.id + 1) * ${eventsPerFile}
    WHERE file.session = ? AND message.key IS NOT NULL`
  db.prepare(sql).run([session])
}

/** Whether the sums are those of all rows. */
export function isUsageCounted(db: Database): boolean {
  return notesUsage(db) && db.prepare('SELECT 1 FROM usage_due LIMIT 1').get() === undefined
}

/**
 * Messages as if only some files were there. A message's offset is its event's place in the file; `ids`: rows of the files, by
 * place in `files`.
 */
export function countedMessages(
  db: Database,
  isInScope: (path: string) => boolean = () => true,
): { messages: MessageUsage[]; files: readonly UsageFile[]; ids: readonly number[] } {
  const counting = new Counting(db, isInScope)
  const ids = Object.keys(counting.files).map(Number)
  const places = new Map(ids.map((id, place) => [id, place]))
  const messages = counting.merge('message.key IS NOT NULL', []).messages(counting.files)
  for (const message of messages) message.file = places.get(message.file) ?? 0
  return { messages, files: Object.values(counting.files), ids }
}

function countAll(db: Database): void {
  db.exec('DELETE FROM message_usage')
  db.exec('DELETE FROM usage_bucket')
  db.exec('DELETE FROM usage_due')
  const counting = new Counting(db)
  const count = Number(db.prepare('SELECT count(*) FROM message').get()?.[0])
  const parts = Math.max(1, Math.ceil(count / occurrencesAtOnce))
  for (let part = 0; part < parts; part++) {
    const from = Math.floor((keys / parts) * part)
    const to = part + 1 === parts ? keys : Math.floor((keys / parts) * (part + 1))
    counting.writeMerged(counting.merge('+message.key >= ? AND +message.key < ?', [from, to]))
  }
  db.prepare(`INSERT INTO usage_bucket ${bucketsSql(usualPromptSteps)}`).run()
  db.exec("INSERT INTO meta VALUES ('usage', '1')")
}

function countDue(db: Database): void {
  const isDue = 'IN (SELECT key FROM usage_due)'
  const counting = new Counting(db)
  db.exec('CREATE TEMP TABLE IF NOT EXISTS touched (session INTEGER, quarter INTEGER, PRIMARY KEY (session, quarter))')
  db.exec('DELETE FROM temp.touched')
  const touch = `INSERT OR IGNORE INTO temp.touched SELECT session, quarter FROM message_usage WHERE key ${isDue}`
  db.prepare(touch).run()
  db.prepare(`DELETE FROM message_usage WHERE key ${isDue}`).run()
  counting.writeMerged(counting.merge(`message.key ${isDue}`, []))
  db.prepare(touch).run()
  const isTouched = '(session, quarter) IN (SELECT session, quarter FROM temp.touched)'
  db.prepare(`DELETE FROM usage_bucket WHERE ${isTouched}`).run()
  db.prepare(`INSERT INTO usage_bucket ${bucketsSql(usualPromptSteps, { where: isTouched })}`).run()
  db.exec('DELETE FROM usage_due')
}

/** Sums of `message_usage` as rows of `usage_bucket`, split at other sizes of prompts or by more columns on demand. */
export function bucketsSql(
  promptSteps: readonly number[],
  { where = '1', withTools = false }: { where?: string; withTools?: boolean } = {},
): string {
  const steps = [...promptSteps].sort((one, other) => other - one)
  const prompt = 'input + cache_read + cache_creation'
  const cases = steps.map(step => `WHEN ${prompt} > ${step} THEN ${step}`).join(' ')
  const above = cases === '' ? '0' : `CASE ${cases} ELSE 0 END`
  const sums = ['input', 'output', 'cache_creation', 'cache_1h', 'cache_read', 'searches']
  return `SELECT session, quarter, thread, model, flags & ${cellFlags}, ${above}, min(at), max(at), count(*),
    ${sums.map(column => `sum(${column})`).join(', ')},
    sum(flags & ${usageFlags.partial} <> 0), sum(more), sum(stated)${withTools ? ', tools' : ''}
    FROM message_usage WHERE ${where} GROUP BY 1, 2, 3, 4, 5, 6${withTools ? ', tools' : ''}`
}

function occurrencesSql(where: string): string {
  const columns = [...occurrenceColumns, calledColumn]
  const named = columns.map((column, at) => `${column} AS c${at}`)
  const lists = columns.map((_, at) => `json_group_array(c${at})`)
  return `SELECT ${lists.join(', ')} FROM (SELECT ${named.join(', ')} FROM message
    CROSS JOIN event ON event.id = message.event CROSS JOIN origin ON origin.id = event.origin WHERE ${where})`
}

class Counting {
  private readonly db: Database
  private readonly names: NameReader
  private readonly given: NameTable
  /** By row id, with gaps. */
  readonly files: UsageFile[] = []
  /** By session the time until which it has copies of another session that is there, in milliseconds. */
  private readonly copiedUntil: ReadonlyMap<string, number>

  constructor(db: Database, isInScope: (path: string) => boolean = () => true) {
    this.db = db
    this.names = new NameReader(db)
    this.given = new NameTable(db)
    this.copiedUntil = copiedTimes(db)
    for (const [id, path, number, session] of db.prepare('SELECT id, path, number, session FROM file').all()) {
      if (!isInScope(String(path))) continue
      this.files[Number(id)] = { path: String(path), number: Number(number), session: String(session ?? '') }
    }
  }

  merge(where: string, values: readonly number[]): UsageMerge {
    const merge = new UsageMerge()
    const read = readColumns(this.db, occurrencesSql(where), values) as Cell[][]
    const count = read[0]?.length ?? 0
    const called = read.at(-1) ?? []
    for (let row = 0; row < count; row++) {
      const file = Math.floor((read[0]?.[row] as number) / eventsPerFile)
      if (this.files[file] === undefined) continue
      const cells = read.map(column => column[row] ?? null)
      const statement = occurrenceOf(cells, calledIn(called[row] as string, this.names), this.names)
      const until = this.copiedUntil.get(this.files[file]?.session ?? '')
      if (until !== undefined) markInherited(statement, until)
      merge.add(statement)
    }
    return merge
  }

  writeMerged(merge: UsageMerge): void {
    const rows = new UsageRows(this.db, this.given)
    for (const message of merge.inOrder(this.files)) rows.add(message)
    rows.end()
  }
}

function copiedTimes(db: Database): Map<string, number> {
  const sql = `SELECT id, copied ->> 'until' FROM session
    WHERE copied IS NOT NULL AND copied ->> 'from' IN (SELECT id FROM session)`
  const times = new Map<string, number>()
  for (const [id, until] of db.prepare(sql).all()) {
    if (typeof until === 'string') times.set(String(id), Date.parse(until))
  }
  return times
}

/** Writes messages in the order of the table, which is several times as fast. */
class UsageRows {
  private readonly db: Database
  private readonly names: NameTable
  private readonly cells: Cell[] = []
  /** Names of lists with one tool, by the tool. */
  private readonly oneTool = new Map<string, number>()

  constructor(db: Database, names: NameTable) {
    this.db = db
    this.names = names
  }

  end(): void {
    insertRows(this.db, 'message_usage', usageColumns, this.cells)
    this.cells.length = 0
  }

  add(message: MessageUsage): void {
    this.addCells(message)
    if (this.cells.length >= cellsAtOnce) this.end()
  }

  private toolsOf({ tools }: MessageUsage): number {
    if (tools === undefined || tools.length === 0) return this.names.name('[]')
    if (tools.length > 1) return this.names.name(JSON.stringify(tools))
    const [tool = ''] = tools
    let id = this.oneTool.get(tool)
    if (id === undefined) {
      id = this.names.name(JSON.stringify(tools))
      this.oneTool.set(tool, id)
    }
    return id
  }

  private addCells(message: MessageUsage): void {
    const { cells, names } = this
    const { at, file, isSynthetic, isError } = message
    const event = file * eventsPerFile + message.offset
    const quarter = at === null ? noQuarter : Math.floor(at / quarterMillis)
    const isNothing = isSynthetic || isError
    // What Claude Code wrote itself used no tokens, so none can be missing.
    const flags = marksOf(message) & (isNothing ? cellFlags : -1)
    cells.push(message.key, message.request, event, quarter, at, names.name(message.session))
    cells.push(names.name(message.thread), names.name(message.model), flags)
    if (isNothing) {
      cells.push(0, 0, 0, 0, 0, 0, 0, 0)
    } else {
      const more = message.isFinal ? 0 : Math.max(0, message.visibleTokens - message.outputTokens)
      cells.push(message.inputTokens, message.outputTokens, message.cacheCreationTokens)
      cells.push(message.cacheCreation1hTokens, message.cacheReadTokens, message.webSearches, more)
      cells.push(message.statedNanos ?? 0)
    }
    cells.push(this.toolsOf(message))
  }
}

/** The flag of an event whose record is a copy: what it calls was called elsewhere. */
const copy = 1 << eventFlags.indexOf('copy')

/** Of one occurrence, in the order in which `occurrenceOf` takes them. */
const occurrenceColumns: readonly string[] = [
  'message.event',
  'message.key',
  'message.request',
  'message.echo',
  'event.at',
  'origin.thread',
  'message.model',
  'message.input',
  'message.output',
  'message.cache_creation',
  'message.cache_1h',
  'message.cache_read',
  'message.searches',
  'message.marks',
  costText('message.cost'),
  'message.visible',
  'event.flags',
]

/** The calls of an occurrence, each as a name's id and the id of the call. */
const calledColumn = `(SELECT json_group_array(name || ' ' || call) FROM call WHERE call.event = message.event)`

const noTools: readonly string[] = []

/** Names from the text that stores a list of them. */
export function toolsIn(text: string | undefined): readonly string[] {
  return text === undefined ? noTools : asArray(parseJson(text)).map(String)
}

/** Calls as `calledColumn` gives them. */
function calledIn(text: string, names: NameReader): readonly string[] {
  if (text === '[]') return noTools
  return toolsIn(text).map(call => {
    const end = call.indexOf(' ')
    return calledTool(names.name(Number(call.slice(0, end))) ?? '', call.slice(end + 1))
  })
}

/** `called`: its calls as `calledTool` writes them. The file is known by its row id. */
function occurrenceOf(cells: readonly Cell[], called: readonly string[], names: NameReader): UsageStatement {
  const event = numberIn(cells, 0)
  const marks = numberIn(cells, 13)
  const file = Math.floor(event / eventsPerFile)
  const cost = cells[14] ?? null
  return {
    key: numberIn(cells, 1),
    request: requestIn(cells[2] ?? null),
    echo: numberIn(cells, 3),
    at: (cells[4] ?? null) as number | null,
    file,
    // Events of a file have the order of their places in it.
    offset: event - file * eventsPerFile,
    thread: names.name(numberIn(cells, 5)) ?? '',
    model: names.name(cells[6] as number | null) ?? '',
    inputTokens: numberIn(cells, 7),
    outputTokens: numberIn(cells, 8),
    cacheCreationTokens: numberIn(cells, 9),
    cacheCreation1hTokens: numberIn(cells, 10),
    cacheReadTokens: numberIn(cells, 11),
    webSearches: numberIn(cells, 12),
    isFast: (marks & usageFlags.fast) !== 0,
    isUs: (marks & usageFlags.us) !== 0,
    isFinal: (marks & usageFlags.partial) === 0,
    isSynthetic: (marks & usageFlags.synthetic) !== 0,
    isError: (marks & usageFlags.error) !== 0,
    statedNanos: nanosOf(cost === null ? undefined : Number(cost)),
    visibleTokens: numberIn(cells, 15),
    tools: (numberIn(cells, 16) & copy) === 0 ? called : noTools,
  }
}

function numberIn(cells: readonly Cell[], column: number): number {
  return (cells[column] as number | null | undefined) ?? 0
}

function requestIn(cell: Cell): number {
  if (typeof cell === 'string') return cell === '' ? 0 : requestKey(cell)
  return cell ?? 0
}
