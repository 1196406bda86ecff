// One line of a list of sessions, before it is shown: what discovery and the files' ends tell, and, where files were read
// whole, what all their events tell.

import type { Instant } from '../../base/instant.ts'
import type { Retention } from '../../disk/discover/homes.ts'
import type { Usage } from '../../model/event.ts'
import type { TitleSource } from '../../model/session.ts'
import { bytesOf, isInUse, isOnDisk, lastChange, mainLogs, type SessionFiles } from '../../model/source.ts'
import { totalTokens } from '../../model/usage.ts'
import type { SummaryRow } from '../../session/summary.ts'

export { bytesOf, isOnDisk, lastChange, mainLogs }

export interface ListRow {
  session: SessionFiles
  title: string
  titleFrom: TitleSource
  cwd: string | null
  gitBranch?: string
  startedAt: Instant
  endedAt: Instant
  bytes: number
  /** Last change of its main files. */
  modifiedMs: number
  /** Present where its files were read whole. */
  facts?: SummaryRow
  /** Whether what was looked for stands in it; absent where nothing was. */
  isMatch?: boolean
}

/** `clew ls sessions --json` prints these; keys that others may add stand at the end. */
export interface SessionRow {
  id: string
  title: string
  project: { cwd: string | null; slug: string }
  gitBranch?: string
  startedAt: Instant
  endedAt: Instant
  live: boolean
  events: number
  prompts: number
  toolCalls: number
  subagents: number
  compactions: number
  errors: number
  models: string[]
  usage: Usage
  costUSD?: number
  bytes: number
  files: number
  archived: boolean
  onDisk: boolean
  deletedOn?: Instant
  titleFrom: TitleSource
  durationMs?: number
  tools: string[]
}

/** What is known of sessions beside their records. */
export interface Standing {
  now: number
  /** Null where no client cleans up. */
  retention: Retention | null
  /** Whether the archive holds all of it. */
  isArchived(session: SessionFiles): boolean
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
  return row
}

/** When it was last used: by its events, else by its file. An instant is always written in full: no need to look closer. */
export function whenOf(row: ListRow): number {
  return row.endedAt === null ? row.modifiedMs : Date.parse(row.endedAt)
}

function isLive(row: ListRow, now: number): boolean {
  return isOnDisk(row.session) && isInUse(row.modifiedMs, row.endedAt, now)
}

export function tokensOf(row: ListRow): number {
  return row.facts ? totalTokens(row.facts.usage) : 0
}

/** The contract's row. */
export function toSessionRow(row: ListRow, facts: SummaryRow, standing: Standing): SessionRow {
  const onDisk = isOnDisk(row.session)
  const deletedOn = onDisk ? standing.retention?.deletedOn(row.session) : undefined
  const printed: SessionRow = {
    id: row.session.id,
    title: row.title,
    project: { cwd: row.cwd, slug: row.session.slug },
    ...(row.gitBranch === undefined ? {} : { gitBranch: row.gitBranch }),
    startedAt: row.startedAt,
    endedAt: row.endedAt,
    live: isLive(row, standing.now),
    events: facts.events,
    prompts: facts.prompts,
    toolCalls: facts.toolCalls,
    subagents: facts.subagents,
    compactions: facts.compactions,
    errors: facts.errors,
    models: facts.models,
    usage: facts.usage,
    ...(facts.costUSD === undefined ? {} : { costUSD: facts.costUSD }),
    bytes: row.bytes,
    files: row.session.logs.length,
    archived: standing.isArchived(row.session),
    onDisk,
    ...(deletedOn === undefined ? {} : { deletedOn: new Date(deletedOn).toISOString() }),
    titleFrom: row.titleFrom,
    tools: facts.tools,
  }
  if (facts.durationMs !== undefined) printed.durationMs = facts.durationMs
  return printed
}
