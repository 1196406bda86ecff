// What can go wrong with a request, as errors that say what to do. How they are sent is decided in server.ts.

/** 400: cannot be understood; 403: not allowed; 404: not there; 405: other method; 408, 413: body; 409: not possible now. */
type ProblemStatus = 400 | 403 | 404 | 405 | 408 | 409 | 413

export class ProblemError extends Error {
  readonly status: ProblemStatus
  /** What to do about it. */
  readonly hint: string | undefined
  /** Methods that the address takes instead. */
  readonly allowed: readonly string[] | undefined

  constructor(status: ProblemStatus, message: string, hint?: string, allowed?: readonly string[]) {
    super(message)
    this.name = 'ProblemError'
    this.status = status
    this.hint = hint
    this.allowed = allowed
  }
}

export function notFound(message: string, hint?: string): ProblemError {
  return new ProblemError(404, message, hint)
}

export function forbidden(message: string, hint?: string): ProblemError {
  return new ProblemError(403, message, hint)
}

export function conflict(message: string, hint?: string): ProblemError {
  return new ProblemError(409, message, hint)
}

export function badRequest(message: string, hint?: string): ProblemError {
  return new ProblemError(400, message, hint)
}
