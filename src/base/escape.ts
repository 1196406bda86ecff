// Makes text from a log harmless for a terminal. It escapes, it never strips: what was there stays visible.

import { jsonText } from './json.ts'

// C0 (but tab and newline), DEL, C1, bidirectional controls, zero-width spaces and line separators, format characters that
// change shapes or order unseen, letters that look like nothing (Hangul fillers), BOM, annotations, tags, lone surrogates.
// Joiners and variation selectors stay: they join emoji and letters of many scripts and hide nothing.
const dangerous =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb]|\udb40[\udc00-\udc7f]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g
const dangerousInLine = new RegExp(`${dangerous.source}|[\\t\\n]`, 'g')

/** Text with newlines and tabs kept and every other control character written as `\u{…}`. */
export function escapeForTerminal(text: string): string {
  return text.replace(dangerous, escapeCharacter)
}

/** The same for one line of a table or message: newlines and tabs are written out too. */
export function escapeForLine(text: string): string {
  return text.replace(dangerousInLine, escapeCharacter)
}

/** One JSON value on one line, harmless for a terminal. */
export function jsonLine(value: unknown): string {
  return escapeForJson(jsonText(value))
}

/** The same characters in a text that is JSON already, as JSON writes them: it means the same. */
export function escapeForJson(json: string): string {
  return json.replace(dangerous, units)
}

/** Newlines and tabs of printed JSON are its own: those of texts are escaped by then. */
function units(character: string): string {
  return Array.from({ length: character.length }, (_, at) => unit(character.charCodeAt(at))).join('')
}

function unit(code: number): string {
  return `\\u${code.toString(16).padStart(4, '0')}`
}

function escapeCharacter(character: string): string {
  if (character === '\n') return '\\n'
  if (character === '\t') return '\\t'
  if (character === '\r') return '\\r'
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`
}
