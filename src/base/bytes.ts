// Bytes to text and back, without `Buffer`, so that it runs in Node, a worker and a browser.

const lenient = new TextDecoder('utf-8', { ignoreBOM: true })
const strict = new TextDecoder('utf-8', { ignoreBOM: true, fatal: true })
const encoder = new TextEncoder()

export const newline = 0x0a
export const carriageReturn = 0x0d

/** Node's buffers bring a decoder of their own that is twice as fast on short texts. */
type FastBytes = Uint8Array & { utf8Slice?: (from: number, to: number) => string }

/** UTF-8 text; invalid bytes become U+FFFD. */
export function bytesToText(bytes: FastBytes): string {
  return bytes.utf8Slice === undefined ? lenient.decode(bytes) : bytes.utf8Slice(0, bytes.length)
}

export function textToBytes(text: string): Uint8Array {
  return encoder.encode(text)
}

const scratch = new Uint8Array(48 * 1024)

/** Code units from U+0080 to U+07FF, and those beyond. */
export interface BeyondAscii {
  letters: number
  signs: number
}

const plain: BeyondAscii = { letters: 0, signs: 0 }

/** How many of a text's code units are not ASCII. Encoding counts them several times faster than a loop. */
export function beyondAscii(text: string): BeyondAscii {
  if (text.length * 3 > scratch.length) return beyondAsciiOfLong(text)
  const { written } = encoder.encodeInto(text, scratch)
  if (written === text.length) return plain
  let letters = 0
  let signs = 0
  for (let at = 0; at < written; at++) {
    const byte = scratch[at] as number
    if (byte < 0xc0) continue
    if (byte < 0xe0) letters++
    else signs += byte < 0xf0 ? 1 : 2
  }
  return { letters, signs }
}

function beyondAsciiOfLong(text: string): BeyondAscii {
  const sum = { letters: 0, signs: 0 }
  const step = scratch.length / 3
  for (let at = 0; at < text.length; at += step) {
    const { letters, signs } = beyondAscii(text.slice(at, at + step))
    sum.letters += letters
    sum.signs += signs
  }
  return sum
}

/** Whether the bytes are valid UTF-8. */
export function isUtf8(bytes: Uint8Array): boolean {
  try {
    strict.decode(bytes)
    return true
  } catch {
    return false
  }
}

/** One array with the bytes of all parts. */
export function concatBytes(parts: readonly Uint8Array[]): Uint8Array {
  if (parts.length === 1) return parts[0] as Uint8Array
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

/** How many bytes a base64 text represents; white space and padding are left out of the count. */
export function base64Size(text: string): number {
  const clean = /\s/.test(text) ? text.replace(/\s+/g, '') : text
  const padding = clean.endsWith('==') ? 2 : clean.endsWith('=') ? 1 : 0
  return Math.max(0, Math.floor((clean.length * 3) / 4) - padding)
}
