// Errors of the index as one line for people: what is wrong, and what to do. It opens none.

import { FileError } from '../../files/error.ts'
import { ChangedIndexError, isDamage, UnusableIndexError } from '../../index/store/open.ts'
import { isSqliteError } from '../../index/store/port.ts'
import { NewerIndexError } from '../../index/store/schema.ts'
import { UserError } from '../error.ts'
import { sentence } from '../file-errors.ts'

/** Null for an error that is not about the index. */
export function indexError(error: unknown): UserError | null {
  if (error instanceof NewerIndexError)
    return new UserError(`${error.message}; use that version, or another folder with --home`)
  if (error instanceof FileError) return new UserError(sentence(error.message))
  if (error instanceof ChangedIndexError) return new UserError(`${error.message}; to rebuild it: clew index rebuild`)
  if (error instanceof UnusableIndexError || isDamage(error))
    return new UserError('the index is damaged; to rebuild it: clew index rebuild')
  return isSqliteError(error) ? new UserError(`cannot use the index: ${error.message}`) : null
}
