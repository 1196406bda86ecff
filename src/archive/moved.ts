// Finds the kept generation of a file that was moved: gone from its place, there again under another name with the same
// identity. Whether the content still continues is for the caller to see.

import { lstatSync } from 'node:fs'
import { type Catalog, fileKey, type Generation } from './catalog.ts'
import { placeOf } from './place.ts'
import type { LiveFile } from './survey.ts'

export class MovedFiles {
  private readonly byIdentity = new Map<string, Generation>()

  constructor(catalog: Catalog, files: readonly LiveFile[]) {
    const there = new Set(files.map(file => fileKey(file.home, file.path)))
    for (const generations of catalog.files()) {
      const [first] = generations
      if (first === undefined || there.has(fileKey(first.home, first.path))) continue
      const current = catalog.current(first.home, first.path)
      if (current?.identity !== undefined) this.note(current, identityKey(current.home, current.identity))
    }
  }

  /** A file that took the place of others on its way was kept in each: it is what it was last. */
  private note(generation: Generation, key: string): void {
    const other = this.byIdentity.get(key)
    if (other === undefined || other.keptMs <= generation.keptMs) this.byIdentity.set(key, generation)
  }

  /** The generation that a file which is new at its place had elsewhere; only one file gets it. */
  take(file: LiveFile): Generation | undefined {
    const key = identityKey(file.home, file.state.identity)
    const moved = this.byIdentity.get(key)
    if (moved === undefined || moved.size > file.state.size || isThere(placeOf(moved))) return undefined
    this.byIdentity.delete(key)
    return moved
  }
}

function identityKey(home: string, identity: string): string {
  return `${home}\0${identity}`
}

/** A file outside of what was looked at may still be in its place, with a second name here. */
function isThere(place: string): boolean {
  try {
    lstatSync(place)
    return true
  } catch {
    return false
  }
}
