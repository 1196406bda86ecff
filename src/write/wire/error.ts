// What can go wrong when a session is written: a code for programs and one sentence for people. Nothing is written before
// input was checked, so that an error of `invalid` kind leaves every file as it was.

/** What went wrong, for programs. Codes of the system (`ENOSPC`, `EIO`, …) come as they are. */
export type WriteErrorCode =
  | 'unknown-parent' // the named parent is not in the session
  | 'no-call' // a result names a call that was not made, or has its result already
  | 'role-order' // an answer where no prompt was, a result in the middle of another's turn
  | 'not-json' // NaN, Infinity, a function, a loop: JSON has no word for it
  | 'lone-surrogate' // half of a surrogate pair: no UTF-8
  | 'too-large' // a record over 64 MiB, which no reader takes
  | 'bad-input' // anything else about what was to be written
  | 'exists' // the file that would be made is there
  | 'not-found'
  | 'in-use' // Claude Code, or another program, may be writing to the session
  | 'locked' // another writer of Clew has it
  | 'not-resumable' // Claude Code would find no conversation in it
  | 'closed'

/** Thrown by everything in this folder. */
export class WriteError extends Error {
  override readonly name = 'WriteError'
  readonly code: WriteErrorCode | (string & {})
  /** The file, or the path within the input (`blocks[2].input.size`), that it is about. */
  readonly path?: string

  constructor(code: WriteErrorCode | (string & {}), message: string, path?: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
    if (path !== undefined) this.path = path
  }
}
