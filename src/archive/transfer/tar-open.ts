// The bytes of a tar file: opens it, recognises by its first bytes how it is packed, and unpacks gzip while reading. What
// the bytes say is read by tar-read.ts.

import { createReadStream } from 'node:fs'
import { createGunzip, type Gunzip } from 'node:zlib'
import { errorCode, ReadError } from '../../disk/read/read.ts'
import { ByteFeed } from './tar-feed.ts'
import { shortName, TarError } from './tar-header.ts'
import { packerOf, packerText } from './tar-packers.ts'

// Gzip packs a thousand to one at best, so what one slice becomes stays below 20 MB.
const sliceBytes = 16 * 1024

// zlib keeps back what it was unpacking into a buffer of this size when it found damage.
const unpackedBytes = 16 * 1024

/**
 * The bytes of a tar file, unpacked where it is gzip. Fails with a `ReadError` or a `TarError`, after all bytes
 * that could be read: of a cut stream every one, of a damaged one all but at most the last 16 KiB before the damage.
 */
export function openTar(path: string): AsyncGenerator<Uint8Array> {
  return unpackTar(fileChunks(path), path)
}

/** The same for bytes that come from elsewhere, such as standard input; `name` is for messages. */
export async function* unpackTar(chunks: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<Uint8Array> {
  const feed = new ByteFeed(chunks)
  try {
    const start = await feed.peek(16)
    const packer = packerOf(start)
    if (packer !== null) throw new TarError('compressed', 0, packerText(packer, name))
    const isGzip = start[0] === 0x1f && start[1] === 0x8b
    yield* isGzip ? gunzip(feed, name) : feed.rest()
  } finally {
    await feed.close()
  }
}

/** Takes pipes too, hence a stream and no positions. */
async function* fileChunks(path: string): AsyncGenerator<Uint8Array> {
  let position = 0
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: 256 * 1024 })) {
      position += chunk.length
      yield chunk
    }
  } catch (error) {
    throw new ReadError(path, position, errorCode(error), error)
  }
}

/**
 * Slice by slice rather than as a pipeline: a stream that fails throws away what it has unpacked but not yet given out,
 * and from a damaged backup every whole entry counts.
 */
async function* gunzip(feed: ByteFeed, name: string): AsyncGenerator<Uint8Array> {
  const unpacker = createGunzip({ chunkSize: unpackedBytes })
  const ready: Uint8Array[] = []
  let failure: Error | null = null
  unpacker.on('data', (part: Uint8Array) => ready.push(part))
  unpacker.on('error', error => {
    failure = error
  })
  let position = 0
  try {
    while (!unpacker.readableEnded) {
      const slice = await feed.some(sliceBytes)
      await settled(unpacker, slice)
      for (const part of ready.splice(0)) {
        position += part.length
        yield part
      }
      if (failure !== null) throw gzipError(failure, position, name)
      if (slice === null) return
    }
  } finally {
    unpacker.destroy()
  }
}

/** Resolves when a slice, or with null the end, was worked off or has failed. */
function settled(unpacker: Gunzip, slice: Uint8Array | null): Promise<void> {
  return new Promise(done => {
    const finish = () => {
      unpacker.off('close', finish)
      // What was unpacked last is given out by then.
      setImmediate(done)
    }
    unpacker.once('close', finish)
    if (slice === null) unpacker.end()
    else unpacker.write(slice, finish)
  })
}

function gzipError(error: Error, position: number, name: string): TarError {
  const isCut = errorCode(error) === 'Z_BUF_ERROR'
  const what = isCut ? 'is cut short: its gzip stream has no end' : 'is damaged: gzip cannot unpack it further'
  return new TarError(isCut ? 'truncated' : 'damaged', position, `${shortName(name)} ${what}`, error)
}
