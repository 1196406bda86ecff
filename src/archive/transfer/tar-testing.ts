// Small tars for tests, written field by field where the bytes matter, and ways to read them whole.

import { concatBytes, textToBytes } from '../../base/bytes.ts'
import { readTar, type TarEntry, type TarFile, writeTar } from './tar.ts'

/** An entry with its content read. */
export interface WholeEntry extends Omit<TarEntry, 'content'> {
  bytes: Uint8Array
}

export async function* inChunks(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size)
}

/** All entries until the end or an error, which is returned rather than thrown. */
export async function readAll(chunks: AsyncIterable<Uint8Array>): Promise<{ entries: WholeEntry[]; error: unknown }> {
  const entries: WholeEntry[] = []
  try {
    for await (const { content, ...entry } of readTar(chunks)) {
      const parts: Uint8Array[] = [new Uint8Array(0)]
      if (entry.kind === 'file') for await (const part of content) parts.push(part)
      entries.push({ ...entry, bytes: concatBytes(parts) })
    }
    return { entries, error: null }
  } catch (error) {
    return { entries, error }
  }
}

/** `bytes`: absent for a folder. */
export async function tarBytes(
  files: readonly (Omit<TarFile, 'size' | 'content'> & { bytes?: Uint8Array })[],
): Promise<Buffer> {
  const parts: Uint8Array[] = []
  async function* all(): AsyncGenerator<TarFile> {
    for (const { bytes, ...file } of files) {
      yield { ...file, size: bytes?.length ?? 0, ...(bytes && { content: inChunks(bytes, 100_000) }) }
    }
  }
  await writeTar(all(), async bytes => {
    parts.push(Uint8Array.from(bytes))
  })
  return Buffer.concat(parts)
}

/** One entry as bytes. `patch` changes header bytes before the checksum is made. */
export function rawEntry(
  type: string,
  name: string,
  content: string | Uint8Array = '',
  patch: (block: Uint8Array) => void = () => {},
): Uint8Array {
  const bytes = typeof content === 'string' ? textToBytes(content) : content
  const block = new Uint8Array(512)
  const put = (at: number, text: string) => block.set(textToBytes(text), at)
  const octal = (value: number, digits: number) => value.toString(8).padStart(digits, '0')
  put(0, name)
  for (const [at, text] of [
    [100, '0000644'],
    [108, '0000000'],
    [116, '0000000'],
    [124, octal(bytes.length, 11)],
    [136, octal(1_700_000_000, 11)],
    [156, type],
    [257, 'ustar\x0000'],
  ] as const) {
    put(at, text)
  }
  patch(block)
  setChecksum(block)
  return concatBytes([block, bytes, new Uint8Array((512 - (bytes.length % 512)) % 512)])
}

export function setChecksum(block: Uint8Array): void {
  block.fill(0x20, 148, 156)
  const sum = block.reduce((total, byte) => total + byte, 0)
  block.set(textToBytes(`${sum.toString(8).padStart(6, '0')}\0 `), 148)
}

/** A record of an extended header with its length in front. */
export function paxRecord(keyword: string, value: string): string {
  const rest = ` ${keyword}=${value}\n`
  const bytes = textToBytes(rest).length
  const digits = String(bytes + String(bytes + 2).length).length
  return `${bytes + digits}${rest}`
}

export const endMark = new Uint8Array(1024)
