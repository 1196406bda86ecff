// Which items begin open: what went wrong, and short things that are there to be read.

import type { ViewItem } from '../../src/view/view.ts'

const folded = new Set<ViewItem['kind']>(['call', 'result', 'thinking'])

export function startsOpen(item: ViewItem): boolean {
  if (item.kind === 'error' || item.kind === 'damaged') return true
  if (item.isQuiet || folded.has(item.kind)) return false
  const [part] = item.body
  if (item.body.length !== 1 || part === undefined) return item.kind === 'notice' || item.kind === 'hook'
  if (part.type === 'text' || part.type === 'markdown')
    return part.text.length < 400 && part.text.split('\n').length < 7
  return false
}
