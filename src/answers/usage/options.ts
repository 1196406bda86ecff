// What `clew usage` is to report, read from arguments, options and config; a wrong one is an error that says what would
// work. It reads no log.

import { nearest } from '../../base/nearest.ts'
import { readLast, timeExamples } from '../../index/search/when.ts'
import { type Budget, readBudget } from '../../usage/budget.ts'
import { readWeekStart } from '../../usage/calendar.ts'
import type { CostMode } from '../../usage/prices.ts'
import type { Clew } from '../clew.ts'
import { settingsOf } from '../configured.ts'
import { UserError } from '../error.ts'
import { readSpan, textOption } from '../sessions/filters.ts'
import { wholeProject } from '../sessions/names.ts'
import { weekStartFault } from '../settings.ts'
import { type UsageForm, usageForms } from './forms.ts'
import { knownModel, type LoadedPrices, pricesWith } from './prices.ts'

export const groupWords = ['project', 'model', 'session', 'subagent'] as const
export type GroupWord = (typeof groupWords)[number]

export type OrderWord = 'asc' | 'desc' | 'cost'

export interface UsageQuery {
  form: UsageForm
  /** Milliseconds since 1970. */
  now: number
  timezone?: string
  since?: number
  until?: number
  project?: string
  model?: string
  session?: string
  order?: OrderWord
  group?: GroupWord
  hasBreakdown: boolean
  isCompact: boolean
  isCsv: boolean
  isEstimated: boolean
  isReconciled: boolean
  mode: CostMode
  pricing: LoadedPrices
  unknownAs?: string
  /** From 0 for Sunday. */
  weekStart: number
  tokenLimit?: number | 'max'
  budget?: Budget
  onlyActive: boolean
  onlyRecent: boolean
}

/** `options`: by the names of the command's options. `by`: which report. */
export function readUsageQuery(
  clew: Clew,
  by: string | undefined,
  options: Readonly<Record<string, unknown>>,
  now: number,
): UsageQuery {
  const form = readForm(by)
  const pricing = pricesWith(clew, textOption(options, 'prices'))
  const isSet = (name: string) => options[name] === true
  const query: UsageQuery = {
    form,
    now,
    hasBreakdown: isSet('breakdown'),
    isCompact: isSet('compact'),
    isCsv: isSet('csv'),
    isEstimated: isSet('estimate'),
    isReconciled: isSet('reconcile'),
    mode: (options['mode'] ?? 'auto') as CostMode,
    pricing,
    weekStart: weekStartOf(options, clew),
    onlyActive: isSet('active'),
    onlyRecent: isSet('recent'),
  }
  if (clew.timezone !== undefined) query.timezone = clew.timezone
  if (options['order'] !== undefined) query.order = options['order'] as OrderWord
  for (const name of ['model', 'session'] as const) {
    const text = textOption(options, name)
    if (text !== undefined) query[name] = text
  }
  const project = textOption(options, 'project')
  if (project !== undefined) query.project = wholeProject(project)
  addGroup(query, textOption(options, 'group'))
  addUnknownAs(query, textOption(options, 'unknownAs'))
  addSpan(query, options)
  addBlocks(query, options)
  addBudget(query, textOption(options, 'budget'))
  return query
}

function readForm(word: string | undefined): UsageForm {
  if (word === undefined) return 'daily'
  const form = usageForms.find(one => one === word)
  if (form !== undefined) return form
  const [closest] = nearest(word, usageForms)
  const hint = closest === undefined ? `it is one of ${usageForms.join(', ')}` : `did you mean ${closest}?`
  throw new UserError(`usage has no report "${word}"; ${hint}`)
}

function addGroup(query: UsageQuery, word: string | undefined): void {
  if (word === undefined) return
  const group = groupWords.find(one => one === word)
  if (group === undefined) throw new UserError(`--group ${word}: it is one of ${groupWords.join(', ')}`)
  if (group === query.form) throw new UserError(`--group ${word}: the rows are by ${word} already`)
  if (query.form === 'blocks') throw new UserError('--group: blocks are not divided; --breakdown shows their models')
  if (query.hasBreakdown) throw new UserError('--group and --breakdown exclude each other; --group model is the same')
  query.group = group
}

function addUnknownAs(query: UsageQuery, named: string | undefined): void {
  const { prices, unknownAs } = query.pricing
  if (named !== undefined) query.unknownAs = knownModel(prices, named, '--unknown-as')
  else if (unknownAs !== undefined) query.unknownAs = unknownAs
}

function addBlocks(query: UsageQuery, options: Readonly<Record<string, unknown>>): void {
  const limit = textOption(options, 'tokenLimit')
  for (const [name, isGiven] of [
    ['--token-limit', limit !== undefined],
    ['--active', query.onlyActive],
    ['--recent', query.onlyRecent],
  ] as const)
    if (isGiven && query.form !== 'blocks') throw new UserError(`${name} is for clew usage blocks`)
  if (limit !== undefined) query.tokenLimit = limit === 'max' ? 'max' : tokensOf(limit)
}

const units: Readonly<Record<string, number>> = { '': 1, k: 1e3, m: 1e6, g: 1e9 }

/** `500000`, `500,000`, `500k`, `1.5M`. */
function tokensOf(text: string): number {
  const found = /^(\d{1,15}(?:\.\d+)?)([kmg]?)$/i.exec(text.replaceAll(/[,_ ]/g, ''))
  const tokens = Math.round(Number(found?.[1]) * (units[(found?.[2] ?? '').toLowerCase()] ?? 1))
  if (tokens >= 1) return tokens
  throw new UserError(`Invalid --token-limit "${text}". Examples: 500000, 500k, 1.5M, max`)
}

function weekStartOf(options: Readonly<Record<string, unknown>>, clew: Clew): number {
  const named = textOption(options, 'weekStart')
  if (named === undefined) return settingsOf(clew).weekStart
  const day = readWeekStart(named)
  if (day !== null) return day
  throw new UserError(`--week-start: ${weekStartFault(named)}`)
}

function addSpan(query: UsageQuery, options: Readonly<Record<string, unknown>>): void {
  const context = { now: query.now, timezone: query.timezone }
  const last = textOption(options, 'last')
  if (last !== undefined && (options['since'] ?? options['until']) !== undefined)
    throw new UserError('--last says since when: without --since and --until')
  Object.assign(query, readSpan(options, context))
  if (last === undefined) return
  const span = readLast(last, context)
  if (span === undefined) throw new UserError(`Invalid --last "${last}". Examples: ${timeExamples}`)
  query.since = span.since
  query.until = span.until
}

function addBudget(query: UsageQuery, text: string | undefined): void {
  if (text === undefined) return
  const budget = readBudget(text)
  if (budget === null) throw new UserError(`Invalid --budget "${text}". Examples: 100, 20/day, 90/week, 300/month`)
  // Without prices every budget would seem to be kept.
  if (query.pricing.fault !== undefined) throw new UserError(`--budget: ${query.pricing.fault}`)
  query.budget = budget
}
