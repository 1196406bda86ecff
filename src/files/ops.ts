// Every system call with which files of ours are written, behind one interface, so that tests can count, fail and
// replay them. Nothing here is durable by itself: the order that makes it so is in durable.ts.

import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fsyncSync,
  linkSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  openSync,
  renameSync,
  rmdirSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { errorCode } from '../base/error-code.ts'

/** All of them are synchronous and throw the system's error unchanged. */
export interface WriteOps {
  /** Makes a new file for writing and answers its descriptor; an existing name, a link included, is `EEXIST`. */
  create(path: string, mode: number): number
  /** Appends all of `bytes`, however many calls the system needs for it. */
  write(fd: number, bytes: Uint8Array): void
  /** Returns when the file's bytes are on the disk. */
  sync(fd: number): void
  close(fd: number): void
  /** Replaces what is at `to`. */
  rename(from: string, to: string): void
  /** A second name for the same file; `EEXIST` when `to` is there. */
  link(from: string, to: string): void
  unlink(path: string): void
  /** A folder that is there already is fine; a link or a file of that name is `EEXIST`. */
  makeFolder(path: string, mode: number): void
  /** Only an empty one. */
  removeFolder(path: string): void
  /** Returns when the names in the folder are on the disk; does nothing where the platform cannot. */
  syncFolder(path: string): void
  /** Times of the name itself: a link is not followed. */
  setTimes(path: string, atimeMs: number, mtimeMs: number): void
  /** Refuses a link (`ELOOP`). */
  setMode(path: string, mode: number): void
}

const isWindows = process.platform === 'win32'

// Absent on Windows, whatever the types say.
const noFollow = (constants.O_NOFOLLOW as number | undefined) ?? 0

const createFlags = constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY | noFollow

// A network or FUSE file system may not know fsync of a folder; Windows cannot open one.
const unsyncable = new Set(
  isWindows ? ['EPERM', 'EISDIR', 'EINVAL', 'EACCES', 'EBADF'] : ['EINVAL', 'ENOTSUP', 'ENOSYS'],
)

function writeAll(fd: number, bytes: Uint8Array): void {
  let at = 0
  while (at < bytes.length) {
    const written = writeSync(fd, bytes, at, bytes.length - at)
    if (written <= 0) throw Object.assign(new Error('EIO: the system wrote nothing'), { code: 'EIO', syscall: 'write' })
    at += written
  }
}

function makeFolder(path: string, mode: number): void {
  try {
    mkdirSync(path, { mode })
  } catch (error) {
    if (errorCode(error) !== 'EEXIST' || !lstatSync(path).isDirectory()) throw error
  }
}

function syncFolder(path: string): void {
  try {
    const fd = openSync(path, constants.O_RDONLY)
    try {
      fsyncSync(fd)
    } finally {
      closeSync(fd)
    }
  } catch (error) {
    if (!unsyncable.has(errorCode(error))) throw error
  }
}

function setMode(path: string, mode: number): void {
  if (isWindows) {
    chmodSync(path, mode)
    return
  }
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | noFollow)
  try {
    fchmodSync(fd, mode)
  } finally {
    closeSync(fd)
  }
}

export const realOps: WriteOps = {
  create: (path, mode) => openSync(path, createFlags, mode),
  write: writeAll,
  sync: fd => fsyncSync(fd),
  close: fd => closeSync(fd),
  rename: (from, to) => renameSync(from, to),
  link: (from, to) => linkSync(from, to),
  unlink: path => unlinkSync(path),
  makeFolder,
  removeFolder: path => rmdirSync(path),
  syncFolder,
  setTimes: (path, atimeMs, mtimeMs) => lutimesSync(path, atimeMs / 1000, mtimeMs / 1000),
  setMode,
}
