// What cannot be placed stays in the file as a record of its own: softly deleted, of a type that Claude Code passes over, without
// a place in the chain. Its bytes can be taken out of it again.

import { isUtf8 } from '../../base/bytes.ts'
import { jsonText } from '../../base/json.ts'

/** The type of such records. */
export const setAsideType = 'set-aside'

/** `line`: where it was in the damaged file. */
export function setAsideText(bytes: Uint8Array, text: string, line: number): string {
  const isPlain = isUtf8(bytes) && text.split('\0').length < 64
  return jsonText({
    type: setAsideType,
    isDeleted: true,
    line,
    ...(isPlain ? { raw: text } : { encoding: 'base64', raw: toBase64(bytes) }),
  })
}

function toBase64(bytes: Uint8Array): string {
  let binary = ''
  for (const byte of bytes) binary += String.fromCharCode(byte)
  return btoa(binary)
}
