// Packs: files of compressed frames, one after the other. A pack is written under a temporary name and renamed to its hash
// when complete; frames are read one at a time and checked by their hash. The catalog knows which frame belongs to which file.

import { createHash, type Hash } from 'node:crypto'
import { closeSync, existsSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, brotliDecompress, brotliDecompressSync, constants, gunzip, gunzipSync } from 'node:zlib'
import { errorCode } from '../../base/error-code.ts'
import { AsideFile } from '../../files/durable.ts'
import { FileError } from '../../files/error.ts'
import type { WriteOps } from '../../files/ops.ts'
import type { FramePlace } from './catalog.ts'
import { isGzipPack, isPackName, type Layout, largestFrame, packBytes, packName } from './layout.ts'
import { hashOf } from './lines.ts'

const compress = promisify(brotliCompress)
const expandBrotli = promisify(brotliDecompress)
const expandGzip = promisify(gunzip)

/** Frames that are compressed at the same time, in the threads that Node has for it; more would only wait in memory. */
const compressedAtOnce = 6

/** The fastest quality that finds repetitions well; a window that covers the largest frame. */
function compressOptions(raw: Uint8Array) {
  return {
    chunkSize: Math.max(4096, Math.ceil(raw.length / 3)),
    params: {
      [constants.BROTLI_PARAM_QUALITY]: 1,
      [constants.BROTLI_PARAM_LGWIN]: 20,
      [constants.BROTLI_PARAM_SIZE_HINT]: raw.length,
    },
  }
}

/** Compresses frames and writes them into packs. */
export class PackWriter {
  /** Frames whose packs are on the disk. */
  readonly placed = new Map<string, FramePlace>()
  private readonly ops: WriteOps
  private readonly layout: Layout
  private open: OpenPack | null = null
  private readonly running = new Set<Promise<void>>()
  private failure: { error: unknown } | null = null
  /** Bytes written, all packs together. */
  stored = 0

  constructor(ops: WriteOps, layout: Layout) {
    this.ops = ops
    this.layout = layout
  }

  /** Takes a frame, which must not change until it is written; waits while too many are being compressed. */
  async add(id: string, raw: Uint8Array): Promise<void> {
    while (this.running.size >= compressedAtOnce) await Promise.race(this.running)
    this.throwFailure()
    const job = this.store(id, raw).catch(error => {
      this.failure ??= { error }
    })
    this.running.add(job)
    void job.finally(() => this.running.delete(job))
  }

  /** A frame that is compressed already: its bytes are copied from another pack. */
  addStored(id: string, stored: Uint8Array, bytes: number): void {
    this.open ??= new OpenPack(this.ops, this.layout.packs)
    this.open.add(id, stored, bytes)
    this.stored += stored.length
    if (this.open.file.bytes >= packBytes) this.closePack()
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
    const stored = await compress(raw, compressOptions(raw))
    if (this.failure === null) this.addStored(id, stored, raw.length)
  }

  private closePack(): void {
    const pack = this.open
    this.open = null
    if (pack === null) return
    const name = pack.commit()
    for (const [id, place] of pack.frames) this.placed.set(id, { pack: name, ...place })
  }

  private throwFailure(): void {
    if (this.failure !== null) throw this.failure.error
  }
}

/** Where the frames are that `fill` adds. After an error, nothing is left of packs that were not finished. */
export async function writePacks(
  ops: WriteOps,
  layout: Layout,
  fill: (packs: PackWriter) => Promise<void>,
): Promise<ReadonlyMap<string, FramePlace>> {
  const packs = new PackWriter(ops, layout)
  try {
    await fill(packs)
    await packs.finish()
  } catch (error) {
    await packs.abandon()
    throw error
  }
  return packs.placed
}

/** One pack while it is written. */
class OpenPack {
  readonly file: AsideFile
  readonly frames: [string, Omit<FramePlace, 'pack'>][] = []
  private readonly hash: Hash = createHash('sha256')

  constructor(ops: WriteOps, folder: string) {
    this.file = new AsideFile(ops, folder, 'pack')
  }

  add(id: string, stored: Uint8Array, bytes: number): void {
    this.frames.push([id, { at: this.file.bytes, stored: stored.length, bytes }])
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
class FrameError extends FileError {
  constructor(id: string, place: FramePlace, problem: string) {
    super('damaged-frame', `frame ${id.slice(0, 12)} in pack ${place.pack} at byte ${place.at}: ${problem}`)
  }
}

/** One output buffer for the whole frame, but never more than the largest: the length may come from a damaged line. */
function expandOptions({ bytes }: FramePlace) {
  const chunkSize = 64 + Math.max(0, Math.min(largestFrame, Math.trunc(bytes)))
  return { chunkSize, maxOutputLength: largestFrame }
}

/** The raw bytes of a frame, checked by their hash. */
export async function readFrame(layout: Layout, id: string, place: FramePlace): Promise<Buffer> {
  const stored = storedFrame(layout, id, place)
  const expand = isGzipPack(place.pack) ? expandGzip : expandBrotli
  const raw = await expand(stored, expandOptions(place)).catch((error: unknown) => error)
  return checked(id, place, raw)
}

export function readFrameSync(layout: Layout, id: string, place: FramePlace): Buffer {
  const stored = storedFrame(layout, id, place)
  let raw: unknown
  try {
    raw = (isGzipPack(place.pack) ? gunzipSync : brotliDecompressSync)(stored, expandOptions(place))
  } catch (error) {
    raw = error
  }
  return checked(id, place, raw)
}

function checked(id: string, place: FramePlace, raw: unknown): Buffer {
  if (!Buffer.isBuffer(raw)) throw new FrameError(id, place, `it cannot be unpacked (${errorCode(raw)})`)
  if (raw.length !== place.bytes || hashOf(raw) !== id) throw new FrameError(id, place, 'its content has another hash')
  return raw
}

/** The compressed bytes of a frame, as they are in the pack. */
export function storedFrame(layout: Layout, id: string, place: FramePlace): Buffer {
  if (!isPackName(place.pack)) throw new FrameError(id, place, 'no pack has this name')
  const path = join(layout.packs, place.pack)
  let file: number
  try {
    file = openSync(path, 'r')
  } catch (error) {
    throw new FileError(existsSync(path) ? errorCode(error) : 'missing-pack', `cannot open pack ${place.pack}`, path)
  }
  try {
    const bytes = Buffer.allocUnsafe(Math.max(0, place.stored))
    const length = readSync(file, bytes, 0, bytes.length, place.at)
    if (length !== bytes.length) throw new FrameError(id, place, 'the pack ends before it does')
    return bytes
  } catch (error) {
    if (error instanceof FileError) throw error
    throw new FrameError(id, place, `it cannot be read (${errorCode(error)})`)
  } finally {
    closeSync(file)
  }
}
