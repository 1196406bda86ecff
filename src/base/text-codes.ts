// The code units of a text as numbers in an array: reading them from there, again and again, costs a fraction of asking the
// string for each.

/** With a zero behind the last one. */
export function textCodes(text: string): Uint16Array {
  const codes = new Uint16Array(text.length + 1)
  for (let at = 0; at < text.length; at++) codes[at] = text.charCodeAt(at)
  return codes
}
