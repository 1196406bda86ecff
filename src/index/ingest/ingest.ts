// Brings the tables of files and their rows up to the ledger: drops what is gone, reads what is new. Readers run in the worker
// pool, one writer here. Rows and their position are written in one transaction: a kill at any point leaves an
// index that has less, never something wrong.

import { availableParallelism } from 'node:os'
import type { Finding } from '../../model/finding.ts'
import type { ByteSource } from '../../model/source.ts'
import { WorkerPool } from '../../worker/pool.ts'
import { type LedgerFile, liveGeneration, racyState } from '../refresh/ledger.ts'
import type { Database, Row, SqlValue } from '../store/port.ts'
import { type ReadArgs, readFileTask, useSource } from './read-file.ts'
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
  'id, generation, path, number, standing, role, session, name_session, agent, size, modified, covered, indexed, state'

/** Files to read, by row id. What a task needs beyond this is looked up when its turn comes: there may be 100,000 files. */
type Due = ReadonlyMap<number, LedgerFile>

/** What the index has of a ledger's files. */
interface Known {
  files: ReadonlySet<LedgerFile>
  /** Ids of the rows of those that have to be read on. */
  due: ReadonlyMap<LedgerFile, number>
}

export class Ingest {
  private readonly db: Database
  private readonly options: IngestOptions
  private readonly writer: RowWriter
  private readonly report: IngestReport = { files: 0, dropped: 0, bytes: 0, isStopped: false, findings: [] }
  /** Files of which some batches are written. */
  private readonly begun = new Set<number>()
  private bytesDue = 0

  constructor(db: Database, options: IngestOptions) {
    this.db = db
    this.options = options
    this.writer = new RowWriter(db)
  }

  async run(ledger: readonly LedgerFile[]): Promise<IngestReport> {
    const due = this.db.transaction(() => this.updateFiles(ledger))
    if (due.size > 0) await this.read(due)
    return this.report
  }

  /** Drops rows of files that are gone, adds rows for new files, and returns what to read. */
  private updateFiles(ledger: readonly LedgerFile[]): Due {
    const known = this.updateKnown(ledger)
    const due = new Map<number, LedgerFile>()
    let next = Number(this.db.prepare('SELECT coalesce(max(id), 0) + 1 FROM file').get()?.[0])
    for (const file of ledger) {
      const id = known.due.get(file)
      if (id !== undefined) due.set(id, file)
      if (known.files.has(file)) continue
      this.insertFile(next, file)
      if (file.size > 0 || file.state !== undefined) due.set(next, file)
      this.bytesDue += file.size
      next++
    }
    return due
  }

  /** Rows are looked at one by one, and changed when all have been seen. Those that are read in another way now are dropped. */
  private updateKnown(ledger: readonly LedgerFile[]): Known {
    const files = new Set<LedgerFile>()
    const due = new Map<LedgerFile, number>()
    const changed: [Row, LedgerFile][] = []
    const dropped: number[] = []
    const gone: number[] = []
    const unnamed: Row[] = []
    const see = (row: Row, file: LedgerFile) => {
      const id = Number(row[0])
      if (!isSameReading(row, file)) {
        dropped.push(id)
        return
      }
      files.add(file)
      if (isChanged(row, file)) changed.push([row, file])
      if (!isPending(row, file)) return
      due.set(file, id)
      this.bytesDue += bytesDue(file.size, Number(row[12]))
    }
    const withoutRow = new Map(ledger.map(file => [file.generation, file]))
    for (const row of this.db.prepare(`SELECT ${columns} FROM file`).each()) {
      const file = withoutRow.get(String(row[1]))
      if (file === undefined) unnamed.push(row)
      else see(row, file)
      withoutRow.delete(String(row[1]))
    }
    const archived = unnamed.length === 0 ? null : liveNames(withoutRow.values())
    for (const row of unnamed) {
      const file = archived?.get(String(row[1]))
      if (file !== undefined && isAsBefore(row, file)) see(this.renamed(row, file), file)
      else if (this.options.isGone(String(row[2]))) gone.push(Number(row[0]))
    }
    this.report.dropped += gone.length
    this.writer.dropFiles([...dropped, ...gone])
    for (const [row, file] of changed) this.updateFile(row, file)
    return { files, due }
  }

  /** Rows of a live file are those of the archived one with the same bytes: it looks as it did when it was indexed. */
  private renamed(row: Row, { generation }: LedgerFile): Row {
    const rename = this.db.prepare('UPDATE file SET generation = ?, state = NULL, check_sum = NULL WHERE id = ?')
    rename.run([generation, row[0] as number])
    return row.with(1, generation).with(13, null)
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

  private updateFile(row: Row, { path, number, standing, size, modifiedMs }: LedgerFile): void {
    // The order of files decides between messages that are alike in all else.
    if (path !== row[2] || number !== row[3]) this.writer.noteMoved(Number(row[0]))
    const sql = 'UPDATE file SET path = ?, number = ?, standing = ?, size = ?, modified = ? WHERE id = ?'
    this.db.prepare(sql).run([path, number, standing, size, modifiedMs, row[0] as number])
  }

  private taskOf(id: number, file: LedgerFile): FileTask {
    const [indexed, sum] = this.db.prepare('SELECT indexed, check_sum FROM file WHERE id = ?').get([id]) ?? []
    const checkpoint = this.db.prepare('SELECT at, state FROM checkpoint WHERE file = ?').get([id])
    return {
      file: id,
      source: file.source,
      path: file.path,
      role: file.role,
      ...(file.session !== undefined && { session: file.session }),
      ...(file.nameSession !== undefined && { nameSession: file.nameSession }),
      ...(file.agent !== undefined && { agent: file.agent }),
      size: file.size,
      indexed: Number(indexed ?? 0),
      isLive: file.state !== undefined,
      ...(typeof sum === 'string' && { checkSum: sum }),
      ...(checkpoint !== undefined && {
        checkpoint: { at: Number(checkpoint[0]), state: checkpoint[1] as Uint8Array },
      }),
    }
  }

  private async read(files: Due): Promise<void> {
    const { options, db, bytesDue: bytes } = this
    options.begin?.(bytes)
    const isBulk = bytes >= bulkBytes
    setWordOptions(db, isBulk)
    const step = new Step(db, isBulk ? bulkSteps : 1)
    const pool = new WorkerPool({ size: readersFor(bytes), resourceLimits })
    try {
      let due = files
      while (due.size > 0 && !this.report.isStopped) due = await this.readOnce(pool, due, step)
      step.close()
      if (isBulk) setWordOptions(db, false)
    } catch (error) {
      step.abandon()
      throw error
    } finally {
      await pool.close()
    }
  }

  /** Gives those that have to be read once more, from their start. */
  private async readOnce(pool: WorkerPool, due: Due, step: Step): Promise<Due> {
    const { home, source, isStopped } = this.options
    const run = `${process.pid}-${++runs}`
    useSource(run, source)
    const again = new Map<number, LedgerFile>()
    let isEnded = false
    const onMessage = (batch: RowBatch) => {
      // Threads continue for a moment after the end.
      if (isEnded) return
      step.open()
      this.write(batch, due.get(batch.file) as LedgerFile)
      step.add(batch.bytes)
      if (isStopped?.() === true) throw new StoppedError()
    }
    try {
      // Outcomes come in the order of the tasks.
      const read = due.entries()
      for await (const outcome of pool.map(readFileTask, this.argsOf(run, home, due), { onMessage })) {
        const [id, file] = read.next().value as [number, LedgerFile]
        if (outcome.state === 'unread') this.noteUnread(file, outcome.problem)
        if (outcome.state !== 'rewritten') continue
        this.restart(id, step)
        again.set(id, file)
      }
    } catch (error) {
      if (!(error instanceof StoppedError)) throw error
      this.report.isStopped = true
    } finally {
      isEnded = true
    }
    return again
  }

  private *argsOf(run: string, home: string, due: Due): Generator<ReadArgs> {
    for (const [id, file] of due) yield { run, home, task: this.taskOf(id, file) }
  }

  private write(batch: RowBatch, { role, state }: LedgerFile): void {
    const { file } = batch
    if (!this.begun.has(file)) {
      this.begun.add(file)
      this.writer.begin(file)
      // Those with a text alone belong to a log.
      if (!isStored(role)) this.report.files++
    }
    this.writer.write(batch)
    if (batch.isLast && state !== undefined) {
      this.db.prepare('UPDATE file SET state = ? WHERE id = ?').run([state, file])
    }
    this.report.bytes += batch.bytes
    this.options.progress?.(batch.bytes)
  }

  /** A live file that is not what it was: its rows are of bytes that are gone. */
  private restart(file: number, step: Step): void {
    step.open()
    this.writer.dropRows(file)
    this.begun.delete(file)
  }

  private noteUnread({ path }: LedgerFile, problem: string): void {
    this.report.findings.push({
      code: 'not-indexed',
      severity: 'warning',
      file: path,
      message: `This file could not be read; what is new in it is not in the index: ${problem}`,
    })
  }
}

let runs = 0

/** Asked to stop: what is written stays. */
class StoppedError extends Error {}

/**
 * Limits on the heap of reader threads: V8 would let them grow further than they need. With half as much for what is new, rows are
 * copied again and again until their batch is sent, which takes a tenth of the time.
 */
const resourceLimits = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 32 }

/** What is new of a file; all of one that became shorter, since its content is another. */
function bytesDue(size: number, indexed: number): number {
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

function isChanged(row: Row, { path, number, standing, size, modifiedMs }: LedgerFile): boolean {
  const before = [row[2], row[3], row[4], row[9], row[10]]
  return ![path, number, standing, size, modifiedMs].every((cell, at) => cell === before[at])
}

/** Whether there is anything to read of a file that has rows. */
function isPending(row: Row, { size, state }: LedgerFile): boolean {
  return state === undefined ? Number(row[11]) !== size : row[13] !== state || state === racyState
}

/** Archived files by what they are called where they are not archived. */
function liveNames(files: Iterable<LedgerFile>): Map<string, LedgerFile> {
  const names = new Map<string, LedgerFile>()
  for (const file of files) if (file.before !== undefined) names.set(liveGeneration(file.path), file)
  return names
}

/** Whether an archived file's bytes are those that were indexed of it when it was not archived. */
function isAsBefore(row: Row, { before, size }: LedgerFile): boolean {
  return row[13] === before && before !== racyState && row[9] === size
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
