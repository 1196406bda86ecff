// Counts what leaving generations out would free, and what it would not since others need the same frames. It changes
// nothing.

import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Catalog } from '../format/catalog.ts'

export interface Freed {
  frames: number
  /** Raw bytes of the frames that nothing else needs. */
  bytes: number
  /** What they take on the disk. */
  stored: number
}

export interface Dropping {
  freed: Freed
  /** Frames that stay because other generations hold them too. */
  shared: Set<string>
}

export function dropping(catalog: Catalog, dropped: ReadonlySet<string>): Dropping {
  const needed = new Set<string>()
  for (const { id, frames } of catalog.generations.values()) {
    if (!dropped.has(id)) for (const frame of frames) needed.add(frame)
  }
  const freed: Freed = { frames: 0, bytes: 0, stored: 0 }
  const shared = new Set<string>()
  const counted = new Set<string>()
  for (const id of dropped) {
    for (const frame of catalog.generations.get(id)?.frames ?? []) {
      if (needed.has(frame)) shared.add(frame)
      else if (!counted.has(frame)) {
        counted.add(frame)
        const place = catalog.frames.get(frame)
        freed.frames++
        freed.bytes += place?.bytes ?? 0
        freed.stored += place?.stored ?? 0
      }
    }
  }
  return { freed, shared }
}

/** Bytes of all files below a folder; one that vanishes meanwhile counts nothing. */
export function folderBytes(folder: string): number {
  let bytes = 0
  const waiting = [folder]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const entry of entriesOf(next)) {
      const path = join(next, entry.name)
      if (entry.isDirectory()) waiting.push(path)
      else if (entry.isFile()) bytes += statSync(path, { throwIfNoEntry: false })?.size ?? 0
    }
  }
  return bytes
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}
