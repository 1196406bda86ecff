// The content of one file: whether it continues the archived generation, what of it is new, whether a place has it. When to commit,
// and which files there are, is decided in `capture.ts`.

import { createHash } from 'node:crypto'
import { type FileFacts, factsOf } from '../../disk/discover/facts.ts'
import { isLogName } from '../../disk/discover/project.ts'
import { diskTree } from '../../disk/discover/tree.ts'
import type { Catalog, Generation } from '../format/catalog.ts'
import { FrameCutter } from '../format/cut.ts'
import { hashOf } from '../format/lines.ts'
import type { Intake } from '../store/intake.ts'
import { LiveReader } from './live-reader.ts'

/** Content that can be read, once or several times. */
export interface OpenContent {
  state: { size: number }
  chunks(): AsyncIterable<Buffer>
}

/** What is now known of a file's content. */
export interface CapturedContent {
  /** The generation it continues; absent where it begins one. */
  continues?: Generation
  size: number
  closed: number
  /** All frames, in order. */
  frames: string[]
  /** The byte from which on they are new. */
  from: number
  /** Index in `frames` of the first new one. */
  firstNew: number
}

/** Reads an open file once, twice where it turns out not to continue `current`. */
export async function captureContent(
  reader: OpenContent,
  current: Generation | undefined,
  store: Intake,
): Promise<CapturedContent> {
  if (current !== undefined && current.size <= reader.state.size && isWhole(current, store.catalog)) {
    const continued = await continueGeneration(reader, current, store)
    if (continued !== null) return continued
  }
  return startGeneration(reader, store)
}

async function startGeneration(reader: OpenContent, store: Intake): Promise<CapturedContent> {
  const cutter = new FrameCutter()
  const frames: string[] = []
  let size = 0
  for await (const chunk of reader.chunks()) {
    size += chunk.length
    for (const frame of cutter.push(chunk)) frames.push(await putFrame(store, frame))
  }
  const closed = size - cutter.waiting
  const rest = cutter.end()
  if (rest.length > 0) frames.push(await putFrame(store, rest))
  return { size, closed, frames, from: 0, firstNew: 0 }
}

/** Null where the file's beginning is not what is archived of it. */
async function continueGeneration(
  reader: OpenContent,
  current: Generation,
  store: Intake,
): Promise<CapturedContent | null> {
  const prefix = new PrefixCheck(current, store.catalog)
  const cutter = new FrameCutter()
  const fresh: string[] = []
  let at = 0
  for await (const chunk of reader.chunks()) {
    if (!prefix.see(chunk)) return null
    // What is behind the last final border is cut again, together with what is new.
    const tail = chunk.subarray(Math.max(0, current.closed - at))
    at += chunk.length
    if (at <= current.closed) continue
    for (const frame of cutter.push(tail)) fresh.push(await putFrame(store, frame))
  }
  if (!prefix.isDone) return null
  const kept = current.frames.slice(0, framesBefore(current, store.catalog, current.closed))
  if (at === current.size && fresh.length === 0) return unchanged(current, at)
  const closed = at - cutter.waiting
  const rest = cutter.end()
  if (fresh.length > 0) {
    if (rest.length > 0) fresh.push(await putFrame(store, rest))
    return {
      continues: current,
      size: at,
      closed,
      frames: [...kept, ...fresh],
      from: current.closed,
      firstNew: kept.length,
    }
  }
  return addPiece(current, at, rest, store)
}

function unchanged(current: Generation, size: number): CapturedContent {
  const { closed, frames } = current
  return { continues: current, size, closed, frames, from: size, firstNew: frames.length }
}

/**
 * The open end grew, but not to a border. Its pieces are joined so that each is more than twice as long as the next one:
 * few pieces, and each byte is stored again only as often as the end doubles.
 */
async function addPiece(current: Generation, size: number, open: Buffer, store: Intake): Promise<CapturedContent> {
  const { closed } = current
  const frames = [...current.frames]
  let from = current.size
  while (from > closed) {
    const length = store.catalog.frames.get(frames.at(-1) ?? '')?.bytes ?? 0
    if (length > 2 * (size - from)) break
    frames.pop()
    from -= length
  }
  const firstNew = frames.length
  frames.push(await putFrame(store, Buffer.from(open.subarray(from - closed))))
  return { continues: current, size, closed, frames, from, firstNew }
}

function framesBefore(generation: Generation, catalog: Catalog, end: number): number {
  let count = 0
  for (let at = 0; at < end; count++) at += catalog.frames.get(generation.frames[count] ?? '')?.bytes ?? end
  return count
}

async function putFrame(store: Intake, raw: Buffer): Promise<string> {
  const id = hashOf(raw)
  await store.put(id, raw)
  return id
}

/** Compares a file's beginning with the frames of a generation, by their hashes. */
export class PrefixCheck {
  private readonly generation: Generation
  private readonly catalog: Catalog
  private hash = createHash('sha256')
  private index = 0
  /** Bytes of the frame at `index` that were not seen yet; undefined where that frame is lost. */
  private left: number | undefined

  constructor(generation: Generation, catalog: Catalog) {
    this.generation = generation
    this.catalog = catalog
    this.left = this.lengthAt(0)
  }

  get isDone(): boolean {
    return this.index === this.generation.frames.length
  }

  /** The frame that was seen up to some byte of it, and the hash of that much; null at a border. */
  get open(): { frame: string; seen: number; sha256: string } | null {
    const length = this.lengthAt(this.index)
    if (length === undefined || this.left === undefined || this.left === length) return null
    const frame = this.generation.frames[this.index] ?? ''
    return { frame, seen: length - this.left, sha256: this.hash.copy().digest('hex') }
  }

  /** False as soon as something differs. */
  see(chunk: Buffer): boolean {
    for (let at = 0; at < chunk.length && !this.isDone; ) {
      if (this.left === undefined) return false
      const part = chunk.subarray(at, at + this.left)
      this.hash.update(part)
      this.left -= part.length
      at += part.length
      if (this.left === 0 && !this.closeFrame()) return false
    }
    return true
  }

  private closeFrame(): boolean {
    const isEqual = this.hash.digest('hex') === this.generation.frames[this.index]
    this.hash = createHash('sha256')
    this.index++
    this.left = this.lengthAt(this.index)
    return isEqual
  }

  private lengthAt(index: number): number | undefined {
    return this.catalog.frames.get(this.generation.frames[index] ?? '')?.bytes
  }
}

/** Whether the manifest has all of a generation. */
export function isWhole(generation: Generation, catalog: Catalog): boolean {
  if (catalog.broken.has(generation.id)) return false
  const bytes = generation.frames.reduce((sum, id) => sum + (catalog.frames.get(id)?.bytes ?? Number.NaN), 0)
  return bytes === generation.size
}

/** Whether the file at a place has exactly the bytes of a generation. Throws where the file cannot be read. */
export async function hasContent(place: string, generation: Generation, catalog: Catalog): Promise<boolean> {
  if (!isWhole(generation, catalog)) return false
  const reader = new LiveReader(place, false)
  try {
    if (reader.state.size !== generation.size) return false
    const prefix = new PrefixCheck(generation, catalog)
    for await (const chunk of reader.chunks()) if (!prefix.see(chunk)) return false
    return prefix.isDone && !(await reader.isMixed())
  } finally {
    reader.close()
  }
}

/**
 * What the ends of a log say, under the name that it has in its home. Undefined for other files, and for one that is gone or
 * cannot be read: the next read reports that.
 */
export async function factsAt({ path, place }: { path: string; place: string }): Promise<FileFacts | undefined> {
  if (!isLogName(path)) return undefined
  try {
    // It may have grown since it was surveyed.
    const found = diskTree.stat(place)
    return found.kind === 'file' ? await factsOf({ ...found, path }, diskTree.source) : undefined
  } catch {
    return undefined
  }
}
