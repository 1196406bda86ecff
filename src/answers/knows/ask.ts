// Asks who knows, the quickest first: the index where there is one, then the logs.

import type { Clew } from '../clew.ts'
import { conflict } from '../error.ts'
import { indexFor } from './index-use.ts'
import type { Knows } from './knows.ts'

/** Who knows, the quickest first. A server waits for its index rather than read all logs. */
export async function whoKnows(clew: Clew): Promise<Knows[]> {
  const index = await indexFor(clew)
  const fromIndex = index === null ? [] : [(await import('./from-index.ts')).fromIndex(index, clew)]
  if (fromIndex.length > 0 && clew.upkeep !== undefined) return fromIndex
  return [...fromIndex, (await import('./from-logs.ts')).fromLogs(clew)]
}

/** The answer of the first who knows. */
export async function ask<Answer>(clew: Clew, question: (knows: Knows) => Promise<Answer | null>): Promise<Answer> {
  for (const knows of await whoKnows(clew)) {
    const answer = await question(knows)
    if (answer !== null) return answer
  }
  throw conflict('The sessions are being indexed.', 'Try again in a moment.')
}
