// Names one life of a file on disk, and finds its path again. It looks at what `stat` tells, never at the content.

import { isAbsolute, resolve, sep } from 'node:path'
import type { GenerationId } from '../../model/source.ts'

/** The part of a big-integer `Stats` that tells one file from another. */
export interface FileStat {
  dev: bigint
  ino: bigint
  birthtimeMs: bigint
}

/**
 * The generation that lies at a path now: device, inode, birth, path. A replaced file gets another one; a file that was
 * shortened or rewritten in place keeps its own, so whoever keeps bytes over time (the archive) has to compare content.
 * Where the file system knows no birth, the platform gives 0 or the last change, and the name is only good for one run.
 */
export function generationOf(path: string, stat: FileStat): GenerationId {
  return `disk:${stat.dev}-${stat.ino}-${stat.birthtimeMs}:${wholePath(path)}` as GenerationId
}

/** The folder that was asked for last, and what `resolve` made of it: files come by folder, and are many. */
let folder = ''
let place = ''

/** What `resolve` gives. */
function wholePath(path: string): string {
  const end = path.lastIndexOf(sep) + 1
  const name = path.slice(end)
  if (name === '' || name === '.' || name === '..' || name.includes('/')) return resolve(path)
  const own = path.slice(0, end)
  if (own !== folder) {
    // Another working folder would make another path of one that is not whole.
    if (!isAbsolute(own)) return resolve(path)
    folder = own
    place = resolve(own, 'x').slice(0, -1)
  }
  return place + name
}

/** Where to read the generation; null where it does not come from disk. */
export function pathOfGeneration(generation: GenerationId): string | null {
  return /^disk:[^:]*:(.*)$/s.exec(generation)?.[1] ?? null
}

/** Equal for two names of one file (links); null where the file system gives no usable inode. */
export function sameFileKey(generation: GenerationId): string | null {
  const key = /^disk:(\d+-(\d+))-/.exec(generation)
  return key === null || key[2] === '0' ? null : (key[1] ?? null)
}
