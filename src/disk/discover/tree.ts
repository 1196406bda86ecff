// The folders and files that discovery walks, as an interface: those on disk, or those with what the archive has of them.
// Walking never fails: what cannot be read becomes a finding.

import { type Dirent, lstatSync, readdirSync, realpathSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { errorCode } from '../../base/error-code.ts'
import { canonicalPlace } from '../../files/place.ts'
import type { Finding, Severity } from '../../model/finding.ts'
import type { ByteSource, GenerationId } from '../../model/source.ts'
import { diskSource, generationOf, sameFileKey } from '../read/read.ts'
import { isBelow } from './homes.ts'

export type Found = { kind: 'file'; file: FoundFile } | { kind: 'folder'; path: string } | { kind: 'none' }

/** One walk over a root: it collects the findings and remembers which folders and logs it has been to. */
export class Walk {
  readonly findings: Finding[] = []
  readonly files: FileTree
  private readonly root: string
  private readonly visited = new Set<string>()

  constructor(root: string, files: FileTree = diskTree) {
    this.root = root
    this.files = files
  }

  /** An error where the root itself is meant, since then there is nothing to show; else a warning. Said once. */
  note(code: string, path: string, message: string): void {
    if (!this.isNew(`${code} ${path}`)) return
    const severity: Severity = path === this.root ? 'error' : 'warning'
    this.findings.push({ code, severity, file: path, message })
  }

  noteUnreadable(kind: 'file' | 'folder', path: string, error: unknown): void {
    this.note(`unreadable-${kind}`, path, `This ${kind} cannot be read (${errorCode(error)}).`)
  }

  /** What a folder contains, real entries before links, each group by name; nothing where the folder is gone. */
  async list(folder: string): Promise<Entry[]> {
    try {
      const entries = (await this.files.list(folder)).sort(byRank)
      this.listed = { folder, entries }
      return entries
    } catch (error) {
      const code = errorCode(error)
      if (code !== 'ENOENT' && code !== 'ENOTDIR') this.noteUnreadable('folder', folder, error)
      return []
    }
  }

  private listed: { folder: string; entries: readonly Entry[]; names?: Set<string> } = { folder: '', entries: [] }

  /** Whether the folder was the last that was listed, and there is nothing of that name in it: saves a look. */
  lacks(folder: string, name: string): boolean {
    const { listed } = this
    if (listed.folder !== folder) return false
    listed.names ??= new Set(listed.entries.map(entry => entry.name))
    return !listed.names.has(name)
  }

  /** What is at a path, links followed. `expected` chooses the words when it cannot be looked at. */
  async look(path: string, expected: 'file' | 'folder'): Promise<Found> {
    try {
      const facts = this.files.stat(path)
      if (facts.kind === 'folder') return { kind: 'folder', path }
      if (facts.kind === 'file') return { kind: 'file', file: foundFile(path, facts) }
      this.note('not-a-regular-file', path, 'This is neither a file nor a folder; it was not opened.')
    } catch (error) {
      this.noteMissing(path, expected, error)
    }
    return { kind: 'none' }
  }

  /** The regular file behind an entry; a folder or device in its place is reported. */
  async file(entry: Entry): Promise<FoundFile | null> {
    const found = await this.look(entry.path, 'file')
    if (found.kind === 'folder')
      this.note('not-a-regular-file', entry.path, 'This is a folder where a file was expected.')
    return found.kind === 'file' ? found.file : null
  }

  /** True the first time that a folder is entered, under whatever name: links may lead in circles. */
  async enter(folder: string): Promise<boolean> {
    try {
      const facts = this.files.stat(folder)
      return facts.kind !== 'folder' || this.isNew(facts.key)
    } catch {
      return true
    }
  }

  /** True the first time that a log is met, under whatever name. */
  meet(file: FoundFile): boolean {
    return this.isNew(`log ${sameFileKey(file.generation) ?? file.path}`)
  }

  /**
   * All regular files below a folder, in a steady order. What a link in it leads to is passed over where that is outside of it:
   * what a session's folder has is read and indexed, and a log could name any file.
   */
  async *tree(folder: string): AsyncGenerator<FoundFile> {
    const waiting = [folder]
    const place = canonicalPlace(folder)
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      if (!(await this.enter(next))) continue
      const folders: string[] = []
      for (const entry of await this.list(next)) {
        if (entry.kind === 'folder') {
          folders.push(entry.path)
          continue
        }
        if (entry.kind === 'link' && this.leadsOutOf(place, entry.path)) continue
        const found = await this.look(entry.path, 'file')
        if (found.kind === 'file') yield found.file
        if (found.kind === 'folder') folders.push(found.path)
      }
      waiting.push(...folders.reverse())
    }
  }

  private leadsOutOf(place: string, link: string): boolean {
    return !isBelow(canonicalPlace(link), place)
  }

  private isNew(key: string): boolean {
    if (this.visited.has(key)) return false
    this.visited.add(key)
    return true
  }

  /** A link without a target is worth a word; a file that vanished after it was listed is not, except as the root. */
  private noteMissing(path: string, expected: 'file' | 'folder', error: unknown): void {
    const code = errorCode(error)
    if (code !== 'ENOENT' && code !== 'ENOTDIR' && code !== 'ELOOP') {
      this.noteUnreadable(expected, path, error)
    } else if (this.files.isLink(path)) {
      this.note('broken-link', path, 'This link leads nowhere.')
    } else if (path === this.root) {
      this.note('missing-path', path, 'There is no such file or folder.')
    }
  }
}

function byRank(a: Entry, b: Entry): number {
  const rank = Number(a.kind === 'link') - Number(b.kind === 'link')
  return rank !== 0 ? rank : a.name < b.name ? -1 : a.name > b.name ? 1 : 0
}

/** Maps all items, at most `limit` at a time, and keeps their order. */
export async function mapLimited<T, R>(items: readonly T[], limit: number, map: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  const waiting = items.entries()
  const work = async () => {
    for (const [index, item] of waiting) results[index] = await map(item)
  }
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, work))
  return results
}

/** A name in a folder, as listed: a link is not followed yet. */
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
  isArchiveOnly?: true
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
  /** What a folder contains, in any order. */
  list(folder: string): Promise<Entry[]>
  /** Answers at once: there is one question per file, and handing it to another thread costs ten times its answer. */
  stat(path: string): TreeStat
  /** Whether the path itself is a link; false where there is nothing. */
  isLink(path: string): boolean
  /** Gives the bytes of every generation that `stat` names. */
  source: ByteSource
  /** What is known of a file's content without reading it. */
  known?(file: FoundFile): KnownFacts | undefined
}

/** The file behind a stat, as it is passed on. */
function foundFile(path: string, { size, modifiedMs, generation, isArchiveOnly, earlier }: TreeFile): FoundFile {
  const file: FoundFile = { path, size, modifiedMs, generation }
  if (isArchiveOnly !== undefined) file.isArchiveOnly = isArchiveOnly
  if (earlier !== undefined) file.earlier = earlier
  return file
}

/** What is on disk now. */
export const diskTree: FileTree = {
  async list(folder) {
    // Synchronous, as all calls here: a walk lists thousands of small folders, and nothing else runs meanwhile.
    const found = readdirSync(folder, { withFileTypes: true })
    // As `join` would give it for each of them.
    const place = join(folder, 'x').slice(0, -1)
    return found.map(entry => ({ name: entry.name, path: [place, entry.name].join(''), kind: kindOf(entry) }))
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

/** What is at a path, links followed; null where there is nothing to see. */
export function lookAt(path: string, tree: FileTree): TreeStat | null {
  try {
    return tree.stat(path)
  } catch {
    return null
  }
}

/** Whether a path is a file, or anything else that is not a folder. */
export function isFile(path: string, tree: FileTree): boolean {
  const facts = lookAt(path, tree)
  return facts !== null && facts.kind !== 'folder'
}
