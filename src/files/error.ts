// What goes wrong with a file of ours, as one sentence a person can act on. It does not decide what happens next.

import { errorCode } from '../base/error-code.ts'

/** A failure of a file or folder that Clew keeps or writes: the message is a whole sentence, the code is for programs. */
export class FileError extends Error {
  override readonly name = 'FileError'
  /** The system's code (`ENOSPC`, `EIO`, …) or a word of ours (`locked`, `not-a-folder`, …). */
  readonly code: string
  /** The file or folder it happened to; absent when it is about none. */
  readonly path?: string

  constructor(code: string, message: string, path?: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
    if (path !== undefined) this.path = path
  }
}

/** Distinguishes a failure of what is written from one of the file that is being read: `cause` is the error itself. */
export class StoreFailure extends Error {
  override readonly name = 'StoreFailure'
}

const sentences: Record<string, (path: string) => string> = {
  ENOSPC: path => `The disk is full: ${path} could not be written. What was written before is untouched.`,
  EDQUOT: path => `Your disk quota is used up: ${path} could not be written. What was written before is untouched.`,
  EIO: path => `The disk reported an error while ${path} was written. It may be failing: look at its health.`,
  EROFS: path => `${path} cannot be written because its file system is read-only.`,
  EACCES: path => `${path} cannot be written: permission denied.`,
  EPERM: path => `${path} cannot be written: the system does not permit it.`,
  ENAMETOOLONG: path => `${path} cannot be written: the name is too long for this file system.`,
  EMFILE: path => `${path} cannot be opened: this process has too many files open.`,
  ENFILE: path => `${path} cannot be opened: the system has too many files open.`,
}

/** The clear sentence for a system call on `path` that failed; an FileError is passed through. */
export function writeFailure(error: unknown, path: string): FileError {
  if (error instanceof StoreFailure) return writeFailure(error.cause, path)
  if (error instanceof FileError) return error
  const code = errorCode(error)
  const reason = error instanceof Error ? error.message : String(error)
  const message = sentences[code]?.(path) ?? `${path} cannot be written: ${reason}.`
  return new FileError(code, message, path, error)
}
