// Indexes files while others are still being kept, so that a first index uses all of the machine. What it does is done again
// by nobody: the refresh that follows finds these files indexed. A file is indexed only when its bytes are kept.

import type { Ledger, LedgerFile } from '../refresh/ledger.ts'
import type { Settling } from '../refresh/settle-all.ts'
import type { Database } from '../store/port.ts'
import { Ingest, type IngestOptions } from './ingest.ts'

/** Keeping waits while so much is kept and not indexed: both are done at the same time, not one after the other. */
const bytesAhead = 64 * 1024 * 1024

export interface EarlyOptions extends IngestOptions {
  settling: Settling
  /** What is kept by now, of sessions that were not kept as a whole before. */
  look: () => Ledger
  /** What a kept generation is made of. */
  framesOf: (generation: string) => LedgerFile['frames']
  /** About how much there will be. */
  bytes: number
}

export class EarlyIngest {
  private readonly options: EarlyOptions
  private readonly ingest: Ingest
  private readonly taken = new Set<string>()
  private running: Promise<void> | null = null
  private isEnded = false
  private failure: { error: unknown } | null = null
  /** Bytes that were given to be indexed. */
  private given = 0
  private wake = () => {}
  /** What was indexed so far. */
  bytes = 0
  files = 0

  constructor(db: Database, options: EarlyOptions) {
    this.options = options
    const { settling } = options
    const onFile = (generation: string) => settling.fileDone(generation)
    const progress = (bytes: number) => {
      this.bytes += bytes
      options.progress?.(bytes)
      this.wake()
    }
    this.ingest = new Ingest(db, { ...options, onFile, progress, written: settling.written })
  }

  /** What was settled so far. */
  get sessions(): number {
    return this.options.settling.count
  }

  /** Gets ready for what will be kept. */
  begin(): void {
    this.running ??= this.run()
  }

  /** Something more is kept. Waits where indexing is behind. */
  async note(): Promise<void> {
    if (this.isEnded) return
    this.begin()
    const { files, byLog } = this.options.look()
    const fresh = files.filter(({ generation }) => !this.taken.has(generation))
    for (const { generation, size } of fresh) {
      this.taken.add(generation)
      this.given += size
    }
    this.options.settling.renew(byLog)
    this.ingest.add(fresh.map(file => this.withFrames(file)))
    while (!this.isEnded && this.given - this.bytes > bytesAhead) await this.change()
  }

  private withFrames(file: LedgerFile): LedgerFile {
    const frames = this.options.framesOf(file.generation)
    return frames === undefined ? file : { ...file, frames }
  }

  private change(): Promise<void> {
    return new Promise(done => {
      this.wake = done
    })
  }

  /** When all that was noted is indexed, or went wrong. */
  async idle(): Promise<void> {
    this.ingest.end()
    await this.running
  }

  throwFailure(): void {
    if (this.failure !== null) throw this.failure.error
  }

  private async run(): Promise<void> {
    try {
      const report = await this.ingest.runOn(this.options.bytes)
      this.files = report.files
    } catch (error) {
      this.failure = { error }
    } finally {
      this.options.settling.written.clear()
      this.isEnded = true
      this.wake()
    }
  }
}
