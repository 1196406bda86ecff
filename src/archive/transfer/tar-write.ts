// Writes a tar: ustar, with pax headers where a name, a size or a time does not fit. Home-made for bounded memory and so
// that nothing about the user (ids, names) gets in. It does not open files; the caller brings the content.

import { concatBytes } from '../../base/bytes.ts'
import { blockBytes, encodeHeader, latestMillis, octalLimit, paddingOf, shortName, TarError } from './tar-header.ts'
import { encodePax, millisToPax } from './tar-pax.ts'

/** What is known of a thing to write. Paths are divided by `/`. */
export interface TarFolder {
  path: string
  /** Permission bits. */
  mode: number
  modifiedMs: number
}

export interface TarFile extends TarFolder {
  size: number
}

/**
 * One call after the other; each promise is settled before the next call. After an error the tar is unusable and all
 * further calls throw, so that no half-written archive can be ended as if it were whole.
 */
export class TarWriter {
  private readonly write: (bytes: Uint8Array) => Promise<void>
  private written = 0
  private state: 'ready' | 'busy' | 'broken' | 'ended' = 'ready'

  constructor(write: (bytes: Uint8Array) => Promise<void>) {
    this.write = write
  }

  /** Throws if the content is longer or shorter than `size`. */
  addFile(file: TarFile, content: AsyncIterable<Uint8Array>): Promise<void> {
    return this.exclusively(async () => {
      if (!Number.isSafeInteger(file.size) || file.size < 0)
        throw new TarError('misuse', this.written, `${file.size} is no size for ${shortName(file.path)}`)
      if (file.path.endsWith('/'))
        throw new TarError('misuse', this.written, `a file's name cannot end in "/": ${shortName(file.path)}`)
      await this.put(this.headersOf(file, '0', file.size))
      await this.putContent(file, content)
    })
  }

  addFolder(folder: TarFolder): Promise<void> {
    return this.exclusively(() =>
      this.put(this.headersOf({ ...folder, path: `${folder.path.replace(/\/+$/, '')}/` }, '5', 0)),
    )
  }

  /** Writes the end mark. */
  async end(): Promise<void> {
    await this.exclusively(() => this.put(new Uint8Array(2 * blockBytes)))
    this.state = 'ended'
  }

  private async exclusively(work: () => Promise<void>): Promise<void> {
    if (this.state !== 'ready')
      throw new TarError('misuse', this.written, `the tar that is being written is ${this.state}`)
    this.state = 'busy'
    try {
      await work()
      this.state = 'ready'
    } catch (error) {
      this.state = 'broken'
      throw error
    }
  }

  private async put(bytes: Uint8Array): Promise<void> {
    await this.write(bytes)
    this.written += bytes.length
  }

  private async putContent(file: TarFile, content: AsyncIterable<Uint8Array>): Promise<void> {
    let left = file.size
    for await (const part of content) {
      if (part.length > left)
        throw new TarError(
          'misuse',
          this.written,
          `${shortName(file.path)} has more than the ${file.size} bytes expected`,
        )
      left -= part.length
      if (part.length > 0) await this.put(part)
    }
    if (left > 0)
      throw new TarError(
        'misuse',
        this.written,
        `${shortName(file.path)} has ${left} fewer than the ${file.size} bytes expected`,
      )
    const padding = paddingOf(file.size)
    if (padding > 0) await this.put(new Uint8Array(padding))
  }

  /** The entry's header, with a pax header before it if one is needed. */
  private headersOf(entry: TarFolder, type: string, size: number): Uint8Array {
    this.check(entry)
    const pax = new Map<string, string>()
    const place = placeOf(entry.path)
    if (place === null) pax.set('path', entry.path)
    const sizeFits = size <= octalLimit(11)
    if (!sizeFits) pax.set('size', String(size))
    const seconds = Math.floor(entry.modifiedMs / 1000)
    const timeFits = seconds >= 0 && seconds <= octalLimit(11)
    if (!timeFits || entry.modifiedMs !== seconds * 1000) pax.set('mtime', millisToPax(entry.modifiedMs))
    const modified = timeFits ? seconds : 0
    const { name, prefix } = place ?? { name: stand(entry.path), prefix: '' }
    const header = encodeHeader({ name, prefix, type, size: sizeFits ? size : 0, mode: entry.mode, modified })
    if (pax.size === 0) return header
    const records = encodePax(pax)
    const ahead = { name: `PaxHeaders/${stand(entry.path).slice(-80)}`, prefix: '', type: 'x', mode: 0o644, modified }
    const padding = new Uint8Array(paddingOf(records.length))
    return concatBytes([encodeHeader({ ...ahead, size: records.length }), records, padding, header])
  }

  private check(entry: TarFolder): void {
    const { path } = entry
    // A lone surrogate has no bytes of its own: two such names would become one.
    if (path === '' || path === '/' || path.includes('\0') || /\p{Surrogate}/u.test(path))
      throw new TarError('misuse', this.written, `${shortName(path)} cannot be a name in a tar`)
    if (!(Math.abs(entry.modifiedMs) <= latestMillis))
      throw new TarError('misuse', this.written, `${shortName(path)} has no time that can be written`)
  }
}

/** Where a name lies in the header: in the name's field, or cut at a `/` between prefix and name; null: nowhere. */
function placeOf(path: string): { name: string; prefix: string } | null {
  if (!/^[\x20-\x7e]*$/.test(path)) return null
  if (path.length <= 100) return { name: path, prefix: '' }
  const cut = path.indexOf('/', path.length - 101)
  if (cut <= 0 || cut > 155 || cut === path.length - 1) return null
  return { name: path.slice(cut + 1), prefix: path.slice(0, cut) }
}

/** What stands in the header's field of a name that does not fit, for readers that know nothing of pax. */
function stand(path: string): string {
  const plain = path.replace(/[^\x20-\x7e]/g, '_')
  if (plain.length <= 100) return plain
  return path.endsWith('/') ? `${plain.slice(0, 99)}/` : plain.slice(0, 100)
}
