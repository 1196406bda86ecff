// Finds the archived generation of a file that was moved: gone from its place, there again elsewhere with the same identity, or
// as a session file of the same name in another project. Whether the content still continues is for the caller to see.

import { lstatSync } from 'node:fs'
import { attempt } from '../../base/attempt.ts'
import { grouped } from '../../base/grouped.ts'
import { placeOf } from '../../files/place.ts'
import { type Catalog, fileKey, type Generation } from '../format/catalog.ts'
import type { LiveFile } from './survey.ts'

export class MovedFiles {
  private readonly byIdentity = new Map<string, Generation>()
  private readonly byName = new Map<string, Generation>()
  private readonly taken = new Set<string>()
  private readonly catalog: Catalog
  private readonly files: readonly LiveFile[]
  private isSorted = false

  constructor(catalog: Catalog, files: readonly LiveFile[]) {
    this.catalog = catalog
    this.files = files
  }

  /** Done on the first request: mostly no file is new at its place. */
  private sort(): void {
    if (this.isSorted) return
    this.isSorted = true
    const { catalog, files } = this
    // Of an empty archive nothing was moved, and these take as much memory as all else about the files.
    if (catalog.generations.size === 0) return
    const there = new Set(files.map(file => fileKey(file.home, file.path)))
    const holders = grouped(files, ({ home, state }) => identityKey(home, state.identity))
    for (const generations of catalog.files()) {
      const [first] = generations
      if (first === undefined || there.has(fileKey(first.home, first.path))) continue
      const current = catalog.current(first.home, first.path)
      if (current?.identity !== undefined) this.noteGone(current, identityKey(current.home, current.identity), holders)
    }
  }

  /** The file itself counts more than its name: a name alone counts only where no file has the identity any more. */
  private noteGone(current: Generation, identity: string, holders: ReadonlyMap<string, readonly LiveFile[]>): void {
    const name = sessionName(current.home, current.path)
    const found = holders.get(identity) ?? []
    const isNamed = name !== null && found.some(file => sessionName(file.home, file.path) === name)
    if (name !== null && (found.length === 0 || isNamed)) this.byName.set(name, current)
    else this.note(current, identity)
  }

  /** A file that took the place of others on its way was archived in each: it is what it was last. */
  private note(generation: Generation, key: string): void {
    const other = this.byIdentity.get(key)
    if (other === undefined || other.archivedMs <= generation.archivedMs) this.byIdentity.set(key, generation)
  }

  /**
   * The generation that a session file had in another project, whatever became of its content: names of sessions are
   * unique, so it is the same session. Only one file gets it.
   */
  takeNamed(file: LiveFile): Generation | undefined {
    this.sort()
    const name = sessionName(file.home, file.path)
    const moved = name === null ? undefined : this.byName.get(name)
    return moved === undefined || isThere(placeOf(moved)) ? undefined : this.given(moved)
  }

  /** The generation that a file which is new at its place had elsewhere; only one file gets it. */
  take(file: LiveFile): Generation | undefined {
    this.sort()
    const key = identityKey(file.home, file.state.identity)
    const moved = this.byIdentity.get(key)
    if (moved === undefined || moved.size > file.state.size || isThere(placeOf(moved))) return undefined
    return this.given(moved)
  }

  private given(moved: Generation): Generation | undefined {
    if (this.taken.has(moved.id)) return undefined
    this.taken.add(moved.id)
    return moved
  }
}

/** `<home> <uuid>.jsonl` of a session file in a project. */
function sessionName(home: string, path: string): string | null {
  const found = /^projects\/[^/]+\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.jsonl)$/i.exec(path)
  return found === null ? null : `${home}\0${found[1]}`
}

function identityKey(home: string, identity: string): string {
  return `${home}\0${identity}`
}

/** A file outside of what was looked at may still be in its place, with a second name here. */
function isThere(place: string): boolean {
  return attempt(() => lstatSync(place)) !== undefined
}
