// The bytes of a stream such as standard input, as a source. A stream can be read once and from its start only.

import type { ByteSource, GenerationId, LogFile } from '../../model/source.ts'
import { errorCode, ReadError } from './read.ts'

/** The generation of what comes from the stream. */
export const streamGeneration = 'stream:-' as GenerationId

/** What stands for the stream where a file is asked for. Its size is not known before its end. */
export function streamFile(): LogFile {
  return { path: '-', role: 'session', generation: streamGeneration, size: 0, modifiedMs: 0 }
}

/**
 * A source with one generation. A second pass, one that does not begin at byte 0, or one that cannot wait, fails with a
 * `ReadError`.
 */
export function streamSource(stream: AsyncIterable<Uint8Array | string>): ByteSource {
  let isUsed = false
  return {
    async *read(_generation, from, to) {
      if (isUsed || from !== 0) throw new ReadError('-', from, 'ESPIPE')
      isUsed = true
      yield* firstBytes(stream, to)
    },
    readSync(_generation, from) {
      throw new ReadError('-', from, 'ESPIPE')
    },
  }
}

async function* firstBytes(stream: AsyncIterable<Uint8Array | string>, to: number): AsyncGenerator<Uint8Array> {
  let position = 0
  const chunks = stream[Symbol.asyncIterator]()
  try {
    while (position < to) {
      const next = await chunks.next().catch(error => {
        throw new ReadError('-', position, errorCode(error), error)
      })
      if (next.done === true) return
      const chunk = typeof next.value === 'string' ? Buffer.from(next.value) : next.value
      const part = chunk.length > to - position ? chunk.subarray(0, to - position) : chunk
      position += part.length
      if (part.length > 0) yield part
    }
  } finally {
    await chunks.return?.()
  }
}
