// What the index knows: rows, graphs and usage as they were stored. It reads no log but where the index has not all of a
// session as it is now.

import { toMillis } from '../../base/instant.ts'
import { type TypedPrompt, typedPrompts } from '../../index/search/prompts.ts'
import { SessionRows } from '../../index/search/session-rows.ts'
import { historyPaths, type InScope, indexedSessions } from '../../index/search/sessions.ts'
import { usageCells, usageMessages } from '../../index/search/usage.ts'
import type { Database } from '../../index/store/port.ts'
import { isInherited } from '../../model/origin.ts'
import { QueueReader } from '../../model/queue.ts'
import type { SessionFiles } from '../../model/source.ts'
import { typedText } from '../../model/typed-text.ts'
import { loadSession } from '../../session/load.ts'
import { historyFile } from '../../session/scan/history-prompts.ts'
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
    async prompts() {
      const known = await knownSessions(clew)
      if (known === null) return null
      const typed = typedPrompts(db)
      const histories = historyPaths(db, isInScope).flatMap(path => historyFile(path, clew) ?? [])
      return { typed: [...typed, ...queuedPrompts(db, known.rows, typed)], histories, findings: [] }
    },
  }
}

/** Prompts that only lines of a queue have: looked for where fewer records are prompts than the session counts. */
function queuedPrompts(db: Database, rows: readonly ListRow[], sent: readonly TypedPrompt[]): TypedPrompt[] {
  // A session that is in two places has each prompt twice.
  const counts = new Map<string, Set<string>>()
  for (const { session, event } of sent) counts.set(session, (counts.get(session) ?? new Set()).add(event))
  const graphs = new SessionRows(db)
  return rows.flatMap(({ session, facts, cwd }) => {
    if (facts === undefined || facts.prompts <= (counts.get(session.id)?.size ?? 0)) return []
    const queue = new QueueReader()
    for (const event of graphs.graph(session)?.events ?? []) if (!isInherited(event)) queue.see(event)
    return queue.prompts().map(({ prompt }) => ({
      session: session.id,
      event: prompt.id,
      at: toMillis(prompt.at),
      text: typedText(prompt),
      cwd: prompt.cwd ?? cwd,
    }))
  })
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
