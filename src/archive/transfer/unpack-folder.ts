// The folder in the archive that a tar is unpacked into while it is taken in, and its removal. What goes into it is
// `unpack`'s business.

import { randomBytes } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { WriteOps } from '../store/ops.ts'

const folderPattern = /^unpacked\.tmp-\d+-[0-9a-f]{8}$/

/** Makes the folder. Only the holder of the lock may. */
export function makeUnpackFolder(ops: WriteOps, folder: string): string {
  const path = join(folder, `unpacked.tmp-${process.pid}-${randomBytes(4).toString('hex')}`)
  ops.makeFolder(path, 0o700)
  return path
}

/** Removes what killed imports left. Only the holder of the lock may. */
export function sweepUnpacked(ops: WriteOps, folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory() && folderPattern.test(entry.name)) removeAll(ops, join(folder, entry.name))
  }
}

/** Removes a folder with all below it, following no link. */
export function removeAll(ops: WriteOps, folder: string): void {
  const waiting = [folder]
  const folders: string[] = []
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    folders.push(next)
    for (const entry of readdirSync(next, { withFileTypes: true })) {
      const path = join(next, entry.name)
      if (entry.isDirectory()) waiting.push(path)
      else ops.unlink(path)
    }
  }
  for (const path of folders.reverse()) ops.removeFolder(path)
}
