// The 512-byte blocks of a tar: where a header's fields lie, how numbers are written in them, and the checksum.
// Written here rather than taken from a package because the checks on hostile input and the bounded memory are the
// point, and ustar, pax and GNU long names together are small. It knows nothing of how entries follow each other.

import { textToBytes } from '../../base/bytes.ts'

export const blockBytes = 512

/** Names, links and extended headers of more than this are refused: no honest writer needs so much. */
export const metaBytes = 1024 * 1024

/** The farthest from 1970 that a `Date` reaches, in milliseconds. */
export const latestMillis = 8.64e15

/**
 * What is wrong:
 * - `not-tar`: the first bytes are no tar header;
 * - `compressed`: packed by a tool that must unpack it first;
 * - `truncated`: the input ends in the middle of something;
 * - `no-end`: all entries were whole, but the end mark is missing, so that whole entries may be missing too;
 * - `damaged`: a checksum or a field is wrong;
 * - `refused`: well written, but beyond what is accepted (sizes, names);
 * - `sparse`: the entry is stored with holes; the entries after it can still be read;
 * - `misuse`: the caller broke an order of calls or gave content of another length than it said.
 */
export type TarFault = 'not-tar' | 'compressed' | 'truncated' | 'no-end' | 'damaged' | 'refused' | 'sparse' | 'misuse'

/** A tar that cannot be read or written further. Entries that came whole before it are good. */
export class TarError extends Error {
  override readonly name = 'TarError'
  readonly fault: TarFault
  /** Byte of the (unpacked) archive at which it was noticed. */
  readonly at: number

  constructor(fault: TarFault, at: number, what: string, cause?: unknown) {
    super(`${what} (at byte ${at} of the archive)`, { cause })
    this.fault = fault
    this.at = at
  }
}

/** A name for a message: an entry's name may be a megabyte long. */
export function shortName(name: string): string {
  return `"${name.length > 200 ? `${name.slice(0, 200)}…` : name}"`
}

/** How many bytes follow so many bytes of content to fill the last block. */
export function paddingOf(size: number): number {
  return (blockBytes - (size % blockBytes)) % blockBytes
}

/** A header as it was written, before extended headers are applied. */
export interface TarHeader {
  type: string
  /** Prefix and name joined. */
  name: Uint8Array
  link: Uint8Array
  size: number
  mode: number
  /** Seconds since 1970. */
  modified: number
  /** Of an old GNU sparse entry: its size with the holes, and whether blocks of its map follow the header. */
  sparse: { realSize: number; hasMore: boolean } | null
}

export function isZeroBlock(block: Uint8Array): boolean {
  return block.every(byte => byte === 0)
}

/** Whether the checksum is that of the block. Old writers summed signed bytes. */
export function hasChecksum(block: Uint8Array): boolean {
  const written = numberOf(block, 148, 8)
  if (written === null) return false
  let unsigned = 0
  let high = 0
  for (let at = 0; at < blockBytes; at++) {
    const byte = at >= 148 && at < 156 ? 0x20 : (block[at] ?? 0)
    unsigned += byte
    if (byte > 127) high++
  }
  return written === unsigned || written === unsigned - 256 * high
}

/** The fields of a block whose checksum was found right. */
export function decodeHeader(block: Uint8Array, at: number): TarHeader {
  const type = String.fromCharCode(block[156] ?? 0)
  return {
    type,
    name: nameOf(block),
    link: untilNul(block.subarray(157, 257)),
    size: checkedSize(numberOf(block, 124, 12), at),
    mode: (numberOf(block, 100, 8) ?? 0) & 0o7777,
    modified: numberOf(block, 136, 12) ?? 0,
    sparse:
      type === 'S' ? { realSize: checkedSize(numberOf(block, 483, 12), at), hasMore: (block[482] ?? 0) !== 0 } : null,
  }
}

/** A size that may be believed, else an error. */
export function checkedSize(size: number | null, at: number): number {
  if (size === null) throw new TarError('damaged', at, 'the size of an entry cannot be read')
  if (size < 0) throw new TarError('refused', at, 'an entry has a negative size')
  if (size > Number.MAX_SAFE_INTEGER) throw new TarError('refused', at, 'an entry claims to be larger than 2^53 bytes')
  return size
}

/** Only POSIX headers have a prefix; GNU keeps other things in its place, and star shortens it for two times. */
function nameOf(block: Uint8Array): Uint8Array {
  const name = untilNul(block.subarray(0, 100))
  if (latin(block, 257, 263) !== 'ustar\0') return name
  const isStar = latin(block, 508, 512) === 'tar\0'
  const prefix = untilNul(block.subarray(345, isStar ? 476 : 500))
  if (prefix.length === 0) return name
  const whole = new Uint8Array(prefix.length + 1 + name.length)
  whole.set(prefix)
  whole[prefix.length] = 0x2f
  whole.set(name, prefix.length + 1)
  return whole
}

/** The bytes before the first NUL. */
export function untilNul(bytes: Uint8Array): Uint8Array {
  const end = bytes.indexOf(0)
  return end === -1 ? bytes : bytes.subarray(0, end)
}

function latin(block: Uint8Array, from: number, to: number): string {
  return String.fromCharCode(...block.subarray(from, to))
}

/** Octal digits among blanks, or a base-256 number where the first bit is set; null where it is neither. */
function numberOf(block: Uint8Array, from: number, length: number): number | null {
  const first = block[from] ?? 0
  if (first & 0x80) return base256(block.subarray(from, from + length))
  const digits = /^[ \0]*([0-7]*)(?:[ \0].*)?$/s.exec(latin(block, from, from + length))?.[1]
  if (digits === undefined) return null
  return digits === '' ? 0 : Number.parseInt(digits, 8)
}

/** Big-endian two's complement below the marker bit. Beyond 2^53 it is inexact, which is enough to refuse it. */
function base256(bytes: Uint8Array): number {
  const first = bytes[0] ?? 0
  const isNegative = (first & 0x40) !== 0
  let value = isNegative ? ~first & 0x3f : first & 0x3f
  for (const byte of bytes.subarray(1)) value = value * 256 + (isNegative ? 255 - byte : byte)
  return isNegative ? -value - 1 : value
}

/** The largest number that `digits` octal digits can hold. */
export function octalLimit(digits: number): number {
  return 8 ** digits - 1
}

/** A POSIX header without owner: who packed it is nobody's business. Fields must fit; the caller sees to that. */
export function encodeHeader(fields: {
  name: string
  prefix: string
  type: string
  size: number
  mode: number
  modified: number
}): Uint8Array {
  const block = new Uint8Array(blockBytes)
  const put = (at: number, text: string) => block.set(textToBytes(text), at)
  const octal = (value: number, digits: number) => value.toString(8).padStart(digits, '0')
  put(0, fields.name)
  put(100, octal(fields.mode & 0o7777, 7))
  put(108, octal(0, 7))
  put(116, octal(0, 7))
  put(124, octal(fields.size, 11))
  put(136, octal(fields.modified, 11))
  put(148, ' '.repeat(8))
  put(156, fields.type)
  put(257, 'ustar\x0000')
  put(329, octal(0, 7))
  put(337, octal(0, 7))
  put(345, fields.prefix)
  const sum = block.reduce((total, byte) => total + byte, 0)
  put(148, `${octal(sum, 6)}\0 `)
  return block
}
