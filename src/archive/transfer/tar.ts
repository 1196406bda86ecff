// Reads and writes tars with `tar-stream`: opens plain and gzip files, gives entries one by one with bounded memory, and turns
// everything that is wrong with a hostile or damaged file into a `TarError`. `unpack.ts` decides where entries may be written.

import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { constants, createGunzip } from 'node:zlib'
import tar, { type Headers, type Pack } from 'tar-stream'
import { errorCode } from '../../base/error-code.ts'
import { ReadError } from '../../disk/read/read.ts'

declare module 'tar-stream' {
  interface Headers {
    /** Fields of the extended header, if the entry has one. The published types lack it. */
    pax?: Record<string, string> | null
  }
}

/**
 * - `not-tar`: the first bytes are not a tar header;
 * - `compressed`: packed by a tool that must unpack it first;
 * - `truncated`: the input ends in the middle of something, or has no end mark;
 * - `damaged`: a checksum or a field is wrong;
 * - `refused`: well written, but beyond what is accepted.
 */
type TarFault = 'not-tar' | 'compressed' | 'truncated' | 'damaged' | 'refused'

/** A tar that cannot be read further. Entries that came whole before it are good. */
export class TarError extends Error {
  override readonly name = 'TarError'
  readonly fault: TarFault

  constructor(fault: TarFault, message: string, cause?: unknown) {
    super(message, { cause })
    this.fault = fault
  }
}

/** One entry. Its path is as written, hostile or not; only the closing `/` of a folder is removed. */
export interface TarEntry {
  path: string
  /** `sparse`: stored with holes, which is not supported. `other`: devices, pipes and unknown kinds. */
  kind: 'file' | 'folder' | 'hard-link' | 'symbolic-link' | 'sparse' | 'other'
  /** For links: where they point, as written. */
  target?: string
  size: number
  /** Permission bits. */
  mode: number
  modifiedMs: number
  /** Can be read once, and only until the next entry. */
  content: AsyncIterable<Uint8Array>
}

const blockBytes = 512

/** Extended headers are read into memory: more than this is refused. */
const mostHeaderBytes = 2 * 1024 * 1024

/** The entries in order. Content that is not read is skipped. */
export async function* readTar(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<TarEntry> {
  const extract = tar.extract({ allowUnknownFormat: true })
  const input = new TarInput(chunks)
  const source = Readable.from(input.bytes(), { objectMode: false })
  source.pipe(extract)
  let count = 0
  try {
    for await (const entry of extract) {
      count++
      const { header } = entry
      if (!Number.isSafeInteger(header.size) || (header.size ?? -1) < 0) {
        throw new TarError('refused', `an entry claims to have ${header.size} bytes`)
      }
      input.isInEntry = header.size !== 0 && header.type !== 'directory'
      entry.once('close', () => {
        input.isInEntry = false
      })
      yield toEntry(header, contentOf(entry, input))
      // Skips what was not read; the next entry waits for it.
      entry.resume()
    }
  } catch (error) {
    throw input.failure ?? (error instanceof TarError ? error : tarError(error, count))
  } finally {
    extract.destroy()
    source.destroy()
  }
  if (input.failure !== undefined) throw input.failure
  if (input.total === 0) throw new TarError('not-tar', 'the archive is empty')
  if (!input.endsInZeros) throw new TarError('truncated', 'the archive has no end mark: it may be cut short')
}

async function* contentOf(entry: AsyncIterable<Uint8Array>, input: TarInput): AsyncGenerator<Uint8Array> {
  try {
    yield* entry
  } catch (error) {
    throw input.failure ?? tarError(error, 1)
  }
}

/** What flows into the tar reader: it ends early rather than fail, so that everything before a failure is still read. */
class TarInput {
  total = 0
  failure: Error | undefined
  isInEntry = false
  private readonly chunks: AsyncIterable<Uint8Array>
  private last: Uint8Array = new Uint8Array(0)
  private headerBytes = 0

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.chunks = chunks
  }

  /** A tar ends with blocks of zeros. */
  get endsInZeros(): boolean {
    return this.last.length === blockBytes && this.last.every(byte => byte === 0)
  }

  async *bytes(): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of this.chunks) {
        this.total += chunk.length
        const end = chunk.length >= blockBytes ? chunk : Buffer.concat([this.last, chunk])
        this.last = Buffer.from(end.subarray(-blockBytes))
        // Between entries the reader gathers an extended header: what it claims as its length must not fill the memory.
        this.headerBytes = this.isInEntry || this.endsInZeros ? 0 : this.headerBytes + chunk.length
        if (this.headerBytes > mostHeaderBytes) throw new TarError('refused', 'an extended header is too long')
        yield chunk
      }
    } catch (error) {
      this.failure = error instanceof Error ? error : new Error(String(error))
    }
  }
}

function tarError(error: unknown, count: number): TarError {
  const isCut = !(error instanceof Error && error.message.startsWith('Invalid tar header'))
  if (count === 0) return new TarError('not-tar', isCut ? 'too short for a tar' : 'this is not a tar archive', error)
  if (isCut) return new TarError('truncated', 'the archive is cut short', error)
  return new TarError('damaged', 'the header of an entry is damaged: its checksum is wrong', error)
}

function toEntry(header: Headers, content: AsyncIterable<Uint8Array>): TarEntry {
  const kind = kindOf(header)
  const name = (kind === 'sparse' ? header.pax?.['GNU.sparse.name'] : undefined) ?? header.name
  return {
    path: kind === 'folder' ? name.replace(/\/+$/, '') : name,
    kind,
    ...(header.linkname && { target: header.linkname }),
    size: header.size ?? 0,
    mode: (header.mode ?? 0) & 0o7777,
    modifiedMs: timeOf(header),
    content,
  }
}

function kindOf({ type, name, pax }: Headers): TarEntry['kind'] {
  if (Object.keys(pax ?? {}).some(key => key.startsWith('GNU.sparse.'))) return 'sparse'
  // Before there was a type for folders, a closing `/` meant one.
  if (type === 'directory' || (type === 'file' && name.endsWith('/'))) return 'folder'
  if (type === 'file' || type === 'contiguous-file') return 'file'
  if (type === 'link') return 'hard-link'
  return type === 'symlink' ? 'symbolic-link' : 'other'
}

/** In whole milliseconds, from an extended header where there is one. A time that no calendar has counts as none. */
function timeOf({ mtime, pax }: Headers): number {
  const text = pax?.['mtime'] ?? ''
  const millis = /^-?\d{1,15}(\.\d*)?$/.test(text) ? Math.round(Number(text) * 1000) : (mtime?.getTime() ?? 0)
  return Math.abs(millis) <= 8.64e15 ? millis : 0
}

/** The bytes of a tar file, uncompressed. Fails with a `ReadError` or a `TarError`, after the bytes that could be read. */
export async function* openTar(path: string): AsyncGenerator<Uint8Array> {
  const file = createReadStream(path, { highWaterMark: 256 * 1024 })
  const chunks = file[Symbol.asyncIterator]()
  try {
    const first = await chunks.next()
    const head: Uint8Array = first.done === true ? new Uint8Array(0) : first.value
    const packer = packerOf(head)
    if (packer !== null) throw new TarError('compressed', packerText(packer, path))
    const all = async function* () {
      yield head
      yield* chunks
    }
    yield* head[0] === 0x1f && head[1] === 0x8b ? gunzip(all()) : all()
  } catch (error) {
    if (error instanceof TarError) throw error
    throw new ReadError(path, file.bytesRead, errorCode(error), error)
  } finally {
    file.destroy()
  }
}

/** A cut stream gives all that it has: that the tar is cut is noticed when it is read. */
async function* gunzip(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const gunzip = createGunzip({ finishFlush: constants.Z_SYNC_FLUSH })
  const source = Readable.from(chunks, { objectMode: false })
  source.on('error', error => gunzip.destroy(error)).pipe(gunzip)
  try {
    yield* gunzip
  } catch (error) {
    if (!errorCode(error).startsWith('Z_')) throw error
    throw new TarError('damaged', 'the file is damaged: gzip cannot unpack it further', error)
  } finally {
    source.destroy()
  }
}

interface Packer {
  name: string
  /** First bytes, in hexadecimal. Longer than the signature where letters alone could be the name of a first entry. */
  magic: RegExp
  /** What files packed with it end in; absent for what packs whole folders. */
  ending?: RegExp
  command: string
}

const packers: readonly Packer[] = [
  { name: 'xz', magic: /^fd377a585a00/, ending: /\.t?xz$/, command: 'xz -dc' },
  { name: 'bzip2', magic: /^425a683[1-9](314159265359|177245385090)/, ending: /\.(bz2|tbz2?)$/, command: 'bzip2 -dc' },
  { name: 'zstd', magic: /^(28b52ffd|5.2a4d18)/, ending: /\.t?zst$/, command: 'zstd -dc' },
  { name: 'lz4', magic: /^04224d18/, ending: /\.lz4$/, command: 'lz4 -dc' },
  { name: 'lzip', magic: /^4c5a495001/, ending: /\.t?lz$/, command: 'lzip -dc' },
  { name: 'compress', magic: /^1f9d/, ending: /\.(Z|taz)$/, command: 'uncompress -c' },
  { name: 'zip', magic: /^504b(0304|0506)/, command: 'unzip' },
  { name: '7z', magic: /^377abcaf271c/, command: '7z x' },
]

/** The tool that packed a file with these first bytes, if it is one that Clew does not unpack itself. */
function packerOf(head: Uint8Array): Packer | null {
  const hex = Buffer.from(head.subarray(0, 16)).toString('hex')
  return packers.find(({ magic }) => magic.test(hex)) ?? null
}

/** A command to copy, with the file's own name where a shell would take it as it is. */
function packerText({ name, ending, command }: Packer, path: string): string {
  const isPlain = /^[\w./+][\w./+-]*$/.test(path)
  if (ending === undefined) {
    const file = isPlain ? path : `backup.${name}`
    return `packed with ${name}, which is not a tar: unpack it into a folder (${command} ${file}) and import that`
  }
  const file = isPlain ? path : `backup.tar.${name}`
  const bare = file.replace(ending, '')
  const unpacked = bare === file ? `${file}.tar` : bare.endsWith('.tar') ? bare : `${bare}.tar`
  return `packed with ${name}: unpack it first with "${command} ${file} > ${unpacked}"`
}

/** What is written of a file; folders have no content. Paths are divided by `/`. Owners are never written. */
export interface TarFile {
  path: string
  size: number
  /** Permission bits. */
  mode: number
  modifiedMs: number
  content?: AsyncIterable<Uint8Array>
}

/** Writes entries as a tar. Fails if the content of an entry is longer or shorter than its size. */
export async function writeTar(
  files: AsyncIterable<TarFile>,
  write: (bytes: Uint8Array) => Promise<void>,
): Promise<void> {
  const pack = tar.pack()
  const writing = async () => {
    for await (const bytes of pack) await write(bytes)
  }
  const packing = async () => {
    try {
      for await (const file of files) await packFile(pack, file)
      pack.finalize()
    } catch (error) {
      pack.destroy(error instanceof Error ? error : new Error(String(error)))
      throw error
    }
  }
  // An error of either ends the other; the one that came first is thrown.
  await Promise.all([writing(), packing()])
}

function packFile(pack: Pack, file: TarFile): Promise<void> {
  const { content } = file
  return new Promise((done, fail) => {
    const entry = pack.entry(headerOf(file), error => (error ? fail(error) : done()))
    if (content === undefined) return
    // The callback above gets the error.
    entry.on('error', () => {})
    const closed = new Promise<void>(close => entry.once('close', close))
    const fill = async () => {
      for await (const part of content) {
        if (entry.destroyed) return
        if (!entry.write(part)) await Promise.race([new Promise<void>(next => entry.once('drain', next)), closed])
      }
      entry.end()
    }
    fill().catch(error => entry.destroy(error))
  })
}

function headerOf({ path, size, mode, modifiedMs, content }: TarFile): Headers {
  // A lone surrogate has no bytes of its own: two such names would become one.
  if (path === '' || path.includes('\0') || /\p{Surrogate}/u.test(path)) throw new Error(`"${path}" cannot be in a tar`)
  const seconds = Math.floor(modifiedMs / 1000)
  // The header has whole seconds, and no more than 31 bits of them here.
  const isPlain = seconds * 1000 === modifiedMs && seconds >= 0 && seconds < 2 ** 31
  return {
    name: path,
    type: content === undefined ? 'directory' : 'file',
    size,
    mode: mode & 0o7777,
    mtime: new Date(isPlain ? modifiedMs : 0),
    ...(!isPlain && { pax: { mtime: (modifiedMs / 1000).toFixed(3) } }),
  }
}
