// Everything that a pack contains, whether a manifest names it or not: for tests that look for erased bytes.

import { brotliDecompressSync, gunzipSync } from 'node:zlib'

/** With `info`, zlib also gives the engine, which counts the bytes that it read. The types do not know that. */
interface Unpacked {
  buffer: Buffer
  engine: { bytesWritten: number }
}

const withInfo = { chunkSize: 1 << 20, info: true }

/** The content of a pack by its name; any other file as it is. */
export function unpackAll(name: string, bytes: Buffer): Buffer {
  if (name.endsWith('.gz')) return gunzipSync(bytes)
  if (!name.endsWith('.br')) return bytes
  const parts: Buffer[] = []
  for (let at = 0; at < bytes.length; ) {
    const unpacked = brotliDecompressSync(bytes.subarray(at), withInfo) as unknown as Unpacked
    parts.push(unpacked.buffer)
    at += unpacked.engine.bytesWritten
  }
  return Buffer.concat(parts)
}
