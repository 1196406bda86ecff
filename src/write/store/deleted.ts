// Which logs were deleted through a store. The archive has them still, and a store reads from it what Claude Code cleaned up: without
// a mark a deleted session would come back. A mark is a small file in Clew's own folder.

import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { textToBytes } from '../../base/bytes.ts'
import { ensureFolder, writeWhole } from '../../files/durable.ts'
import type { WriteOps } from '../../files/ops.ts'
import { canonicalPlace } from '../../files/place.ts'

export class DeletedLogs {
  private readonly folder: string
  private readonly ops: WriteOps

  constructor(clewHome: string, ops: WriteOps) {
    this.folder = join(storeFolder(clewHome), 'deleted')
    this.ops = ops
  }

  has(path: string): boolean {
    return existsSync(this.markOf(path))
  }

  add(path: string, now: number): void {
    ensureFolder(this.ops, this.folder)
    const text = JSON.stringify({ deleted: path, at: new Date(now).toISOString() })
    writeWhole(this.ops, this.markOf(path), textToBytes(`${text}\n`))
  }

  /** The log is written again. */
  remove(path: string): void {
    if (this.has(path)) this.ops.unlink(this.markOf(path))
  }

  private markOf(path: string): string {
    return join(this.folder, `${hashOfPlace(path)}.json`)
  }
}

/** Where a store has what is its own. */
export function storeFolder(clewHome: string): string {
  return join(clewHome, 'store')
}

/** By its real place, so that two spellings of a path are one log. */
export function hashOfPlace(path: string): string {
  return createHash('sha256').update(canonicalPlace(path)).digest('hex').slice(0, 32)
}
