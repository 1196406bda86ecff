// Puts whole files on the disk so that a kill or a power cut leaves the old content or the new, never a part: written
// aside, synced, renamed, folder synced. It does not keep two writers apart: that is lock.ts.

import { randomBytes } from 'node:crypto'
import { type Dirent, lstatSync, readdirSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { attempt } from '../base/attempt.ts'
import { errorCode } from '../base/error-code.ts'
import { FileError } from './error.ts'
import type { WriteOps } from './ops.ts'

const asideName = /\.tmp-\d+-[0-9a-f]{8}$/

/** The mode of a folder of ours. */
const folderMode = 0o700

/** Whether this is the temporary name of a file that was being written. */
export function isAside(name: string): boolean {
  return asideName.test(name)
}

/** A temporary name that begins with `name`. */
export function asideFor(name: string): string {
  return `${name}.tmp-${process.pid}-${randomBytes(4).toString('hex')}`
}

/** A file that is written under a passing name and gets its own when it is complete. */
export class AsideFile {
  readonly #ops: WriteOps
  readonly #folder: string
  readonly #path: string
  #fd: number | null
  #isThere = true
  #bytes = 0

  /** `hint` begins the passing name, for people who look into the folder. */
  constructor(ops: WriteOps, folder: string, hint = 'new') {
    this.#ops = ops
    this.#folder = folder
    this.#path = join(folder, asideFor(hint))
    this.#fd = ops.create(this.#path, 0o600)
  }

  /** How many bytes were written. */
  get bytes(): number {
    return this.#bytes
  }

  /** The passing name, whole. */
  get path(): string {
    return this.#path
  }

  /** Appends. After an error the file can only be discarded. */
  write(bytes: Uint8Array): void {
    if (this.#fd === null) throw new FileError('closed', `${this.#path} is closed already.`, this.#path)
    this.#ops.write(this.#fd, bytes)
    this.#bytes += bytes.length
  }

  /** When it returns, the file is on the disk as `name`. When it throws, the passing file is gone. */
  commit(name: string): void {
    if (this.#fd === null) throw new FileError('closed', `${this.#path} is closed already.`, this.#path)
    try {
      this.#ops.sync(this.#fd)
      const fd = this.#fd
      this.#fd = null
      this.#ops.close(fd)
      this.#ops.rename(this.#path, join(this.#folder, name))
      this.#isThere = false
      this.#ops.syncFolder(this.#folder)
    } catch (error) {
      this.discard()
      throw error
    }
  }

  /** Removes the passing file as far as possible; harmless after a commit, and never throws. */
  discard(): void {
    const fd = this.#fd
    this.#fd = null
    if (fd !== null) attempt(() => this.#ops.close(fd))
    if (this.#isThere) attempt(() => this.#ops.unlink(this.#path))
    this.#isThere = false
  }
}

/** Replaces the file at `path` by `bytes` at once, for the owner alone or with `mode`. When it returns, they are on the disk. */
export function writeWhole(ops: WriteOps, path: string, bytes: Uint8Array, mode?: number): void {
  const aside = new AsideFile(ops, dirname(path), basename(path))
  try {
    aside.write(bytes)
    if (mode !== undefined) ops.setMode(aside.path, mode)
  } catch (error) {
    aside.discard()
    throw error
  }
  aside.commit(basename(path))
}

/** Removes what a killed writer left in the folder, of the file `of` or of all. Only the holder of the lock may do it. */
export function sweepAside(ops: WriteOps, folder: string, of?: string): void {
  for (const entry of entriesOf(folder)) {
    const isIts = of === undefined || entry.name.startsWith(`${of}.tmp-`)
    if (isIts && isAside(entry.name) && !entry.isDirectory()) ops.unlink(join(folder, entry.name))
  }
}

/** In the order of their names; none where there is no such folder. */
export function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return []
    throw error
  }
}

/** Makes `path` and what is missing above it, for the owner alone, each name on the disk before the next. */
export function ensureFolder(ops: WriteOps, path: string): void {
  const whole = resolve(path)
  const missing: string[] = []
  let found = whole
  for (; !isThere(found); found = dirname(found)) missing.push(found)
  if (missing.length === 0) refuseUnlessFolder(whole)
  // A writer that was killed after making it may not have come to sync its name. In a folder with content it had.
  if (isEmptyFolder(found)) attempt(() => ops.syncFolder(dirname(found)))
  for (const folder of missing.reverse()) {
    ops.makeFolder(folder, folderMode)
    ops.syncFolder(dirname(folder))
  }
}

function refuseUnlessFolder(path: string): void {
  const found = lstatSync(path)
  if (found.isSymbolicLink()) throw new FileError('is-a-link', `${path} is a link; a real folder must be there.`, path)
  if (!found.isDirectory()) throw new FileError('not-a-folder', `${path} is not a folder.`, path)
}

// The root is always there, so that a walk upwards ends. A dangling link counts as there: nothing is made through it.
function isThere(path: string): boolean {
  try {
    lstatSync(path)
    return true
  } catch (error) {
    const code = errorCode(error)
    if ((code === 'ENOENT' || code === 'ENOTDIR') && dirname(path) !== path) return false
    throw error
  }
}

function isEmptyFolder(path: string): boolean {
  // What cannot be listed was not made by us.
  return attempt(() => readdirSync(path).length === 0) === true
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
