// Captures what is new: looks at the files of homes, stores what they gained since the last run, and commits it in steps, so
// that a kill costs at most the current step. How one file is read is decided in `content.ts`.

import { createReadStream } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { errorCode } from '../../base/error-code.ts'
import type { FileFacts } from '../../disk/discover/facts.ts'
import { writeWhole } from '../../files/durable.ts'
import { type FileError, StoreFailure, writeFailure } from '../../files/error.ts'
import type { Finding } from '../../model/finding.ts'
import { type Catalog, type Generation, newGenerationId } from '../format/catalog.ts'
import { isIncomplete, type Manifest } from '../format/manifest.ts'
import { tidy } from '../maintain/tidy.ts'
import type { Archive } from '../store/archive.ts'
import { Intake } from '../store/intake.ts'
import { type CapturedContent, captureContent, factsAt } from './content.ts'
import { scanHistory } from './history-lines.ts'
import { LiveReader } from './live-reader.ts'
import { MovedFiles } from './moved.ts'
import { ExcludeRules, inOrder } from './rules.ts'
import {
  countLeftOut,
  fingerprintOf,
  isAsSeen,
  lastSeenSegment,
  leftOut,
  readSeen,
  type Seen,
  type Sight,
  seenBytes,
  seenKey,
  seenStarts,
  settledText,
  sightOf,
  stateText,
} from './seen.ts'
import { type LiveFile, type RootSurvey, type Scope, surveyRoots } from './survey.ts'

/** What is archived, and who hears how far it is. */
export interface CaptureOptions {
  roots: readonly string[]
  /** What is below the roots, from someone who has just looked. */
  surveyed?: RootSurvey
  /** Working directories of projects, and files of a home, that are not archived. */
  exclude?: readonly string[]
  /** The place of a file that is about to be replaced: its content is archived, but the file continues the generation it had before. */
  replaced?: string
  /** Called with how many bytes are to be looked at, before the first one. */
  begin?: (bytes: number) => void
  /** Called with how many raw bytes more are done. */
  progress?: (bytes: number) => void
  /** Called between files; true stops after a commit. */
  isStopped?: () => boolean
}

/** What a run of the archive did. */
export interface CaptureReport {
  /** Files that were looked at. */
  files: number
  /** Files that were not there before, that grew, that began another generation, that were moved. */
  added: number
  grown: number
  rewritten: number
  moved: number
  /** Files that rules leave out. */
  leftOut: number
  /** Raw bytes that are archived now and were not before. */
  bytes: number
  /** Bytes written for them. */
  stored: number
  /** Files whose new bytes are on the disk. */
  committed: number
  /** Whether someone asked it to stop before the end. */
  isStopped: boolean
  /** What could not be archived, and why. */
  findings: Finding[]
  /** Why it stopped before the end; what was committed before is archived. */
  failure?: FileError
}

/** What two runs did, the second of which was to archive what the first one had not. */
export function sumOfRuns(first: CaptureReport, second: CaptureReport): CaptureReport {
  const sum = { ...second }
  for (const key of [...countKeys, 'stored', 'committed'] as const) sum[key] += first[key]
  return sum
}

/** Archives what the roots gained since the last run. Problems of single files are in the report. */
export async function capture(archive: Archive, options: CaptureOptions): Promise<CaptureReport> {
  const { files, scopes, findings } = options.surveyed ?? surveyRoots(options.roots)
  const report: CaptureReport = {
    files: files.length,
    added: 0,
    grown: 0,
    rewritten: 0,
    moved: 0,
    leftOut: 0,
    bytes: 0,
    stored: 0,
    committed: 0,
    isStopped: false,
    findings: [...findings],
  }
  const seen = readSeen(archive.layout)
  const changed = files.filter(file => !isAsSeen(file, seen))
  if (changed.length === 0 && seen !== null && isSameArchive(archive, seen, options)) {
    report.leftOut = countLeftOut(files, seen)
    return report
  }
  options.begin?.(changed.reduce((sum, file) => sum + file.state.size, 0))
  await archive.change('run', async manifest => {
    await new CaptureRun(archive, manifest, options, report, { files, scopes, seen }).run()
  })
  return report
}

/** The forgotten sessions are part of the manifest: where that is the same, they are. */
function isSameArchive(archive: Archive, seen: Seen, options: CaptureOptions): boolean {
  return archive.exists && seen.fingerprint === fingerprintOf(archive.lastSegment(), options.exclude ?? [])
}

interface Seeing {
  files: readonly LiveFile[]
  scopes: readonly Scope[]
  seen: Seen | null
}

const countKeys = ['added', 'grown', 'rewritten', 'moved', 'bytes'] as const
type Counts = Record<(typeof countKeys)[number], number>

class CaptureRun {
  private readonly archive: Archive
  private readonly catalog: Catalog
  private readonly manifest: Manifest
  private readonly options: CaptureOptions
  private readonly report: CaptureReport
  private readonly seeing: Seeing
  private rules: ExcludeRules
  private readonly sights = new Map<string, Sight>()
  private readonly moved: MovedFiles
  /** Whether what was seen before says more than the manifest does. */
  private readonly isEvidence: boolean
  private readonly intake: Intake
  /** Whether the manifest is whole, and the one that was there when the list of what was seen was written. */
  private readonly isSame: boolean
  /** What was read but is not yet archived. */
  private readonly fresh: Counts = { added: 0, grown: 0, rewritten: 0, moved: 0, bytes: 0 }

  constructor(archive: Archive, manifest: Manifest, options: CaptureOptions, report: CaptureReport, seeing: Seeing) {
    this.archive = archive
    this.manifest = manifest
    this.catalog = manifest.catalog
    this.options = options
    this.report = report
    this.seeing = seeing
    const { forgotten, forgottenFiles } = manifest.catalog
    this.rules = new ExcludeRules(options.exclude ?? [], forgotten, forgottenFiles.keys())
    this.moved = new MovedFiles(manifest.catalog, seeing.files)
    this.isSame = manifest.damage.length === 0 && lastSeenSegment(seeing.seen) === manifest.last
    this.isEvidence = isIncomplete(manifest)
    this.intake = new Intake(archive, manifest)
  }

  async run(): Promise<void> {
    try {
      await this.excludePastes()
      // Without rules, a file that looks as it did at the last run needs no step.
      const { files } = this.seeing
      const due = this.rules.isEmpty ? files.filter(file => !this.isStill(file)) : files
      for (const file of inOrder(due)) {
        if (this.options.isStopped?.() === true) {
          this.report.isStopped = true
          break
        }
        await this.captureOne(file)
        if (this.intake.isDue) await this.commit()
      }
      await this.commit()
      await this.clear()
    } catch (error) {
      await this.intake.abandon()
      this.report.failure = writeFailure(error, this.archive.layout.folder)
      // What is in memory may be ahead of what is on the disk.
      this.archive.reload()
    }
  }

  /** What was pasted into prompts of forgotten sessions since has no name of theirs; the prompt history knows it. */
  private async excludePastes(): Promise<void> {
    const { forgotten, forgottenFiles } = this.catalog
    if (forgotten.size === 0) return
    const files = new Set(forgottenFiles.keys())
    for (const { place } of this.seeing.files.filter(({ path }) => path === 'history.jsonl')) {
      const scan = await scanHistory(createReadStream(place), forgotten).catch(() => undefined)
      for (const paste of scan?.pastes ?? []) if (scan?.others.has(paste) === false) files.add(paste)
    }
    if (files.size > 0) this.rules = new ExcludeRules(this.options.exclude ?? [], forgotten, files)
  }

  /** Everything is archived by now: a failure here costs time or disk space, no byte. */
  private async clear(): Promise<void> {
    try {
      await tidy(this.archive, this.manifest)
      this.writeSeen()
    } catch (error) {
      const { message } = writeFailure(error, this.archive.layout.folder)
      this.report.findings.push({ code: 'not-tidied', severity: 'warning', message: `All is archived, but ${message}` })
      this.archive.reload()
    }
  }

  /** Whether a file is as it was seen, and all of it is archived; it then counts as seen again. */
  private isStill(file: LiveFile): boolean {
    const sight = sightOf(file, this.seeing.seen)
    if (sight?.state !== stateText(file.state) || !this.isHeld(file, sight.generation)) return false
    this.sights.set(seenKey(file.home, file.path), sight)
    return true
  }

  private async captureOne(file: LiveFile): Promise<void> {
    // Without rules the facts are not needed before it is read.
    if (this.rules.isEmpty) return this.captureChanged(file)
    const sight = isAsSeen(file, this.seeing.seen) ? sightOf(file, this.seeing.seen) : undefined
    const facts = await this.factsFor(file, sight?.generation)
    if (this.rules.leavesOut(file.home, file.path, facts)) {
      this.sights.set(seenKey(file.home, file.path), { state: stateText(file.state), generation: leftOut })
      this.report.leftOut++
    } else if (!this.isStill(file)) {
      await this.captureChanged(file)
    }
  }

  /** Whether all of a file is in a generation. What was seen may be ahead of a manifest that lost lines. */
  private isHeld(file: LiveFile, id: string): boolean {
    const generation = this.catalog.generations.get(id)
    if (generation === undefined || this.catalog.broken.has(id)) return false
    const { home, path, size, frames } = generation
    if (home !== file.home || path !== file.path || size !== file.state.size) return false
    return this.isSame || frames.every(frame => this.catalog.frames.has(frame))
  }

  private async factsFor(file: LiveFile, generation: string | undefined): Promise<FileFacts | undefined> {
    const known = generation === undefined ? undefined : this.catalog.generations.get(generation)?.facts
    return known ?? factsAt(file)
  }

  private async captureChanged(file: LiveFile): Promise<void> {
    const here = this.catalog.current(file.home, file.path)
    const lookedAt = this.archive.now()
    const named = here === undefined ? this.moved.takeNamed(file) : undefined
    const archived = await this.read(file, here ?? named ?? this.moved.take(file))
    if (archived === null) return
    const { content, reader } = archived
    const facts = await this.factsFor(file, undefined)
    const former = here === undefined ? (named ?? content.continues) : undefined
    const generation = this.toGeneration(file, content, reader, lookedAt, facts, former)
    const state = settledText(reader.state, lookedAt)
    this.sights.set(seenKey(file.home, file.path), { state, generation: generation.id })
    this.note(content, here ?? former)
    if (content.continues !== undefined && isSameBut(content.continues, generation)) return
    if (former !== undefined) this.moveEarlier(former, generation)
    this.intake.add(generation, { from: content.from, frames: content.frames.slice(content.firstNew) })
  }

  /** A moved file takes its earlier generations along. */
  private moveEarlier(from: Generation, to: Generation): void {
    this.fresh.moved++
    for (const earlier of this.catalog.of(from.home, from.path)) {
      if (earlier.id === to.id) continue
      const isBroken = this.catalog.broken.has(earlier.id)
      this.intake.add({ ...earlier, path: to.path }, { from: 0, frames: earlier.frames, isBroken })
    }
  }

  private note(content: CapturedContent, here: Generation | undefined): void {
    const { fresh } = this
    const { continues } = content
    if (continues === undefined) fresh[here === undefined ? 'added' : 'rewritten']++
    else if (content.size > continues.size) fresh.grown++
    fresh.bytes += content.size - (continues?.size ?? 0)
  }

  /** Null where it could not be read; the report says why. */
  private async read(
    file: LiveFile,
    current: Generation | undefined,
  ): Promise<{ content: CapturedContent; reader: LiveReader } | null> {
    const usable = current !== undefined && !this.catalog.broken.has(current.id) ? current : undefined
    for (let tries = 4; tries > 0; tries--) {
      let reader: LiveReader
      try {
        reader = new LiveReader(file.place, tries < 4)
      } catch (error) {
        return this.noteUnread(file, error)
      }
      try {
        const content = await captureContent(reader, usable, this.intake)
        this.options.progress?.(content.size)
        // Shorter: it was cut while it was read, and what is there now may be read instead.
        const isWhole = content.size === reader.state.size || tries === 1
        if (isWhole && !(await reader.isMixed())) return { content, reader }
      } catch (error) {
        if (error instanceof StoreFailure) throw error
        return this.noteUnread(file, error)
      } finally {
        reader.close()
      }
    }
    return this.noteUnread(file, Object.assign(new Error(), { code: 'it was rewritten meanwhile' }))
  }

  private noteUnread(file: LiveFile, error: unknown): null {
    const code = errorCode(error)
    const isGone = code === 'ENOENT' || code === 'ENOTDIR'
    const message = isGone
      ? 'This file was deleted before it could be archived.'
      : `This file could not be read (${code}); it was not archived.`
    this.report.findings.push({
      code: isGone ? 'vanished-file' : 'unreadable-file',
      severity: 'warning',
      file: file.place,
      message,
    })
    return null
  }

  private toGeneration(
    file: LiveFile,
    content: CapturedContent,
    reader: LiveReader,
    now: number,
    facts: FileFacts | undefined,
    former: Generation | undefined,
  ): Generation {
    const { home, path } = file
    const known = content.continues
    const last = this.catalog.of(home, former?.path ?? path).at(-1)
    const generation: Generation = {
      id: known?.id ?? newGenerationId(),
      number: known?.number ?? (last?.number ?? 0) + 1,
      home,
      path,
      size: content.size,
      modifiedMs: Math.trunc(reader.state.mtimeMs),
      mode: reader.mode,
      archivedMs: now,
      closed: content.closed,
      frames: [...content.frames],
      identity: reader.state.identity,
    }
    const learned = facts ?? known?.facts
    if (learned !== undefined) generation.facts = learned
    if (known === undefined && last !== undefined && file.place === this.options.replaced)
      generation.origin = 'replaced'
    return generation
  }

  /** After this, what was read so far is archived. */
  private async commit(): Promise<void> {
    await this.intake.commit()
    for (const key of countKeys) {
      this.report[key] += this.fresh[key]
      this.fresh[key] = 0
    }
    this.report.stored = this.intake.stored
    this.report.committed = this.intake.committed
  }

  /** What was seen of other homes and of other parts stays. */
  private writeSeen(): void {
    const { scopes, seen } = this.seeing
    const files = new Map(this.sights)
    const starts = scopes.flatMap(({ home, parts }) => parts.flatMap(part => seenStarts(home, part.path)))
    for (const [key, sight] of seen?.files ?? []) {
      // Where the manifest has lost lines, this list is what knows of files that are gone.
      const isLooked = !this.report.isStopped && !this.isEvidence && starts.some(start => key.startsWith(start))
      if (!isLooked && !files.has(key)) files.set(key, sight)
    }
    const fingerprint = fingerprintOf(this.archive.lastSegment(), this.options.exclude ?? [])
    writeWhole(this.archive.ops, this.archive.layout.seen, seenBytes({ fingerprint, files }))
  }
}

/** Whether nothing differs but the time of the look. */
function isSameBut(known: Generation, next: Generation): boolean {
  return (
    known.path === next.path &&
    known.size === next.size &&
    known.modifiedMs === next.modifiedMs &&
    known.mode === next.mode &&
    known.identity === next.identity &&
    isDeepStrictEqual(known.facts, next.facts)
  )
}
