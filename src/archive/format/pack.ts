// Packs: files of frames, back to back. Written aside and named by their hash when complete; frames are read from them one
// at a time and proved by theirs. Which frame belongs to what is the catalog's business.

import { createHash, type Hash } from 'node:crypto'
import { closeSync, existsSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzip, gunzipSync, gzip } from 'node:zlib'
import { errorCode } from '../../disk/read/read.ts'
import { AsideFile } from '../store/durable.ts'
import type { WriteOps } from '../store/ops.ts'
import type { FramePlace } from './catalog.ts'
import { ArchiveError } from './error.ts'
import { type Layout, largestFrame, packBytes, packName } from './layout.ts'
import { hashOf } from './lines.ts'
import { quickGzip } from './quick-gzip.ts'

const compress = promisify(gzip)
const expand = promisify(gunzip)

/** So many frames are compressed at a time; more would only wait in memory. */
const atOnce = 6

/** How hard frames are compressed, where nobody is in a hurry. */
const usualLevel = 6

/** What comes out in one piece needs one turn of the other thread: mostly less than a third of what goes in. */
function pieceBytes(raw: number): number {
  return Math.max(4096, Math.ceil(raw / 3))
}

let room: Uint8Array | undefined

/** What is compressed quickly is written at once: all of it goes through the same place, or it would fill memory as garbage. */
function quickRoom(): Uint8Array {
  room ??= new Uint8Array(largestFrame + 1024)
  return room
}

/** Takes frames in, compresses them side by side and puts them into packs. */
export class PackWriter {
  /** Packs that are on the disk. */
  readonly finished: string[] = []
  private readonly ops: WriteOps
  private readonly layout: Layout
  private readonly placed: (id: string, place: FramePlace) => void
  private readonly isQuick: boolean
  private open: OpenPack | null = null
  private readonly running = new Set<Promise<void>>()
  private failure: { error: unknown } | null = null
  /** Bytes written, all packs together. */
  stored = 0

  /** `placed` is told where frames lie once the pack that holds them is on the disk. `isQuick`: less compression. */
  constructor(ops: WriteOps, layout: Layout, placed: (id: string, place: FramePlace) => void, isQuick = false) {
    this.ops = ops
    this.layout = layout
    this.placed = placed
    this.isQuick = isQuick
  }

  /** Takes a frame over; waits while too many are under way. */
  async add(id: string, raw: Uint8Array): Promise<void> {
    while (this.running.size >= atOnce) await Promise.race(this.running)
    this.throwFailure()
    const job = this.store(id, raw).catch(error => {
      this.failure ??= { error }
    })
    this.running.add(job)
    void job.finally(() => this.running.delete(job))
  }

  /** A frame that is compressed already: its bytes are copied from another pack. */
  addStored(id: string, stored: Uint8Array, { bytes, isQuick }: FramePlace): void {
    this.append(id, stored, bytes, isQuick === true)
  }

  /** Waits for all frames, and puts the pack that is open on the disk. */
  async finish(): Promise<void> {
    await Promise.all(this.running)
    this.throwFailure()
    this.closePack()
  }

  /** Leaves nothing behind of what is not on the disk yet. */
  async abandon(): Promise<void> {
    await Promise.all(this.running)
    this.open?.file.discard()
    this.open = null
  }

  private async store(id: string, raw: Uint8Array): Promise<void> {
    const options = { level: usualLevel, memLevel: 9, chunkSize: pieceBytes(raw.length) }
    const stored = this.isQuick ? quickGzip(raw, quickRoom()) : await compress(raw, options)
    if (this.failure === null) this.append(id, stored, raw.length, this.isQuick)
  }

  private append(id: string, stored: Uint8Array, bytes: number, isQuick: boolean): void {
    this.open ??= new OpenPack(this.ops, this.layout.packs)
    this.open.add(id, stored, { bytes, ...(isQuick && { isQuick }) })
    this.stored += stored.length
    if (this.open.file.bytes >= packBytes) this.closePack()
  }

  private closePack(): void {
    const pack = this.open
    this.open = null
    if (pack === null) return
    const name = pack.commit()
    this.finished.push(name)
    for (const [id, place] of pack.frames) this.placed(id, { pack: name, ...place })
  }

  private throwFailure(): void {
    if (this.failure !== null) throw this.failure.error
  }
}

/** One pack while it is written. */
class OpenPack {
  readonly file: AsideFile
  readonly frames: [string, Omit<FramePlace, 'pack'>][] = []
  private readonly hash: Hash = createHash('sha256')

  constructor(ops: WriteOps, folder: string) {
    this.file = new AsideFile(ops, folder, 0o600, 'pack')
  }

  add(id: string, stored: Uint8Array, told: Pick<FramePlace, 'bytes' | 'isQuick'>): void {
    this.frames.push([id, { at: this.file.bytes, stored: stored.length, ...told }])
    try {
      this.file.write(stored)
    } catch (error) {
      this.file.discard()
      throw error
    }
    this.hash.update(stored)
  }

  commit(): string {
    const name = packName(this.hash.digest('hex'))
    this.file.commit(name)
    return name
  }
}

/** What is wrong with a stored frame. */
export class FrameError extends ArchiveError {
  constructor(id: string, place: FramePlace, problem: string) {
    super('damaged-frame', `frame ${id.slice(0, 12)} in pack ${place.pack} at byte ${place.at}: ${problem}`)
  }
}

/** Room for all of a frame, whatever length a damaged line tells, so that it comes out in one piece. */
function expandOptions({ bytes }: FramePlace) {
  const chunkSize = 64 + Math.max(0, Math.min(largestFrame, Math.trunc(bytes)))
  return { chunkSize, maxOutputLength: largestFrame }
}

/** The raw bytes of a frame, proved by their hash. */
export async function readFrame(layout: Layout, id: string, place: FramePlace): Promise<Buffer> {
  const stored = storedFrame(layout, id, place)
  const raw = await expand(stored, expandOptions(place)).catch((error: unknown) => error)
  return proved(id, place, raw)
}

export function readFrameSync(layout: Layout, id: string, place: FramePlace): Buffer {
  const stored = storedFrame(layout, id, place)
  let raw: unknown
  try {
    raw = gunzipSync(stored, expandOptions(place))
  } catch (error) {
    raw = error
  }
  return proved(id, place, raw)
}

function proved(id: string, place: FramePlace, raw: unknown): Buffer {
  if (!Buffer.isBuffer(raw)) throw new FrameError(id, place, `it cannot be unpacked (${errorCode(raw)})`)
  if (raw.length !== place.bytes || hashOf(raw) !== id) throw new FrameError(id, place, 'its content has another hash')
  return raw
}

/** The compressed bytes of a frame, as they lie in the pack. */
export function storedFrame(layout: Layout, id: string, place: FramePlace): Buffer {
  const path = join(layout.packs, place.pack)
  let file: number
  try {
    file = openSync(path, 'r')
  } catch (error) {
    throw new ArchiveError(existsSync(path) ? errorCode(error) : 'missing-pack', `cannot open pack ${place.pack}`, path)
  }
  try {
    const bytes = Buffer.allocUnsafe(Math.max(0, place.stored))
    const length = readSync(file, bytes, 0, bytes.length, place.at)
    if (length !== bytes.length) throw new FrameError(id, place, 'the pack ends before it does')
    return bytes
  } catch (error) {
    if (error instanceof ArchiveError) throw error
    throw new FrameError(id, place, `it cannot be read (${errorCode(error)})`)
  } finally {
    closeSync(file)
  }
}
