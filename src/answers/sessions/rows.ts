// Rows of lists, before they are printed: sessions from the ends of their files or from all their records, and projects as
// groups of sessions. It reads no file.

import { toMillis } from '../../base/instant.ts'
import type { Background } from '../../disk/discover/background.ts'
import { isUnnamed } from '../../disk/discover/folder-titles.ts'
import type { Retention } from '../../disk/discover/homes.ts'
import { bytesOf, isOnDisk, lastChange, type SessionFiles, setAsideOf } from '../../model/source.ts'
import { totalTokens } from '../../model/usage.ts'
import type { ProjectRow, SessionRow } from '../../schema/contract-shapes.ts'
import { type Placed, Projects } from '../../session/projects.ts'
import type { QuickRow } from '../../session/scan/quick-rows.ts'
import type { SummaryRow } from '../../session/summary.ts'
import { inheritedUsage, type SessionUsage, shownCost } from '../../usage/session-usage.ts'
import type { Doubts } from '../../view/words.ts'

export interface ListRow extends QuickRow {
  /** Present where full files were read. */
  facts?: SummaryRow
  /** What it sent itself; present where it is reported. */
  spent?: SessionUsage
  /** Whether it matches `--grep`; absent without it. */
  isMatch?: boolean
  /** How far it is, of a session in the background. */
  background?: Background
}

/** What is known about sessions apart from their records. */
export interface ListContext {
  now: number
  /** Null where nothing is deleted: the bundled sample. */
  retention: Retention | null
  /** Of all sessions. */
  projects: Projects
  /** Whether the archive has all of it. */
  isArchived(session: SessionFiles): boolean
  /** Whether it is being written. */
  isLive(row: ListRow): boolean
}

export function rowOfSummary(session: SessionFiles, facts: SummaryRow): ListRow {
  const { title, titleFrom, cwd, startedAt, endedAt, gitBranch } = facts
  const row: ListRow = {
    session,
    title,
    titleFrom,
    cwd,
    startedAt,
    endedAt,
    bytes: bytesOf(session),
    modifiedMs: lastChange(session),
    facts,
  }
  if (gitBranch !== undefined) row.gitBranch = gitBranch
  if (facts.tag !== undefined) row.tag = facts.tag
  const setAside = setAsideOf(session, facts.promptedAt)
  if (setAside !== undefined) row.setAside = setAside
  return row
}

/** What names it in a file that was not read in full. */
export function titledElsewhere(row: ListRow, { title, titleFrom }: QuickRow): ListRow {
  if (titleFrom !== 'summary' || !isUnnamed(row)) return row
  return { ...row, title, titleFrom, ...(row.facts !== undefined && { facts: { ...row.facts, title, titleFrom } }) }
}

/** When its latest record was written, in milliseconds; 0 where none has a time: such a session is older than all others. */
export function whenOf({ endedAt }: Pick<ListRow, 'endedAt'>): number {
  return toMillis(endedAt) ?? 0
}

/** Of the messages that it sent itself. */
export function tokensOf({ spent }: ListRow): number {
  return spent === undefined ? 0 : totalTokens(spent.usage)
}

/** Undefined where it is not reported, or nothing has a price. */
export function costOf({ spent }: ListRow): number | undefined {
  return spent === undefined ? undefined : shownCost(spent)
}

/** What is not stated of what it sent. */
export function doubtsOf({ spent }: ListRow): Doubts {
  return {
    isPartial: spent !== undefined && !spent.usage.outputFinal,
    isUnpriced: spent !== undefined && spent.unknownModels.length > 0,
  }
}

/** The row that `--json` and `--csv` print. */
export function toSessionRow(row: ListRow, facts: SummaryRow, context: ListContext): SessionRow {
  const onDisk = isOnDisk(row.session)
  const deletedOn = onDisk ? context.retention?.deletedOn(row.session) : undefined
  const own = row.spent?.usage ?? facts.usage
  const inherited = inheritedUsage(own, facts.usage)
  const costUSD = costOf(row)
  const printed: SessionRow = {
    id: row.session.id,
    title: row.title,
    project: { cwd: row.cwd, slug: row.session.slug, name: context.projects.of(placeOf(row)).name },
    ...(row.gitBranch === undefined ? {} : { gitBranch: row.gitBranch }),
    startedAt: row.startedAt,
    endedAt: row.endedAt,
    live: context.isLive(row),
    events: facts.events,
    prompts: facts.prompts,
    toolCalls: facts.toolCalls,
    subagents: facts.subagents,
    compactions: facts.compactions,
    errors: facts.errors,
    models: facts.models,
    usage: own,
    ...(inherited === undefined ? {} : { withInherited: inherited }),
    ...(costUSD === undefined ? {} : { costUSD }),
    bytes: row.bytes,
    files: row.session.logs.length,
    archived: context.isArchived(row.session),
    onDisk,
    ...(deletedOn === undefined ? {} : { deletedOn: new Date(deletedOn).toISOString() }),
    titleFrom: row.titleFrom,
    tools: facts.tools,
    programmatic: facts.isProgrammatic,
    ...(row.tag === undefined ? {} : { tag: row.tag }),
    ...(row.setAside === undefined ? {} : { setAside: row.setAside }),
    ...(row.background === undefined ? {} : { background: row.background }),
    ...(facts.copiedEvents === 0 ? {} : { copiedEvents: facts.copiedEvents }),
  }
  if (facts.durationMs !== undefined) printed.durationMs = facts.durationMs
  return printed
}

/** By path, as a walk over the files finds them: a stable order for rows that are equal otherwise. */
export function byPlace(one: SessionFiles, other: SessionFiles): number {
  const [a, b] = [pathOf(one), pathOf(other)]
  if (a !== b) return a < b ? -1 : 1
  return one.id < other.id ? -1 : 1
}

function pathOf({ logs, side }: SessionFiles): string {
  return (logs[0] ?? side[0])?.path ?? ''
}

/** What a row says about its project. */
export function placeOf({ cwd, session }: Pick<ListRow, 'cwd' | 'session'>): Placed {
  return { cwd, slug: session.slug }
}

/** The projects of rows: of all sessions, since names depend on each other. */
export function projectsOf(rows: readonly Pick<ListRow, 'cwd' | 'session'>[]): Projects {
  return new Projects(rows.map(placeOf))
}

export function projectRows(rows: readonly ListRow[], projects: Projects): ProjectRow[] {
  const groups = new Map<string, ListRow[]>()
  for (const row of rows) {
    const { key } = projects.of(placeOf(row))
    const group = groups.get(key)
    if (group) group.push(row)
    else groups.set(key, [row])
  }
  return [...groups.values()].map(group => projectOf(group, projects))
}

function projectOf(rows: readonly ListRow[], projects: Projects): ProjectRow {
  const [first] = rows
  if (first === undefined) throw new Error('a project has a session')
  const { path, name, slug } = projects.of(placeOf(first))
  const last = rows.reduce((latest, row) => Math.max(latest, whenOf(row)), 0)
  const sum = (of: (row: ListRow) => number) => rows.reduce((total, row) => total + of(row), 0)
  const project: ProjectRow = {
    cwd: path,
    slug,
    name,
    sessions: rows.length,
    gone: rows.filter(row => !isOnDisk(row.session)).length,
    bytes: sum(row => row.bytes),
    lastUsed: last === 0 ? null : new Date(last).toISOString(),
  }
  if (rows.every(row => row.facts !== undefined)) {
    project.models = [...new Set(rows.flatMap(row => row.facts?.models ?? []))]
    project.prompts = sum(row => row.facts?.prompts ?? 0)
    project.tokens = sum(tokensOf)
    project.costUSD = sum(row => costOf(row) ?? 0)
  }
  return project
}
