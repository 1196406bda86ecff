// Counts each API message once, from all rows that tell of it, and keeps sums of messages that reports ask for. Only messages
// whose occurrences changed are counted anew. How occurrences are joined is decided in `analyze`.

import { type UsageFile, type UsageMessage, usualPromptSteps } from '../../model/spent.ts'
import { quarterMillis } from '../../usage/cells.ts'
import { messagesOfKey, UsageMerge } from '../../usage/merge.ts'
import { ThinNames } from '../refresh/thin-names.ts'
import { Columns } from '../refresh/thin-rows.ts'
import { insertRows } from '../store/insert.ts'
import { NameTable } from '../store/names.ts'
import type { Database } from '../store/port.ts'
import { eventsPerFile, noQuarter, spendFlags } from '../store/schema.ts'
import { type Cell, marksOf } from './rows.ts'
import { UsageLoad } from './usage-load.ts'
import type { UsagePack } from './usage-pack.ts'
import { calledColumn, calledIn, occurrenceColumns, occurrenceOf } from './usage-rows.ts'

const cellFlags = spendFlags.partial - 1

/** So many occurrences are held in memory at once. */
const occurrencesAtOnce = 60_000
const keys = 2 ** 53
const spendColumns = 18
/** A multiple of how many rows a statement takes. */
const cellsAtOnce = spendColumns * 2000

/** Brings `spend` and `spent` up to the rows of messages. For the one who writes. `load`: what it counted while it wrote. */
export function settleUsage(db: Database, load?: UsageLoad): void {
  const isCounted = db.prepare("SELECT 1 FROM meta WHERE key = 'usage'").get() !== undefined
  if (isCounted && db.prepare('SELECT 1 FROM usage_due LIMIT 1').get() === undefined) return
  db.transaction(() => {
    if (isCounted) countDue(db)
    else countAll(db, load?.take() ?? null)
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
  const ids = Object.keys(counting.files).map(Number)
  const places = new Map(ids.map((id, place) => [id, place]))
  const messages = counting.merge('message.key IS NOT NULL', []).messages(counting.files)
  for (const message of messages) message.file = places.get(message.file) ?? 0
  return { messages, files: Object.values(counting.files), ids }
}

function countAll(db: Database, counted: UsagePack | null): void {
  db.exec('DELETE FROM spend')
  db.exec('DELETE FROM spent')
  db.exec('DELETE FROM usage_due')
  const counting = new Counting(db)
  if (counted === null) countParts(db, counting)
  else counting.writePacked(counted)
  db.prepare(`INSERT INTO spent ${cellsSql(usualPromptSteps)}`).run()
  db.exec("INSERT INTO meta VALUES ('usage', '1')")
}

/** Not more at a time than there is room for. */
function countParts(db: Database, counting: Counting): void {
  const count = Number(db.prepare('SELECT count(*) FROM message').get()?.[0])
  const parts = Math.max(1, Math.ceil(count / occurrencesAtOnce))
  for (let part = 0; part < parts; part++) {
    const from = Math.floor((keys / parts) * part)
    const to = part + 1 === parts ? keys : Math.floor((keys / parts) * (part + 1))
    counting.writeMerged(counting.merge('+message.key >= ? AND +message.key < ?', [from, to]))
  }
}

/** For an index without messages: whoever writes the first ones counts them in passing. */
export function usageLoad(db: Database): UsageLoad | undefined {
  const isEmpty = !notesUsage(db) && db.prepare('SELECT 1 FROM message LIMIT 1').get() === undefined
  return isEmpty ? new UsageLoad(db) : undefined
}

function countDue(db: Database): void {
  const isDue = 'IN (SELECT key FROM usage_due)'
  const counting = new Counting(db)
  db.exec('CREATE TEMP TABLE IF NOT EXISTS touched (session INTEGER, quarter INTEGER, PRIMARY KEY (session, quarter))')
  db.exec('DELETE FROM temp.touched')
  const touch = `INSERT OR IGNORE INTO temp.touched SELECT session, quarter FROM spend WHERE key ${isDue}`
  db.prepare(touch).run()
  db.prepare(`DELETE FROM spend WHERE key ${isDue}`).run()
  counting.writeMerged(counting.merge(`message.key ${isDue}`, []))
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

function occurrencesSql(where: string): string {
  const columns = [...occurrenceColumns, calledColumn]
  const named = columns.map((column, at) => `${column} AS c${at}`)
  const lists = columns.map((_, at) => `json_group_array(c${at})`)
  return `SELECT ${lists.join(', ')} FROM (SELECT ${named.join(', ')} FROM message
    CROSS JOIN event ON event.id = message.event CROSS JOIN origin ON origin.id = event.origin WHERE ${where})`
}

class Counting {
  private readonly db: Database
  private readonly names: ThinNames
  private readonly given: NameTable
  /** By row id, with gaps. */
  readonly files: UsageFile[] = []

  constructor(db: Database, isInScope: (path: string) => boolean = () => true) {
    this.db = db
    this.names = new ThinNames(db)
    this.given = new NameTable(db)
    for (const [id, path, number, session] of db.prepare('SELECT id, path, number, session FROM file').all()) {
      if (!isInScope(String(path))) continue
      this.files[Number(id)] = { path: String(path), number: Number(number), session: String(session ?? '') }
    }
  }

  merge(where: string, values: readonly number[]): UsageMerge {
    const merge = new UsageMerge()
    const read = new Columns(this.db).read(occurrencesSql(where), values) as Cell[][]
    const count = read[0]?.length ?? 0
    const called = read.at(-1) ?? []
    for (let row = 0; row < count; row++) {
      const file = Math.floor((read[0]?.[row] as number) / eventsPerFile)
      if (this.files[file] === undefined) continue
      const cells = read.map(column => column[row] ?? null)
      merge.add(occurrenceOf(cells, calledIn(called[row] as string, this.names), this.names))
    }
    return merge
  }

  writeMerged(merge: UsageMerge): void {
    const rows = new SpendRows(this.db, this.given)
    for (const message of merge.inOrder(this.files)) rows.add(message)
    rows.end()
  }

  writePacked(pack: UsagePack): void {
    const rows = new SpendRows(this.db, this.given)
    for (const statements of pack.byKey(this.names)) {
      for (const message of messagesOfKey(statements, this.files)) rows.add(message)
    }
    rows.end()
  }
}

/** Writes messages, which come in the order of the table: so they are several times as quick to add. */
class SpendRows {
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
    insertRows(this.db, 'spend', spendColumns, this.cells)
    this.cells.length = 0
  }

  add(message: UsageMessage): void {
    this.addCells(message)
    if (this.cells.length >= cellsAtOnce) this.end()
  }

  private toolsOf({ tools }: UsageMessage): number {
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

  private addCells(message: UsageMessage): void {
    const { cells, names } = this
    const { at, file, isSynthetic, isError } = message
    const event = file * eventsPerFile + message.offset
    const quarter = at === null ? noQuarter : Math.floor(at / quarterMillis)
    const isNothing = isSynthetic || isError
    // What the client wrote itself used nothing that could be told in part.
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
