// Guards against backups that unpack to very much more than they are: a tar of two megabytes may be two gigabytes of zeros.
// It decides where a person has to be asked; asking is for the command.

import { FileError } from '../../files/error.ts'

/** Logs that say the same over and over shrink to a hundredth; zeros to a thousandth. */
const mostRatio = 200

/** So much is taken from any backup without a question. */
const freeBytes = 64 * 1024 * 1024

/** Thrown with the code `expands` before more is taken than a backup of its size should have. */
export class ExpansionGuard {
  private readonly source: string
  private readonly limit: number
  private read = 0
  private added = 0

  /** `bytes`: what the backup takes on the disk. `isAllowed`: someone said that it may be as large as it likes. */
  constructor(source: string, bytes: number, isAllowed: boolean) {
    this.source = source
    this.limit = isAllowed ? Number.POSITIVE_INFINITY : Math.max(freeBytes, bytes * mostRatio)
  }

  /** Counts what flows by. */
  async *watch(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      this.read += chunk.length
      this.check(this.read)
      yield chunk
    }
  }

  /** Counts files that take no space of their own: second names, and files with holes. */
  add(bytes: number): void {
    this.added += bytes
    this.check(this.added)
  }

  private check(total: number): void {
    if (total <= this.limit) return
    throw new FileError(
      'expands',
      `${this.source} unpacks to more than ${mostRatio} times its own size: it may be made to fill your disk.`,
      this.source,
    )
  }
}
