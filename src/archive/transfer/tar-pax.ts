// Pax records (`27 mtime=1700000000.25\n`), which carry what a tar header has no room for: decoding and encoding them.
// It does not know to which entry they belong.

import { bytesToText, concatBytes, newline, textToBytes } from '../../base/bytes.ts'
import { TarError } from './tar-header.ts'

/** The last written value of each keyword that matters here; an empty value takes a global one back. */
export type PaxFields = ReadonlyMap<string, Uint8Array>

// All others are dropped at once, so that what is kept of a global header stays small.
const known = new Set([
  'path',
  'linkpath',
  'size',
  'mtime',
  'GNU.sparse.major',
  'GNU.sparse.map',
  'GNU.sparse.numblocks',
  'GNU.sparse.name',
  'GNU.sparse.size',
  'GNU.sparse.realsize',
])

const blank = 0x20
const equals = 0x3d

/** `at`: the byte of the archive at which the records begin. */
export function decodePax(bytes: Uint8Array, at: number): Map<string, Uint8Array> {
  const fields = new Map<string, Uint8Array>()
  let from = 0
  while (from < bytes.length) {
    const { keyword, value, end } = recordAt(bytes, from, at)
    if (known.has(keyword)) fields.set(keyword, value)
    from = end
  }
  return fields
}

function recordAt(bytes: Uint8Array, from: number, at: number): { keyword: string; value: Uint8Array; end: number } {
  // Seven digits are enough for the longest header that is accepted.
  const gap = bytes.subarray(from, from + 8).indexOf(blank)
  const digits = gap === -1 ? '' : bytesToText(bytes.subarray(from, from + gap))
  const end = /^[0-9]+$/.test(digits) ? from + Number(digits) : -1
  const start = from + gap + 1
  if (end <= start || end > bytes.length || bytes[end - 1] !== newline) throw damaged(at + from)
  const record = bytes.subarray(start, end - 1)
  const split = record.indexOf(equals)
  if (split === -1) throw damaged(at + from)
  // Keywords that matter are short: the rest need not become text.
  const keyword = split > 32 ? '' : bytesToText(record.subarray(0, split))
  return { keyword, value: record.subarray(split + 1), end }
}

function damaged(at: number): TarError {
  return new TarError('damaged', at, 'an extended header has a record that cannot be read')
}

/** The value of a keyword: the entry's own, else the global one; undefined where absent or taken back. */
export function paxValue(keyword: string, own: PaxFields, global: PaxFields): Uint8Array | undefined {
  const value = own.get(keyword) ?? global.get(keyword)
  return value === undefined || value.length === 0 ? undefined : value
}

/** A decimal number of bytes; null where it is none. */
export function paxSize(value: Uint8Array): number | null {
  const text = value.length > 40 ? '' : bytesToText(value)
  return /^-?[0-9]+$/.test(text) ? Number(text) : null
}

/** Milliseconds of a decimal number of seconds, with its fraction down to the nanosecond; null where it is none. */
export function paxMillis(value: Uint8Array): number | null {
  const text = value.length > 40 ? '' : bytesToText(value)
  const match = /^(-?)([0-9]{1,15})(?:\.([0-9]*))?$/.exec(text)
  if (match === null) return null
  const [, sign, seconds, fraction = ''] = match
  const nanos = Number(fraction.slice(0, 9).padEnd(9, '0'))
  const millis = Number(seconds) * 1000 + nanos / 1e6
  return sign === '-' && millis !== 0 ? -millis : millis
}

/** The reverse of `paxMillis`. */
export function millisToPax(millis: number): string {
  const size = Math.abs(millis)
  let seconds = Math.floor(size / 1000)
  let nanos = Math.round((size - seconds * 1000) * 1e6)
  if (nanos >= 1e9) {
    seconds++
    nanos -= 1e9
  }
  const fraction = nanos === 0 ? '' : `.${String(nanos).padStart(9, '0').replace(/0+$/, '')}`
  return `${millis < 0 && (seconds > 0 || nanos > 0) ? '-' : ''}${seconds}${fraction}`
}

export function encodePax(fields: ReadonlyMap<string, string>): Uint8Array {
  return concatBytes([new Uint8Array(0), ...[...fields].map(([keyword, value]) => encodeRecord(keyword, value))])
}

/** A record's length counts its own digits. */
function encodeRecord(keyword: string, value: string): Uint8Array {
  const rest = textToBytes(` ${keyword}=${value}\n`)
  let length = rest.length
  while (length !== rest.length + String(length).length) length = rest.length + String(length).length
  return concatBytes([textToBytes(String(length)), rest])
}
