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

/** How many bytes a base64 text stands for; white space and padding are left out of the count. */
export function base64Size(text: string): number {
  const clean = /\s/.test(text) ? text.replace(/\s+/g, '') : text
  const padding = clean.endsWith('==') ? 2 : clean.endsWith('=') ? 1 : 0
  return Math.max(0, Math.floor((clean.length * 3) / 4) - padding)
}
