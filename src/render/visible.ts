// Makes what a reader cannot see, or what would reorder the text around it, visible: the first step of every escape here.
// It does not know markup.

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
