// A worker thread that compresses frames: bytes in, one gzip member out, in the same order.

import { parentPort } from 'node:worker_threads'
import { quickGzip } from './quick-gzip.ts'

parentPort?.on('message', (raw: Uint8Array) => {
  const stored = new Uint8Array(quickGzip(raw))
  parentPort?.postMessage(stored, [stored.buffer])
})
