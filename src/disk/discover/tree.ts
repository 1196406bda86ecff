// The folders and files that a walk sees, as an interface: those on disk, or those with what the archive kept of them. The
// tree on disk is here too. It decides nothing about what the names mean.

import { type Dirent, lstatSync, readdirSync, realpathSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { ByteSource, GenerationId } from '../../model/source.ts'
import { generationOf } from '../read/generation.ts'
import { diskSource } from '../read/read.ts'

/** A name in a folder, as the folder tells it: a link is not followed yet. */
export interface Entry {
  name: string
  path: string
  kind: 'file' | 'folder' | 'link' | 'other'
}

/** What a regular file is at the moment when we look. */
export interface TreeFile {
  kind: 'file'
  size: number
  /** Last change, milliseconds since 1970. */
  modifiedMs: number
  generation: GenerationId
  /** It is no longer on disk, its bytes are in the archive. */
  isKept?: true
  /** How many contents it had before this one, where the archive knows of any: it was not only appended to. */
  earlier?: number
}

/** What is at a path, links followed. A folder's key is the same under all its names. */
export type TreeStat = TreeFile | { kind: 'folder'; key: string } | { kind: 'other' }

/** A regular file that was there when we looked. */
export interface FoundFile extends Omit<TreeFile, 'kind'> {
  path: string
}

/** What discovery looks for in a log. */
export interface KnownFacts {
  /** The session its records name: that of the file name where any does, else the last one named; absent where none is. */
  session?: string
  /** The first time that is written in the head. */
  firstMs?: number
  /** Whether the name, and the first line where there is one, are those of a prompt history. */
  isHistory: boolean
  /** Names of plans that head and tail mention. */
  plans: string[]
}

/** Folders and files to walk over. Errors have the file system's `code`, whatever the tree is made of. */
export interface FileTree {
  /** What a folder holds, in any order. */
  list(folder: string): Promise<Entry[]>
  /** Answers at once: there is one question per file, and handing it to another thread costs ten times its answer. */
  stat(path: string): TreeStat
  /** Whether the path itself is a link; false where there is nothing. */
  isLink(path: string): boolean
  /** Gives the bytes of every generation that `stat` names. */
  source: ByteSource
  /** What is known of a file's content without reading it. */
  known?(file: FoundFile): KnownFacts | undefined
  /** Nobody asks for what lies beside logs of subagents: their `.meta.json` is not looked for. */
  isWithoutMeta?: true
}

/** The file behind a stat, as it is passed on. */
export function foundFile(path: string, { size, modifiedMs, generation, isKept, earlier }: TreeFile): FoundFile {
  const file: FoundFile = { path, size, modifiedMs, generation }
  if (isKept !== undefined) file.isKept = isKept
  if (earlier !== undefined) file.earlier = earlier
  return file
}

/** What lies on disk now. */
export const diskTree: FileTree = {
  async list(folder) {
    // At once, as all looks are: a walk asks for thousands of small folders, and nothing else goes on beside it.
    const found = readdirSync(folder, { withFileTypes: true })
    // As `join` would give it for each of them.
    const place = join(folder, 'x').slice(0, -1)
    return found.map(entry => ({ name: entry.name, path: place + entry.name, kind: kindOf(entry) }))
  },
  stat(path) {
    const facts = statSync(path, { bigint: true })
    if (facts.isFile()) {
      const generation = generationOf(path, facts)
      return { kind: 'file', size: Number(facts.size), modifiedMs: Number(facts.mtimeMs), generation }
    }
    if (!facts.isDirectory()) return { kind: 'other' }
    return { kind: 'folder', key: facts.ino === 0n ? realpathSync(path) : `${facts.dev}-${facts.ino}` }
  },
  isLink(path) {
    try {
      return lstatSync(path).isSymbolicLink()
    } catch {
      return false
    }
  },
  source: diskSource(),
}

function kindOf(entry: Dirent): Entry['kind'] {
  if (entry.isFile()) return 'file'
  if (entry.isDirectory()) return 'folder'
  return entry.isSymbolicLink() ? 'link' : 'other'
}
