// What one `stat` says of a watched file, what two of them say about the time between, and the bytes that were appended
// since. It opens no folder.

import { lstatSync, type Stats, statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { GenerationId } from '../../model/source.ts'
import { chunkBytes, diskSource } from '../read/read.ts'

/** One file that changed. */
export interface FileChange {
  /** As discovery would give it: begins with the root as it was named. */
  path: string
  /**
   * `grown`, `shrunk`: the same file with another size; `changed`: with the same size, but touched or rewritten;
   * `replaced`: another file has its name now.
   */
  what: 'new' | 'grown' | 'changed' | 'shrunk' | 'replaced' | 'gone'
  /** In bytes; 0 where it is gone. */
  size: number
  /** What was known before; absent for a new file. */
  previousSize?: number
  /** Last change, milliseconds since 1970; of a file that is gone, the last that was known. */
  modifiedMs: number
  /** Device, inode and birth, written as in its generation: the same as long as it is the same file, under any name. */
  identity: string
  /** The path that a new file had before, where that one is reported as gone at the same time: it was moved. */
  movedFrom?: string
}

/** What one `stat` of a file said. */
export interface FileState {
  size: number
  modifiedMs: number
  /** When anything about it changed, its name and mode included. */
  changedMs: number
  birthMs: number
  device: number
  inode: number
  identity: string
  isLink: boolean
}

/** What is at a path, links followed; undefined where there is nothing. Throws where it may not be looked at. */
export function look(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch (error) {
    // A link in a circle leads nowhere too.
    if (error instanceof Error && 'code' in error && error.code === 'ELOOP') return undefined
    throw error
  }
}

/** Equal for two names of one folder. */
export function folderKey(path: string, stat: Stats): string {
  return stat.ino === 0 ? path : `${stat.dev}-${stat.ino}`
}

/** Takes over from `before` what need not be looked up again, such as whether it is a link. */
export function stateOf(path: string, stat: Stats, before?: FileState, isKnownLink?: boolean): FileState {
  const isSame = before !== undefined && before.inode === stat.ino && before.birthMs === stat.birthtimeMs
  return {
    size: stat.size,
    modifiedMs: stat.mtimeMs,
    changedMs: stat.ctimeMs,
    birthMs: stat.birthtimeMs,
    device: stat.dev,
    inode: stat.ino,
    identity: isSame && before.device === stat.dev ? before.identity : identityOf(path, stat),
    isLink: isKnownLink ?? before?.isLink ?? isLink(path),
  }
}

/** Whether a `stat` says what is known already. */
export function isAsKnown(state: FileState, stat: Stats): boolean {
  return (
    state.size === stat.size &&
    state.modifiedMs === stat.mtimeMs &&
    state.changedMs === stat.ctimeMs &&
    state.inode === stat.ino &&
    state.device === stat.dev
  )
}

/** Exact big integers cost a second look, so it is only made where a number may have been rounded. */
function identityOf(path: string, stat: Stats): string {
  const birth = Math.trunc(stat.birthtimeMs)
  if (Number.isSafeInteger(stat.ino) && stat.birthtimeMs - birth < 0.999) return `${stat.dev}-${stat.ino}-${birth}`
  const exact = exactStat(path)
  return exact ?? `${stat.dev}-${stat.ino}-${birth}`
}

function exactStat(path: string): string | undefined {
  try {
    const stat = statSync(path, { bigint: true })
    return `${stat.dev}-${stat.ino}-${stat.birthtimeMs}`
  } catch {
    return undefined
  }
}

export function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink()
  } catch {
    return false
  }
}

/**
 * Whether the times of birth can be believed: where a file system keeps none the platform gives 0, and where an old kernel
 * does not report it, the time of the last change. A deleted file's inode is soon given to the next one, so that only the
 * birth distinguishes them.
 */
export class Births {
  private readonly devices = new Set<number>()
  private readonly isReliable = process.platform !== 'linux' || isNoChange(look(process.execPath))

  learn(stat: Stats): void {
    if (!this.isReliable && isNoChange(stat)) this.devices.add(stat.dev)
  }

  /** False where two births on one device show that it is not the same file. */
  areEqual(device: number, a: number, b: number): boolean {
    return a === b || a === 0 || b === 0 || !(this.isReliable || this.devices.has(device))
  }

  isSameFile(a: FileState, b: FileState): boolean {
    return a.inode === b.inode && a.device === b.device && this.areEqual(a.device, a.birthMs, b.birthMs)
  }
}

/** Whether the time of birth is not the last change in disguise; 0 is honest. */
function isNoChange(stat: Stats | undefined): boolean {
  return stat !== undefined && stat.birthtimeMs !== stat.ctimeMs
}

/** Gathers changes, so that one file is reported once however often it was written to. */
export class Changes {
  private readonly pending = new Map<string, { before: FileState | null; after: FileState | null }>()
  private readonly births: Births

  constructor(births: Births) {
    this.births = births
  }

  get isEmpty(): boolean {
    return this.pending.size === 0
  }

  note(path: string, before: FileState | null, after: FileState | null): void {
    const earlier = this.pending.get(path)
    if (earlier === undefined) this.pending.set(path, { before, after })
    else earlier.after = after
  }

  /** What happened since the last time, in the order in which it was noticed. */
  take(): FileChange[] {
    const changes: FileChange[] = []
    const gone = new Map<string, string>()
    for (const [path, { before, after }] of this.pending) {
      const change = this.compare(path, before, after)
      if (change === null) continue
      changes.push(change)
      if (change.what === 'gone') gone.set(change.identity, path)
    }
    this.pending.clear()
    if (gone.size === 0) return changes
    return changes.map(change => {
      const movedFrom = change.what === 'new' ? gone.get(change.identity) : undefined
      return movedFrom === undefined ? change : { ...change, movedFrom }
    })
  }

  private compare(path: string, before: FileState | null, after: FileState | null): FileChange | null {
    if (after === null) {
      if (before === null) return null
      const { modifiedMs, identity, size } = before
      return { path, what: 'gone', size: 0, previousSize: size, modifiedMs, identity }
    }
    const { size, modifiedMs, identity } = after
    if (before === null) return { path, what: 'new', size, modifiedMs, identity }
    const what = this.whatOf(before, after)
    return what === null ? null : { path, what, size, previousSize: before.size, modifiedMs, identity }
  }

  private whatOf(before: FileState, after: FileState): FileChange['what'] | null {
    if (!this.births.isSameFile(before, after)) return 'replaced'
    if (after.size !== before.size) return after.size > before.size ? 'grown' : 'shrunk'
    return after.modifiedMs === before.modifiedMs && after.changedMs === before.changedMs ? null : 'changed'
  }
}

/** What a read found: bytes (none at the end), or that the bytes before are others now. */
export type TailRead = { bytes: Uint8Array; isLast: boolean } | 'rewritten'

// This many of the last bytes are compared: a rewritten log has other ids and times long before they are over.
const guardBytes = 256
// Files grow while they are read.
const spareBytes = 4 * 1024

const source = diskSource()

export class FileTail {
  path: string
  /** First byte that was not read yet. */
  offset: number
  /** The bytes right before it, as they were. */
  private guard: Uint8Array

  /** `before`: what is right before the offset, as far as it is known. */
  constructor(path: string, offset = 0, before: Uint8Array = new Uint8Array(0)) {
    this.path = path
    this.offset = offset
    this.guard = before.slice(-guardBytes)
  }

  /** At most a megabyte. `size`: how long the file is likely to be. Throws a ReadError where it cannot be read. */
  read(size: number): TailRead {
    const known = this.guard.length
    const wanted = Math.min(chunkBytes, Math.max(0, size - this.offset) + spareBytes)
    const buffer = Buffer.allocUnsafe(known + wanted)
    const reader = source.openSync?.(liveGeneration(this.path))
    let filled: number
    try {
      filled = reader?.read(buffer, this.offset - known) ?? 0
    } finally {
      reader?.close()
    }
    if (filled < known || buffer.compare(this.guard, 0, known, 0, known) !== 0) return 'rewritten'
    const bytes = buffer.subarray(known, filled)
    this.offset += bytes.length
    if (bytes.length > 0) this.guard = Uint8Array.from(buffer.subarray(Math.max(0, filled - guardBytes), filled))
    return { bytes, isLast: filled < buffer.length }
  }
}

/** A short range of what is at a path now. Throws a ReadError where it cannot be read. */
export function readLive(path: string, from: number, to: number): Uint8Array {
  return source.readSync(liveGeneration(path), from, to)
}

/** Which generation of the file it is does not matter here: the reader compares the bytes. */
function liveGeneration(path: string): GenerationId {
  return `disk:live:${resolve(path)}` as GenerationId
}
