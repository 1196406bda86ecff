// What somebody asks `clew usage` for, read from arguments, options and config; a wrong one is an error that says what would
// work. It reads no log.

import { asString } from '../../base/json.ts'
import { type Budget, readBudget } from '../../usage/budget.ts'
import { Calendar, readLast, readWeekStart } from '../../usage/calendar.ts'
import type { CostMode } from '../../usage/prices.ts'
import { type CommandInput, UserError } from '../command.ts'
import { readConfig, weekStartFault } from '../config.ts'
import { nearest } from '../help.ts'
import { readTime } from '../list/list-times.ts'
import { knownModel, type LoadedPrices, loadPrices } from './usage-prices.ts'

export const usageForms = [
  'daily',
  'weekly',
  'monthly',
  'session',
  'project',
  'model',
  'blocks',
  'tool',
  'subagent',
  'branch',
  'git-branch',
] as const
export type UsageForm = (typeof usageForms)[number]

export const groupWords = ['project', 'model', 'session', 'subagent'] as const
export type GroupWord = (typeof groupWords)[number]

export type OrderWord = 'asc' | 'desc' | 'cost'

export interface UsageAsk {
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
  prices: LoadedPrices
  unknownAs?: string
  /** From 0 for Sunday. */
  weekStart: number
  tokenLimit?: number | 'max'
  budget?: Budget
  onlyActive: boolean
  onlyRecent: boolean
}

export function readUsageAsk(input: CommandInput, now: number): UsageAsk {
  const { options, globals, args } = input
  const form = readForm(args[0])
  const config = readConfig(globals.home)
  const prices = loadPrices(globals.home, textOf(options, 'prices'))
  const isSet = (name: string) => options[name] === true
  const ask: UsageAsk = {
    form,
    now,
    hasBreakdown: isSet('breakdown'),
    isCompact: isSet('compact'),
    isCsv: isSet('csv'),
    isEstimated: isSet('estimate'),
    isReconciled: isSet('reconcile'),
    mode: (options['mode'] ?? 'auto') as CostMode,
    prices,
    weekStart: weekStartOf(options, config),
    onlyActive: isSet('active'),
    onlyRecent: isSet('recent'),
  }
  if (globals.timezone !== undefined) ask.timezone = globals.timezone
  if (options['order'] !== undefined) ask.order = options['order'] as OrderWord
  for (const name of ['project', 'model', 'session'] as const) {
    const text = textOf(options, name)
    if (text !== undefined) ask[name] = text
  }
  addGroup(ask, textOf(options, 'group'))
  addUnknownAs(ask, textOf(options, 'unknownAs'), config)
  addSpan(ask, options)
  addBlocks(ask, options)
  addBudget(ask, textOf(options, 'budget'))
  if (ask.isCsv && globals.json) throw new UserError('--csv and --json exclude each other')
  return ask
}

function readForm(word: string | undefined): UsageForm {
  if (word === undefined) return 'daily'
  const form = usageForms.find(one => one === word)
  if (form !== undefined) return form
  const [near] = nearest(word, usageForms)
  const hint = near === undefined ? `it is one of ${usageForms.join(', ')}` : `did you mean ${near}?`
  throw new UserError(`usage has no report "${word}"; ${hint}`)
}

/** A text that was given and is not empty. */
function textOf(options: Record<string, unknown>, name: string): string | undefined {
  const text = asString(options[name])
  if (text !== undefined && text.trim() === '') throw new UserError(`--${dashed(name)} needs a value`)
  return text
}

function dashed(name: string): string {
  return name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)
}

function addGroup(ask: UsageAsk, word: string | undefined): void {
  if (word === undefined) return
  const group = groupWords.find(one => one === word)
  if (group === undefined) throw new UserError(`--group ${word}: it is one of ${groupWords.join(', ')}`)
  if (group === ask.form) throw new UserError(`--group ${word}: the rows are by ${word} already`)
  if (ask.form === 'blocks') throw new UserError('--group: blocks are not divided; --breakdown shows their models')
  if (ask.hasBreakdown) throw new UserError('--group and --breakdown exclude each other; --group model is the same')
  ask.group = group
}

function addUnknownAs(ask: UsageAsk, named: string | undefined, config: Record<string, unknown>): void {
  const set = asString(config['unknownAs'])
  if (named !== undefined) ask.unknownAs = knownModel(ask.prices.table, named, '--unknown-as')
  else if (set !== undefined) ask.unknownAs = knownModel(ask.prices.table, set, 'unknownAs in the config:')
}

function addBlocks(ask: UsageAsk, options: Record<string, unknown>): void {
  const limit = textOf(options, 'tokenLimit')
  for (const [name, isGiven] of [
    ['--token-limit', limit !== undefined],
    ['--active', ask.onlyActive],
    ['--recent', ask.onlyRecent],
  ] as const)
    if (isGiven && ask.form !== 'blocks') throw new UserError(`${name} is for clew usage blocks`)
  if (limit !== undefined) ask.tokenLimit = limit === 'max' ? 'max' : tokensOf(limit)
}

const units: Readonly<Record<string, number>> = { '': 1, k: 1e3, m: 1e6, g: 1e9 }

/** `500000`, `500,000`, `500k`, `1.5M`. */
function tokensOf(text: string): number {
  const found = /^(\d{1,15}(?:\.\d+)?)([kmg]?)$/i.exec(text.replaceAll(/[,_ ]/g, ''))
  const tokens = Math.round(Number(found?.[1]) * (units[(found?.[2] ?? '').toLowerCase()] ?? 1))
  if (tokens >= 1) return tokens
  throw new UserError(`--token-limit ${text} is no number of tokens; these are: 500000, 500k, 1.5M, max`)
}

function weekStartOf(options: Record<string, unknown>, config: Record<string, unknown>): number {
  const named = textOf(options, 'weekStart')
  const text = named ?? asString(config['weekStart']) ?? 'monday'
  const day = readWeekStart(text)
  if (day !== null) return day
  throw new UserError(`${named === undefined ? 'weekStart in the config' : '--week-start'}: ${weekStartFault(text)}`)
}

function addSpan(ask: UsageAsk, options: Record<string, unknown>): void {
  const context = { now: ask.now, timezone: ask.timezone }
  const since = textOf(options, 'since')
  const until = textOf(options, 'until')
  const last = textOf(options, 'last')
  if (last !== undefined && (since ?? until) !== undefined)
    throw new UserError('--last says since when: without --since and --until')
  if (since !== undefined) ask.since = readTime(since, 'since', context)
  if (until !== undefined) ask.until = readTime(until, 'until', context)
  if (ask.since !== undefined && ask.until !== undefined && ask.since >= ask.until)
    throw new UserError(`--since ${since} is not before --until ${until}`)
  if (last === undefined) return
  const span = readLast(last, ask.now, new Calendar({ timezone: ask.timezone, weekStart: ask.weekStart }))
  if (span === null) throw new UserError(`--last ${last} is no span; these are: 7d, 4w, 3m`)
  ask.since = span.since
  ask.until = span.until
}

function addBudget(ask: UsageAsk, text: string | undefined): void {
  if (text === undefined) return
  const budget = readBudget(text)
  if (budget === null) throw new UserError(`--budget ${text} is no budget; these are: 100, 20/day, 90/week, 300/month`)
  ask.budget = budget
}
