// The order in which rules want to be asked about files: session files, agent files, then what lies beside them.

import { isLogName } from '../../disk/discover/project.ts'
import { isMainLog } from './rules.ts'

/** By the files' paths in their homes; those of one kind stay in their order. */
export function inRuleOrder<Item>(items: Iterable<Item>, pathOf: (item: Item) => string): Item[] {
  const mains: Item[] = []
  const logs: Item[] = []
  const others: Item[] = []
  for (const item of items) {
    const path = pathOf(item)
    const kind = isMainLog(path) ? mains : isLogName(path) ? logs : others
    kind.push(item)
  }
  return [...mains, ...logs, ...others]
}
