// A file to which whole lines are appended: each append is one write that is there whole or not at all, on the disk before it is
// acknowledged where that is asked for. It knows nothing of sessions, and who may write when is up to lease.ts.

import { existsSync, fstatSync, readSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { attempt } from '../base/attempt.ts'
import { newline } from '../base/bytes.ts'
import { errorCode } from '../base/error-code.ts'
import { ensureFolder } from '../files/durable.ts'
import type { SessionOps } from './ops.ts'
import { WriteError } from './wire/error.ts'

/** What changed since the last look: nothing, only that others appended, or that it is another file now. */
export type Change = 'none' | 'grown' | 'other'

const oneByte = Buffer.alloc(1)

export class AppendFile {
  readonly path: string
  private readonly ops: SessionOps
  private fd: number | null = null
  private isMade: boolean
  /** Made by this writer, and nothing acknowledged is in it yet. */
  private isOurs = false
  /** How far the file is known. */
  private known = 0
  private isTorn = false
  private identity = ''
  private isClosed = false

  /**
   * `isNew`: the first append makes the file, and fails with `exists` where there is one; `mayExist`: it makes it where there is
   * none.
   */
  constructor(ops: SessionOps, path: string, { isNew = false, mayExist = false } = {}) {
    this.ops = ops
    this.path = path
    this.isMade = mayExist ? existsSync(path) : !isNew
  }

  /** How many bytes are known: those that were read or written here. */
  get size(): number {
    return this.known
  }

  /** Looks at the file as it is now. Fails with `not-found` where it is gone. */
  open(): number {
    this.closeFile()
    if (!this.isMade) return 0
    const fd = this.attempted('opened', () => this.ops.openAppend(this.path))
    this.fd = fd
    const facts = fstatSync(fd)
    if (!facts.isFile()) throw new WriteError('not-a-file', `${this.path} is not a file.`, this.path)
    this.identity = `${facts.dev}-${facts.ino}`
    this.known = facts.size
    this.noteEnd()
    return facts.size
  }

  /** Whether others changed it. `isThorough`: also whether it is still the file at its path, and not shorter. */
  look(isThorough: boolean): Change {
    const { fd } = this
    if (!this.isMade) return 'none'
    if (fd === null) return 'other'
    if (isThorough) {
      const facts = statSync(this.path, { throwIfNoEntry: false })
      if (facts === undefined || `${facts.dev}-${facts.ino}` !== this.identity || facts.size < this.known)
        return 'other'
    }
    return readSync(fd, oneByte, 0, 1, this.known) > 0 ? 'grown' : 'none'
  }

  /** Bytes of the file, at most up to where it is known. @internal */
  read(from: number, to: number): Buffer {
    const { fd } = this
    const bytes = Buffer.allocUnsafe(Math.max(0, Math.min(to, this.known) - from))
    let length = 0
    while (fd !== null && length < bytes.length) {
      const count = readSync(fd, bytes, length, bytes.length - length, from + length)
      if (count === 0) break
      length += count
    }
    return bytes.subarray(0, length)
  }

  /** Takes note of what others appended; answers the size that it has now. */
  grow(): number {
    if (this.fd !== null) this.known = fstatSync(this.fd).size
    this.noteEnd()
    return this.known
  }

  /**
   * Appends lines, each with its newline. When it returns, all of them are in the file, and on the disk where `isSynced`; when
   * it throws, the file is as it was. Answers the offset of the first line.
   */
  append(lines: Uint8Array, isSynced: boolean): number {
    if (this.isClosed) throw new WriteError('closed', `${this.path} is closed already.`, this.path)
    const fd = this.fd ?? this.make()
    const before = this.known
    const bytes = this.isTorn ? Buffer.concat([oneNewline, lines]) : lines
    try {
      this.writeAll(fd, bytes)
      if (isSynced) this.ops.sync(fd)
    } catch (error) {
      this.takeBack(fd, before, bytes)
      throw this.failure('written', error)
    }
    const from = before + bytes.length - lines.length
    this.known = before + bytes.length
    this.isTorn = false
    this.isOurs = false
    return from
  }

  /** Returns when all that was appended is on the disk. */
  sync(): void {
    const { fd } = this
    if (fd !== null) this.attempted('written', () => this.ops.sync(fd))
  }

  close(): void {
    this.isClosed = true
    this.closeFile()
  }

  private make(): number {
    if (this.isMade) {
      this.open()
      return this.fd as unknown as number
    }
    return this.attempted('made', () => {
      ensureFolder(this.ops, dirname(this.path))
      const fd = this.ops.createAppend(this.path, 0o600)
      try {
        this.ops.syncFolder(dirname(this.path))
      } catch (error) {
        attempt(() => this.ops.close(fd))
        attempt(() => this.ops.unlink(this.path))
        throw error
      }
      this.fd = fd
      const facts = fstatSync(fd)
      this.identity = `${facts.dev}-${facts.ino}`
      this.isMade = true
      this.isOurs = true
      this.known = 0
      return fd
    })
  }

  /** Mostly one call. A disk that is nearly full takes a part: the rest is tried, so that its error is known. */
  private writeAll(fd: number, bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) {
      const count = this.ops.writeOnce(fd, bytes, at)
      if (count <= 0) throw Object.assign(new Error('EIO: the system wrote nothing'), { code: 'EIO', syscall: 'write' })
      at += count
    }
  }

  /** Only what we wrote ourselves: under the lease no other clew writes, but Claude Code may. */
  private takeBack(fd: number, before: number, bytes: Uint8Array): void {
    const isBack = attempt(() => {
      this.known = fstatSync(fd).size
      const there = this.read(before, this.known)
      if (!there.equals(bytes.subarray(0, there.length))) return false
      if (there.length > 0) this.ops.truncate(fd, before)
      this.known = before
      // One that was made for it goes again.
      if (before === 0 && this.isOurs) this.unmake()
      return true
    })
    // The file may have a part of it at its end: it is looked at again before the next append.
    if (isBack !== true) this.closeFile()
  }

  private unmake(): void {
    this.ops.unlink(this.path)
    this.closeFile()
    this.isMade = false
    this.isOurs = false
  }

  private noteEnd(): void {
    const [last = newline] = this.read(this.known - 1, this.known)
    this.isTorn = this.known > 0 && last !== newline
  }

  private closeFile(): void {
    const { fd } = this
    this.fd = null
    if (fd !== null) attempt(() => this.ops.close(fd))
  }

  private attempted<Result>(what: string, act: () => Result): Result {
    try {
      return act()
    } catch (error) {
      throw this.failure(what, error)
    }
  }

  private failure(what: string, error: unknown): WriteError {
    if (error instanceof WriteError) return error
    return systemError(this.path, what, error)
  }
}

const oneNewline = Uint8Array.of(newline)

const sentences: Readonly<Record<string, (path: string) => [code: string, message: string]>> = {
  EEXIST: path => ['exists', `${path} is there already.`],
  ENOENT: path => ['not-found', `There is no ${path}.`],
  ENOSPC: path => ['ENOSPC', `The disk is full: nothing was written to ${path}.`],
  EDQUOT: path => ['EDQUOT', `Your disk quota is used up: nothing was written to ${path}.`],
}

/** An error of the system as a sentence. `what`: what could not be done to the file. */
export function systemError(path: string, what: string, error: unknown): WriteError {
  const code = errorCode(error)
  const [word, message] = sentences[code]?.(path) ?? [code, `${path} could not be ${what} (${code}).`]
  return new WriteError(word, message, path, error)
}
