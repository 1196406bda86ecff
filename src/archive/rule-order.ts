// The order in which rules want to be asked about files: session files, agent files, then what lies beside them.

import { isLogName } from '../disk/project.ts'
import { isMainLog } from './rules.ts'

/** Sorted by the files' paths in their homes; equal ranks stay as they were. */
export function inRuleOrder<Item>(items: Iterable<Item>, pathOf: (item: Item) => string): Item[] {
  const rank = (item: Item) => (isMainLog(pathOf(item)) ? 0 : isLogName(pathOf(item)) ? 1 : 2)
  return [...items].sort((a, b) => rank(a) - rank(b))
}
