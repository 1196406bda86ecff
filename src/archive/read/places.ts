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

/** Names places for another thread, which cannot be given the places themselves. Plain data. */
export interface PlacesKey {
  /** Clew's own folder. */
  home: string
  /** One for each run of a command: an archive that was opened for another run may have changed. */
  run: string
}

let runs = 0

export function placesKey(home: string): PlacesKey {
  return { home, run: `${process.pid} ${runs++}` }
}

let opened: { key: PlacesKey; places: Promise<OpenPlaces> } | undefined

/** The places of a run, opened once in each thread. */
export function placesOf(key: PlacesKey): Promise<OpenPlaces> {
  if (opened?.key.home !== key.home || opened.key.run !== key.run) opened = { key, places: openPlaces(key.home) }
  return opened.places
}
