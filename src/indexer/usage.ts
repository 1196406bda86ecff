// Counts each API message once, from all rows that tell of it, and keeps sums of messages that reports ask for. Only messages
// whose occurrences changed are counted anew. How occurrences are joined is decided in `analyze`.

import { quarterMillis } from '../analyze/usage-cells.ts'
import { UsageMerge } from '../analyze/usage-merge.ts'
import { asArray, parseJson } from '../base/json.ts'
import { requestKey } from '../decode/usage-key.ts'
import { nanosOf } from '../decode/usage-occurrence.ts'
import { eventFlags } from '../model/event.ts'
import {
  calledTool,
  type UsageFile,
  type UsageMessage,
  type UsageOccurrence,
  usualPromptSteps,
} from '../model/spent.ts'
import { insertRows } from './insert.ts'
import type { Database } from './port.ts'
import { type Cell, marksOf } from './rows.ts'
import { eventsPerFile, noQuarter, spendFlags } from './schema.ts'
import { ThinNames } from './thin-names.ts'
import { Columns, costText } from './thin-rows.ts'

const cellFlags = spendFlags.partial - 1

/** So many occurrences are held in memory at once. */
const occurrencesAtOnce = 60_000
const keys = 2 ** 53

/** Brings `spend` and `spent` up to the rows of messages. For the one who writes. */
export function settleUsage(db: Database): void {
  const isCounted = db.prepare("SELECT 1 FROM meta WHERE key = 'usage'").get() !== undefined
  if (isCounted && db.prepare('SELECT 1 FROM usage_due LIMIT 1').get() === undefined) return
  db.transaction(() => {
    if (isCounted) countDue(db)
    else countAll(db)
  })
}

/** Whether changes of messages have to be noted: before all were counted once, all are due anyway. */
export function notesUsage(db: Database): boolean {
  return db.prepare("SELECT 1 FROM meta WHERE key = 'usage'").get() !== undefined
}

/** Whether the sums are those of all rows. */
export function isUsageSettled(db: Database): boolean {
  return notesUsage(db) && db.prepare('SELECT 1 FROM usage_due LIMIT 1').get() === undefined
}

/**
 * Messages as if only some files were there. A message's offset is its event's place in the file; `ids`: rows of the files, by
 * place in `files`.
 */
export function countedMessages(
  db: Database,
  isInScope: (path: string) => boolean = () => true,
): { messages: UsageMessage[]; files: readonly UsageFile[]; ids: readonly number[] } {
  const counting = new Counting(db, isInScope)
  return { messages: counting.messages('message.key IS NOT NULL', []), files: counting.files, ids: counting.idOf }
}

function countAll(db: Database): void {
  db.exec('DELETE FROM spend')
  db.exec('DELETE FROM spent')
  db.exec('DELETE FROM usage_due')
  const counting = new Counting(db)
  const count = Number(db.prepare('SELECT count(*) FROM message').get()?.[0])
  const parts = Math.max(1, Math.ceil(count / occurrencesAtOnce))
  for (let part = 0; part < parts; part++) {
    const from = Math.floor((keys / parts) * part)
    const to = part + 1 === parts ? keys : Math.floor((keys / parts) * (part + 1))
    counting.write(counting.messages('+message.key >= ? AND +message.key < ?', [from, to]))
  }
  db.prepare(`INSERT INTO spent ${cellsSql(usualPromptSteps)}`).run()
  db.exec("INSERT INTO meta VALUES ('usage', '1')")
}

function countDue(db: Database): void {
  const isDue = 'IN (SELECT key FROM usage_due)'
  const counting = new Counting(db)
  db.exec('CREATE TEMP TABLE IF NOT EXISTS touched (session INTEGER, quarter INTEGER, PRIMARY KEY (session, quarter))')
  db.exec('DELETE FROM temp.touched')
  const touch = `INSERT OR IGNORE INTO temp.touched SELECT session, quarter FROM spend WHERE key ${isDue}`
  db.prepare(touch).run()
  db.prepare(`DELETE FROM spend WHERE key ${isDue}`).run()
  counting.write(counting.messages(`message.key ${isDue}`, []))
  db.prepare(touch).run()
  const isTouched = '(session, quarter) IN (SELECT session, quarter FROM temp.touched)'
  db.prepare(`DELETE FROM spent WHERE ${isTouched}`).run()
  db.prepare(`INSERT INTO spent ${cellsSql(usualPromptSteps, { where: isTouched })}`).run()
  db.exec('DELETE FROM usage_due')
}

/** Sums of `spend` as rows of `spent`, parted at other sizes of prompts or by more columns where that is asked for. */
export function cellsSql(
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
    sum(flags & ${spendFlags.partial} <> 0), sum(more), sum(stated)${withTools ? ', tools' : ''}
    FROM spend WHERE ${where} GROUP BY 1, 2, 3, 4, 5, 6${withTools ? ', tools' : ''}`
}

const copy = 1 << eventFlags.indexOf('copy')

/** Columns of one occurrence, in the order in which `occurrence` reads them. */
const columns = [
  'message.event',
  'message.key',
  'message.request',
  'message.echo',
  'coalesce(message.said, event.at)',
  'coalesce(message.thread, origin.thread)',
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
  'message.tools',
  `(SELECT json_group_array(name || ' ' || call) FROM call WHERE call.event = message.event)`,
]

function occurrencesSql(where: string): string {
  const named = columns.map((column, at) => `${column} AS c${at}`)
  const lists = columns.map((_, at) => `json_group_array(c${at})`)
  return `SELECT ${lists.join(', ')} FROM (SELECT ${named.join(', ')} FROM message
    CROSS JOIN event ON event.id = message.event CROSS JOIN origin ON origin.id = event.origin WHERE ${where})`
}

const noTools: readonly string[] = []

/** Names as they are kept together in one text. */
export function toolsIn(text: string | undefined): readonly string[] {
  return text === undefined ? noTools : asArray(parseJson(text)).map(String)
}

class Counting {
  private readonly db: Database
  private readonly names: ThinNames
  readonly files: UsageFile[] = []
  readonly idOf: number[] = []
  private readonly placeOf = new Map<number, number>()
  private readonly ids = new Map<string, number>()

  constructor(db: Database, isInScope: (path: string) => boolean = () => true) {
    this.db = db
    this.names = new ThinNames(db)
    for (const [id, path, number, session] of db.prepare('SELECT id, path, number, session FROM file').all()) {
      if (!isInScope(String(path))) continue
      this.placeOf.set(Number(id), this.files.length)
      this.idOf.push(Number(id))
      this.files.push({ path: String(path), number: Number(number), session: String(session ?? '') })
    }
  }

  messages(where: string, values: readonly number[]): UsageMessage[] {
    const merge = new UsageMerge()
    const read = new Columns(this.db).read(occurrencesSql(where), values)
    const count = read[0]?.length ?? 0
    for (let row = 0; row < count; row++) {
      const event = read[0]?.[row] as number
      const place = this.placeOf.get(Math.floor(event / eventsPerFile))
      if (place !== undefined) merge.add(this.occurrence(read, row, place))
    }
    return merge.messages(this.files)
  }

  private occurrence(read: readonly (readonly unknown[])[], row: number, file: number): UsageOccurrence {
    const cell = (column: number) => read[column]?.[row] as Cell
    const number = (column: number) => (cell(column) as number | null) ?? 0
    const marks = number(13)
    const request = cell(2) as string | null
    const cost = cell(14)
    return {
      key: number(1),
      request: request ? requestKey(request) : 0,
      echo: number(3),
      at: cell(4) as number | null,
      file,
      // Events of a file have the order of their places in it.
      offset: number(0) % eventsPerFile,
      thread: this.names.name(number(5)) ?? '',
      model: this.names.name(cell(6) as number | null) ?? '',
      inputTokens: number(7),
      outputTokens: number(8),
      cacheCreationTokens: number(9),
      cacheCreation1hTokens: number(10),
      cacheReadTokens: number(11),
      webSearches: number(12),
      isFast: (marks & spendFlags.fast) !== 0,
      isUs: (marks & spendFlags.us) !== 0,
      isFinal: (marks & spendFlags.partial) === 0,
      isSynthetic: (marks & spendFlags.synthetic) !== 0,
      isError: (marks & spendFlags.error) !== 0,
      statedNanos: nanosOf(cost === null ? undefined : Number(cost)),
      visibleTokens: number(15),
      tools: (number(16) & copy) === 0 ? this.toolsOf(cell(17), cell(18)) : noTools,
    }
  }

  /** `told`: of a record without calls of its own; `called`: a list of names' ids and ids of calls. */
  private toolsOf(told: Cell, called: Cell): readonly string[] {
    if (told !== null) return toolsIn(this.names.name(told as number))
    if (called === null || called === '[]') return noTools
    return toolsIn(called as string).map(call => {
      const end = call.indexOf(' ')
      return calledTool(this.names.name(Number(call.slice(0, end))) ?? '', call.slice(end + 1))
    })
  }

  write(messages: readonly UsageMessage[]): void {
    const cells: Cell[] = []
    for (const message of messages) this.addRow(cells, message)
    insertRows(this.db, 'spend', 18, cells)
  }

  private addRow(cells: Cell[], message: UsageMessage): void {
    const { at, file, isSynthetic, isError } = message
    const event = (this.idOf[file] ?? 0) * eventsPerFile + message.offset
    const quarter = at === null ? noQuarter : Math.floor(at / quarterMillis)
    const isNothing = isSynthetic || isError
    // What the client wrote itself used nothing that could be told in part.
    const flags = marksOf(message) & (isNothing ? cellFlags : -1)
    const more = message.isFinal ? 0 : Math.max(0, message.visibleTokens - message.outputTokens)
    const amounts = [message.inputTokens, message.outputTokens, message.cacheCreationTokens]
    amounts.push(message.cacheCreation1hTokens, message.cacheReadTokens, message.webSearches, more)
    amounts.push(message.statedNanos ?? 0)
    cells.push(message.key, message.request, event, quarter, at, this.nameId(message.session))
    cells.push(this.nameId(message.thread), this.nameId(message.model), flags)
    for (const amount of amounts) cells.push(isNothing ? 0 : amount)
    cells.push(this.nameId(JSON.stringify(message.tools ?? [])))
  }
  private nameId(text: string): number {
    const known = this.ids.get(text)
    if (known !== undefined) return known
    const found = this.db.prepare('SELECT id FROM name WHERE text = ?').get([text])
    const made = found ?? this.db.prepare('INSERT INTO name (text) VALUES (?) RETURNING id').get([text])
    const id = Number(made?.[0])
    this.ids.set(text, id)
    return id
  }
}
