// What can go wrong with a question, as errors that say what to do. How they travel is decided by whoever answers requests.

/** 404: there is no such thing; 403: not here; 409: not now, or not as things are; 400: the question makes no sense. */
export type ProblemStatus = 400 | 403 | 404 | 409

export class ProblemError extends Error {
  readonly status: ProblemStatus
  /** What to do about it. */
  readonly hint: string | undefined

  constructor(status: ProblemStatus, message: string, hint?: string) {
    super(message)
    this.name = 'ProblemError'
    this.status = status
    this.hint = hint
  }
}

export function notFound(what: string, hint?: string): ProblemError {
  return new ProblemError(404, what, hint)
}

export function refused(what: string, hint?: string): ProblemError {
  return new ProblemError(403, what, hint)
}

export function conflict(what: string, hint?: string): ProblemError {
  return new ProblemError(409, what, hint)
}

export function badQuestion(what: string, hint?: string): ProblemError {
  return new ProblemError(400, what, hint)
}
