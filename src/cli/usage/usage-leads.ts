// How the rows of each report of usage are called in a table: which columns come before the numbers and what stands in them.

import pc from 'picocolors'
import { modelName, projectName, shortIds } from '../list/list-text.ts'
import { type Clock, clockFor } from '../list/list-times.ts'
import { amountText, manyText } from './usage-numbers.ts'
import type { GroupWord, UsageAsk } from './usage-options.ts'
import { isRest, keyOf, type NamedReport, type NamedRow, type RowForm } from './usage-rows.ts'
import type { SessionNames } from './usage-sessions.ts'
import type { LeadColumn } from './usage-table.ts'

export interface Lead {
  columns: LeadColumn[]
  cells(row: NamedRow, naming: Naming): string[]
  /** The column in which the parts of a row are named; the first where absent. */
  partAt?: number
  /** What there are many of, for the line of totals. */
  one?: string
}

export interface Naming {
  shortId: (id: string) => string
  clock: Clock
  /** A project's last folder where no other has the same, else its path. */
  project: (path: string) => string
}

export function leadFor(form: RowForm, width: number): Lead {
  // So much of a name is worth more than a further column of numbers.
  const least = width < 60 ? 12 : width < 80 ? 16 : 24
  switch (form) {
    case 'daily':
      return { columns: [{ name: 'date', least, most: 40 }], cells: row => [timeName(row.date)] }
    case 'weekly':
      return { columns: [{ name: 'week of', least, most: 40 }], cells: row => [timeName(row.period)] }
    case 'monthly':
      return { columns: [{ name: 'month', least, most: 40 }], cells: row => [timeName(row.period)] }
    case 'session':
      return sessionLead(least)
    case 'project':
      return single('project', least, 'project', (row, naming) =>
        width < 100 ? naming.project(row.project ?? '') : (row.project ?? ''),
      )
    case 'model':
      return single('model', least, 'model', row => modelName(row.model ?? ''))
    case 'tool':
      return counting('tool', 'calls', least, row => [row.tool, row.calls])
    case 'subagent':
      return counting('subagent', 'threads', least, row => [row.subagent, row.threads])
    case 'branch':
      return branchLead(least)
    case 'git-branch':
      return single('git branch', least, undefined, row => row.gitBranch ?? '')
  }
}

function single(
  name: string,
  least: number,
  one: string | undefined,
  cell: (row: NamedRow, naming: Naming) => string,
): Lead {
  const cells: Lead['cells'] = (row, naming) => [cell(row, naming)]
  return { columns: [{ name, least, most: 60 }], cells, ...(one === undefined ? {} : { one }) }
}

function counting(
  name: string,
  what: string,
  least: number,
  of: (row: NamedRow) => [name: string | undefined, count: number | undefined],
): Lead {
  const columns: LeadColumn[] = [
    { name, least, most: 40 },
    { name: what, align: 'right', keep: 50 },
  ]
  const cells = (row: NamedRow) => {
    const [called, counted] = of(row)
    return [called ?? '', counted === undefined ? '' : amountText(counted)]
  }
  return { columns, cells }
}

const id: LeadColumn = { name: 'session', least: 8, most: 12, paint: pc.cyan }

function sessionLead(least: number): Lead {
  return {
    columns: [
      id,
      { name: 'title', least, most: 50 },
      { name: 'project', least: 8, most: 24, keep: 28 },
      { name: 'last used', least: 10, good: 10, cutsClean: true, keep: 22, paint: pc.dim },
    ],
    cells: (row, { shortId, clock, project }) => {
      return [shortId(row.session ?? ''), row.title ?? '', project(row.project ?? ''), clock(row.lastAt)]
    },
    partAt: 1,
    one: 'session',
  }
}

function branchLead(least: number): Lead {
  return {
    columns: [
      id,
      { name: 'branch', least: 8, most: 9, keep: 90, paint: pc.dim },
      { name: 'first prompt', least, most: 50 },
    ],
    cells: (row, { shortId }) => {
      if (isRest(row)) return ['', '', row.branch ?? '']
      return [shortId(row.session ?? ''), row.isActive ? 'active' : (row.branch ?? '').slice(0, 8), row.label ?? '']
    },
    partAt: 2,
  }
}

/** Messages without a time have a row of their own. */
function timeName(name: string | undefined): string {
  return name === undefined || name === 'unknown' ? '(no time)' : name
}

export function totalCells({ one, partAt = 0 }: Lead, rows: number): string[] {
  if (one === undefined) return ['total']
  const many = manyText(rows, one)
  return partAt > 0 ? ['total', ...Array<string>(partAt - 1).fill(''), many] : [`total, ${many}`]
}

export function partCells({ partAt = 0 }: Lead, part: NamedRow, group: GroupWord, naming: Naming): string[] {
  return [...Array<string>(partAt).fill(''), `  ${partName(part, group, naming)}`]
}

function partName(part: NamedRow, group: GroupWord, naming: Naming): string {
  if (group === 'session') return `${naming.shortId(part.session ?? '')} ${part.title ?? ''}`
  if (group === 'project') return naming.project(part.project ?? '')
  return group === 'model' ? modelName(part.model ?? '') : keyOf(part, group)
}

export function namingFor({ rows }: NamedReport, ask: UsageAsk, sessions: SessionNames): Naming {
  const all = rows.flatMap(row => [row, ...(row.groups ?? [])])
  const paths = new Set(all.flatMap(row => row.project ?? []))
  const times = new Map<string, number>()
  for (const path of paths) times.set(lastFolder(path), (times.get(lastFolder(path)) ?? 0) + 1)
  return {
    shortId: shortIds([...sessions.ids, ...all.flatMap(row => row.session ?? [])]),
    clock: clockFor(ask.timezone),
    project: path => (times.get(lastFolder(path)) === 1 ? lastFolder(path) : path),
  }
}

function lastFolder(path: string): string {
  return projectName({ cwd: path, slug: '' })
}
