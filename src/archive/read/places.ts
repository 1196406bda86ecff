// Where sessions are found and read from: the disk, and the archive where there is one. Commands and worker threads open the
// same pair. Which Claude homes are read is decided by `src/cli/input.ts`.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { diskTree, type FileTree } from '../../disk/discover/tree.ts'
import type { ByteSource } from '../../model/source.ts'
import type { Archive } from '../store/archive.ts'

/** What finding and reading sessions needs. */
export interface Places {
  tree: FileTree
  /** Reads every generation that the tree names. */
  source: ByteSource
}

/** Places, and what a worker thread needs to open the same ones. */
export interface OpenPlaces extends Places {
  /** Clew's own folder. */
  home: string
  /** Absent where nothing was ever archived. */
  archive?: Archive
}

/** `home`: Clew's own folder. `onProblem` gets the reason why an archive cannot be read; the disk is read all the same. */
export async function openPlaces(home: string, onProblem?: (message: string) => void): Promise<OpenPlaces> {
  // Most commands need nothing of the archive: its code is loaded only where there is one.
  if (!existsSync(join(home, 'archive', 'manifest'))) return { home, tree: diskTree, source: diskTree.source }
  const { openArchiveView } = await import('./tree.ts')
  return { home, ...openArchiveView(join(home, 'archive'), onProblem) }
}
