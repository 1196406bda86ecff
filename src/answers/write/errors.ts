// Errors of the writer are about what was asked for: they are printed as one line.

import { escapeForLine } from '../../base/escape.ts'
import { WriteError } from '../../write/wire/error.ts'
import { UserError } from '../error.ts'
import { withUserErrors as withFileErrors } from '../file-errors.ts'

/** What to do where the session may be in use. */
export const forceAdvice = '--force does it all the same.'

/** Those of files too. `advice`: a sentence behind the error that a session may be in use. */
export async function withUserErrors<Result>(act: () => Result | Promise<Result>, advice = ''): Promise<Result> {
  try {
    return await withFileErrors(async () => act())
  } catch (error) {
    if (!(error instanceof WriteError)) throw error
    const message = error.code === 'in-use' ? `${error.message} ${advice}` : error.message
    throw new UserError(escapeForLine(message).trimEnd(), error.code === 'not-found' ? 'missing' : 'conflict')
  }
}
