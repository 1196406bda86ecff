// The search of all sessions as the web app shows it: grouped by session, without paths.

import { parseQuery } from '../../index/search/query.ts'
import { type SearchHit, type SearchOptions, search } from '../../index/search/search.ts'
import { indexedSession } from '../../index/search/sessions.ts'
import type { Database } from '../../index/store/port.ts'
import type { Clew } from '../clew.ts'
import { neededIndex } from '../knows/index-use.ts'
import { scopeOf } from '../scope.ts'
import { readLimit } from '../sessions/filters.ts'
import { type KnownRows, knownRows } from '../sessions/known.ts'
import type { QueryWords, SearchHitRow, SearchResult } from '../shapes.ts'

const longestQuery = 2_000
const perSession = 4
const usualSessions = 20

export async function searchSessions(clew: Clew, { q = '', limit }: QueryWords): Promise<SearchResult> {
  const now = Date.now()
  const text = q.slice(0, longestQuery)
  const query = parseQuery(text, { now, timezone: clew.timezone })
  const options: SearchOptions = {
    limit: readLimit(limit ?? usualSessions),
    isGrouped: true,
    perSession,
    now,
    columns: 200,
  }
  const { places } = scopeOf(clew)
  if (places !== undefined) options.roots = places
  const { db, source } = await neededIndex(clew)
  const rows = await knownRows(clew)
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
    ).map(hit => toRow(hit, rows)),
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

function toRow(hit: SearchHit, rows: KnownRows): SearchHitRow {
  const { session, thread, event, label, at, title, project, snippet, highlights, storedIn, copies, isArchived } = hit
  const known = rows.project(session)
  const row: SearchHitRow = {
    session,
    thread,
    event,
    label,
    at,
    title,
    project: known?.key ?? project.cwd ?? project.slug,
    projectName: known?.name ?? project.name,
    snippet,
    highlights,
  }
  if (storedIn !== undefined) row.storedIn = storedIn.split(/[\\/]/).slice(-2).join('/')
  if (copies !== undefined) row.copies = copies
  if (isArchived) row.isArchived = true
  return row
}
