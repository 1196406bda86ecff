// Where sessions are looked for and where their bytes come from: one pair for every command and every worker thread. With
// an archive, what it kept is found and read like what is on disk. Which roots are read is decided elsewhere.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Archive } from '../archive/store/archive.ts'
import { diskTree, type FileTree } from '../disk/discover/tree.ts'
import type { ByteSource } from '../model/source.ts'

/** What finding and reading sessions needs. */
export interface Places {
  tree: FileTree
  /** Gives the bytes of every generation that the tree names. */
  source: ByteSource
}

/** Places with what another thread needs to open the same ones. */
export interface OpenPlaces extends Places {
  /** Clew's own folder. */
  home: string
  /** Absent where nothing was ever kept. */
  archive?: Archive
}

/** `home`: Clew's own folder. `onProblem` is told why an archive cannot be read; what is on disk is there all the same. */
export async function openPlaces(home: string, onProblem?: (message: string) => void): Promise<OpenPlaces> {
  // Most commands of most people need nothing of the archive: its code is loaded where there is one.
  if (!existsSync(join(home, 'archive', 'manifest'))) return { home, tree: diskTree, source: diskTree.source }
  const { openKept } = await import('../archive/read/kept.ts')
  return { home, ...openKept(join(home, 'archive'), onProblem) }
}
