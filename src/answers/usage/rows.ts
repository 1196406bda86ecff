// Reports of usage as `--json` prints them: the rows of the report, with names of sessions and branches, and the rows below
// them where a second grouping was requested. It adds nothing up.

import type { UsageRow } from '../../schema/contract-shapes.ts'
import { keyOf, type ReportOptions, reportUsage, threadsByAgent, type UsageReport } from '../../usage/report.ts'
import type { UsageData } from './data.ts'
import type { UsageForm } from './forms.ts'
import { noBranches } from './names.ts'
import type { GroupWord, UsageQuery } from './options.ts'

/** Everything but `blocks`, which are a report of their own. */
export type RowForm = Exclude<UsageForm, 'blocks'>

/** What all reports of one command have in common. */
export function commonOptions(query: UsageQuery, data: UsageData): Omit<ReportOptions, 'by'> {
  const { project, session } = query
  const isWanted = (id: string) =>
    (session === undefined || id === session) && (project === undefined || data.sessions.isInProject(id, project))
  return {
    timezone: query.timezone,
    weekStart: query.weekStart,
    since: query.since,
    until: query.until,
    model: query.model,
    select: cell => isWanted(cell.session),
    prices: query.pricing.prices,
    mode: query.mode,
    unknownAs: query.unknownAs,
    isEstimated: query.isEstimated,
    names: data.names,
  }
}

export function namedReport(form: RowForm, query: UsageQuery, data: UsageData): UsageReport {
  const options: ReportOptions = { ...commonOptions(query, data), by: form }
  if (query.order === 'cost') options.sort = 'cost'
  else if (query.order !== undefined) options.order = query.order
  const { rows, totals, bounds } = reportUsage(data.cells, options)
  const naming = new Naming(query, data)
  const named: UsageRow[] = rows.map(row => naming.named(row))
  const group = partsBy(form, query)
  if (group !== undefined) {
    const parts = reportUsage(data.cells, { ...options, group }).rows
    addGroups(named, rows, parts, naming, form)
  }
  return { rows: form === 'branch' && query.order === undefined ? bySession(named) : named, totals, bounds }
}

/** What is below the rows; `--breakdown` means models. */
export function partsBy(form: UsageForm, { group, hasBreakdown }: UsageQuery): GroupWord | undefined {
  return group ?? (hasBreakdown && form !== 'model' ? 'model' : undefined)
}

/** Branches of one session stay together, its active one first; what has no branches comes last. */
function bySession(rows: readonly UsageRow[]): UsageRow[] {
  const sessions = new Map<string, UsageRow[]>()
  for (const row of rows.filter(row => !isRest(row))) {
    const own = sessions.get(row.session ?? '') ?? []
    if (row.isActive) own.unshift(row)
    else own.push(row)
    sessions.set(row.session ?? '', own)
  }
  return [...[...sessions.values()].flat(), ...rows.filter(isRest)]
}

/** Rows of the second grouping come in the order of the first. */
function addGroups(
  named: UsageRow[],
  rows: readonly UsageRow[],
  parts: readonly UsageRow[],
  naming: Naming,
  form: RowForm,
): void {
  const byKey = new Map<string, UsageRow[]>()
  for (const part of parts) {
    const key = keyOf(part, form)
    const groups = byKey.get(key) ?? []
    groups.push(naming.named(part))
    byKey.set(key, groups)
  }
  for (const [at, row] of rows.entries()) {
    const into = named[at]
    if (into !== undefined) into.groups = byKey.get(keyOf(row, form)) ?? []
  }
}

class Naming {
  private readonly data: UsageData
  private readonly branches: Map<string, UsageData['branches'][number]>
  private readonly threads: ReadonlyMap<string, number>

  constructor(query: UsageQuery, data: UsageData) {
    this.data = data
    this.branches = new Map(data.branches.map(branch => [branch.key, branch]))
    this.threads = query.form === 'subagent' ? threadsByAgent(data.cells, commonOptions(query, data)) : new Map()
  }

  named(row: UsageRow): UsageRow {
    const named: UsageRow = { ...row }
    if (row.session !== undefined) {
      named.title = this.data.sessions.title(row.session)
      named.project ??= this.data.sessions.directory(row.session)
    }
    if (row.subagent !== undefined && this.threads.size > 0) named.threads = this.threads.get(row.subagent) ?? 0
    const branch = row.branch === undefined ? undefined : this.branches.get(row.branch)
    if (branch === undefined) return named
    const { session, leaf, isActive, label } = branch
    const title = this.data.sessions.title(session)
    return { ...named, session, title, project: this.data.sessions.directory(session), branch: leaf, isActive, label }
  }
}

/** Whether a row of the report by branch is for all sessions that never went back. */
export function isRest(row: UsageRow): boolean {
  return row.branch === noBranches
}
