// Reads a tar entry by entry (v7, ustar, pax, GNU) from any stream of bytes. Home-made because what matters here is that
// hostile input ends in a `TarError` and that memory stays the same whatever the archive's size. It does not decide
// where an entry may be written: that is safe-path.ts. Files and gzip are opened by tar-open.ts.

import { bytesToText, isUtf8 } from '../../base/bytes.ts'
import { ByteFeed } from './tar-feed.ts'
import {
  blockBytes,
  checkedSize,
  decodeHeader,
  hasChecksum,
  isZeroBlock,
  latestMillis,
  metaBytes,
  paddingOf,
  shortName,
  TarError,
  type TarHeader,
  untilNul,
} from './tar-header.ts'
import { decodePax, type PaxFields, paxMillis, paxSize, paxValue } from './tar-pax.ts'

/** One thing in a tar. Its path is as written, hostile or not; only a folder's closing `/` is taken off. */
export interface TarEntry {
  path: string
  /** Set where the path's bytes are not UTF-8: `path` is then only good for showing. */
  hasOddName?: true
  /** `other`: devices, pipes, volume labels and what is not known. */
  kind: 'file' | 'folder' | 'link' | 'other'
  /** For links: whether the target is another entry of the tar (hard) or a path seen from the link (symbolic). */
  link?: 'hard' | 'symbolic'
  /** For links: where they point, as written. */
  target?: string
  /** Bytes of content; 0 for links. */
  size: number
  /** Permission bits. */
  mode: number
  modifiedMs: number
  /**
   * Can be read once, and only until the next entry is asked for. Reading an entry that is stored with holes throws a
   * `TarError` with the fault `sparse`, after which the next entry can still be asked for.
   */
  content: AsyncIterable<Uint8Array>
}

/** The content of the entry that was given out last. */
interface Body {
  size: number
  left: number
  isTaken: boolean
  isPassed: boolean
  isSparse: boolean
}

/** What extended headers said about the entry that follows them. */
interface Ahead {
  pax: PaxFields
  name?: Uint8Array
  link?: Uint8Array
}

const noFields: PaxFields = new Map()

// Their size field counts no bytes that follow: POSIX leaves it open, and old writers put the target's size there.
const bodiless = new Set(['1', '2', '3', '4', '5', '6'])

/**
 * The entries in order. Content that was not read is skipped. After the end mark the input is read to its end without
 * looking at it, so that a packed stream's own checksum is seen. A missing end mark throws (`no-end`) after the last entry.
 */
export async function* readTar(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<TarEntry> {
  const feed = new ByteFeed(chunks)
  try {
    let global: PaxFields = noFields
    let ahead: Ahead = { pax: noFields }
    for (;;) {
      const at = feed.offset
      const header = await nextHeader(feed)
      if (header === null) break
      if (header.type === 'g') {
        global = new Map([...global, ...decodePax(await readMeta(feed, header, at), at + blockBytes)])
      } else if (isAhead(header.type)) {
        ahead = withAhead(ahead, header.type, await readMeta(feed, header, at), at + blockBytes)
      } else {
        if (header.sparse?.hasMore) await skipSparseMap(feed)
        const { entry, body } = entryOf(feed, header, ahead, global, at)
        yield entry
        body.isPassed = true
        await skipBody(feed, body, entry.path)
        ahead = { pax: noFields }
      }
    }
    if (ahead.pax.size > 0 || ahead.name !== undefined || ahead.link !== undefined)
      throw new TarError('damaged', feed.offset, 'the archive ends after an extended header, before its entry')
    await feed.skip(Number.POSITIVE_INFINITY)
  } finally {
    await feed.close()
  }
}

/** The next header, or null at the end mark: two blocks of zeros, or one where nothing follows. */
async function nextHeader(feed: ByteFeed): Promise<TarHeader | null> {
  const at = feed.offset
  const block = await feed.take(blockBytes)
  if (block.length < blockBytes) throw endedEarly(block, at)
  if (!isZeroBlock(block)) {
    if (hasChecksum(block)) return decodeHeader(block, at)
    if (at === 0) throw new TarError('not-tar', at, 'this is not a tar archive')
    throw new TarError('damaged', at, 'the header of an entry is damaged: its checksum is wrong')
  }
  const second = await feed.take(blockBytes)
  // A damaged header that reads as zeros must not pass for the end and hide all that follows.
  if (second.length === blockBytes && !isZeroBlock(second))
    throw new TarError('damaged', at, 'a single block of zeros stands where an entry or the end should be')
  return null
}

function endedEarly(block: Uint8Array, at: number): TarError {
  if (at === 0) return new TarError('not-tar', 0, block.length === 0 ? 'the archive is empty' : 'too short for a tar')
  const end = at + block.length
  if (!isZeroBlock(block)) return new TarError('truncated', end, 'the archive is cut short in the header of an entry')
  return new TarError('no-end', end, 'the archive has no end mark: it may be cut short')
}

function isAhead(type: string): boolean {
  return type === 'x' || type === 'X' || type === 'L' || type === 'K'
}

function withAhead(ahead: Ahead, type: string, bytes: Uint8Array, at: number): Ahead {
  if (type === 'L') return { ...ahead, name: untilNul(bytes) }
  if (type === 'K') return { ...ahead, link: untilNul(bytes) }
  return { ...ahead, pax: decodePax(bytes, at) }
}

/** The content of an extended header or long name, with what fills its last block. */
async function readMeta(feed: ByteFeed, header: TarHeader, at: number): Promise<Uint8Array> {
  if (header.size > metaBytes)
    throw new TarError('refused', at, `an extended header of ${header.size} bytes is refused: more than ${metaBytes}`)
  const whole = await feed.take(header.size + paddingOf(header.size))
  if (whole.length < header.size + paddingOf(header.size))
    throw new TarError('truncated', feed.offset, 'the archive is cut short in an extended header')
  // A copy, so that a few bytes that are kept do not hold the whole chunk they came in.
  return whole.slice(0, header.size)
}

/** Old GNU sparse entries put more blocks of their map between header and content; each says whether one follows. */
async function skipSparseMap(feed: ByteFeed): Promise<void> {
  for (let hasMore = true; hasMore; ) {
    const block = await feed.take(blockBytes)
    if (block.length < blockBytes)
      throw new TarError('truncated', feed.offset, 'the archive is cut short in the map of a sparse file')
    hasMore = block[504] !== 0
  }
}

function entryOf(feed: ByteFeed, header: TarHeader, ahead: Ahead, global: PaxFields, at: number) {
  const pax = (keyword: string) => paxValue(keyword, ahead.pax, global)
  const isSparse = header.sparse !== null || isPaxSparse(ahead.pax)
  const name = (isSparse ? pax('GNU.sparse.name') : undefined) ?? pax('path') ?? ahead.name ?? header.name
  const written = bytesToText(name)
  const kind = kindOf(header.type, written)
  const path = kind === 'folder' ? written.replace(/\/+$/, '') : written
  const size = bodiless.has(header.type) ? 0 : sizeOf(header, pax('size'), at)
  const body: Body = { size, left: size, isTaken: false, isPassed: false, isSparse }
  const mtime = pax('mtime')
  const entry: TarEntry = {
    path,
    kind,
    size: isSparse ? realSizeOf(header, pax, size) : size,
    mode: header.mode,
    modifiedMs: usableMillis((mtime === undefined ? null : paxMillis(mtime)) ?? header.modified * 1000),
    content: { [Symbol.asyncIterator]: () => contentOf(feed, body, path) },
  }
  if (!isUtf8(name)) entry.hasOddName = true
  if (kind === 'link') {
    entry.link = header.type === '1' ? 'hard' : 'symbolic'
    entry.target = bytesToText(pax('linkpath') ?? ahead.link ?? header.link)
  }
  return { entry, body }
}

/** A time that no calendar has is as good as none. */
function usableMillis(millis: number): number {
  return Math.abs(millis) <= latestMillis ? millis : 0
}

function sizeOf(header: TarHeader, written: Uint8Array | undefined, at: number): number {
  return written === undefined ? header.size : checkedSize(paxSize(written), at)
}

/** The three ways in which pax headers describe a file with holes all have one of these. */
function isPaxSparse(pax: PaxFields): boolean {
  return ['GNU.sparse.major', 'GNU.sparse.map', 'GNU.sparse.numblocks', 'GNU.sparse.size'].some(word => pax.has(word))
}

function realSizeOf(header: TarHeader, pax: (keyword: string) => Uint8Array | undefined, stored: number): number {
  if (header.sparse !== null) return header.sparse.realSize
  const written = pax('GNU.sparse.realsize') ?? pax('GNU.sparse.size')
  const size = written === undefined ? null : paxSize(written)
  return size !== null && size >= 0 && Number.isSafeInteger(size) ? size : stored
}

/** Before there was a type for folders, a closing `/` said it. */
function kindOf(type: string, path: string): TarEntry['kind'] {
  if (type === '0' || type === '\0' || type === '7') return path.endsWith('/') ? 'folder' : 'file'
  if (type === 'S') return 'file'
  if (type === '5' || type === 'D') return 'folder'
  return type === '1' || type === '2' ? 'link' : 'other'
}

async function* contentOf(feed: ByteFeed, body: Body, path: string): AsyncGenerator<Uint8Array> {
  if (body.isTaken) throw new TarError('misuse', feed.offset, `the content of ${shortName(path)} can be read only once`)
  body.isTaken = true
  if (body.isSparse)
    throw new TarError(
      'sparse',
      feed.offset,
      `${shortName(path)} is stored as a sparse file, which is not supported: pack it again without --sparse`,
    )
  for (;;) {
    if (body.isPassed)
      throw new TarError('misuse', feed.offset, `the content of ${shortName(path)} was passed: read it before the next`)
    if (body.left === 0) return
    const part = await feed.some(body.left)
    if (part === null) throw cutContent(feed, body, path)
    body.left -= part.length
    yield part
  }
}

async function skipBody(feed: ByteFeed, body: Body, path: string): Promise<void> {
  body.left -= await feed.skip(body.left)
  if (body.left > 0) throw cutContent(feed, body, path)
  const padding = paddingOf(body.size)
  if ((await feed.skip(padding)) < padding)
    throw new TarError('truncated', feed.offset, `the archive is cut short right after ${shortName(path)}`)
}

function cutContent(feed: ByteFeed, body: Body, path: string): TarError {
  const there = body.size - body.left
  const what = `the archive is cut short in ${shortName(path)}: ${there} of ${body.size} bytes are there`
  return new TarError('truncated', feed.offset, what)
}
