// Names one life of a file on disk, and finds its path again. It looks at what `stat` tells, never at the content.

import { resolve } from 'node:path'
import type { GenerationId } from '../model/source.ts'

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
  return `disk:${stat.dev}-${stat.ino}-${stat.birthtimeMs}:${resolve(path)}` as GenerationId
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
