// Finds the frames in packs that no readable line of the manifest names, or none as part of a file. Frames follow each other without marks between them,
// so each is unpacked to find where the next one begins; what cannot be unpacked hides what is behind it. Whose they are is
// decided in `salvage.ts`.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync, inflateRawSync } from 'node:zlib'
import { attempt } from '../../base/attempt.ts'
import { entriesOf } from '../../files/durable.ts'
import type { Catalog, FramePlace } from './catalog.ts'
import { isGzipPack, isNamedByHash, isPackName, type Layout, largestFrame } from './layout.ts'
import { hashOf } from './lines.ts'

export interface UnnamedFrame {
  /** The hash of its bytes. */
  id: string
  place: FramePlace
  /** The pack is as it was written, so these bytes are. */
  isProved: boolean
}

/** In the order of packs and places. Each content once, and none that the catalog has elsewhere. */
export function unnamedFrames(layout: Layout, catalog: Catalog): UnnamedFrame[] {
  const named = new Map<string, FramePlace[]>()
  for (const place of catalog.frames.values()) {
    const list = named.get(place.pack)
    if (list === undefined) named.set(place.pack, [place])
    else list.push(place)
  }
  const found = new Map<string, UnnamedFrame>()
  for (const { name } of entriesOf(layout.packs)) {
    if (!isPackName(name)) continue
    for (const frame of unnamedIn(layout, name, named.get(name) ?? [])) {
      if (!catalog.frames.has(frame.id) && !found.has(frame.id)) found.set(frame.id, frame)
    }
  }
  return [...found.values()]
}

/** Those, and frames that the manifest names but no file in it has: the lines about their files may be the ones that are lost. */
export function ownerlessFrames(layout: Layout, catalog: Catalog): UnnamedFrame[] {
  const live = catalog.liveFrames()
  const unused = [...catalog.frames].filter(([id]) => !live.has(id))
  return [...unnamedFrames(layout, catalog), ...unused.map(([id, place]) => ({ id, place, isProved: true }))]
}

function* unnamedIn(layout: Layout, pack: string, named: readonly FramePlace[]): Generator<UnnamedFrame> {
  const bytes = attempt(() => readFileSync(join(layout.packs, pack)))
  if (bytes === undefined) return
  const gaps = gapsIn(bytes.length, named)
  if (gaps.length === 0) return
  const isProved = isNamedByHash(pack, hashOf(bytes))
  for (const [from, to] of gaps) {
    for (let at = from; at < to; ) {
      const frame = frameAt(bytes.subarray(at, to), isGzipPack(pack))
      if (frame === null) break
      const place = { pack, at, stored: frame.stored, bytes: frame.raw.length }
      yield { id: hashOf(frame.raw), place, isProved }
      at += frame.stored
    }
  }
}

function gapsIn(size: number, named: readonly FramePlace[]): [from: number, to: number][] {
  const gaps: [number, number][] = []
  let end = 0
  for (const { at, stored } of [...named].sort((a, b) => a.at - b.at)) {
    if (at > end) gaps.push([end, Math.min(at, size)])
    end = Math.max(end, at + stored)
  }
  if (end < size) gaps.push([end, size])
  return gaps
}

/** With `info`, zlib also gives its engine, which knows how many bytes it took; the types do not say so. */
interface Unpacked {
  buffer: Buffer
  engine: { bytesWritten: number }
}

const options = { info: true, chunkSize: largestFrame + 64, maxOutputLength: largestFrame }

/** The frame that begins with these bytes; null where none does. */
function frameAt(bytes: Buffer, isGzip: boolean): { raw: Buffer; stored: number } | null {
  // A frame is never longer than this, however badly it compresses.
  const most = bytes.subarray(0, largestFrame + 64 * 1024)
  const header = isGzip ? gzipHeader : 0
  if (isGzip && !(most[0] === 0x1f && most[1] === 0x8b && most[3] === 0)) return null
  const unpacked = attempt(() => {
    const packed = most.subarray(header)
    return (isGzip ? inflateRawSync(packed, options) : brotliDecompressSync(packed, options)) as unknown as Unpacked
  })
  if (unpacked === undefined) return null
  const stored = header + unpacked.engine.bytesWritten + (isGzip ? gzipTrailer : 0)
  return unpacked.buffer.length === 0 || stored > bytes.length ? null : { raw: unpacked.buffer, stored }
}

const gzipHeader = 10
const gzipTrailer = 8
