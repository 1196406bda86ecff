// Reads the segments of the manifest into a catalog and writes the next one. It decides what a damaged or missing segment
// means; the bytes of packs are not looked at here.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { errorCode } from '../../base/error-code.ts'
import { asNumber, asString, type JsonObject } from '../../base/json.ts'
import { writeWhole } from '../../files/durable.ts'
import { FileError } from '../../files/error.ts'
import type { WriteOps } from '../../files/ops.ts'
import { Catalog, forgottenFileLine, frameLine, generationLine } from './catalog.ts'
import { formatVersion, type Layout, segmentName, segmentNumber } from './layout.ts'
import { hashOf, readSegment, segmentBytes } from './lines.ts'

export interface SegmentDamage {
  segment: string
  /** What is wrong, for people. */
  problem: string
  /** The texts of lines that cannot be trusted. */
  lines: string[]
  /** Whole segments before it are not there. */
  isGap?: true
  /** Its end is missing: how many lines are lost with it is unknown. */
  isCut?: true
}

export interface Manifest {
  catalog: Catalog
  /** Number and hash of the last segment; 0 where there is none. */
  last: number
  lastHash: string
  /** Segments that count, and older ones that a later base replaced. */
  segments: string[]
  stale: string[]
  /** Bytes of the segments that count. */
  bytes: number
  damage: SegmentDamage[]
}

/** How often a reader begins again when segments vanish under it. */
const mostTries = 10

/** Whether lines or whole segments are lost: what only those described is not there. */
export function isIncomplete(manifest: Manifest): boolean {
  return manifest.damage.some(isLossy)
}

/** Whether this damage costs what lines said, not only what guards them. */
export function isLossy({ lines, isGap, isCut }: SegmentDamage): boolean {
  return lines.length > 0 || isGap === true || isCut === true
}

export const incompleteText =
  'the manifest is damaged, so some of what was archived may be missing; clew archive verify reports more'

/** Reads what is archived. A damaged segment costs its damaged lines; the rest is there. */
export function readManifest(layout: Layout): Manifest {
  for (let tries = 1; ; tries++) {
    try {
      return readOnce(layout)
    } catch (error) {
      if (error instanceof FileError) throw error
      // A writer replaced them by a base after the folder was listed.
      if (errorCode(error) === 'ENOENT' && tries < mostTries) continue
      const code = errorCode(error)
      throw new FileError(code, `cannot read the manifest in ${layout.manifest} (${code})`, layout.manifest, error)
    }
  }
}

function readOnce(layout: Layout): Manifest {
  const manifest: Manifest = {
    catalog: new Catalog(),
    last: 0,
    lastHash: '',
    segments: [],
    stale: [],
    bytes: 0,
    damage: [],
  }
  let before: ReadSegment | undefined
  for (const segment of readBackToBase(layout, manifest)) {
    takeIn(manifest, segment, before)
    before = segment
  }
  return manifest
}

interface ReadSegment {
  name: string
  number: number
  bytes: number
  lines: ReturnType<typeof readSegment>
  head: JsonObject
}

/** From the last segment back to the last base: what is before it does not count. */
function readBackToBase(layout: Layout, manifest: Manifest): ReadSegment[] {
  const names = segmentNames(layout)
  const read: ReadSegment[] = []
  for (let at = names.length - 1; at >= 0; at--) {
    const name = names[at] ?? ''
    if (read[0]?.head['base'] === true) {
      manifest.stale.unshift(name)
      continue
    }
    const bytes = readFileSync(join(layout.manifest, name))
    const lines = readSegment(bytes)
    const head = lines.values.find(value => value['clew'] === 'archive') ?? {}
    refuseNewer(name, head)
    read.unshift({ name, number: segmentNumber(name) ?? 0, bytes: bytes.length, lines, head })
  }
  return read
}

function refuseNewer(name: string, head: JsonObject): void {
  const format = asNumber(head['format']) ?? formatVersion
  if (format <= formatVersion) return
  throw new FileError(
    'newer-format',
    `the archive was written by a newer Clew (format ${format} in ${name}, this one knows ${formatVersion})`,
  )
}

function takeIn(manifest: Manifest, segment: ReadSegment, before: ReadSegment | undefined): void {
  const { name, lines } = segment
  const { damage } = manifest
  if (!lines.isIntact) {
    // Where damaged lines are there to be counted, those count.
    const isCut = lines.isCut && lines.damaged.length === 0
    const problem = isCut ? 'its end is missing' : 'some of its bytes are not as they were written'
    damage.push({ segment: name, problem, lines: lines.damaged, ...(isCut && { isCut }) })
  }
  if (isGap(segment, before)) {
    damage.push(gapBefore(name))
  }
  for (const value of lines.values) manifest.catalog.see(value)
  manifest.segments.push(name)
  manifest.bytes += segment.bytes
  manifest.last = segment.number
  manifest.lastHash = lines.sha256
}

function gapBefore(segment: string): SegmentDamage {
  return { segment, problem: 'the segment before it is missing or is another one', lines: [], isGap: true }
}

/** Whether something is missing between two segments. A damaged one has another hash than the next one names. */
function isGap({ number, head, lines }: ReadSegment, before: ReadSegment | undefined): boolean {
  if (before !== undefined && number !== before.number + 1) return true
  if (!lines.isIntact || head['base'] === true || before?.lines.isIntact === false) return false
  if (before === undefined && number !== 1) return true
  return (asString(head['previous']) ?? '') !== (before?.lines.sha256 ?? '')
}

/** In the order of their numbers. */
export function segmentNames(layout: Layout): string[] {
  try {
    const names = readdirSync(layout.manifest).filter(name => segmentNumber(name) !== null)
    return names.sort((a, b) => (segmentNumber(a) ?? 0) - (segmentNumber(b) ?? 0))
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return []
    throw new FileError(errorCode(error), `cannot read ${layout.manifest} (${errorCode(error)})`)
  }
}

/** Records that segments up to a number are lost: the next one gets a later number, so that the gap is seen from now on. */
export function noteLostSegments(ops: WriteOps, layout: Layout, manifest: Manifest, last: number): void {
  manifest.damage.push(gapBefore(segmentName(last + 1)))
  manifest.last = last
  manifest.lastHash = ''
  appendSegment(ops, layout, manifest, [])
}

/** Writes the next segment; when it returns, what it says is on disk. */
export function appendSegment(ops: WriteOps, layout: Layout, manifest: Manifest, lines: Iterable<JsonObject>): void {
  writeSegment(ops, layout, manifest, lines, false)
}

/** One segment that says all that the catalog has, in the place of all before it; those are named in `stale`. */
export function writeBase(ops: WriteOps, layout: Layout, manifest: Manifest): void {
  writeSegment(ops, layout, manifest, catalogLines(manifest.catalog), true)
}

function writeSegment(
  ops: WriteOps,
  layout: Layout,
  manifest: Manifest,
  lines: Iterable<JsonObject>,
  isBase: boolean,
): void {
  const number = manifest.last + 1
  const head: JsonObject = {
    clew: 'archive',
    format: formatVersion,
    segment: number,
    ...(isBase ? { base: true } : { previous: manifest.lastHash }),
  }
  const bytes = segmentBytes(withHead(head, lines))
  const name = segmentName(number)
  writeWhole(ops, join(layout.manifest, name), bytes)
  if (isBase) {
    manifest.stale.push(...manifest.segments)
    manifest.segments = []
    manifest.damage = []
    manifest.bytes = 0
  }
  manifest.segments.push(name)
  manifest.bytes += bytes.length
  manifest.last = number
  manifest.lastHash = hashOf(bytes)
}

function* withHead(head: JsonObject, lines: Iterable<JsonObject>): Generator<JsonObject> {
  yield head
  yield* lines
}

/** Only frames that some generation needs. */
function* catalogLines(catalog: Catalog): Generator<JsonObject> {
  for (const id of catalog.liveFrames()) {
    const place = catalog.frames.get(id)
    if (place !== undefined) yield frameLine(id, place)
  }
  for (const generation of catalog.generations.values()) {
    yield generationLine(generation, 0, generation.frames, catalog.broken.has(generation.id))
  }
  for (const session of catalog.forgotten) yield { forgotten: session }
  for (const [file, session] of catalog.forgottenFiles) yield forgottenFileLine(file, session)
  yield* catalog.others
}
