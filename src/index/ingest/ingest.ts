// Brings the tables of files and their rows up to the ledger: drops what is gone, reads what is new. Readers run in the worker
// pool, one writer here. Rows and their position are written in one transaction: a kill at any point leaves an
// index that has less, never something wrong.

import { availableParallelism } from 'node:os'
import type { Finding } from '../../model/finding.ts'
import type { ByteSource } from '../../model/source.ts'
import { WorkerPool } from '../../worker/pool.ts'
import { type LedgerFile, racyState } from '../refresh/ledger.ts'
import type { Database, Row, SqlValue } from '../store/port.ts'
import { readFileTask, useSource } from './read-file.ts'
import { type FileTask, isStored, type RowBatch } from './rows.ts'
import { RowWriter } from './write.ts'

/** A transaction ends after this many bytes read, or this much time. */
const commitBytes = 32 * 1024 * 1024
const commitMs = 2000
/** A bulk load uses this many times that. */
const bulkSteps = 8
/** A load of at least this many bytes counts as bulk. */
const bulkBytes = 32 * 1024 * 1024

/** Starting a thread takes as long as reading about this much. */
const bytesPerWorker = 12 * 1024 * 1024

export interface IngestOptions {
  /** Clew's own folder: a worker opens the source of it. */
  home: string
  /** The same source, for what is read in this thread. */
  source: ByteSource
  /** Whether a file that the ledger does not name is gone. */
  isGone(path: string): boolean
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
  'id, generation, path, number, standing, role, session, name_session, agent, size, modified, covered, indexed, state, check_sum'

export class Ingest {
  private readonly db: Database
  private readonly options: IngestOptions
  private readonly writer: RowWriter
  private readonly report: IngestReport = { files: 0, dropped: 0, bytes: 0, isStopped: false, findings: [] }
  private readonly tasks = new Map<number, FileTask>()
  private readonly begun = new Set<number>()
  /** How live files looked when they were read. */
  private readonly states = new Map<number, string>()

  constructor(db: Database, options: IngestOptions) {
    this.db = db
    this.options = options
    this.writer = new RowWriter(db)
  }

  async run(ledger: readonly LedgerFile[]): Promise<IngestReport> {
    const tasks = this.db.transaction(() => this.updateFiles(ledger))
    if (tasks.length > 0) await this.read(tasks)
    return this.report
  }

  /** Drops rows of files that are gone, adds rows for new files, and returns what to read. */
  private updateFiles(ledger: readonly LedgerFile[]): FileTask[] {
    const rows = this.db.prepare(`SELECT ${columns} FROM file`).all()
    const known = new Map(rows.map(row => [String(row[1]), row]))
    const tasks: FileTask[] = []
    let next = Number(this.db.prepare('SELECT coalesce(max(id), 0) + 1 FROM file').get()?.[0])
    this.adoptArchived(known, ledger)
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

  /** Rows of a live file are those of the archived one with the same bytes: it looks as it did when it was indexed. */
  private adoptArchived(known: Map<string, Row>, ledger: readonly LedgerFile[]): void {
    const named = new Set(ledger.map(({ generation }) => generation))
    const rename = this.db.prepare('UPDATE file SET generation = ?, state = NULL, check_sum = NULL WHERE id = ?')
    for (const { generation, before, size } of ledger) {
      if (before === undefined || known.has(generation) || named.has(before.generation)) continue
      const row = known.get(before.generation)
      if (row === undefined || row[13] !== before.state || before.state === racyState || row[9] !== size) continue
      rename.run([generation, row[0] as number])
      known.delete(before.generation)
      known.set(generation, row.with(1, generation).with(13, null).with(14, null))
    }
  }

  /** Drops files that are gone, and those that are read in another way now. */
  private dropUnnamed(known: Map<string, Row>, ledger: readonly LedgerFile[]): void {
    const named = new Map(ledger.map(file => [file.generation, file]))
    const dropped: number[] = []
    for (const [generation, row] of known) {
      const file = named.get(generation)
      if (file === undefined ? !this.options.isGone(String(row[2])) : isSameReading(row, file)) continue
      dropped.push(Number(row[0]))
      known.delete(generation)
      if (file === undefined) this.report.dropped++
    }
    this.writer.dropFiles(dropped)
  }

  private insertFile(id: number, file: LedgerFile): void {
    const cells: SqlValue[] = [id, file.generation, file.path, file.number, file.standing, file.role]
    cells.push(file.session ?? null, file.nameSession ?? null, file.agent ?? null, file.stored ?? null)
    cells.push(file.size, file.modifiedMs)
    this.db
      .prepare(
        `INSERT INTO file (id, generation, path, number, standing, role, session, name_session, agent, stored, size, modified)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
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
      ...(typeof sum === 'string' && { checkSum: sum }),
      ...(checkpoint !== undefined && {
        checkpoint: { at: Number(checkpoint[0]), state: checkpoint[1] as Uint8Array },
      }),
    }
    this.tasks.set(id, task)
    if (file.state !== undefined) this.states.set(id, file.state)
    return task
  }

  private async read(tasks: readonly FileTask[]): Promise<void> {
    const { options, db } = this
    const bytes = tasks.reduce((sum, task) => sum + bytesDue(task), 0)
    options.begin?.(bytes)
    const isBulk = bytes >= bulkBytes
    setWordOptions(db, isBulk)
    const step = new Step(db, isBulk ? bulkSteps : 1)
    const pool = new WorkerPool({ size: readersFor(bytes), resourceLimits })
    try {
      let due = tasks
      while (due.length > 0 && !this.report.isStopped) due = await this.readOnce(pool, due, step)
      step.close()
      if (isBulk) setWordOptions(db, false)
    } catch (error) {
      step.abandon()
      throw error
    } finally {
      await pool.close()
    }
  }

  /** Gives tasks that have to be done once more, from their start. */
  private async readOnce(pool: WorkerPool, tasks: readonly FileTask[], step: Step): Promise<FileTask[]> {
    const { home, source, isStopped } = this.options
    const run = `${process.pid}-${++runs}`
    useSource(run, source)
    const again: FileTask[] = []
    let isEnded = false
    const onMessage = (batch: RowBatch) => {
      // Threads continue for a moment after the end.
      if (isEnded) return
      step.open()
      this.write(batch)
      step.add(batch.bytes)
      if (isStopped?.() === true) throw new StoppedError()
    }
    try {
      const args = tasks.map(task => ({ run, home, task }))
      let at = 0
      for await (const outcome of pool.map(readFileTask, args, { onMessage })) {
        const { file } = tasks[at++] as FileTask
        if (outcome.state === 'rewritten') again.push(this.restarted(file, step))
        else if (outcome.state === 'unread') this.noteUnread(file, outcome.problem)
      }
    } catch (error) {
      if (!(error instanceof StoppedError)) throw error
      this.report.isStopped = true
    } finally {
      isEnded = true
    }
    return again
  }

  private write(batch: RowBatch): void {
    const { file } = batch
    if (!this.begun.has(file)) {
      this.begun.add(file)
      const task = this.tasks.get(file)
      if (task !== undefined) this.writer.begin(task)
      // Those with a text alone belong to a log.
      if (task === undefined || !isStored(task.role)) this.report.files++
    }
    this.writer.write(batch)
    const state = this.states.get(file)
    if (batch.isLast && state !== undefined) {
      this.db.prepare('UPDATE file SET state = ? WHERE id = ?').run([state, file])
    }
    this.report.bytes += batch.bytes
    this.options.progress?.(batch.bytes)
  }

  /** A live file that is not what it was: its rows are of bytes that are gone. */
  private restarted(file: number, step: Step): FileTask {
    const task = this.tasks.get(file) as FileTask
    step.open()
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

let runs = 0

/** Asked to stop: what is written stays. */
class StoppedError extends Error {}

/** A limit on the heap of reader threads: V8 would let them grow further than they need. */
const resourceLimits = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 16 }

/** What is new of a file; all of one that became shorter, since its content is another. */
function bytesDue({ size, indexed }: FileTask): number {
  return size >= indexed ? size - indexed : size
}

/** One per core: the writer waits for them a third of the time. Little is read in this thread. */
function readersFor(bytes: number): number {
  return Math.min(availableParallelism(), Math.floor(bytes / bytesPerWorker))
}

/** Events of a file depend on what it is read as. */
function isSameReading(row: Row, file: LedgerFile): boolean {
  const before = [row[5], row[6], row[7], row[8]]
  const now = [file.role, file.session ?? null, file.nameSession ?? null, file.agent ?? null]
  if (!now.every((cell, at) => cell === before[at])) return false
  // An archived generation only grows; one that is shorter than its rows has another content.
  return file.state !== undefined || Number(row[11]) <= file.size
}

function isPending(row: Row | undefined, file: LedgerFile): boolean {
  if (row === undefined) return file.size > 0 || file.state !== undefined
  return file.state === undefined ? Number(row[11]) !== file.size : row[13] !== file.state || file.state === racyState
}

/** During a bulk load, FTS5 keeps words in memory longer and merges no segments. */
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
