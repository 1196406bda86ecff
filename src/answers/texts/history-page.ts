// The history screen: what was typed, the last first, from the sessions and from the prompt histories, which outlive them.
// A prompt that both have is listed once, with its place in the session.

import { toMillis } from '../../base/instant.ts'
import { asString } from '../../base/json.ts'
import { type TypedPrompt, typedPrompts } from '../../index/search/prompts.ts'
import { SessionRows } from '../../index/search/session-rows.ts'
import { historyPaths } from '../../index/search/sessions.ts'
import type { Database } from '../../index/store/port.ts'
import { blocksText } from '../../model/event.ts'
import { QueueReader } from '../../model/queue.ts'
import type { SessionFiles } from '../../model/source.ts'
import type { HistoryPrompt } from '../../schema/contract-shapes.ts'
import { isInProject, type Project, shortName } from '../../session/projects.ts'
import { historyFile, linkPrompts, readHistory } from '../../session/scan/history-prompts.ts'
import type { SummaryRow } from '../../session/summary.ts'
import type { Clew } from '../clew.ts'
import { neededIndex } from '../knows/index-use.ts'
import { memo } from '../memo.ts'
import { type Filters, readFilters, readOrder } from '../sessions/filters.ts'
import { knownRows } from '../sessions/known.ts'
import type { ListRow } from '../sessions/rows.ts'
import type { HistoryAnswer, HistoryEntry, QueryWords } from '../shapes.ts'

const usualLimit = 200
const mostPrompts = 1_000
/** Of one text; the session has the rest. */
const longestText = 2_000

export async function historyPage(clew: Clew, query: QueryWords): Promise<HistoryAnswer> {
  const now = Date.now()
  const filters = readFilters(query, clew, now)
  const { offset, limit } = readOrder({ limit: usualLimit, ...query })
  const all = await typedHistory(clew)
  const fitting = all.filter(entry => fits(entry, filters))
  return {
    prompts: fitting.slice(offset, offset + Math.min(mostPrompts, limit)),
    total: fitting.length,
    offset,
    projects: [...new Set(all.flatMap(({ project }) => project ?? []))],
  }
}

const typedHistory = memo(historyEntries)

function fits({ at, text, project }: HistoryEntry, { words = [], since, until, project: wanted }: Filters): boolean {
  if (wanted !== undefined && `=${project}` !== wanted && !isInProject({ cwd: project, slug: '' }, wanted)) return false
  const ms = toMillis(at)
  if (since !== undefined && (ms === null || ms < since)) return false
  if (until !== undefined && (ms === null || ms >= until)) return false
  const lower = words.length === 0 ? '' : text.toLowerCase()
  return words.every(word => lower.includes(word))
}

async function historyEntries(clew: Clew): Promise<readonly HistoryEntry[]> {
  const { db, isInScope } = await neededIndex(clew)
  const known = await knownRows(clew)
  const entries = known.rows.flatMap(row => {
    const project = known.project(row.session.id)
    return row.facts === undefined || project === undefined ? [] : [entryWith(row, row.facts, project)]
  })
  const byId = new Map(entries.map(entry => [entry.session.id as string, entry]))
  const sent = typedPrompts(db).filter(({ session }) => byId.has(session))
  const typed = [...sent, ...queuedPrompts(db, entries, sent)]
  const listed = typed.map(prompt => entryOf(prompt, byId))
  const files = historyPaths(db, isInScope).flatMap(path => historyFile(path, clew) ?? [])
  const prompts = await readHistory(files, clew)
  const sessions = entries.map(({ session }) => session)
  linkPrompts(prompts, sessions, () => entries.map(({ session, facts }) => ({ ...facts, session })))
  const inSessions = new KnownPrompts(typed)
  const others = prompts.filter(prompt => !inSessions.has(prompt)).map(prompt => historyOnly(prompt, byId))
  const names = new Map(entries.map(({ project, projectName }) => [project, projectName]))
  for (const entry of [...listed, ...others])
    if (entry.project !== null) entry.projectName = names.get(entry.project) ?? shortName(entry.project)
  return [...listed, ...others].sort((one, other) => (toMillis(other.at) ?? 0) - (toMillis(one.at) ?? 0))
}

/** Prompts that only lines of a queue have: looked for where fewer records are prompts than the session counts. */
function queuedPrompts(db: Database, entries: readonly ListEntry[], sent: readonly TypedPrompt[]): TypedPrompt[] {
  const counts = new Map<string, number>()
  for (const { session } of sent) counts.set(session, (counts.get(session) ?? 0) + 1)
  const rows = new SessionRows(db)
  return entries.flatMap(({ session, facts }) => {
    if (facts.prompts <= (counts.get(session.id) ?? 0)) return []
    const queue = new QueueReader()
    const graph = rows.graph(session)
    for (const event of graph?.events ?? []) if (event.thread === (session.id as string)) queue.see(event)
    return queue.prompts().map(({ prompt }) => ({
      session: session.id,
      event: prompt.id,
      at: toMillis(prompt.at),
      text: (blocksText(prompt.blocks) || (asString(prompt.detail?.['content']) ?? '')).trim(),
      cwd: prompt.cwd ?? facts.cwd,
    }))
  })
}

interface ListEntry {
  session: SessionFiles
  facts: SummaryRow
  /** Key and name of its project. */
  project: string
  projectName: string
}

function entryWith({ session }: ListRow, facts: SummaryRow, { key, name }: Project): ListEntry {
  return { session, facts, project: key, projectName: name }
}

function entryOf({ session, event, at, text, cwd }: TypedPrompt, byId: ReadonlyMap<string, ListEntry>): HistoryEntry {
  return {
    at: at === null ? null : new Date(at).toISOString(),
    project: byId.get(session)?.project ?? cwd,
    text: text.slice(0, longestText),
    session,
    event,
    title: byId.get(session)?.facts.title ?? session,
  }
}

function historyOnly(prompt: HistoryPrompt, byId: ReadonlyMap<string, ListEntry>): HistoryEntry {
  const entry: HistoryEntry = { at: prompt.at, project: prompt.project, text: prompt.text.slice(0, longestText) }
  const known = prompt.session === undefined ? undefined : byId.get(prompt.session)
  if (known === undefined) return entry
  const isSure = prompt.linkedBy === 'id' || prompt.linkedBy === 'text'
  return { ...entry, session: known.session.id, title: known.facts.title, ...(!isSure && { isGuessed: true as const }) }
}

/** Clocks of the two files differ a little, and a prompt may wait until it is sent. */
const slackMs = 10 * 60_000
const comparedLetters = 120

/** Which prompts of a history are in a session that is read anyway. */
class KnownPrompts {
  private readonly times = new Map<string, (number | null)[]>()

  constructor(typed: readonly TypedPrompt[]) {
    for (const { session, text, cwd, at } of typed) {
      for (const key of [`s ${session}`, `p ${cwd}`]) this.add(`${key} ${start(text)}`, at)
    }
  }

  has({ session, project, text, at }: HistoryPrompt): boolean {
    const key = session === undefined ? `p ${project}` : `s ${session}`
    const times = this.times.get(`${key} ${start(text)}`)
    const ms = toMillis(at)
    return times?.some(one => one === null || ms === null || Math.abs(one - ms) < slackMs) === true
  }

  private add(key: string, at: number | null): void {
    const times = this.times.get(key)
    if (times) times.push(at)
    else this.times.set(key, [at])
  }
}

/** What is pasted stands for itself in a history and as text in a session: only what comes before it is compared. */
function start(text: string): string {
  const [typed = ''] = text.split('[Pasted text')
  return typed.replace(/\s+/g, ' ').trim().slice(0, comparedLetters)
}
