// Makes text from a log harmless for a terminal. It escapes, it never strips: what was there stays visible.

// C0 (but tab and newline), DEL, C1, bidirectional controls, zero-width spaces and line separators, BOM, tags, lone
// surrogates. Joiners stay: they join emoji and letters of many scripts and hide nothing.
const dangerous =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]|\udb40[\udc00-\udc7f]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g
const dangerousInLine = new RegExp(`${dangerous.source}|[\\t\\n]`, 'g')

/** Text with newlines and tabs kept and every other control character written as `\u{…}`. */
export function escapeForTerminal(text: string): string {
  return text.replace(dangerous, escapeCharacter)
}

/** The same for one line of a table or message: newlines and tabs are written out too. */
export function escapeForLine(text: string): string {
  return text.replace(dangerousInLine, escapeCharacter)
}

function escapeCharacter(character: string): string {
  if (character === '\n') return '\\n'
  if (character === '\t') return '\\t'
  if (character === '\r') return '\\r'
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`
}
