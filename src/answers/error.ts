// Errors that people can act on. Who asked decides how they are shown: a line and an exit code, or a status and JSON.

/** An error that people can act on: its message is one line, without a stack. */
export class UserError extends Error {
  override readonly name: string = 'UserError'
}

/** Nothing is what a text names. */
export class NotFoundError extends UserError {
  override readonly name = 'NotFoundError'
}

/** Somebody stopped the work before there was an answer. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted'
}
