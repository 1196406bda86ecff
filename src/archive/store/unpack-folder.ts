// The folder into which an import unpacks what it was given, and what killed imports left of theirs.

import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { asideFor, removeAll } from '../../files/durable.ts'
import type { WriteOps } from '../../files/ops.ts'

const folderPattern = /^unpacked\.tmp-\d+-[0-9a-f]{8}$/

/** Makes the folder. Only the holder of the lock may. */
export function makeUnpackFolder(ops: WriteOps, folder: string): string {
  const path = join(folder, asideFor('unpacked'))
  ops.makeFolder(path, 0o700)
  return path
}

/** Removes what killed imports left. Only the holder of the lock may. */
export function sweepUnpacked(ops: WriteOps, folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory() && folderPattern.test(entry.name)) removeAll(ops, join(folder, entry.name))
  }
}
