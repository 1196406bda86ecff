// Writes one kept file to its place: aside, on the disk, read again and proved, and only then under its name. A kill at any
// point leaves the whole file or none. Whether it may be written at all is decided in `restore`.

import { randomBytes } from 'node:crypto'
import { lstatSync, readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { errorCode } from '../../disk/read/read.ts'
import { isAlive } from '../capture/in-use.ts'
import type { Generation } from '../format/catalog.ts'
import { ArchiveError } from '../format/error.ts'
import { isPackName } from '../format/layout.ts'
import { readFrame } from '../format/pack.ts'
import { ownRelative, pathBelow } from '../format/safe-path.ts'
import type { Archive } from '../store/archive.ts'
import { ensureFolder } from '../store/durable.ts'
import { hasContent, isWhole } from './restore-content.ts'

/** A file to be written. */
export interface Writing {
  generation: Generation
  /** The folder below which it lies, without links. */
  root: string
  /** Its last change, as it will be. */
  modifiedMs: number
  /** Called right before its name is given away; true: what is there may be replaced. */
  mayReplace: () => boolean
}

const asidePattern = /^clew-restore\.tmp-(\d+)-[0-9a-f]{8}$/

/** Puts files of one archive on the disk. */
export class FileWriter {
  private readonly archive: Archive
  private readonly swept = new Set<string>()

  constructor(archive: Archive) {
    this.archive = archive
  }

  /** When it returns, the file is on the disk. When it throws, no part of it is there. */
  async write(writing: Writing): Promise<void> {
    const { ops } = this.archive
    const { generation, root } = writing
    if (!isWhole(generation, this.archive.manifest.catalog)) {
      throw new ArchiveError('damaged', 'The manifest is damaged and no longer tells all parts of this file.')
    }
    const folder = dirname(await pathBelow(root, generation.path, ownRelative))
    const missing = missingFolders(folder, root)
    let aside: string | null = null
    try {
      ensureFolder(ops, folder)
      this.sweep(folder)
      // The folders were made since the last look.
      const target = await pathBelow(root, generation.path, ownRelative)
      aside = join(folder, `clew-restore.tmp-${process.pid}-${randomBytes(4).toString('hex')}`)
      await this.fill(aside, generation)
      this.prove(aside, generation)
      ops.setMode(aside, fileMode(generation))
      ops.setTimes(aside, writing.modifiedMs, writing.modifiedMs)
      this.name(aside, target, writing.mayReplace())
    } catch (error) {
      if (aside !== null) attempt(() => ops.unlink(aside ?? ''))
      for (const made of missing) attempt(() => ops.removeFolder(made))
      throw error
    }
    ops.syncFolder(folder)
  }

  private async fill(aside: string, generation: Generation): Promise<void> {
    const { ops } = this.archive
    const file = ops.create(aside, 0o600)
    try {
      for (const id of generation.frames) ops.write(file, await this.frame(id))
      ops.sync(file)
    } catch (error) {
      attempt(() => ops.close(file))
      throw error
    }
    ops.close(file)
  }

  private async frame(id: string): Promise<Buffer> {
    for (let tries = 2; ; tries--) {
      const place = this.archive.manifest.catalog.frames.get(id)
      if (place === undefined || !isPackName(place.pack)) {
        throw new ArchiveError('damaged', 'The manifest does not tell where a part of this file is stored.')
      }
      try {
        return await readFrame(this.archive.layout, id, place)
      } catch (error) {
        if (tries === 1 || errorCode(error) !== 'missing-pack') throw error
        // Packs were joined meanwhile: the manifest tells where the frame is now.
        this.archive.reload()
      }
    }
  }

  private prove(aside: string, generation: Generation): void {
    if (hasContent(aside, generation, this.archive.manifest.catalog)) return
    throw new ArchiveError('not-as-written', 'What was read back from the disk is not what was written to it.', aside)
  }

  private name(aside: string, target: string, mayReplace: boolean): void {
    const { ops } = this.archive
    if (mayReplace) {
      ops.rename(aside, target)
      return
    }
    try {
      ops.link(aside, target)
    } catch (error) {
      if (!linkless.has(errorCode(error))) throw error
      // Without second names, the best there is: a look, and the name at once.
      if (lstatSync(target, { throwIfNoEntry: false }) !== undefined) throw existing(target)
      ops.rename(aside, target)
      return
    }
    // Under its name it is whole; a second name that stays is removed when this folder is next written to.
    attempt(() => ops.unlink(aside))
  }

  /** Removes what killed processes left in the folder, once. */
  private sweep(folder: string): void {
    if (this.swept.has(folder)) return
    this.swept.add(folder)
    for (const name of readdirSync(folder)) {
      const pid = Number(asidePattern.exec(name)?.[1] ?? 0)
      if (pid > 0 && pid !== process.pid && !isAlive(pid)) attempt(() => this.archive.ops.unlink(join(folder, name)))
    }
  }
}

// What systems say where a file cannot have two names.
const linkless = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EINVAL', 'EISDIR', 'UNKNOWN'])

function existing(target: string): Error {
  return Object.assign(new Error(`${basename(target)} is there already`), { code: 'EEXIST' })
}

/** Readable for its owner at least, and nothing beyond reading, writing and executing. */
function fileMode({ mode }: Generation): number {
  return Number.isSafeInteger(mode) && mode >= 0 ? (mode & 0o777) | 0o400 : 0o600
}

/** The folders from here up to the root that are not there, the deepest first. */
function missingFolders(folder: string, root: string): string[] {
  const missing: string[] = []
  for (let at = folder; lstatSync(at, { throwIfNoEntry: false }) === undefined; at = dirname(at)) {
    missing.push(at)
    if (at === root || dirname(at) === at) break
  }
  return missing
}

function attempt(act: () => void): void {
  try {
    act()
  } catch {
    // It stays until the next writer comes to this folder.
  }
}
