// A tree for who searches texts: it leaves out the small files that describe subagents, looks at a folder once, and tells of
// logs as they are found, for who begins with them in the meantime. All else is as the tree behind it has it.

import type { FileTree, TreeFile, TreeStat } from '../disk/discover/tree.ts'

/** `onLog` is told of every log that is looked at. */
export function textTree(tree: FileTree, onLog: (log: TreeFile) => void): FileTree {
  const folders = new Map<string, TreeStat>()
  const searched: FileTree = {
    source: tree.source,
    isWithoutMeta: true,
    isLink: path => !isDescription(path) && tree.isLink(path),
    list: async folder => (await tree.list(folder)).filter(entry => !isDescription(entry.name)),
    stat(path) {
      if (isDescription(path)) throw missing
      const known = folders.get(path)
      if (known !== undefined) return known
      const found = tree.stat(path)
      if (found.kind === 'folder') folders.set(path, found)
      if (found.kind === 'file' && path.endsWith('.jsonl')) onLog(found)
      return found
    },
  }
  if (tree.known !== undefined) searched.known = file => tree.known?.(file)
  return searched
}

/** Half of all files in homes with many subagents. */
function isDescription(path: string): boolean {
  return path.endsWith('.meta.json')
}

const missing = Object.assign(new Error('it is of no use here'), { code: 'ENOENT' })
