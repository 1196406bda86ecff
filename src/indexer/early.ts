// Indexes files while others are still being kept, so that a first index uses all of the machine. What it does is done again
// by nobody: the refresh that follows finds these files indexed. A file is indexed only when its bytes are kept.

import { Ingest, type IngestOptions } from './ingest.ts'
import type { LedgerFile } from './ledger.ts'
import type { Database } from './port.ts'
import type { Settling } from './settle-all.ts'

/** What is kept by now, and who settles the sessions that are complete. */
export interface EarlyLedger {
  files: readonly LedgerFile[]
  settling: Settling
}

export class EarlyIngest {
  private readonly db: Database
  private readonly options: IngestOptions
  private readonly look: () => EarlyLedger
  private readonly taken = new Set<string>()
  private running: Promise<void> | null = null
  private isDue = false
  private failure: { error: unknown } | null = null
  /** What was indexed and settled so far. */
  bytes = 0
  files = 0
  sessions = 0

  /** `look`: what is kept by now. */
  constructor(db: Database, options: IngestOptions, look: () => EarlyLedger) {
    this.db = db
    this.options = options
    this.look = look
  }

  /** Something more is kept. */
  note(): void {
    this.isDue = true
    this.running ??= this.run()
  }

  /** When all that was noted is indexed, or went wrong. */
  async idle(): Promise<void> {
    await this.running
  }

  throwFailure(): void {
    if (this.failure !== null) throw this.failure.error
  }

  private async run(): Promise<void> {
    try {
      while (this.isDue && this.options.isStopped?.() !== true) {
        this.isDue = false
        const { files, settling } = this.look()
        const fresh = files.filter(({ generation }) => !this.taken.has(generation))
        if (fresh.length === 0) continue
        for (const { generation } of fresh) this.taken.add(generation)
        const onFile = (generation: string) => settling.fileDone(generation)
        const report = await new Ingest(this.db, { ...this.options, onFile }).run(fresh)
        this.bytes += report.bytes
        this.files += report.files
        this.sessions += settling.count
      }
    } catch (error) {
      this.failure = { error }
    } finally {
      this.running = null
    }
  }
}
