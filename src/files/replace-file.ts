// Replaces a small file whose loss in a power cut is no harm: settings, remembered state. It keeps no two writers apart;
// durable.ts is for what has to outlive a power cut.

import { randomBytes } from 'node:crypto'
import { closeSync, fchmodSync, fchownSync, openSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { attempt } from '../base/attempt.ts'
import { makeFolders } from './make-folders.ts'

/** Written aside and renamed, so that a reader never sees half a file; for this user alone. The last writer wins. */
export function replaceFile(path: string, text: string): void {
  makeFolders(dirname(path), 0o700)
  putInPlace(path, text, () => {})
}

/** The same for a file that is not ours: it keeps its mode and its owner. `mode`: for one that is not there yet. */
export function replaceForeignFile(path: string, text: string, mode: number): void {
  makeFolders(dirname(path))
  const before = statSync(path, { throwIfNoEntry: false })
  putInPlace(path, text, file => {
    // Only root can see to the owner.
    if (before !== undefined) attempt(() => fchownSync(file, before.uid, before.gid))
    fchmodSync(file, before === undefined ? mode : before.mode & 0o7777)
  })
}

function putInPlace(path: string, text: string, prepare: (file: number) => void): void {
  const aside = `${path}.${process.pid}-${randomBytes(4).toString('hex')}.tmp`
  try {
    const file = openSync(aside, 'wx', 0o600)
    try {
      writeFileSync(file, text)
      prepare(file)
    } finally {
      closeSync(file)
    }
    renameSync(aside, path)
  } catch (error) {
    // What could not be written cannot be removed either; the first error is the one to report.
    attempt(() => rmSync(aside, { force: true }))
    throw error
  }
}
