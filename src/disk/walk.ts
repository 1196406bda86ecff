// Looks at folders and files without ever failing: what cannot be read becomes a finding. It opens no file and knows
// nothing of what the names mean.

import { type Dirent, statSync } from 'node:fs'
import { lstat, readdir, realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Finding, Severity } from '../model/finding.ts'
import type { GenerationId } from '../model/source.ts'
import { generationOf, sameFileKey } from './generation.ts'
import { errorCode } from './read.ts'

/** A name in a folder, as the folder tells it: a link is not followed yet. */
export interface Entry {
  name: string
  path: string
  kind: 'file' | 'folder' | 'link' | 'other'
}

/** A regular file that was there when we looked. */
export interface FoundFile {
  path: string
  size: number
  modifiedMs: number
  generation: GenerationId
}

export type Found = { kind: 'file'; file: FoundFile } | { kind: 'folder'; path: string } | { kind: 'none' }

/** One walk over a root: it collects the findings and remembers which folders and logs it has been to. */
export class Walk {
  readonly findings: Finding[] = []
  private readonly root: string
  private readonly visited = new Set<string>()

  constructor(root: string) {
    this.root = root
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

  /** What a folder holds, real things before links, each group by name; nothing where the folder is gone. */
  async list(folder: string): Promise<Entry[]> {
    try {
      const found = await readdir(folder, { withFileTypes: true })
      return found
        .map(entry => ({ name: entry.name, path: join(folder, entry.name), kind: kindOf(entry) }))
        .sort(byRank)
    } catch (error) {
      const code = errorCode(error)
      if (code !== 'ENOENT' && code !== 'ENOTDIR') this.noteUnreadable('folder', folder, error)
      return []
    }
  }

  /** What is at a path, links followed. `expected` chooses the words when it cannot be looked at. */
  async look(path: string, expected: 'file' | 'folder'): Promise<Found> {
    try {
      // Not handed to another thread: that costs ten times what the call itself does, and there is one per file.
      const facts = statSync(path, { bigint: true })
      if (facts.isDirectory()) return { kind: 'folder', path }
      if (facts.isFile()) {
        const size = Number(facts.size)
        const generation = generationOf(path, facts)
        return { kind: 'file', file: { path, size, modifiedMs: Number(facts.mtimeMs), generation } }
      }
      this.note('not-a-regular-file', path, 'This is neither a file nor a folder; it was not opened.')
    } catch (error) {
      await this.noteMissing(path, expected, error)
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
      const facts = await stat(folder, { bigint: true })
      return this.isNew(facts.ino === 0n ? await realpath(folder) : `${facts.dev}-${facts.ino}`)
    } catch {
      return true
    }
  }

  /** True the first time that a log is met, under whatever name. */
  meet(file: FoundFile): boolean {
    return this.isNew(`log ${sameFileKey(file.generation) ?? file.path}`)
  }

  /** All regular files below a folder, in a steady order. */
  async *tree(folder: string): AsyncGenerator<FoundFile> {
    const waiting = [folder]
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      if (!(await this.enter(next))) continue
      const folders: string[] = []
      for (const entry of await this.list(next)) {
        if (entry.kind === 'folder') {
          folders.push(entry.path)
          continue
        }
        const found = await this.look(entry.path, 'file')
        if (found.kind === 'file') yield found.file
        if (found.kind === 'folder') folders.push(found.path)
      }
      waiting.push(...folders.reverse())
    }
  }

  private isNew(key: string): boolean {
    if (this.visited.has(key)) return false
    this.visited.add(key)
    return true
  }

  /** A link without a target is worth a word; a file that vanished after it was listed is not, except as the root. */
  private async noteMissing(path: string, expected: 'file' | 'folder', error: unknown): Promise<void> {
    const code = errorCode(error)
    if (code !== 'ENOENT' && code !== 'ENOTDIR' && code !== 'ELOOP') {
      this.noteUnreadable(expected, path, error)
    } else if (await isLink(path)) {
      this.note('broken-link', path, 'This link leads nowhere.')
    } else if (path === this.root) {
      this.note('missing-path', path, 'There is no such file or folder.')
    }
  }
}

function kindOf(entry: Dirent): Entry['kind'] {
  if (entry.isFile()) return 'file'
  if (entry.isDirectory()) return 'folder'
  return entry.isSymbolicLink() ? 'link' : 'other'
}

function byRank(a: Entry, b: Entry): number {
  const rank = Number(a.kind === 'link') - Number(b.kind === 'link')
  return rank !== 0 ? rank : a.name < b.name ? -1 : a.name > b.name ? 1 : 0
}

async function isLink(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isSymbolicLink()
  } catch {
    return false
  }
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
