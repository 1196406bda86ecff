// Comma-separated values as RFC 4180 writes them, safe to open in a spreadsheet.

import { escapeForLine } from '../base/escape.ts'

export type CsvCell = string | number | boolean | null | undefined

/** One line without its end: CRLF, which the caller's line feed completes. */
export function csvLine(cells: readonly CsvCell[]): string {
  return `${cells.map(csvCell).join(',')}\r`
}

/** Text that a spreadsheet would take for a formula gets an apostrophe in front. */
function csvCell(cell: CsvCell): string {
  if (cell === null || cell === undefined) return ''
  if (typeof cell !== 'string') return String(cell)
  const text = escapeForLine(/^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell)
  return /[",]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
