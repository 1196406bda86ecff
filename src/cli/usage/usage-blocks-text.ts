// Blocks of five hours as people read them: a table, and for the one that is running how fast it is used and where that
// leads. Gaps between blocks are told by their times.

import pc from 'picocolors'
import { percent } from '../../render/terminal/charts.ts'
import type { BlockReport, UsageBlock } from '../../usage/blocks.ts'
import { modelName, spanText } from '../list/list-text.ts'
import { type Clock, clockFor } from '../list/list-times.ts'
import { moneyText, shortText } from './usage-numbers.ts'
import type { UsageAsk } from './usage-options.ts'
import { type LeadColumn, type TextRow, usageTable } from './usage-table.ts'
import { amountsOf, unpricedModels } from './usage-text.ts'

const lead: readonly LeadColumn[] = [{ name: 'block from' }, { name: 'used for', align: 'right', keep: 50 }]

export function blockLines(report: BlockReport, blocks: readonly UsageBlock[], ask: UsageAsk, width: number): string[] {
  const clock = clockFor(ask.timezone)
  const running = blocks.find(block => block.isActive)
  const about = running === undefined ? [] : activeLines(running, ask, clock)
  if (ask.onlyActive) return about
  const unknown = unpricedModels(report.bounds.unknownModels, ask)
  const rows = blocks.filter(block => block.kind !== 'gap').flatMap(block => blockRows(block, ask, unknown, clock))
  const isAll = blocks.length === report.blocks.length
  const total: TextRow = { ...amountsOf(report.totals, unknown), kind: 'total', lead: ['total'] }
  const style = { width, isCompact: ask.isCompact, hasModelRows: ask.hasBreakdown, shareHead: 'of limit' }
  const table = usageTable(isAll ? [...rows, total] : rows, lead, style)
  return about.length > 0 ? [...table, '', ...about] : table
}

function blockRows(block: UsageBlock, ask: UsageAsk, unknown: ReadonlySet<string>, clock: Clock): TextRow[] {
  const { limit, isActive } = block
  const row: TextRow = {
    ...amountsOf(block, unknown),
    ...(limit === undefined ? {} : { share: limit.share }),
    ...(isActive ? { isNow: true } : {}),
    kind: 'row',
    lead: [startText(block, clock), usedFor(block)],
  }
  if (!ask.hasBreakdown) return [row]
  const parts = block.modelBreakdowns.map(part => ({
    ...row,
    ...part,
    kind: 'part' as const,
    lead: [`  ${modelName(part.modelName)}`],
    totalTokens: part.inputTokens + part.outputTokens + part.cacheCreationTokens + part.cacheReadTokens,
    isUnpriced: unknown.has(part.modelName),
  }))
  return [row, ...parts.map(({ share: _share, ...part }) => part)]
}

function startText({ start, isActive }: UsageBlock, clock: Clock): string {
  if (start === null) return '(no time)'
  return `${clock(start)}${isActive ? ' now' : ''}`
}

function usedFor({ firstAt, lastAt }: UsageBlock): string {
  if (firstAt === null || lastAt === null) return ''
  return spanText(Math.max(0, Date.parse(lastAt) - Date.parse(firstAt)))
}

/** A line each for what is used, how fast, and what it comes to. */
function activeLines(block: UsageBlock, ask: UsageAsk, clock: Clock): string[] {
  const { burnRate, projection, limit, end } = block
  const guess = block.estimatedOutputTokens === undefined ? '' : '~'
  const tokens = (amount: number, unit: string) => `${guess}${shortText(amount)} ${unit}`
  const money = (usd: number) => guess + moneyText(usd)
  const rows: [name: string, tokens: string, cost: string, more: string][] = [
    ['used', tokens(block.totalTokens, 'tokens'), money(block.totalCost), shareText(limit?.share)],
  ]
  if (burnRate !== undefined)
    rows.push(['rate', tokens(burnRate.tokensPerMinute, 'a minute'), `${money(burnRate.costPerHour)} an hour`, ''])
  if (projection !== undefined)
    rows.push([
      'in the end',
      tokens(projection.totalTokens, 'tokens'),
      money(projection.totalCost),
      shareText(limit?.projectedShare),
    ])
  const left =
    end === null ? '' : ` until ${clock(end).slice(11)}, ${spanText(Math.max(0, Date.parse(end) - ask.now))} left`
  const wide = (at: 1 | 2) => Math.max(...rows.map(row => row[at].length))
  return [
    pc.bold(pc.green(`running${left}`)),
    ...rows.map(([name, used, cost, more]) =>
      `${pc.dim(name.padEnd(10))}  ${used.padEnd(wide(1))}  ${cost.padEnd(wide(2))}  ${more}`.trimEnd(),
    ),
  ]
}

function shareText(share: number | undefined): string {
  if (share === undefined) return ''
  const text = `${percent(share)} of limit`
  return share > 1 ? pc.red(text) : text
}
