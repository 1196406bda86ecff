// The columns of lists of sessions and projects, as tables and as comma-separated values.

import pc from 'picocolors'
import { shortCount, spanText } from '../../base/format.ts'
import { toInstant } from '../../base/instant.ts'
import { isOnDisk } from '../../model/source.ts'
import type { CsvCell } from '../../render/csv.ts'
import type { Column } from '../../render/terminal/table.ts'
import type { ProjectRow, SessionRow } from '../../schema/contract-shapes.ts'
import { sizeText } from '../../view/words.ts'
import { modelName, projectName } from './names.ts'
import { type ListRow, tokensOf, whenOf } from './rows.ts'
import type { Clock } from './times.ts'

export interface Shown {
  clock: Clock
  shortId: (id: string) => string
  /** Whether any session is only in the archive: then a column says which. */
  hasGone: boolean
}

const right = 'right' as const

const nameOf = (row: ListRow) => projectName({ cwd: row.cwd, slug: row.session.slug })

const whereOf = (row: ListRow) => (isOnDisk(row.session) ? '' : 'archive')

/** What every table of sessions begins with. */
function leading({ clock, shortId, hasGone }: Shown): Column<ListRow>[] {
  const where: Column<ListRow> = { name: 'where', cell: whereOf, keep: 70, paint: pc.yellow }
  return [
    { name: 'session', cell: row => shortId(row.session.id), least: 8, good: 36, most: 36, paint: pc.cyan },
    { name: 'when', cell: row => clock(whenOf(row)), least: 10, good: 16, cutsClean: true, keep: 80, paint: pc.dim },
    { name: 'title', cell: row => row.title, least: 16, good: 36, most: 70 },
    ...(hasGone ? [where] : []),
  ]
}

function place(): Column<ListRow>[] {
  return [
    { name: 'project', cell: nameOf, least: 8, good: 12, most: 24, keep: 60 },
    { name: 'branch', cell: row => row.gitBranch ?? '', least: 8, good: 10, most: 20, keep: 10, paint: pc.dim },
    { name: 'size', cell: row => sizeText(row.bytes), align: right, keep: 30 },
  ]
}

export function quickColumns(shown: Shown): Column<ListRow>[] {
  return [...leading(shown), ...place()]
}

/** The same without the branch. */
export function overviewColumns(shown: Shown): Column<ListRow>[] {
  return quickColumns(shown).filter(column => column.name !== 'branch')
}

export function fullColumns(shown: Shown): Column<ListRow>[] {
  const count = (value: number | undefined) => (value ? String(value) : '')
  const span = (row: ListRow) => (row.facts?.durationMs === undefined ? '' : spanText(row.facts.durationMs))
  return [
    ...leading(shown),
    { name: 'lasted', cell: span, align: right, keep: 40 },
    { name: 'prompts', cell: row => count(row.facts?.prompts), align: right, keep: 45 },
    { name: 'calls', cell: row => count(row.facts?.toolCalls), align: right, keep: 35 },
    { name: 'agents', cell: row => count(row.facts?.subagents), align: right, keep: 25 },
    { name: 'tokens', cell: row => shortCount(tokensOf(row)), align: right, keep: 50 },
    {
      name: 'models',
      cell: row => (row.facts?.models ?? []).map(modelName).join(' '),
      least: 8,
      most: 24,
      keep: 20,
    },
    ...place(),
  ]
}

/** `hasGone`: a column says how many sessions are only in the archive. */
export function projectColumns(clock: Clock, hasModels: boolean, hasGone: boolean): Column<ProjectRow>[] {
  const columns: Column<ProjectRow>[] = [
    { name: 'project', cell: row => row.cwd ?? row.slug, least: 16, most: 60 },
    { name: 'sessions', cell: row => String(row.sessions), align: right },
    {
      name: 'last used',
      cell: row => clock(row.lastUsed),
      least: 10,
      good: 16,
      cutsClean: true,
      keep: 50,
      paint: pc.dim,
    },
    { name: 'size', cell: row => sizeText(row.bytes), align: right, keep: 40 },
  ]
  if (hasGone) {
    const gone = (row: ProjectRow) => (row.gone > 0 ? String(row.gone) : '')
    columns.push({ name: 'gone', cell: gone, align: right, keep: 45, paint: pc.yellow })
  }
  if (hasModels) {
    columns.push(
      { name: 'tokens', cell: row => shortCount(row.tokens ?? 0), align: right, keep: 30 },
      { name: 'models', cell: row => (row.models ?? []).map(modelName).join(' '), least: 8, most: 30, keep: 20 },
    )
  }
  columns.push({ name: 'folder', cell: row => row.slug, least: 12, most: 40, keep: 10, paint: pc.dim })
  return columns
}

export const sessionCsvHeader: readonly string[] = [
  'id',
  'title',
  'title_from',
  'cwd',
  'slug',
  'branch',
  'started_at',
  'ended_at',
  'duration_ms',
  'live',
  'events',
  'prompts',
  'tool_calls',
  'subagents',
  'compactions',
  'errors',
  'models',
  'input_tokens',
  'output_tokens',
  'cache_creation_tokens',
  'cache_read_tokens',
  'output_final',
  'cost_usd',
  'bytes',
  'files',
  'deleted_on',
  'archived',
  'on_disk',
]

export function sessionCsv(row: SessionRow): CsvCell[] {
  const { project, usage } = row
  return [
    row.id,
    row.title,
    row.titleFrom,
    project.cwd,
    project.slug,
    row.gitBranch,
    row.startedAt,
    row.endedAt,
    row.durationMs,
    row.live,
    row.events,
    row.prompts,
    row.toolCalls,
    row.subagents,
    row.compactions,
    row.errors,
    row.models.join(' '),
    usage.inputTokens,
    usage.outputTokens,
    usage.cacheCreationTokens,
    usage.cacheReadTokens,
    usage.outputFinal,
    row.costUSD,
    row.bytes,
    row.files,
    row.deletedOn,
    row.archived,
    row.onDisk,
  ]
}

export const projectCsvHeader: readonly string[] = [
  'cwd',
  'slug',
  'sessions',
  'bytes',
  'last_used',
  'models',
  'tokens',
  'gone',
]

export function projectCsv(row: ProjectRow): CsvCell[] {
  const { cwd, slug, sessions, bytes, lastUsed, models, tokens, gone } = row
  return [cwd, slug, sessions, bytes, toInstant(lastUsed), models?.join(' '), tokens, gone]
}
