// The one place where raw text becomes HTML, in content and in quoted attributes alike. Links and anchors are made here
// too, so that no address from a log reaches a page in any other way.

import { isSafeAddress, visibleLine, visibleText } from '../safe-text.ts'

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Text that is nothing but text, wherever it is. Line ends are kept. */
export function escapeHtml(text: string): string {
  return visibleText(text).replace(/[&<>"']/g, sign => entities[sign] ?? '')
}

/** The same for one line: headlines, attributes. */
export function escapeHtmlLine(text: string): string {
  return visibleLine(text).replace(/[&<>"']/g, sign => entities[sign] ?? '')
}

/** Escaped words as a link; only words where the address is not one of the web or mail. */
export function linkHtml(words: string, href: string): string {
  if (!isSafeAddress(href)) return words
  const address = escapeHtmlLine(href)
  return `<a href="${address}" title="${address}" rel="noreferrer noopener">${words}</a>`
}

/** Gives every item an anchor of its own: `e-` and the event's id, with a number where several items share an event. */
export class Anchors {
  private readonly used = new Map<string, number>()

  next(id: string): string {
    const name = anchorName(id)
    const count = (this.used.get(name) ?? 0) + 1
    this.used.set(name, count)
    return count === 1 ? name : `${name}.${count}`
  }
}

/** An id as an anchor; what is neither letter, digit nor hyphen becomes `_` with its code. */
export function anchorName(id: string): string {
  return `e-${id.replace(/[^A-Za-z0-9-]/g, sign => `_${sign.charCodeAt(0).toString(16)}_`)}`
}
