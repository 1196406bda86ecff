// The search of all sessions as the web app shows it: what `clew search` finds, grouped by session, without paths.

import type { SearchHit } from '../../index/search/search.ts'
import type { Clew } from '../clew.ts'
import { type KnownRows, knownRows } from '../sessions/known.ts'
import type { QueryWords, SearchHitRow, SearchResult } from '../shapes.ts'
import { searchTexts } from './search.ts'

const longestQuery = 2_000
const manner = { perSession: 4, columns: 200, toleratesErrors: true }
const usualSessions = '20'

export async function searchSessions(clew: Clew, { q = '', limit = usualSessions }: QueryWords): Promise<SearchResult> {
  const query = q.slice(0, longestQuery)
  const { answer } = await searchTexts(clew, query, { limit }, manner)
  const rows = await knownRows(clew)
  const { total, isTotalLowerBound, sessionTotal, tookMs, problems, sessions, hits } = answer
  // Prompt histories may name sessions that are long gone and cannot be opened.
  const there = sessions.filter(({ session }) => rows.row(session) !== undefined)
  return {
    ...{ query, total, isTotalLowerBound, sessionTotal, tookMs },
    hits: inGroups(hits, there).map(hit => toRow(hit, rows)),
    problems: problems.map(({ message, instead }) => ({
      message,
      ...(instead !== undefined && { suggestion: instead }),
    })),
  }
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
  return {
    ...{ session, thread, event, label, at, title, snippet, highlights },
    project: known?.key ?? project.cwd ?? project.slug,
    projectName: known?.name ?? project.name,
    ...(storedIn !== undefined && { storedIn: storedIn.split(/[\\/]/).slice(-2).join('/') }),
    ...(copies !== undefined && { copies }),
    ...(isArchived && { isArchived }),
  }
}
