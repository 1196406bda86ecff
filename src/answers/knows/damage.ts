// What is said of an index that SQLite finds unusable only while it answers. Opening it says what is wrong before that.

import type { Clew } from '../clew.ts'
import { UserError } from '../error.ts'

/** For people where it is about the index; else the error itself. A damaged one is rebuilt by the next refresh. */
export async function indexErrorOr(error: unknown, { home }: Pick<Clew, 'home'>): Promise<unknown> {
  if (!(error instanceof Error) || (error as { code?: unknown }).code !== 'ERR_SQLITE_ERROR') return error
  const { hasFoundDamage } = await import('../../index/store/open.ts')
  if (hasFoundDamage(error, home))
    return new UserError('the index is damaged; run this again to rebuild the index and get an answer')
  return new UserError(`cannot use the index: ${error.message}; to rebuild it: clew index rebuild`)
}
