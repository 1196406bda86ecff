// Brings the tables of files and their rows up to the ledger: drops what is gone, reads what is new. Rows and the position that
// they stand for are written in one transaction; a kill at any point leaves an index that tells less, never wrong.

import type { Finding } from '../../model/finding.ts'
import { type LedgerFile, racyState } from '../refresh/ledger.ts'
import type { Database, Row, SqlValue } from '../store/port.ts'
import type { Readers } from './hands.ts'
import type { FileTask, RowBatch } from './rows.ts'
import { TaskQueue } from './tasks.ts'
import type { UsageLoad } from './usage-load.ts'
import { RowWriter } from './write.ts'
import type { WrittenRows } from './written.ts'

/** A transaction is closed after so many read bytes, or so long. */
const commitBytes = 32 * 1024 * 1024
const commitMs = 2000
/** Where very much is loaded, so many times that. */
const bulkSteps = 8
/** From here on FTS5 gathers more words in memory, and merges nothing on the way. */
const bulkBytes = 32 * 1024 * 1024

export interface IngestOptions {
  readers: Readers
  /** Counts messages in passing. */
  usage?: UsageLoad
  /** Is told of the rows. */
  written?: WrittenRows
  /** Whether a file that the ledger does not name is one that it would name if it were there; absent: none is. */
  isInScope?(path: string): boolean
  /** Generations that may be such files; absent: all that are known. */
  among?: readonly string[]
  /** Told of each generation whose rows are complete, within the transaction that made them so. */
  onFile?: (generation: string) => void
  begin?: (bytes: number) => void
  progress?: (bytes: number) => void
  isStopped?: () => boolean
}

export interface IngestReport {
  /** Files with new rows, files whose rows went. */
  files: number
  dropped: number
  bytes: number
  isStopped: boolean
  findings: Finding[]
}

const columns =
  'id, generation, path, number, standing, role, session, name_session, agent, size, modified, told, indexed, state, check_sum'

export class Ingest {
  private readonly db: Database
  private readonly options: IngestOptions
  private readonly writer: RowWriter
  private readonly report: IngestReport = { files: 0, dropped: 0, bytes: 0, isStopped: false, findings: [] }
  private readonly tasks = new Map<number, FileTask>()
  private readonly queue = new TaskQueue()
  private step: Step | undefined
  private readonly begun = new Set<number>()

  constructor(db: Database, options: IngestOptions) {
    this.db = db
    this.options = options
    this.writer = new RowWriter(db, options.usage, options.written)
  }

  async run(ledger: readonly LedgerFile[]): Promise<IngestReport> {
    const tasks = TaskQueue.of(this.db.transaction(() => this.settleFiles(ledger)))
    if (!tasks.isDone) await this.read(tasks, tasks.bytes)
    return this.report
  }

  /** The same for files that are named one after the other by `add`, of about so many bytes, until `end`. */
  async runOn(bytes: number): Promise<IngestReport> {
    await this.read(this.queue, bytes)
    return this.report
  }

  /** Files that are to be read, too. */
  add(files: readonly LedgerFile[]): void {
    this.step?.open()
    this.queue.add(this.settleFiles(files))
  }

  /** No more files will be named. */
  end(): void {
    this.queue.close()
  }

  /** Files that are gone lose their rows, new ones get theirs; gives what is to be read. */
  private settleFiles(ledger: readonly LedgerFile[]): FileTask[] {
    const known = this.knownRows(ledger)
    const tasks: FileTask[] = []
    let next = Number(this.db.prepare('SELECT coalesce(max(id), 0) + 1 FROM file').get()?.[0])
    this.dropUnnamed(known, ledger)
    for (const file of ledger) {
      const row = known.get(file.generation)
      const id = row === undefined ? next++ : Number(row[0])
      if (row === undefined) this.insertFile(id, file)
      else this.updateFile(row, file)
      if (isPending(row, file)) tasks.push(this.taskOf(id, file, row))
    }
    return tasks
  }

  /** Rows of files by generation: of those that the ledger names, and those that may be dropped. */
  private knownRows(ledger: readonly LedgerFile[]): Map<string, Row> {
    const { isInScope, among } = this.options
    const isAll = isInScope !== undefined && among === undefined
    const where = isAll ? '' : ' WHERE generation IN (SELECT value FROM json_each(?))'
    const values = isAll ? [] : [JSON.stringify([...ledger.map(({ generation }) => generation), ...(among ?? [])])]
    const rows = this.db.prepare(`SELECT ${columns} FROM file${where}`).all(values)
    return new Map(rows.map(row => [String(row[1]), row]))
  }

  /** Drops files that the ledger does not name, and those that are read in another way now. */
  private dropUnnamed(known: Map<string, Row>, ledger: readonly LedgerFile[]): void {
    const named = new Map(ledger.map(file => [file.generation, file]))
    const doomed: number[] = []
    for (const [generation, row] of known) {
      const file = named.get(generation)
      const isKept = file === undefined ? this.options.isInScope?.(String(row[2])) !== true : isSameReading(row, file)
      if (isKept) continue
      doomed.push(Number(row[0]))
      known.delete(generation)
      if (file === undefined) this.report.dropped++
    }
    this.writer.dropFiles(doomed)
  }

  private insertFile(id: number, file: LedgerFile): void {
    const cells: SqlValue[] = [id, file.generation, file.path, file.number, file.standing, file.role]
    cells.push(file.session ?? null, file.nameSession ?? null, file.agent ?? null, file.size, file.modifiedMs)
    this.db
      .prepare(
        `INSERT INTO file (id, generation, path, number, standing, role, session, name_session, agent, size, modified)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(cells)
  }

  private updateFile(row: Row, file: LedgerFile): void {
    const now = [file.path, file.number, file.standing, file.size, file.modifiedMs]
    const before = [row[2], row[3], row[4], row[9], row[10]]
    if (now.every((cell, at) => cell === before[at])) return
    // The order of files decides between messages that are alike in all else.
    if (now[0] !== before[0] || now[1] !== before[1]) this.writer.noteMoved(Number(row[0]))
    const sql = 'UPDATE file SET path = ?, number = ?, standing = ?, size = ?, modified = ? WHERE id = ?'
    this.db.prepare(sql).run([...now, row[0] as number])
  }

  private taskOf(id: number, file: LedgerFile, row: Row | undefined): FileTask {
    const checkpoint = this.db.prepare('SELECT at, state FROM checkpoint WHERE file = ?').get([id])
    const sum = row?.[14]
    const task: FileTask = {
      file: id,
      source: file.source,
      path: file.path,
      role: file.role,
      ...(file.session !== undefined && { session: file.session }),
      ...(file.nameSession !== undefined && { nameSession: file.nameSession }),
      ...(file.agent !== undefined && { agent: file.agent }),
      size: file.size,
      indexed: Number(row?.[12] ?? 0),
      isLive: file.state !== undefined,
      ...(file.frames !== undefined && { frames: { place: file.path, ...file.frames } }),
      ...(typeof sum === 'string' && { checkSum: sum }),
      ...(checkpoint !== undefined && {
        checkpoint: { at: Number(checkpoint[0]), state: checkpoint[1] as Uint8Array },
      }),
    }
    this.tasks.set(id, task)
    this.generations.set(id, file.generation)
    if (file.state !== undefined) this.states.set(id, file.state)
    return task
  }

  private readonly states = new Map<number, string>()
  private readonly generations = new Map<number, string>()

  private async read(tasks: TaskQueue, bytes: number): Promise<void> {
    const { options, db } = this
    options.begin?.(bytes)
    const isBulk = bytes >= bulkBytes
    setWordOptions(db, isBulk)
    const step = new Step(db, isBulk ? bulkSteps : 1)
    this.step = step
    try {
      let again = await this.readOnce(tasks, step, bytes)
      while (again.length > 0 && !this.report.isStopped) again = await this.readOnce(TaskQueue.of(again), step)
      step.close()
      if (isBulk) setWordOptions(db, false)
    } catch (error) {
      step.abandon()
      options.written?.clear()
      throw error
    }
  }

  /** Gives tasks that have to be done once more, from their start. */
  private async readOnce(tasks: TaskQueue, step: Step, bytes?: number): Promise<FileTask[]> {
    const again: FileTask[] = []
    for await (const answer of this.options.readers.read(tasks, bytes)) {
      step.open()
      if ('batch' in answer) this.write(answer.batch)
      else if (answer.isRewritten) again.push(this.afresh(answer.file))
      else this.noteUnread(answer.file, answer.problem)
      step.add('batch' in answer ? answer.batch.bytes : 0)
      if (this.options.isStopped?.() === true) {
        this.report.isStopped = true
        break
      }
    }
    return again
  }

  private write(batch: RowBatch): void {
    const { file } = batch
    if (!this.begun.has(file)) {
      this.begun.add(file)
      this.report.files++
      const task = this.tasks.get(file)
      if (task !== undefined) this.writer.begin(task)
    }
    this.writer.write(batch)
    const state = this.states.get(file)
    if (batch.isLast && state !== undefined) {
      this.db.prepare('UPDATE file SET state = ? WHERE id = ?').run([state, file])
    }
    if (batch.isLast) this.options.onFile?.(this.generations.get(file) ?? '')
    this.report.bytes += batch.bytes
    this.options.progress?.(batch.bytes)
  }

  /** A live file that is not what it was: its rows tell of bytes that are nowhere any more. */
  private afresh(file: number): FileTask {
    const task = this.tasks.get(file) as FileTask
    this.writer.dropRows(file)
    const { checkpoint: _checkpoint, checkSum: _sum, ...rest } = task
    const fresh: FileTask = { ...rest, indexed: 0 }
    this.tasks.set(file, fresh)
    this.begun.delete(file)
    return fresh
  }

  private noteUnread(file: number, problem: string): void {
    const path = this.tasks.get(file)?.path
    this.report.findings.push({
      code: 'not-indexed',
      severity: 'warning',
      ...(path !== undefined && { file: path }),
      message: `This file could not be read; what is new in it is not in the index: ${problem}`,
    })
  }
}

/** Events of a file depend on what it is read as. */
function isSameReading(row: Row, file: LedgerFile): boolean {
  const before = [row[5], row[6], row[7], row[8]]
  const now = [file.role, file.session ?? null, file.nameSession ?? null, file.agent ?? null]
  if (!now.every((cell, at) => cell === before[at])) return false
  // What is kept only grows; less of it than is told is another content.
  return file.state !== undefined || Number(row[11]) <= file.size
}

function isPending(row: Row | undefined, file: LedgerFile): boolean {
  if (row === undefined) return file.size > 0 || file.state !== undefined
  return file.state === undefined ? Number(row[11]) !== file.size : row[13] !== file.state || file.state === racyState
}

/** While very much is loaded, words stay in memory longer and are not merged on the way. */
function setWordOptions(db: Database, isBulk: boolean): void {
  const set = (option: string, value: number) =>
    db.prepare('INSERT INTO words (words, rank) VALUES (?, ?)').run([option, value])
  db.transaction(() => {
    set('hashsize', isBulk ? 64 * 1024 * 1024 : 1024 * 1024)
    set('automerge', isBulk ? 0 : 4)
    set('crisismerge', isBulk ? 64 : 16)
  })
}

/** A transaction that stays open over several batches. */
class Step {
  private readonly db: Database
  private isOpen = false
  private bytes = 0
  private openedAt = 0

  private readonly length: number

  constructor(db: Database, length: number) {
    this.db = db
    this.length = length
  }

  open(): void {
    if (this.isOpen) return
    this.db.begin()
    this.isOpen = true
    this.bytes = 0
    this.openedAt = Date.now()
  }

  add(bytes: number): void {
    this.bytes += bytes
    if (this.bytes >= commitBytes * this.length || Date.now() - this.openedAt >= commitMs * this.length) this.close()
  }

  close(): void {
    if (this.isOpen) this.db.commit()
    this.isOpen = false
  }

  abandon(): void {
    if (this.isOpen) this.db.rollBack()
    this.isOpen = false
  }
}
