// Unpacks a tar into a folder of the archive: plain files whose names are safe, nothing else. It does not decide which of
// them are sessions.

import { lstatSync, statSync } from 'node:fs'
import { basename, dirname, join, relative, sep } from 'node:path'
import { errorCode } from '../../base/error-code.ts'
import type { WriteOps } from '../../files/ops.ts'
import { ownRelative, pathBelow, UnsafePathError } from '../../files/safe-path.ts'
import type { ExpansionGuard } from './expansion.ts'
import { openTar, readTar, type TarEntry, TarError } from './tar.ts'

/**
 * Why something of a backup was not taken. `link`, `special`: no plain file. `unsafe-name`: it could lead out of a folder, or
 * no file here can be called so. `cut`: the tar ends in it. `sparse`: stored with holes. `damaged`: not the bytes that were
 * exported. `not-a-session`: settings, memory and the like.
 */
export type SkipReason =
  | 'link'
  | 'special'
  | 'unsafe-name'
  | 'not-a-session'
  | 'cut'
  | 'sparse'
  | 'damaged'
  | 'unreadable'
  | 'excluded'
  | 'forgotten'

export interface Skipped {
  path: string
  reason: SkipReason
}

/** What the tar said of a file that was unpacked. */
interface UnpackedFile {
  place: string
  mode: number
  modifiedMs: number
}

export interface Unpacked {
  /** By place. */
  files: Map<string, UnpackedFile>
  /** By name in the tar, as far as names were followed. */
  names: Map<string, UnpackedFile>
  skipped: Skipped[]
  /** What ended the reading too early; what came before it is good. */
  problem?: string
}

interface UnpackOptions {
  /** Which names are worth unpacking: with their bytes, or only to be there. */
  wants: (name: string) => 'bytes' | 'name' | null
  /** True puts files under numbers instead of their names, so that any name will do. */
  isFlat: boolean
  /** Throws where the tar unpacks to more than it may. */
  guard: ExpansionGuard
}

/** Throws where the file is not a tar at all, or the disk cannot be written. */
export async function unpack(ops: WriteOps, tar: string, folder: string, options: UnpackOptions): Promise<Unpacked> {
  const unpacking = new Unpacking(ops, folder, options)
  try {
    for await (const entry of readTar(options.guard.watch(openTar(tar)))) await unpacking.take(entry)
  } catch (error) {
    if (!(error instanceof TarError) || error.fault === 'not-tar' || error.fault === 'compressed') throw error
    unpacking.found.problem = error.message
  }
  return unpacking.found
}

const nothing: readonly Uint8Array[] = []

/** A name as it would be below the folder that a tar is unpacked into: what a folder may have, a tar may too. */
function nameInTar(path: string): string | null {
  const parts = path.split('/')
  if (parts[0] === '' || parts.includes('..')) return null
  return ownRelative(parts.filter(part => part !== '' && part !== '.').join('/'))
}

class Unpacking {
  readonly found: Unpacked = { files: new Map(), names: new Map(), skipped: [] }
  private readonly ops: WriteOps
  private readonly folder: string
  private readonly options: UnpackOptions
  private readonly made = new Set<string>()
  private count = 0

  constructor(ops: WriteOps, folder: string, options: UnpackOptions) {
    this.ops = ops
    this.folder = folder
    this.options = options
  }

  async take(entry: TarEntry): Promise<void> {
    if (entry.kind === 'folder') return this.takeFolder(entry)
    const name = this.options.isFlat ? entry.path.replace(/^(\.\/)+/, '') : nameInTar(entry.path)
    // A name that is not UTF-8 was decoded with replacement characters.
    if (name === null || name.includes('\ufffd')) return this.skip(entry, 'unsafe-name')
    const wanted = this.options.wants(name)
    if (wanted === null) return
    if (entry.kind === 'other') return this.skip(entry, 'special')
    if (entry.kind === 'sparse') return this.skip(entry, 'sparse')
    try {
      const place = await this.placeFor(name)
      if (entry.kind !== 'file') this.takeLink(entry, name, place)
      else await this.takeFile(entry, name, place, wanted === 'name' ? nothing : entry.content)
    } catch (error) {
      if (error instanceof UnsafePathError) return this.skip(entry, 'unsafe-name')
      if (!(error instanceof TarError)) throw error
      this.skip(entry, 'cut')
      throw error
    }
  }

  /** A folder counts only where its being there is a sign of something. */
  private takeFolder({ path }: TarEntry): void {
    const name = this.options.isFlat ? null : nameInTar(path)
    if (name === null || this.options.wants(name) === null) return
    try {
      this.makeFolders(join(this.folder, name))
    } catch (error) {
      // The file that is there instead was taken, or reported.
      if (!(error instanceof UnsafePathError)) throw error
    }
  }

  private async placeFor(name: string): Promise<string> {
    if (this.options.isFlat) return join(this.folder, String(++this.count))
    const place = await pathBelow(this.folder, name, ownRelative)
    this.makeFolders(dirname(place))
    // A name that comes again replaces what it stood for, as with every tar; a folder in its place stays.
    const there = lstatSync(place, { throwIfNoEntry: false })
    if (there?.isDirectory() === true) throw new UnsafePathError(name, 'a folder of that name is there')
    // Some file systems take two names for one.
    if (there !== undefined && !this.found.names.has(name))
      throw new UnsafePathError(name, 'another name stands for it')
    if (there !== undefined) this.forgetPlace(name, place)
    return place
  }

  private async takeFile(
    entry: TarEntry,
    name: string,
    place: string,
    content: TarEntry['content'] | Iterable<Uint8Array>,
  ): Promise<void> {
    const file = this.ops.create(place, 0o600)
    let isWhole = false
    try {
      for await (const part of content) this.ops.write(file, part)
      isWhole = true
    } finally {
      this.ops.close(file)
      if (!isWhole) this.ops.unlink(place)
    }
    this.note(name, { place, mode: entry.mode, modifiedMs: entry.modifiedMs })
  }

  /** A second name of a file that came before is a file; a symbolic link is none. */
  private takeLink(entry: TarEntry, name: string, place: string): void {
    const target = entry.kind === 'hard-link' ? nameInTar(entry.target ?? '') : null
    const first = target === null ? undefined : this.found.names.get(target)
    if (first === undefined) {
      this.skip(entry, 'link')
    } else {
      this.options.guard.add(statSync(first.place).size)
      this.ops.link(first.place, place)
      this.note(name, { ...first, place })
    }
  }

  private note(name: string, file: UnpackedFile): void {
    this.found.files.set(file.place, file)
    this.found.names.set(name, file)
  }

  private forgetPlace(name: string, place: string): void {
    this.ops.unlink(place)
    this.found.files.delete(place)
    this.found.names.delete(name)
  }

  private makeFolders(folder: string): void {
    if (this.made.has(folder)) return
    let at = this.folder
    for (const part of relative(this.folder, folder).split(sep)) {
      if (part === '') continue
      at = join(at, part)
      try {
        if (!this.made.has(at)) this.ops.makeFolder(at, 0o700)
      } catch (error) {
        if (errorCode(error) !== 'EEXIST') throw error
        throw new UnsafePathError(basename(at), 'a file of that name is there')
      }
      this.made.add(at)
    }
  }

  private skip(entry: TarEntry, reason: SkipReason): void {
    this.found.skipped.push({ path: entry.path, reason })
  }
}
