// Takes frames and generations in and commits them in steps: packs first, then the segment that names what is in them.
// Which files, and under which names, is decided in `capture.ts` and `import.ts`.

import { StoreFailure } from '../../files/error.ts'
import { type Catalog, frameLine, type Generation, generationLine } from '../format/catalog.ts'
import { appendSegment, type Manifest } from '../format/manifest.ts'
import { PackWriter } from '../format/pack.ts'
import type { Archive } from './archive.ts'

/** A commit is due after this many stored bytes, generations or milliseconds. */
const commitBytes = 64 * 1024 * 1024
const commitCount = 4096
const commitMs = 10_000

/** What a line adds to a generation. */
interface Addition {
  /** Its frames up to this byte are in earlier lines. */
  from: number
  frames: readonly string[]
  /** Part of it was lost before. */
  isBroken?: boolean
}

export class Intake {
  readonly catalog: Catalog
  /** Bytes written, and generations archived, all commits together. */
  stored = 0
  committed = 0
  private readonly archive: Archive
  private readonly manifest: Manifest
  private packs: PackWriter
  /** Frames on their way to a pack. */
  private readonly underWay = new Set<string>()
  private pending: { generation: Generation; addition: Addition }[] = []
  private committedAt: number

  constructor(archive: Archive, manifest: Manifest) {
    this.archive = archive
    this.manifest = manifest
    this.catalog = manifest.catalog
    this.packs = new PackWriter(archive.ops, archive.layout)
    this.committedAt = archive.now()
  }

  /** Stores a frame unless one with this content is stored already. */
  async put(id: string, raw: Buffer): Promise<void> {
    if (this.catalog.frames.has(id) || this.underWay.has(id)) return
    this.underWay.add(id)
    await this.packs.add(id, raw).catch(error => {
      throw new StoreFailure('the archive cannot be written', { cause: error })
    })
  }

  /** A generation whose frames were put; it is archived after the next commit. */
  add(generation: Generation, addition: Addition = { from: 0, frames: generation.frames }): void {
    this.pending.push({ generation, addition })
  }

  get isDue(): boolean {
    const elapsed = this.archive.now() - this.committedAt
    return this.packs.stored >= commitBytes || this.pending.length >= commitCount || elapsed >= commitMs
  }

  /** After this, what was added is archived. */
  async commit(): Promise<void> {
    await this.packs.finish()
    if (this.pending.length > 0) {
      const lines = Array.from(this.packs.placed, ([id, place]) => frameLine(id, place))
      for (const { generation, addition } of this.pending) {
        lines.push(generationLine(generation, addition.from, addition.frames, addition.isBroken))
      }
      appendSegment(this.archive.ops, this.archive.layout, this.manifest, lines)
      for (const [id, place] of this.packs.placed) this.catalog.frames.set(id, place)
      for (const { generation } of this.pending) this.catalog.put(generation)
    }
    this.stored += this.packs.stored
    this.committed += this.pending.length
    this.packs = new PackWriter(this.archive.ops, this.archive.layout)
    this.pending = []
    this.underWay.clear()
    this.committedAt = this.archive.now()
  }

  /** Leaves nothing behind of what was not committed. */
  abandon(): Promise<void> {
    return this.packs.abandon()
  }
}
