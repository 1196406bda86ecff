// Which files a damaged manifest has less of than was archived: the list of what was seen at the last run says how long they
// were. What came from elsewhere than a run is not in that list, so it never proves that nothing else is lost.

import { fileOfKey, lastSeenSegment, leftOut, readSeen, sizeIn } from '../capture/seen.ts'
import type { Generation } from '../format/catalog.ts'
import { isIncomplete } from '../format/manifest.ts'
import type { Archive } from '../store/archive.ts'

export interface Shortened {
  home: string
  path: string
  /** What is left of the generation that it was in; absent where the manifest knows nothing of that any more. */
  generation?: Generation
  /** Bytes that are left. */
  left: number
  /** Bytes that were archived. NaN where that is unknown. */
  archived: number
}

/** Whether lines of the manifest are lost: then more may have been archived than anything says. */
export function mayLackMore(archive: Archive): boolean {
  if (!archive.exists) return false
  const { manifest } = archive
  return isIncomplete(manifest) || lastSeenSegment(readSeen(archive.layout)) > manifest.last
}

/** Nothing where no line of the manifest is lost. */
export function shortenedFiles(archive: Archive): Shortened[] {
  if (!mayLackMore(archive)) return []
  const { catalog } = archive.manifest
  const found: Shortened[] = []
  for (const [key, { state, generation: id }] of readSeen(archive.layout)?.files ?? []) {
    if (id === leftOut) continue
    const generation = catalog.generations.get(id)
    const archived = sizeIn(state)
    if (generation !== undefined && !(archived > generation.size)) continue
    const file = { ...fileOfKey(key), left: generation?.size ?? 0, archived }
    found.push({ ...file, ...(generation !== undefined && { generation }) })
  }
  return found
}
