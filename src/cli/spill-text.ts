// Puts the whole output of a call in place of the beginning that the log holds, where it was spilled into a file of the
// session. Only files that were found beside the session are read, never a path just because a log names it.

import { readFileSync } from 'node:fs'
import type { SideFile } from '../model/source.ts'
import type { ViewItem, ViewPart } from '../view/view.ts'

/** A larger file stays where it is and is only named. */
const largestSpill = 16 * 1024 * 1024

/** The items, with spilled output read back; nested threads too. */
export function* withSpilled(items: Iterable<ViewItem>, side: readonly SideFile[]): Generator<ViewItem> {
  const readable = new Set(
    side.filter(file => file.kind === 'tool-result' && file.size <= largestSpill).map(file => file.path),
  )
  for (const item of items) yield readable.size === 0 ? item : filled(item, readable)
}

function filled(item: ViewItem, readable: ReadonlySet<string>): ViewItem {
  return { ...item, body: item.body.map(part => filledPart(part, readable)) }
}

function filledPart(part: ViewPart, readable: ReadonlySet<string>): ViewPart {
  if (part.type === 'thread') return { ...part, items: part.items.map(item => filled(item, readable)) }
  if (part.type !== 'text' || part.spillFile === undefined || !readable.has(part.spillFile)) return part
  try {
    return { ...part, text: readFileSync(part.spillFile, 'utf8'), tone: 'plain', isFolded: false }
  } catch {
    return part
  }
}
