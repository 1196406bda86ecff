// What a search of all sessions answers, as the web app asks for it: grouped by session, without paths.

import { canonicalPlace } from '../../archive/store/place.ts'
import { parseQuery } from '../../index/search/query.ts'
import { type SearchHit, type SearchOptions, search } from '../../index/search/search.ts'
import { indexedSession } from '../../index/search/sessions.ts'
import type { Database } from '../../index/store/port.ts'
import type { ByteSource } from '../../model/source.ts'
import type { SearchHitRow, SearchResult } from './api.ts'
import type { Scope } from './scope.ts'

export interface SearchAsk {
  text: string
  /** Sessions, at most. */
  count: number
  now: number
  timezone?: string
}

/** Nobody types more than this. */
export const longestQuery = 2_000
const perSession = 4

export function searchSessions(db: Database, source: ByteSource, scope: Scope, ask: SearchAsk): SearchResult {
  const text = ask.text.slice(0, longestQuery)
  const query = parseQuery(text, { now: ask.now, timezone: ask.timezone })
  const options: SearchOptions = { limit: ask.count, isGrouped: true, perSession, now: ask.now, columns: 200 }
  if (scope.isScoped) options.roots = scope.roots.flatMap(root => [root, canonicalPlace(root)])
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
    ).map(toRow),
    problems: problems.map(({ message, instead }) => ({
      message,
      ...(instead !== undefined && { suggestion: instead }),
    })),
  }
}

/** Lines of prompt histories may be of sessions that are long gone: nobody could open them. */
function isThere(db: Database, session: string): boolean {
  return indexedSession(db, session) !== null
}

/** Hits of one session together, sessions in the order of their best one. */
function inGroups(hits: readonly SearchHit[], sessions: readonly { session: string }[]): SearchHit[] {
  const lists = new Map<string, SearchHit[]>(sessions.map(({ session }) => [session, []]))
  for (const hit of hits) lists.get(hit.session)?.push(hit)
  return [...lists.values()].flat()
}

function toRow(hit: SearchHit): SearchHitRow {
  const { session, thread, event, kind, at, title, project, snippet, highlights, copies, isArchived } = hit
  const row: SearchHitRow = {
    session,
    thread,
    event,
    kind,
    at,
    title,
    project: project.cwd ?? project.slug,
    snippet,
    highlights,
  }
  if (copies !== undefined) row.copies = copies
  if (isArchived) row.isArchived = true
  return row
}
