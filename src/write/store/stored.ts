// What a store finds: logs on the disk, and those that only the archive has, unless they were deleted through a store. It changes
// nothing.

import { existsSync } from 'node:fs'
import { basename, relative, sep } from 'node:path'
import { archiveFolder } from '../../archive/format/layout.ts'
import { archiveSource } from '../../archive/read/source.ts'
import { archiveTree } from '../../archive/read/tree.ts'
import { Archive } from '../../archive/store/archive.ts'
import { bytesToText } from '../../base/bytes.ts'
import { errorCode } from '../../base/error-code.ts'
import { isObject, parseJson } from '../../base/json.ts'
import { diskTree, type Entry, type FileTree, type TreeFile } from '../../disk/discover/tree.ts'
import type { LogRecord } from '../../model/record.ts'
import { agentMetaPath } from '../place.ts'
import type { DeletedLogs } from './deleted.ts'
import { EntryReader } from './entries.ts'
import { sessionIn } from './place.ts'
import type { SessionStoreEntry } from './types.ts'

/** The type of the entry that says what a subagent is; on disk that is a file next to its log. */
export const metadataType = 'agent_metadata'

const metaBytes = 1024 * 1024

export class StoredLogs {
  private readonly archive: Archive
  private readonly deleted: DeletedLogs
  private view: { segment: string; tree: FileTree } | null = null
  /** Why the archive cannot be read, or not all of it: what is on the disk is found all the same. */
  private problem: unknown = null

  constructor(clewHome: string, deleted: DeletedLogs) {
    this.archive = new Archive(archiveFolder(clewHome))
    this.deleted = deleted
  }

  /** The log at a path; null where there is none. */
  find(path: string): TreeFile | null {
    try {
      const found = this.tree().stat(path)
      return found.kind !== 'file' || this.isDeleted(path, found) ? null : found
    } catch (error) {
      if (isMissing(error)) return null
      throw error
    }
  }

  /** All entries of a log; null where there is none. */
  async load(path: string): Promise<SessionStoreEntry[] | null> {
    const log = this.find(path)
    if (log === null) {
      // Whether there was such a log is not known then.
      if (this.problem !== null) throw this.problem
      return null
    }
    const entries: SessionStoreEntry[] = []
    for await (const records of this.read(path, log, 0)) for (const { value } of records) entries.push(entryOf(value))
    const meta = entries.some(({ type }) => type === metadataType) ? null : this.metadataOf(path)
    return meta === null ? entries : [...entries, meta]
  }

  /** The records of a log from a place on, which is before a line; the last one may have no end. */
  async *read(path: string, log: TreeFile, from: number): AsyncGenerator<LogRecord[], number> {
    const reader = new EntryReader(path, from)
    for await (const chunk of this.tree().source.read(log.generation, from, Number.POSITIVE_INFINITY))
      yield reader.push(chunk)
    const { readTo } = reader
    yield reader.end()
    return readTo
  }

  /** The sessions in a project's folder. */
  async sessions(folder: string): Promise<{ sessionId: string; path: string; log: TreeFile }[]> {
    return (await this.list(folder)).flatMap(({ name, path }) => {
      const sessionId = sessionIn(name)
      const log = sessionId === null ? null : this.find(path)
      return sessionId === null || log === null ? [] : [{ sessionId, path, log }]
    })
  }

  /** Paths of the logs below a session's folder, links not followed. */
  async logsBelow(folder: string): Promise<string[]> {
    const found: string[] = []
    const waiting = [folder]
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      for (const { name, path, kind } of await this.list(next)) {
        if (kind === 'folder') waiting.push(path)
        else if (kind === 'file' && name.endsWith('.jsonl') && this.find(path) !== null) found.push(path)
      }
    }
    return found.sort()
  }

  private async list(folder: string): Promise<Entry[]> {
    try {
      return await this.tree().list(folder)
    } catch (error) {
      if (isMissing(error)) return []
      throw error
    }
  }

  private isDeleted(path: string, { isArchiveOnly }: TreeFile): boolean {
    return isArchiveOnly === true && this.deleted.has(path)
  }

  /** What Claude Code has in a file of its own. */
  private metadataOf(path: string): SessionStoreEntry | null {
    const place = agentMetaPath(path)
    const found = /^agent-/i.test(basename(path)) ? this.find(place) : null
    if (found === null || found.size > metaBytes) return null
    const value = parseJson(bytesToText(this.tree().source.readSync(found.generation, 0, found.size)))
    return isObject(value) ? { ...value, type: metadataType } : null
  }

  /** The disk alone where nothing was ever archived. Another process may have archived meanwhile. */
  private tree(): FileTree {
    if (!existsSync(this.archive.layout.manifest)) return diskTree
    const segment = this.archive.lastSegment()
    if (this.view?.segment !== segment) {
      this.archive.reload()
      this.problem = null
      const onBroken = (error: unknown) => {
        this.problem = error
      }
      this.view = { segment, tree: archiveTree(this.archive, { source: archiveSource(this.archive), onBroken }) }
    }
    return this.view.tree
  }
}

/** How a log below a session's folder is called in a key. */
export function subpathOf(folder: string, path: string): string {
  return relative(folder, path)
    .split(sep)
    .join('/')
    .replace(/\.jsonl$/, '')
}

function entryOf(value: LogRecord['value']): SessionStoreEntry {
  return value as SessionStoreEntry
}

function isMissing(error: unknown): boolean {
  const code = errorCode(error)
  return code === 'ENOENT' || code === 'ENOTDIR'
}
