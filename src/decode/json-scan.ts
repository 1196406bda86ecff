// Follows the structure of a JSON value byte by byte: whether it has ended, may continue, or cannot be JSON. It can stop and
// continue at any byte, so that a value spread over several lines is followed without reading its lines twice. It checks brackets,
// strings, commas and colons; words and numbers are left to the parser, and NULs are passed over.

export type ScanState = 'open' | 'ended' | 'broken'

/** What may come next. `string`: within one; `escape`: behind a backslash in one; `word`: within a number, true, false or null. */
type Expecting =
  | 'value'
  | 'first-value'
  | 'key'
  | 'first-key'
  | 'colon'
  | 'next'
  | 'string'
  | 'escape'
  | 'word'
  | 'broken'

export class JsonScanner {
  /** Closing brackets that are due, the innermost last. */
  private readonly closers: number[] = []
  private expecting: Expecting = 'value'
  /** The string that is read is a key. */
  private isKey = false

  /** Reads bytes up to the end of the value. Returns the place behind the last byte that was read. */
  push(bytes: Uint8Array, from = 0): number {
    let at = from
    for (; at < bytes.length && this.state === 'open'; at++) this.step(bytes[at] as number)
    return at
  }

  get state(): ScanState {
    if (this.expecting === 'broken') return 'broken'
    return this.expecting === 'next' && this.closers.length === 0 ? 'ended' : 'open'
  }

  private step(byte: number): void {
    if (byte === 0) return
    if (this.expecting === 'string') this.stepInString(byte)
    else if (this.expecting === 'escape') this.expecting = 'string'
    else if (this.expecting === 'word' && !isWordEnd(byte)) return
    else if (this.expecting === 'word') {
      this.expecting = 'next'
      if (this.state === 'open') this.step(byte)
    } else if (!isBlank(byte)) this.expecting = this.after(byte)
  }

  private stepInString(byte: number): void {
    if (byte === quote) this.expecting = this.isKey ? 'colon' : 'next'
    else if (byte === backslash) this.expecting = 'escape'
    // A string cannot contain a line end.
    else if (byte < space) this.expecting = 'broken'
  }

  private after(byte: number): Expecting {
    const { expecting, closers } = this
    switch (expecting) {
      case 'first-value':
      case 'first-key':
      case 'next':
        if (byte === closers.at(-1)) {
          closers.pop()
          return 'next'
        }
    }
    switch (expecting) {
      case 'value':
      case 'first-value':
        return this.begin(byte)
      case 'key':
      case 'first-key':
        this.isKey = true
        return byte === quote ? 'string' : 'broken'
      case 'colon':
        return byte === colon ? 'value' : 'broken'
      case 'next':
        return byte === comma ? (closers.at(-1) === closeBrace ? 'key' : 'value') : 'broken'
      default:
        return 'broken'
    }
  }

  private begin(byte: number): Expecting {
    if (byte === openBrace) {
      this.closers.push(closeBrace)
      return 'first-key'
    }
    if (byte === openBracket) {
      this.closers.push(closeBracket)
      return 'first-value'
    }
    if (byte === quote) {
      this.isKey = false
      return 'string'
    }
    return isWordEnd(byte) ? 'broken' : 'word'
  }
}

const [quote, backslash, space, colon, comma] = [0x22, 0x5c, 0x20, 0x3a, 0x2c]
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d]

export function isBlank(byte: number): boolean {
  return byte === space || byte === 0x0a || byte === 0x0d || byte === 0x09
}

function isWordEnd(byte: number): boolean {
  return (
    isBlank(byte) || byte === comma || byte === colon || byte === closeBrace || byte === closeBracket || byte < space
  )
}
