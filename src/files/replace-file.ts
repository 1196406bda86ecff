// Replaces a small file of ours whose loss in a power cut is no harm: settings, remembered state. It syncs nothing
// (durable.ts does) and keeps no two writers apart.

import { randomBytes } from 'node:crypto'
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { makeFolders } from './make-folders.ts'

/** Written aside and renamed, so that a reader never sees half a file; for this user alone. The last writer wins. */
export function replaceFile(path: string, text: string): void {
  const aside = `${path}.${process.pid}-${randomBytes(4).toString('hex')}.tmp`
  try {
    makeFolders(dirname(path), 0o700)
    writeFileSync(aside, text, { mode: 0o600, flag: 'wx' })
    renameSync(aside, path)
  } catch (error) {
    try {
      rmSync(aside, { force: true })
    } catch {
      // What could not be written cannot be removed either; the first error is the one to report.
    }
    throw error
  }
}
