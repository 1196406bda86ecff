// What the index knows: rows, graphs and usage as they were stored. It reads no log but where the index has not all of a
// session as it is now.

import { SessionRows } from '../../index/search/session-rows.ts'
import { type InScope, indexedSessions } from '../../index/search/sessions.ts'
import { usageCells, usageMessages } from '../../index/search/usage.ts'
import type { SessionFiles } from '../../model/source.ts'
import { loadSession } from '../../session/load.ts'
import type { Clew } from '../clew.ts'
import { memo } from '../memo.ts'
import { byPlace, type ListRow, projectsOf, rowOfSummary } from '../sessions/rows.ts'
import { indexFor } from './index-use.ts'
import type { KnownSessions, Knows } from './knows.ts'
import type { UsedIndex } from './used-index.ts'

export function fromIndex(index: UsedIndex, clew: Clew): Knows {
  const { db, isInScope, isStale, isSample, findings } = index
  const origin = { from: 'index', isStale, isSample, findings } as const
  let rows: SessionRows | undefined
  return {
    from: 'index',
    async sessions({ filters, only }) {
      // The index does not have the text of prompts and answers.
      const known = filters.grep === undefined ? await knownSessions(clew) : null
      if (known === null || only === undefined) return known
      return { ...known, rows: known.rows.filter(({ session }) => session.id === only) }
    },
    async graph(session) {
      rows ??= new SessionRows(db)
      return rows.graph(session) ?? (await loadSession(clew.source, session))
    },
    async cells(query) {
      const withSessions = query.withSessions !== false
      const cells = usageCells(db, { ...query, withSessions, ...(isInScope !== undefined && { isInScope }) })
      return cells === null ? null : { ...origin, cells }
    },
    async messages() {
      const found = usageMessages(db, isInScope)
      return found === null ? null : { ...origin, ...found }
    },
  }
}

/** Null where there is no index, or it has no sessions of these roots: files may still have some. */
const knownSessions = memo(async (clew): Promise<KnownSessions | null> => {
  const index = await indexFor(clew)
  if (index === null) return null
  const rows = rowsIn(index, clew)
  if (rows === null || (rows.length === 0 && clew.upkeep === undefined)) return null
  return {
    rows,
    sessions: rows.map(row => row.session),
    projects: projectsOf(rows),
    findings: index.findings.filter(finding => finding.code.startsWith('unreadable')),
    isSample: index.isSample,
    isExact: true,
  }
})

/** Null where files have to be read: of a session that is partly in scope, the index has only the whole. */
function rowsIn({ db, isInScope }: UsedIndex, clew: Clew): ListRow[] | null {
  let found = indexedSessions(db, isInScope)
  // A server shows the whole rather than read files while it answers.
  if (found === null && clew.upkeep !== undefined && isInScope !== undefined)
    found = indexedSessions(db)?.filter(({ session }) => hasAnyIn(session, isInScope)) ?? null
  const rows = found?.map(({ session, facts }) => rowOfSummary(session, facts)) ?? null
  return rows?.sort((one, other) => byPlace(one.session, other.session)) ?? null
}

function hasAnyIn({ logs, side }: SessionFiles, isInScope: InScope): boolean {
  return [...logs, ...side].some(file => isInScope(file.path))
}
