// Errors that people can act on. Who asked decides how they are shown: a line and an exit code, or a status and JSON.

/** `input`: what was asked cannot be understood; `missing`: not there; `forbidden`: not allowed; `conflict`: not possible now. */
export type ErrorKind = 'input' | 'missing' | 'forbidden' | 'conflict'

/** An error that people can act on: its message is one line, without a stack. */
export class UserError extends Error {
  override readonly name: string = 'UserError'
  readonly kind: ErrorKind
  /** What to do about it. */
  readonly hint: string | undefined

  constructor(message: string, kind: ErrorKind = 'input', hint?: string) {
    super(message)
    this.kind = kind
    this.hint = hint
  }
}

/** Nothing is what a text names. */
export class NotFoundError extends UserError {
  override readonly name = 'NotFoundError'

  constructor(message: string, hint?: string) {
    super(message, 'missing', hint)
  }
}

/** Somebody stopped the work before there was an answer. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted'
}

export function badRequest(message: string, hint?: string): UserError {
  return new UserError(message, 'input', hint)
}

export function notFound(message: string, hint?: string): UserError {
  return new NotFoundError(message, hint)
}

export function forbidden(message: string, hint?: string): UserError {
  return new UserError(message, 'forbidden', hint)
}

export function conflict(message: string, hint?: string): UserError {
  return new UserError(message, 'conflict', hint)
}
