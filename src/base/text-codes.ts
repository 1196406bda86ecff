// The code units of a text as numbers in an array: reading them from there, again and again, costs a fraction of asking the
// string for each.

/** With a zero behind the last one. */
export function textCodes(text: string): Uint16Array {
  const codes = new Uint16Array(text.length + 1)
  for (let at = 0; at < text.length; at++) codes[at] = text.charCodeAt(at)
  return codes
}

/** One array for many texts, one after the other. */
export class TextCodes {
  codes = new Uint16Array(16 * 1024)
  length = 0

  load(text: string): void {
    const { length } = text
    if (length + 1 > this.codes.length) this.codes = new Uint16Array(Math.max(length + 1, this.codes.length * 2))
    const { codes } = this
    for (let at = 0; at < length; at++) codes[at] = text.charCodeAt(at)
    codes[length] = 0
    this.length = length
  }
}
