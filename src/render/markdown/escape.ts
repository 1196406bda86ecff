// The one place where raw text becomes Markdown that shows exactly that text, for GitHub's dialect. Inside code nothing is
// escaped: there the fence is made long enough instead.

import { isSafeAddress, visibleLine, visibleText } from '../safe-text.ts'

/** Text that no reader of Markdown takes for markup, HTML or an entity. Line starts are guarded by `guardLine`. */
export function escapeMarkdown(text: string): string {
  return escapeVisible(visibleText(text))
}

/** The same in one line, for headings and table cells. */
export function escapeMarkdownLine(text: string): string {
  return escapeVisible(visibleLine(text).trim())
}

function escapeVisible(text: string): string {
  return text
    .replace(/[\\`*[\]|~$]/g, '\\$&')
    .replace(/(?<![a-z0-9])_|_(?![a-z0-9])/gi, '\\_')
    .replace(/&(?=[#a-z0-9])/gi, '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
}

/** A line of a paragraph that begins no heading, list, rule, table or indented code. */
export function guardLine(line: string): string {
  return line
    .trim()
    .replace(/^[-+=:#]/, '\\$&')
    .replace(/^(\d{1,9})([.)])/, '$1\\$2')
}

/** Raw text of one line in italics; nothing where there is none. */
export function emphasized(text: string): string {
  const words = escapeMarkdownLine(text)
  return words === '' ? '' : `*${words}*`
}

/** Code within a line; `inTable` keeps a pipe from ending the cell. */
export function codeSpan(text: string, inTable = false): string {
  const line = visibleLine(text)
  if (line.trim() === '') return ''
  const fence = '`'.repeat(longestRun(line) + 1)
  const pad = /^[` ]|[` ]$/.test(line) ? ' ' : ''
  return `${fence}${pad}${inTable ? line.replaceAll('|', '\\|') : line}${pad}${fence}`
}

/** Lines of a fenced block; the fence is longer than any in the text. */
export function fenced(lines: readonly string[], language = ''): string[] {
  const visible = visibleText(lines.join('\n'))
  const fence = '`'.repeat(Math.max(3, longestRun(visible) + 1))
  return [fence + language.replace(/[^\w+#.-]/g, ''), ...visible.split('\n'), fence]
}

/** A link as a reader sees it: its words, and where it leads. */
export function linkText(text: string, href: string, inTable = false): string {
  const words = escapeMarkdown(text)
  if (isSafeAddress(href)) {
    // Inside `<…>` only these could end the address; in a table the pipe too.
    const address = inTable ? href.replaceAll('|', '%7C') : href
    return text.trim() === href ? `<${address}>` : `${words} (<${address}>)`
  }
  return text.trim() === href ? words : `${words} (${escapeMarkdown(href)})`
}

function longestRun(text: string): number {
  let longest = 0
  for (const run of text.matchAll(/`+/g)) longest = Math.max(longest, run[0].length)
  return longest
}
