// Reports of usage as comma-separated values: a line for each row, or for each part of one. There is no line of totals, so
// that columns can be added up.

import type { UsageAmounts, UsageBlock, UsageRow } from '../schema/contract-shapes.ts'
import { keyOf, type UsageGrouping } from '../usage/report.ts'
import type { CsvCell } from './csv.ts'

const amountHeads = [
  'messages',
  'messages_with_partial_output',
  'input_tokens',
  'output_tokens',
  'estimated_output_tokens',
  'cache_creation_tokens',
  'cache_read_tokens',
  'total_tokens',
  'web_searches',
  'cost_usd',
  'models',
]

function amounts(row: UsageAmounts): CsvCell[] {
  return [
    row.messages,
    row.partialMessages ?? 0,
    row.inputTokens,
    row.outputTokens,
    row.estimatedOutputTokens ?? 0,
    row.cacheCreationTokens,
    row.cacheReadTokens,
    row.totalTokens,
    row.webSearches ?? 0,
    row.totalCost,
    row.modelsUsed.join(' '),
  ]
}

/** Columns that name a row. */
const leads: Record<UsageGrouping, readonly [head: string, cell: (row: UsageRow) => CsvCell][]> = {
  daily: [['date', row => row.date]],
  weekly: [['week', row => row.period]],
  monthly: [['month', row => row.period]],
  session: [
    ['session', row => row.session],
    ['title', row => row.title],
    ['project', row => row.project],
    ['first_at', row => row.firstAt],
    ['last_at', row => row.lastAt],
  ],
  project: [['project', row => row.project]],
  model: [['model', row => row.model]],
  tool: [
    ['tool', row => row.tool],
    ['calls', row => row.calls ?? 0],
  ],
  subagent: [
    ['subagent', row => row.subagent],
    ['threads', row => row.threads],
  ],
  branch: [
    ['branch', row => row.branch],
    ['session', row => row.session],
    ['active', row => row.isActive],
    ['label', row => row.label],
  ],
  'git-branch': [['git_branch', row => row.gitBranch]],
}

/** `group`: what the rows are divided by. */
export function usageCsv(rows: readonly UsageRow[], form: UsageGrouping, group?: UsageGrouping): CsvCell[][] {
  const lead = leads[form]
  // The name is taken where the rows themselves have such a column.
  const heads = [...lead.map(([head]) => head), ...(group === undefined ? [] : [`by_${group}`]), ...amountHeads]
  const lines = rows.flatMap(row => {
    const named = lead.map(([, cell]) => cell(row))
    if (group === undefined) return [[...named, ...amounts(row)]]
    return (row.groups ?? []).map(part => [...named, keyOf(part, group), ...amounts(part)])
  })
  return [heads, ...lines]
}

export function blocksCsv(blocks: readonly UsageBlock[], hasLimit: boolean): CsvCell[][] {
  const heads = ['start', 'end', 'active', 'first_at', 'last_at', ...amountHeads, ...(hasLimit ? ['limit_share'] : [])]
  const lines = blocks
    .filter(block => block.kind !== 'gap')
    .map(block => {
      const { start, end, isActive, firstAt, lastAt, limit } = block
      return [start, end, isActive, firstAt, lastAt, ...amounts(block), ...(hasLimit ? [limit?.share] : [])]
    })
  return [heads, ...lines]
}
