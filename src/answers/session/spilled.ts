// Output that a log keeps in files of their own, read back into the items that show it.

import { bytesToText } from '../../base/bytes.ts'
import { ReadError } from '../../disk/read/read.ts'
import type { ByteSource, SideFile } from '../../model/source.ts'
import type { ViewItem, ViewPart } from '../../view/view.ts'

/** A larger file stays where it is and is only named. */
const largestSpill = 16 * 1024 * 1024

/** The items, with spilled output read back; nested threads too. */
export function* withSpilled(
  items: Iterable<ViewItem>,
  side: readonly SideFile[],
  source: ByteSource,
): Generator<ViewItem> {
  const spilled: Spilled = { files: new Map(), source }
  for (const file of side) {
    if (file.kind === 'tool-result' && file.size <= largestSpill) spilled.files.set(file.path, file)
  }
  for (const item of items) yield spilled.files.size === 0 ? item : filled(item, spilled)
}

interface Spilled {
  /** Those that may be read, by path. */
  files: Map<string, SideFile>
  source: ByteSource
}

function filled(item: ViewItem, spilled: Spilled): ViewItem {
  return { ...item, body: item.body.map(part => filledPart(part, spilled)) }
}

function filledPart(part: ViewPart, spilled: Spilled): ViewPart {
  if (part.type === 'thread' || part.type === 'branch')
    return { ...part, items: part.items.map(item => filled(item, spilled)) }
  const file = part.type === 'text' && part.spillFile !== undefined ? spilled.files.get(part.spillFile) : undefined
  if (part.type !== 'text' || file === undefined) return part
  try {
    const text = bytesToText(spilled.source.readSync(file.generation, 0, largestSpill))
    return { ...part, text, tone: 'plain', isFolded: false }
  } catch (error) {
    if (error instanceof ReadError) return part
    throw error
  }
}
