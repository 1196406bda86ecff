// What a list shows of sessions besides their numbers, from the index: where along them things happened, and which belong
// together. Each is looked up once and again when it changed.

import { sessionFamilies } from '../../index/search/families.ts'
import { type ThreadMarks, threadMarks } from '../../index/search/thread-marks.ts'
import type { Clew } from '../clew.ts'
import { indexFor } from '../knows/index-use.ts'
import { latest, memo } from '../memo.ts'
import type { Families } from './groups.ts'
import type { ListRow } from './rows.ts'

const none: Families = new Map()

/** None without an index. */
export const familiesOf = memo(async (clew): Promise<Families> => {
  const index = await indexFor(clew)
  return index === null ? none : sessionFamilies(index.db)
})

/** Sessions whose marks are remembered. */
const mostHeld = 5_000

type MarksAt = ReturnType<typeof latest<string, ThreadMarks | null>>
const held = new WeakMap<Clew, MarksAt>()

/** Null for a session that is not indexed. A session that did not change is not looked at again, whatever else did. */
export async function marksIn(clew: Clew): Promise<(row: ListRow) => ThreadMarks | null> {
  const index = await indexFor(clew)
  const marksAt: MarksAt = held.get(clew) ?? latest(mostHeld)
  held.set(clew, marksAt)
  return ({ session, facts }) => {
    if (index === null || facts === undefined) return null
    const state = `${facts.events} ${facts.endedAt} ${facts.errors} ${facts.subagents}`
    return marksAt(session.id, state, () => threadMarks(index.db, session.id))
  }
}
