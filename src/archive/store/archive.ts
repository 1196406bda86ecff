// One archive: where it is, what it has, and who may change it. Reading needs nothing but this; changing it goes
// through a writer that has the lock.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { attempt } from '../../base/attempt.ts'
import { ensureFolder, sweepAside, writeWhole } from '../../files/durable.ts'
import { writeFailure } from '../../files/error.ts'
import { acquireLock, type LockHolder } from '../../files/lock.ts'
import { realOps, type WriteOps } from '../../files/ops.ts'
import { lastSeenSegment, readSeen } from '../capture/seen.ts'
import { isPackName, type Layout, layoutOf, readmeText } from '../format/layout.ts'
import { type Manifest, noteLostSegments, readManifest, segmentNames } from '../format/manifest.ts'

/** How an archive is opened. */
export interface ArchiveOptions {
  /** Tests put faults in here. */
  ops?: WriteOps
  now?: () => number
  /** How long a writer waits for another one. */
  waitMs?: number
  /** Called once when it has to wait. */
  onWait?: (holder: LockHolder) => void
}

/** An archive to read. Its manifest is read on the first request. */
export class Archive {
  readonly layout: Layout
  readonly ops: WriteOps
  readonly now: () => number
  private readonly options: ArchiveOptions
  private known: Manifest | null = null

  constructor(folder: string, options: ArchiveOptions = {}) {
    this.layout = layoutOf(folder)
    this.ops = options.ops ?? realOps
    this.now = options.now ?? Date.now
    this.options = options
  }

  /** Whether anything was ever archived here. */
  get exists(): boolean {
    return existsSync(this.layout.manifest)
  }

  get manifest(): Manifest {
    this.known ??= readManifest(this.layout)
    return this.known
  }

  /** Forgets what was read: another process may have written since. */
  reload(): void {
    this.known = null
  }

  /** The name of the last segment, which is another one after every change; empty where there is none. */
  lastSegment(): string {
    // A folder that cannot be listed is reported when it is read.
    return attempt(() => segmentNames(this.layout))?.at(-1) ?? ''
  }

  /** Whether a killed writer left what the next change removes: it may be what was to be erased. */
  get hasLeftovers(): boolean {
    if (!this.exists) return false
    const { stale, damage } = this.manifest
    return stale.length > 0 || (damage.length === 0 && (attempt(() => this.unnamedPacks()) ?? []).length > 0)
  }

  /** Does something that changes the archive, as the only one who does. */
  async change<T>(what: string, act: (manifest: Manifest) => Promise<T>): Promise<T> {
    const { ops, layout, options } = this
    try {
      for (const folder of [layout.folder, layout.packs, layout.manifest]) ensureFolder(ops, folder)
      const { waitMs = 0, onWait } = options
      const lock = await acquireLock(ops, layout.folder, { what, waitMs, ...(onWait !== undefined && { onWait }) })
      try {
        this.reload()
        this.clean()
        return await act(this.manifest)
      } finally {
        // What was done is done: a lock that cannot be removed is noticed as stale by the next one.
        attempt(() => lock.release())
      }
    } catch (error) {
      // What was read may be ahead of what was written.
      this.reload()
      throw writeFailure(error, layout.folder)
    }
  }

  /** Removes what a killed writer left: unfinished files, packs that nothing names, segments that a base replaced. */
  private clean(): void {
    const { ops, layout } = this
    const readme = attempt(() => readFileSync(layout.readme, 'utf8'))
    if (readme !== readmeText) writeWhole(ops, layout.readme, Buffer.from(readmeText))
    for (const folder of [layout.folder, layout.packs, layout.manifest]) sweepAside(ops, folder)
    // A second form of the manifest in archives of format 1: what is erased from the archive must not survive in it.
    if (existsSync(layout.known)) {
      ops.unlink(layout.known)
      ops.syncFolder(layout.folder)
    }
    this.noteLostEnd()
    this.removeStale()
  }

  /** Packs that only lost segments name look like those that a killed writer left; the last run saw that they are not. */
  private noteLostEnd(): void {
    const { ops, layout, manifest } = this
    const last = lastSeenSegment(readSeen(layout))
    if (last > manifest.last && this.unnamedPacks().length > 0) noteLostSegments(ops, layout, manifest, last)
  }

  /** Removes segments that no longer count and packs that nothing needs. A damaged manifest may miss some: then none. */
  removeStale(): void {
    const { ops, layout, manifest } = this
    for (const name of manifest.stale.splice(0)) ops.unlink(join(layout.manifest, name))
    if (manifest.damage.length > 0) return
    for (const name of this.unnamedPacks()) ops.unlink(join(layout.packs, name))
  }

  private unnamedPacks(): string[] {
    const { layout, manifest } = this
    const named = new Set([...manifest.catalog.frames.values()].map(place => place.pack))
    return readdirSync(layout.packs).filter(name => isPackName(name) && !named.has(name))
  }
}
