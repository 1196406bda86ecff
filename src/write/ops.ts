// What a log that grows needs of the system besides the calls that put whole files on the disk: all of it behind one interface,
// so that tests can count, fail and kill every call. Reading is not among them: it changes nothing.

import { constants, ftruncateSync, openSync, writeSync } from 'node:fs'
import { realOps, type WriteOps } from '../files/ops.ts'

/** All system calls of the writer that change something; synchronous, and they throw the system's error unchanged. */
export interface SessionOps extends WriteOps {
  /** Opens a file that is there to append to it and to read it. A link at its name is followed: people move logs. */
  openAppend(path: string): number
  /** Makes a file to append to and to read; an existing name, a link included, is `EEXIST`. */
  createAppend(path: string, mode: number): number
  /** One `write(2)`; how many bytes the system took. */
  writeOnce(fd: number, bytes: Uint8Array, from: number): number
  truncate(fd: number, size: number): void
}

// Absent on Windows, whatever the types say.
const noFollow = (constants.O_NOFOLLOW as number | undefined) ?? 0
const appendFlags = constants.O_RDWR | constants.O_APPEND

/** Those of Node. */
export const sessionOps: SessionOps = {
  ...realOps,
  openAppend: path => openSync(path, appendFlags),
  createAppend: (path, mode) => openSync(path, appendFlags | constants.O_CREAT | constants.O_EXCL | noFollow, mode),
  writeOnce: (fd, bytes, from) => writeSync(fd, bytes, from, bytes.length - from),
  truncate: (fd, size) => ftruncateSync(fd, size),
}
