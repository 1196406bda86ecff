// Makes invisible and reordering characters visible, and decides which addresses may become links and which data a picture.
// The first step of every escape; it knows no markup.

import { escapeForLine, escapeForTerminal } from '../base/escape.ts'

const colours = /\u001b\[[0-9;:]*m/g

/** Text of several lines; line ends become `\n`. */
export function visibleText(text: string): string {
  return escapeForTerminal(text.includes('\r\n') ? text.replaceAll('\r\n', '\n') : text)
}

/** Text for one line: line ends, with the blanks after them, become a blank. */
export function visibleLine(text: string): string {
  return escapeForLine(text.replace(/[\r\n]\s*/g, ' ').replaceAll('\t', ' '))
}

/** Text without a terminal's colours: they are looks, not content. */
export function withoutColours(text: string): string {
  return text.includes('\u001b[') ? text.replace(colours, '') : text
}

/** Web and mail addresses without anything that could end an attribute or be read differently by a browser. */
export function isSafeAddress(href: string): boolean {
  return /^(?:https?:\/\/[^/\s]|mailto:[^/\s])/i.test(href) && !/[\s\p{C}"'<>\\^`{}]/u.test(href)
}

/** How each picture begins, in base64: a file of another kind under a picture's name is not shown. */
const beginnings: ReadonlyMap<string, string> = new Map([
  ['image/png', 'iVBORw0KGgo'],
  ['image/jpeg', '/9j/'],
  ['image/gif', 'R0lGOD'],
  ['image/webp', 'UklGR'],
])

/** A `data:` address that shows this picture, or null where it is none of the four kinds or no clean base64. */
export function pictureAddress(mediaType: string, data: string): string | null {
  const beginning = beginnings.get(mediaType)
  const clean = /\s/.test(data) ? data.replace(/\s+/g, '') : data
  if (beginning === undefined || !clean.startsWith(beginning)) return null
  if (clean.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(clean)) return null
  return `data:${mediaType};base64,${clean}`
}
