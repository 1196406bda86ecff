// A tree that tells how much was found so far, for who prepares in the meantime. What is found is decided by the tree itself.

import type { FileTree } from '../disk/tree.ts'

/** The same tree; `onBytes` is told of all logs that were found so far. */
export function countedTree(tree: FileTree, onBytes: (bytes: number) => void): FileTree {
  let bytes = 0
  const walked: FileTree = {
    source: tree.source,
    isLink: path => tree.isLink(path),
    list: folder => tree.list(folder),
    stat(path) {
      const found = tree.stat(path)
      if (found.kind !== 'file' || !path.endsWith('.jsonl')) return found
      bytes += found.size
      onBytes(bytes)
      return found
    },
  }
  if (tree.known !== undefined) walked.known = file => tree.known?.(file)
  return walked
}
