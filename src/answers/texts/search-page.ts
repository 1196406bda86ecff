// The search of all sessions as the web app shows it: grouped by session, without paths.

import { parseQuery } from '../../index/search/query.ts'
import { type SearchHit, type SearchOptions, search } from '../../index/search/search.ts'
import { indexedSession } from '../../index/search/sessions.ts'
import type { Database } from '../../index/store/port.ts'
import type { ByteSource } from '../../model/source.ts'
import type { Clew } from '../clew.ts'
import { scopeOf } from '../scope.ts'
import type { ListEntry } from '../sessions/page-order.ts'
import type { SearchHitRow, SearchResult } from '../shapes.ts'

interface SearchInput {
  text: string
  /** Sessions, at most. */
  count: number
  now: number
  timezone?: string
}

const longestQuery = 2_000
const perSession = 4

/** `entryOf`: the row of a session in lists. */
export function searchSessions(
  db: Database,
  source: ByteSource,
  clew: Clew,
  entryOf: (session: string) => ListEntry | undefined,
  input: SearchInput,
): SearchResult {
  const text = input.text.slice(0, longestQuery)
  const query = parseQuery(text, { now: input.now, timezone: input.timezone })
  const options: SearchOptions = { limit: input.count, isGrouped: true, perSession, now: input.now, columns: 200 }
  const { places } = scopeOf(clew)
  if (places !== undefined) options.roots = places
  const answer = search(db, source, query, options)
  const { total, isTotalLowerBound, sessionTotal, tookMs, problems } = answer
  return {
    query: text,
    total,
    isTotalLowerBound,
    sessionTotal,
    tookMs,
    hits: inGroups(
      answer.hits,
      answer.sessions.filter(({ session }) => isThere(db, session)),
    ).map(hit => toRow(hit, entryOf(hit.session))),
    problems: problems.map(({ message, instead }) => ({
      message,
      ...(instead !== undefined && { suggestion: instead }),
    })),
  }
}

/** Prompt histories may name sessions that are long gone and cannot be opened. */
function isThere(db: Database, session: string): boolean {
  return indexedSession(db, session) !== null
}

/** Hits of one session together, sessions in the order of their best one. */
function inGroups(hits: readonly SearchHit[], sessions: readonly { session: string }[]): SearchHit[] {
  const lists = new Map<string, SearchHit[]>(sessions.map(({ session }) => [session, []]))
  for (const hit of hits) lists.get(hit.session)?.push(hit)
  return [...lists.values()].flat()
}

function toRow(hit: SearchHit, entry: ListEntry | undefined): SearchHitRow {
  const { session, thread, event, label, at, title, project, snippet, highlights, storedIn, copies, isArchived } = hit
  const row: SearchHitRow = {
    session,
    thread,
    event,
    label,
    at,
    title,
    project: entry?.project ?? project.cwd ?? project.slug,
    projectName: entry?.projectName ?? project.name,
    snippet,
    highlights,
  }
  if (storedIn !== undefined) row.storedIn = storedIn.split(/[\\/]/).slice(-2).join('/')
  if (copies !== undefined) row.copies = copies
  if (isArchived) row.isArchived = true
  return row
}
