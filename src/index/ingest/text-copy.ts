// Copies the code units of a text to an array in one call: several times as quick as asking for one after the other.

let target: Buffer = Buffer.alloc(0)

/** Writes to where the array begins. It is quickest when it gets the same array again. */
export function copyText(text: string, bytes: Uint8Array): void {
  if (target.buffer !== bytes.buffer || target.byteOffset !== bytes.byteOffset) {
    target = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  }
  target.write(text, 0, 'utf16le')
}
