// Makes what a reader cannot see, or what would reorder the text around it, visible: the first step of every escape here.
// It does not know markup.

import { escapeForLine, escapeForTerminal } from '../base/escape.ts'

// Joiners hold emoji and many scripts together and hide nothing; everything else goes by the terminal's rules.
const joiners = /([\u200c\u200d])/
const colours = /\u001b\[[0-9;:]*m/g

/** Text of several lines; line ends become `\n`. */
export function visibleText(text: string): string {
  const unix = text.includes('\r\n') ? text.replaceAll('\r\n', '\n') : text
  return joiners.test(unix) ? eachOther(unix, escapeForTerminal) : escapeForTerminal(unix)
}

/** Text for one line: line ends, with the blanks after them, become a blank. */
export function visibleLine(text: string): string {
  const flat = text.replace(/[\r\n]\s*/g, ' ').replaceAll('\t', ' ')
  return joiners.test(flat) ? eachOther(flat, escapeForLine) : escapeForLine(flat)
}

/** Text without a terminal's colours: they are looks, not content. */
export function withoutColours(text: string): string {
  return text.includes('\u001b[') ? text.replace(colours, '') : text
}

function eachOther(text: string, makeVisible: (text: string) => string): string {
  return text
    .split(joiners)
    .map((part, at) => (at % 2 === 1 ? part : makeVisible(part)))
    .join('')
}
