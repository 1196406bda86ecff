// Small tars for tests, written field by field where the bytes are the point, and ways to read them whole. Not used
// outside of tests.

import { concatBytes, textToBytes } from '../../base/bytes.ts'
import { blockBytes, encodeHeader, paddingOf } from './tar-header.ts'
import { readTar, type TarEntry } from './tar-read.ts'
import { type TarFile, TarWriter } from './tar-write.ts'

/** An entry with its content read. */
export interface WholeEntry extends Omit<TarEntry, 'content'> {
  bytes: Uint8Array
}

export async function* inChunks(bytes: Uint8Array, sizes: number | readonly number[]): AsyncGenerator<Uint8Array> {
  const list = typeof sizes === 'number' ? [sizes] : sizes
  let from = 0
  for (let turn = 0; from < bytes.length; turn++) {
    const size = list[turn % list.length] ?? 1
    yield bytes.subarray(from, from + size)
    from += size
  }
}

export async function gather(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = [new Uint8Array(0)]
  for await (const chunk of chunks) parts.push(chunk)
  return concatBytes(parts)
}

/** All entries until the end or an error, which is given back rather than thrown. */
export async function readAll(
  chunks: AsyncIterable<Uint8Array>,
): Promise<{ entries: WholeEntry[]; error: unknown; cut: WholeEntry | null }> {
  const entries: WholeEntry[] = []
  let cut: WholeEntry | null = null
  try {
    for await (const { content, ...entry } of readTar(chunks)) {
      const parts: Uint8Array[] = [new Uint8Array(0)]
      cut = { ...entry, bytes: new Uint8Array(0) }
      for await (const part of content) {
        parts.push(part)
        cut = { ...entry, bytes: concatBytes(parts) }
      }
      entries.push(cut)
      cut = null
    }
    return { entries, error: null, cut }
  } catch (error) {
    return { entries, error, cut }
  }
}

export async function writeTar(
  files: readonly (Omit<TarFile, 'size'> & { bytes?: Uint8Array })[],
): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  const writer = new TarWriter(async bytes => {
    parts.push(bytes)
  })
  for (const { bytes, ...file } of files) {
    if (bytes === undefined) await writer.addFolder(file)
    else await writer.addFile({ ...file, size: bytes.length }, inChunks(bytes, 100_000))
  }
  await writer.end()
  return concatBytes(parts)
}

/** One entry as bytes. `patch` changes header bytes before the checksum is made. */
export function rawEntry(
  type: string,
  name: string,
  content: string | Uint8Array = '',
  patch: (block: Uint8Array) => void = () => {},
): Uint8Array {
  const bytes = typeof content === 'string' ? textToBytes(content) : content
  const block = encodeHeader({ name, prefix: '', type, size: bytes.length, mode: 0o644, modified: 1_700_000_000 })
  patch(block)
  setChecksum(block)
  return concatBytes([block, bytes, new Uint8Array(paddingOf(bytes.length))])
}

export function setChecksum(block: Uint8Array, isSigned = false): void {
  block.fill(0x20, 148, 156)
  const sum = block.reduce((total, byte) => total + (isSigned && byte > 127 ? byte - 256 : byte), 0)
  block.set(textToBytes(`${sum.toString(8).padStart(6, '0')}\0 `), 148)
}

/** A pax record with its length in front. */
export function paxRecord(keyword: string, value: string): string {
  const rest = ` ${keyword}=${value}\n`
  const bytes = textToBytes(rest).length
  const digits = String(bytes + String(bytes + 2).length).length
  return `${bytes + digits}${rest}`
}

export const endMark = new Uint8Array(2 * blockBytes)
