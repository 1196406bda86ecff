// An archive opened for reading: the tree and the source that show what is kept beside what is on disk, and the question
// whether a file on disk is kept as it is.

import { resolve } from 'node:path'
import type { FileTree } from '../../disk/discover/tree.ts'
import type { ByteSource, LogFile } from '../../model/source.ts'
import { currentOf, type Generation } from '../format/catalog.ts'
import { ArchiveError } from '../format/error.ts'
import { Archive } from '../store/archive.ts'
import { canonicalPlace, placeOf } from '../store/place.ts'
import { archiveSource } from './source.ts'
import { keptTree } from './tree.ts'

export interface Kept {
  archive: Archive
  tree: FileTree
  source: ByteSource
}

/** An archive that cannot be read hides nothing: `onProblem` is told, and what is on disk is shown. */
export function openKept(place: string | Archive, onProblem: (message: string) => void = () => {}): Kept {
  const archive = typeof place === 'string' ? new Archive(place) : place
  const source = archiveSource(archive)
  const onBroken = (error: unknown) => {
    if (!(error instanceof ArchiveError)) throw error
    onProblem(error.message)
  }
  return { archive, tree: keptTree(archive, { source, onBroken }), source }
}

/** What is kept, with the generation of that number of every file that has one. */
export function generationTree(archive: Archive, source: ByteSource, number: number): FileTree {
  return keptTree(archive, {
    source,
    isLive: false,
    choose: generations => generations.find(generation => generation.number === number) ?? currentOf(generations),
  })
}

/** What is on disk, with what was kept of the chosen files; of others only what is on disk is shown. */
export function chosenTree(archive: Archive, source: ByteSource, isChosen: (file: Generation) => boolean): FileTree {
  const choose = (generations: readonly Generation[]) =>
    generations[0] !== undefined && isChosen(generations[0]) ? currentOf(generations) : undefined
  return keptTree(archive, { source, choose })
}

/** The homes that anything is kept of, without those that are named already. */
export function keptHomePaths(archive: Archive, without: readonly string[]): string[] {
  const named = new Set(without.map(canonicalPlace))
  try {
    return [...archive.manifest.catalog.homes()].filter(home => !named.has(resolve(home))).sort()
  } catch (error) {
    // The tree tells of it when it is walked.
    if (error instanceof ArchiveError) return []
    throw error
  }
}

/** Tells of logs whether the archive holds all of their bytes, as far as size and time show. */
export function coverageOf(archive: Archive): (log: LogFile) => boolean {
  let bySpot: Map<string, { size: number; modifiedMs: number }> | null = null
  return log => {
    if (log.isKept === true) return true
    bySpot ??= spots(archive)
    const kept = bySpot.get(canonicalPlace(log.path))
    return kept !== undefined && kept.size === log.size && Math.abs(kept.modifiedMs - log.modifiedMs) <= 1
  }
}

function spots(archive: Archive): Map<string, { size: number; modifiedMs: number }> {
  const found = new Map<string, { size: number; modifiedMs: number }>()
  if (!archive.exists) return found
  const { catalog } = archive.manifest
  for (const [first] of catalog.files()) {
    const current = first === undefined ? undefined : catalog.current(first.home, first.path)
    if (current !== undefined && !catalog.broken.has(current.id)) found.set(placeOf(current), current)
  }
  return found
}
