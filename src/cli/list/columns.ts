// The columns of lists of sessions and projects, as tables and as comma-separated values.

import pc from 'picocolors'
import { modelName } from '../../answers/sessions/names.ts'
import { costOf, doubtsOf, type ListRow, placeOf, tokensOf, whenOf } from '../../answers/sessions/rows.ts'
import type { Clock } from '../../answers/times.ts'
import { moneyText, shortCount, spanText } from '../../base/format.ts'
import { isOnDisk } from '../../model/source.ts'
import type { CsvCell } from '../../render/csv.ts'
import type { Column } from '../../render/terminal/table.ts'
import type { ProjectRow, SessionRow } from '../../schema/contract-shapes.ts'
import type { Projects } from '../../session/projects.ts'
import { certaintyMarks, certaintyOf, sizeText } from '../../view/words.ts'

export interface Shown {
  clock: Clock
  shortId: (id: string) => string
  /** Whether any session is only in the archive: then a column says which. */
  hasGone: boolean
  /** Of all sessions, listed or not. */
  projects: Projects
  /** Whether any session has a tag or is set aside: then a column shows it. */
  hasNotes: boolean
}

const right = 'right' as const

const whereOf = (row: ListRow) => (isOnDisk(row.session) ? '' : 'archive')

/** Whether Claude Code has set it aside, how far it is in the background, and its tag. */
export function noteOf({ tag, setAside, background }: ListRow): string {
  const notes = setAside === undefined ? [] : ['set aside']
  if (background !== undefined) notes.push(`bg: ${background.state}`)
  if (tag !== undefined) notes.push(`#${tag}`)
  return notes.join(' ')
}

/** What every table of sessions begins with. */
function leading({ clock, shortId, hasGone, hasNotes }: Shown): Column<ListRow>[] {
  const note: Column<ListRow> = { name: 'note', cell: noteOf, least: 9, good: 12, most: 32, keep: 55, paint: pc.dim }
  const where: Column<ListRow> = { name: 'where', cell: whereOf, keep: 70, paint: pc.yellow }
  return [
    { name: 'session', cell: row => shortId(row.session.id), least: 8, good: 36, most: 36, paint: pc.cyan },
    {
      name: 'when',
      cell: row => (row.endedAt === null ? 'no time' : clock(whenOf(row))),
      least: 10,
      good: 16,
      cutsClean: true,
      keep: 80,
      paint: pc.dim,
    },
    { name: 'title', cell: row => row.title, least: 16, good: 36, most: 70 },
    ...(hasGone ? [where] : []),
    ...(hasNotes ? [note] : []),
  ]
}

function place({ projects }: Shown): Column<ListRow>[] {
  return [
    { name: 'project', cell: row => projects.of(placeOf(row)).name, least: 8, good: 12, most: 24, keep: 60 },
    { name: 'branch', cell: row => row.gitBranch ?? '', least: 8, good: 10, most: 20, keep: 10, paint: pc.dim },
    { name: 'size', cell: row => sizeText(row.bytes), align: right, keep: 30 },
  ]
}

export function quickColumns(shown: Shown): Column<ListRow>[] {
  return [...leading(shown), ...place(shown)]
}

/** The same without the branch. */
export function overviewColumns(shown: Shown): Column<ListRow>[] {
  return quickColumns(shown).filter(column => column.name !== 'branch')
}

/** Nothing where nothing has a price. */
function costText(usd: number | undefined, mark = ''): string {
  return usd === undefined ? '' : mark + moneyText(usd)
}

/** What is written before the tokens and the cost of a session. */
function marksOf(row: ListRow): { tokens: string; cost: string } {
  const { tokens, cost } = certaintyOf(doubtsOf(row))
  return { tokens: certaintyMarks[tokens].trimEnd(), cost: certaintyMarks[cost].trimEnd() }
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
    { name: 'tokens', cell: row => marksOf(row).tokens + shortCount(tokensOf(row)), align: right, keep: 50 },
    { name: 'cost', cell: row => costText(costOf(row), marksOf(row).cost), align: right, keep: 52 },
    {
      name: 'models',
      cell: row => (row.facts?.models ?? []).map(modelName).join(' '),
      least: 8,
      most: 24,
      keep: 20,
    },
    ...place(shown),
  ]
}

/** `hasGone`: a column says how many sessions are only in the archive. */
export function projectColumns(clock: Clock, hasModels: boolean, hasGone: boolean): Column<ProjectRow>[] {
  const columns: Column<ProjectRow>[] = [
    { name: 'project', cell: row => row.name, least: 12, most: 40 },
    { name: 'path', cell: row => row.cwd ?? '', least: 16, most: 60, keep: 30, paint: pc.dim },
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
      { name: 'cost', cell: row => costText(row.costUSD), align: right, keep: 32 },
      { name: 'models', cell: row => (row.models ?? []).map(modelName).join(' '), least: 8, most: 30, keep: 20 },
    )
  }
  columns.push({ name: 'folder', cell: row => row.slug, least: 12, most: 40, keep: 10, paint: pc.dim })
  return columns
}

type CsvColumn<Row> = readonly [name: string, cell: (row: Row) => CsvCell]

export const sessionCsv: readonly CsvColumn<SessionRow>[] = [
  ['id', row => row.id],
  ['title', row => row.title],
  ['title_from', row => row.titleFrom],
  ['cwd', row => row.project.cwd],
  ['slug', row => row.project.slug],
  ['branch', row => row.gitBranch],
  ['started_at', row => row.startedAt],
  ['ended_at', row => row.endedAt],
  ['duration_ms', row => row.durationMs],
  ['live', row => row.live],
  ['events', row => row.events],
  ['prompts', row => row.prompts],
  ['tool_calls', row => row.toolCalls],
  ['subagents', row => row.subagents],
  ['compactions', row => row.compactions],
  ['errors', row => row.errors],
  ['models', row => row.models.join(' ')],
  ['input_tokens', row => row.usage.inputTokens],
  ['output_tokens', row => row.usage.outputTokens],
  ['cache_creation_tokens', row => row.usage.cacheCreationTokens],
  ['cache_read_tokens', row => row.usage.cacheReadTokens],
  ['output_final', row => row.usage.outputFinal],
  ['cost_usd', row => row.costUSD],
  ['bytes', row => row.bytes],
  ['files', row => row.files],
  ['deleted_on', row => row.deletedOn],
  ['archived', row => row.archived],
  ['on_disk', row => row.onDisk],
  ['tag', row => row.tag],
  ['set_aside_at', row => row.setAside?.at],
  ['programmatic', row => row.programmatic],
  ['background', row => row.background?.state],
]

export const projectCsv: readonly CsvColumn<ProjectRow>[] = [
  ['cwd', row => row.cwd],
  ['slug', row => row.slug],
  ['sessions', row => row.sessions],
  ['bytes', row => row.bytes],
  ['last_used', row => row.lastUsed],
  ['models', row => row.models?.join(' ')],
  ['tokens', row => row.tokens],
  ['cost_usd', row => row.costUSD],
  ['gone', row => row.gone],
]

/** The head and a line for each row. */
export function csvLines<Row>(columns: readonly CsvColumn<Row>[], rows: readonly Row[]): CsvCell[][] {
  return [columns.map(([name]) => name), ...rows.map(row => columns.map(([, cell]) => cell(row)))]
}
