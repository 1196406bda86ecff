// Errors of the writer are about what was asked for: they are printed as one line.

import { escapeForLine } from '../../base/escape.ts'
import { WriteError } from '../../write/wire/error.ts'
import { UserError } from '../command.ts'
import { withUserErrors as withArchiveErrors } from '../commands/archive/archive-open.ts'

/** Those of the archive too. `advice`: a sentence behind an error of the writer. */
export async function withUserErrors<Result>(act: () => Result | Promise<Result>, advice = ''): Promise<Result> {
  try {
    return await withArchiveErrors(async () => act())
  } catch (error) {
    if (!(error instanceof WriteError)) throw error
    throw new UserError(`${escapeForLine(error.message)} ${advice}`.trimEnd())
  }
}
