// The history screen: the prompts that `clew history` prints, the last first, with the titles of their sessions.

import type { Clew } from '../clew.ts'
import { neededIndex } from '../knows/index-use.ts'
import { type KnownRows, knownRows } from '../sessions/known.ts'
import type { HistoryAnswer, HistoryEntry, QueryWords } from '../shapes.ts'
import { historyOf, type PastPrompt } from './history.ts'

const usualLimit = 200
const mostPrompts = 1_000
/** Of one text; the session has the rest. */
const longestText = 2_000

export async function historyPage(clew: Clew, query: QueryWords): Promise<HistoryAnswer> {
  await neededIndex(clew)
  const rows = await knownRows(clew)
  const limit = Number(query['limit'] ?? usualLimit)
  const { prompts, total, offset, all } = await historyOf(clew, { ...query, limit: Math.min(limit, mostPrompts) })
  return {
    prompts: [...prompts].reverse().map(one => entryOf(one, rows)),
    total,
    offset,
    projects: [...new Set([...all].reverse().flatMap(({ projectKey }) => projectKey ?? []))],
  }
}

function entryOf({ prompt, event, projectKey, projectName }: PastPrompt, rows: KnownRows): HistoryEntry {
  const { at, text, session, linkedBy } = prompt
  const entry: HistoryEntry = { at, project: projectKey, text: text.slice(0, longestText) }
  if (projectName !== undefined) entry.projectName = projectName
  if (event !== undefined) entry.event = event
  const row = session === undefined ? undefined : rows.row(session)
  if (row === undefined) return entry
  const isSure = linkedBy === 'id' || linkedBy === 'text'
  return { ...entry, session: row.session.id, title: row.title, ...(!isSure && { isGuessed: true as const }) }
}
