// Takes files of a backup in, one after the other: leaves out what rules forbid and what is kept already, and stores the
// rest as generations. Where files come from is `import`'s business.

import type { FileFacts } from '../../disk/discover/facts.ts'
import { keepContent } from '../capture/keep-file.ts'
import { LiveReader } from '../capture/live-reader.ts'
import { KeepRules } from '../capture/rules.ts'
import { type Generation, newGenerationId } from '../format/catalog.ts'
import { hashOf } from '../format/lines.ts'
import type { Manifest } from '../format/manifest.ts'
import { readFrame } from '../format/pack.ts'
import type { Archive } from '../store/archive.ts'
import { Intake } from '../store/intake.ts'
import type { Skipped, SkipReason } from './unpack.ts'

/** A file of a backup and what it is to be kept as. */
export interface Incoming {
  home: string
  path: string
  /** Where its bytes lie now. */
  place: string
  mode: number
  modifiedMs: number
  /** Which generation of the file it was in another archive. */
  number?: number
  origin?: string
}

export class Intaking {
  files = 0
  added = 0
  known = 0
  bytes = 0
  readonly skipped: Skipped[] = []
  private readonly archive: Archive
  private readonly intake: Intake
  private readonly forgotten: KeepRules
  private readonly excluded: KeepRules
  private readonly factsFor: (file: Incoming) => Promise<FileFacts | undefined>

  constructor(
    archive: Archive,
    manifest: Manifest,
    exclude: readonly string[],
    factsFor: (file: Incoming) => Promise<FileFacts | undefined>,
  ) {
    this.archive = archive
    this.intake = new Intake(archive, manifest)
    this.forgotten = new KeepRules([], manifest.catalog.forgotten)
    this.excluded = new KeepRules(exclude, new Set())
    this.factsFor = factsFor
  }

  get stored(): number {
    return this.intake.stored
  }

  /** All that comes of one file, the earliest first. */
  async take(group: readonly Incoming[]): Promise<void> {
    const added: Generation[] = []
    for (const file of group) {
      this.files++
      const facts = await this.factsFor(file)
      const rule = this.ruleAgainst(file, facts)
      if (rule !== null) this.skip(file, rule)
      else await this.takeOne(file, facts, added)
    }
    for (const generation of added) this.intake.add(generation)
    if (this.intake.isDue) await this.intake.commit()
  }

  finish(): Promise<void> {
    return this.intake.commit()
  }

  abandon(): Promise<void> {
    return this.intake.abandon()
  }

  private async takeOne(file: Incoming, facts: FileFacts | undefined, added: Generation[]): Promise<void> {
    let reader: LiveReader
    try {
      reader = new LiveReader(file.place)
    } catch {
      return this.skip(file, 'unreadable')
    }
    try {
      if (await this.isKnown(file, reader)) this.known++
      else await this.store(file, reader, facts, added)
    } finally {
      reader.close()
    }
  }

  private async store(
    file: Incoming,
    reader: LiveReader,
    facts: FileFacts | undefined,
    added: Generation[],
  ): Promise<void> {
    const { home, path, mode, modifiedMs, origin } = file
    const { size, closed, frames } = await keepContent(reader, undefined, this.intake)
    const taken = new Set([...this.intake.catalog.of(home, path), ...added].map(({ number }) => number))
    const isFree = file.number !== undefined && !taken.has(file.number)
    const number = isFree ? file.number : [...taken].reduce((most, next) => Math.max(most, next), 0) + 1
    const id = newGenerationId()
    const keptMs = this.archive.now()
    const known = { ...(origin !== undefined && { origin }), ...(facts !== undefined && { facts }) }
    added.push({ id, number: number ?? 1, home, path, size, modifiedMs, mode, keptMs, closed, frames, ...known })
    this.added++
    this.bytes += size
  }

  /** Whether some generation of the file begins with all of it. */
  private async isKnown(file: Incoming, reader: LiveReader): Promise<boolean> {
    const { catalog } = this.intake
    for (const generation of catalog.of(file.home, file.path)) {
      if (generation.size < reader.state.size || catalog.broken.has(generation.id)) continue
      if (await this.isBeginningOf(reader, generation)) return true
    }
    return false
  }

  private async isBeginningOf(reader: LiveReader, generation: Generation): Promise<boolean> {
    const frames = generation.frames.values()
    let frame = frames.next().value
    let parts: Buffer[] = []
    let length = 0
    for await (const chunk of reader.chunks()) {
      for (let at = 0; at < chunk.length; ) {
        const place = frame === undefined ? undefined : this.intake.catalog.frames.get(frame)
        if (place === undefined) return false
        const part = chunk.subarray(at, at + place.bytes - length)
        parts.push(part)
        length += part.length
        at += part.length
        if (length < place.bytes) continue
        if (hashOf(Buffer.concat(parts)) !== frame) return false
        frame = frames.next().value
        parts = []
        length = 0
      }
    }
    return length === 0 || (frame !== undefined && this.isFrameStart(Buffer.concat(parts), frame))
  }

  private async isFrameStart(start: Buffer, frame: string): Promise<boolean> {
    const place = this.intake.catalog.frames.get(frame)
    if (place === undefined) return false
    try {
      const whole = await readFrame(this.archive.layout, frame, place)
      return whole.subarray(0, start.length).equals(start)
    } catch {
      // A damaged frame proves nothing: the backup may be what is left of it.
      return false
    }
  }

  /** Asked of both, since each learns from the logs it is asked about. */
  private ruleAgainst(file: Incoming, facts: FileFacts | undefined): SkipReason | null {
    const isForgotten = this.forgotten.leavesOut(file.home, file.path, facts)
    const isExcluded = this.excluded.leavesOut(file.home, file.path, facts)
    if (isForgotten) return 'forgotten'
    return isExcluded ? 'excluded' : null
  }

  private skip(file: Incoming, reason: SkipReason): void {
    this.skipped.push({ path: file.path, reason })
  }
}
