// Where files are or were: from a home and a path to a place on this machine, and back from any spelling of it.

import { realpathSync } from 'node:fs'
import { basename, dirname, join, resolve, sep } from 'node:path'

export function placeOf(file: { home: string; path: string }): string {
  const { home, path } = file
  const inner = sep === '/' ? path : path.split('/').join(sep)
  return home.endsWith(sep) ? home + inner : home + sep + inner
}

/** The same place without links, as far up as it exists; the rest as it is spelled. */
export function canonicalPlace(path: string): string {
  const whole = resolve(path)
  const rest: string[] = []
  for (let at = whole; ; ) {
    try {
      return join(realpathSync.native(at), ...rest)
    } catch {
      const above = dirname(at)
      if (above === at) return whole
      rest.unshift(at.slice(above.endsWith(sep) ? above.length : above.length + 1))
      at = above
    }
  }
}

/** The real places of files, asking the file system once per folder. Links at the end of a path are not resolved. */
export class FolderPlaces {
  private readonly folders = new Map<string, string>()

  of(path: string): string {
    const folder = dirname(path)
    let place = this.folders.get(folder)
    if (place === undefined) {
      place = canonicalPlace(folder)
      this.folders.set(folder, place)
    }
    return join(place, basename(path))
  }
}
