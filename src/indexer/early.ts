// Indexes files while others are still being kept, so that a first index uses all of the machine. What it does is done again
// by nobody: the refresh that follows finds these files indexed. A file is indexed only when its bytes are kept.

import { Ingest, type IngestOptions } from './ingest.ts'
import type { LedgerFile } from './ledger.ts'
import type { Database } from './port.ts'

export class EarlyIngest {
  private readonly db: Database
  private readonly options: IngestOptions
  private readonly ledger: () => readonly LedgerFile[]
  private readonly taken = new Set<string>()
  private running: Promise<void> | null = null
  private isDue = false
  private failure: { error: unknown } | null = null
  /** What was indexed so far. */
  bytes = 0
  files = 0

  /** `ledger`: what is kept by now. */
  constructor(db: Database, options: IngestOptions, ledger: () => readonly LedgerFile[]) {
    this.db = db
    this.options = { ...options, isInScope: () => false }
    this.ledger = ledger
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
        const files = this.ledger().filter(({ generation }) => !this.taken.has(generation))
        if (files.length === 0) continue
        for (const { generation } of files) this.taken.add(generation)
        const report = await new Ingest(this.db, this.options).run(files)
        this.bytes += report.bytes
        this.files += report.files
      }
    } catch (error) {
      this.failure = { error }
    } finally {
      this.running = null
    }
  }
}
