// One thread's share of reading usage from logs: it takes the next part of a log that nobody took, until none is left. What
// the threads agree on lies in memory that they share. The main thread works like any other.

import { eventOptions } from '../../decode/events.ts'
import { ReadError, rangeReader } from '../../disk/read/read.ts'
import { regionsOf } from '../../grep/candidates.ts'
import type { ByteSource } from '../../model/source.ts'
import type { UsageLog } from '../../usage/occurrence.ts'
import { UsageRows, type UsageTable } from '../../usage/rows.ts'
import { UsageDecode, UsageScan } from '../../usage/scan/scan.ts'
import { visibleTokens } from '../../usage/visible.ts'
import type { ScanFile } from './usage-scan-files.ts'

/** What is asked for besides tokens. */
export interface ScanAsk {
  withTools: boolean
  withEstimate: boolean
}

/** Some lines of a log: those that begin from `from` on, before `to`. */
export interface ScanPart {
  file: number
  from: number
  to: number
}

export interface ScanJob {
  ask: ScanAsk
  files: readonly ScanFile[]
  parts: readonly ScanPart[]
  /** Shared: which part is next, and how many bytes are done, in units of `doneUnit`. */
  state: Int32Array
  /** Shared: 1 for each file that has to be decoded whole. */
  whole: Int32Array
}

/** What could not be read. */
export interface ScanProblem {
  path: string
  offset: number
  code: string
}

export interface ScanShare {
  /** What parts state, to be left out for files that were decoded whole. */
  scanned: UsageTable
  decoded: UsageTable
  problems: ScanProblem[]
}

const next = 0
const done = 1
const doneUnit = 1024

/** Large files are cut, so that several threads can read one. */
const partBytes = 8 * 1024 * 1024
const chunkBytes = 1024 * 1024

export function jobOf(files: readonly ScanFile[], ask: ScanAsk): ScanJob {
  // Which records are copies of earlier ones, only one who reads the whole file knows.
  const isCut = !ask.withTools && !ask.withEstimate
  const shared = (length: number) => new Int32Array(new SharedArrayBuffer(4 * Math.max(1, length)))
  const parts = files.flatMap((file, at) => partsOf(file.size, at, isCut))
  return { ask, files, parts, state: shared(2), whole: shared(files.length) }
}

function partsOf(size: number, file: number, isCut: boolean): ScanPart[] {
  const count = isCut ? Math.max(1, Math.floor(size / partBytes)) : 1
  return Array.from({ length: count }, (_, at) => ({
    file,
    from: at * partBytes,
    to: at === count - 1 ? Number.POSITIVE_INFINITY : (at + 1) * partBytes,
  }))
}

/** How many bytes all threads have done. */
export function bytesDone({ state }: ScanJob): number {
  return Atomics.load(state, done) * doneUnit
}

export class ScanHand {
  private readonly job: ScanJob
  private readonly source: ByteSource
  private readonly scanned: UsageRows
  private readonly decoded: UsageRows
  private readonly scan: UsageScan
  private readonly place: Buffer
  private readonly problems: ScanProblem[] = []
  private file = -1

  constructor(job: ScanJob, source: ByteSource) {
    this.job = job
    this.source = source
    const isShown = job.ask.withTools || job.ask.withEstimate
    this.scanned = new UsageRows(!isShown)
    this.decoded = new UsageRows(!isShown)
    this.scan = new UsageScan(extrasOf(job.ask), occurrence => this.scanned.add(occurrence))
    const { buffer, byteOffset, length } = this.scan.place
    this.place = Buffer.from(buffer, byteOffset, length)
  }

  /** Takes one part; false where none is left. */
  step(): boolean {
    const { parts, state, whole, files } = this.job
    const part = parts[Atomics.add(state, next, 1)]
    if (part === undefined) return false
    const file = files[part.file] as ScanFile
    const size = Math.min(part.to, file.size) - part.from
    try {
      if (Atomics.load(whole, part.file) === 0 && !this.scanPart(part, file)) this.decodeOnce(part.file, file)
    } catch (error) {
      if (!(error instanceof ReadError)) throw error
      const { path, offset, code } = error
      this.problems.push({ path, offset, code })
    }
    Atomics.add(state, done, Math.max(0, Math.round(size / doneUnit)))
    return true
  }

  share(): ScanShare {
    return { scanned: this.scanned.table(), decoded: this.decoded.table(), problems: this.problems }
  }

  /** False where the file has to be decoded whole. */
  private scanPart({ file: number, from, to }: ScanPart, file: ScanFile): boolean {
    const { scan, place } = this
    if (this.file !== number || from === 0) scan.begin(logOf(file, number))
    this.file = number
    for (const { bytes, offset } of regionsOf(this.source, { generation: file.generation, from, to }, place)) {
      const isHere = bytes.buffer === place.buffer
      const start = bytes.byteOffset - place.byteOffset
      if (!(isHere ? scan.scan(start, start + bytes.length, offset) : scan.scanLong(bytes, offset))) return false
    }
    return true
  }

  /** The first that finds out decodes it. */
  private decodeOnce(number: number, file: ScanFile): void {
    if (Atomics.compareExchange(this.job.whole, number, 0, 1) !== 0) return
    const decode = new UsageDecode(logOf(file, number), extrasOf(this.job.ask), one => this.decoded.add(one))
    const reader = rangeReader(this.source, file.generation)
    try {
      for (let at = 0; ; ) {
        // What is decoded may look at earlier chunks.
        const chunk = Buffer.allocUnsafe(chunkBytes)
        const length = reader.read(chunk, at)
        if (length > 0) decode.push(chunk.subarray(0, length))
        at += length
        if (length < chunkBytes) break
      }
    } finally {
      reader.close()
      decode.end()
    }
  }
}

function extrasOf({ withTools, withEstimate }: ScanAsk): ConstructorParameters<typeof UsageScan>[0] {
  return { withTools, ...(withEstimate && { visibleTokens }) }
}

function logOf(file: ScanFile, place: number): UsageLog {
  const { path, role, session, nameSession } = file
  return {
    path,
    place,
    isAgentFile: role === 'agent',
    options: eventOptions(file, session === '' ? {} : { session }),
    ...(nameSession !== undefined && { nameSession }),
  }
}
