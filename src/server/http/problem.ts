// What can go wrong with a request, as errors that say what to do. How they are sent is decided in server.ts.

import { UserError } from '../../answers/error.ts'

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

const statuses = { input: 400, missing: 404, forbidden: 403, conflict: 409 } as const

/** What a question could not answer, as a problem of the request; null for an error that nobody can act on. */
export function problemOf(error: unknown): ProblemError | null {
  if (error instanceof ProblemError) return error
  return error instanceof UserError ? new ProblemError(statuses[error.kind], error.message, error.hint) : null
}
