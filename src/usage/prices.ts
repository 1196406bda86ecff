// What API messages cost: prices of the bundled table or a user's own, times the tokens of usage cells, in whole units so
// that no order of adding changes a sum. It does not decide which messages count; that is decided when cells are made.

import { toMillis } from '../base/instant.ts'
import { asArray, isObject, type JsonObject, jsonText } from '../base/json.ts'
import type { UsageCell } from '../model/usage.ts'
import { quarterMillis } from './cell.ts'

import tableJson from './prices-table.json' with { type: 'json' }

/**
 * `auto`: what a message states, else what its tokens cost; `calculate`: always what its tokens cost; `display`: only what
 * messages state.
 */
export type CostMode = 'auto' | 'calculate' | 'display'

export interface CostOptions {
  /** `auto` where absent. */
  mode?: CostMode | undefined
  /** The model at whose prices unknown ones are priced; they cost nothing where it is absent or unknown itself. */
  unknownAs?: string | undefined
  /** Whether estimated output is added where the logged one is a lower bound. */
  isEstimated?: boolean | undefined
}

/** The part of a cell that decides its cost. */
export type CostCell = Pick<
  UsageCell,
  | 'quarter'
  | 'model'
  | 'isFast'
  | 'isUs'
  | 'isSynthetic'
  | 'isError'
  | 'abovePrompt'
  | 'hasStated'
  | 'inputTokens'
  | 'outputTokens'
  | 'cacheCreationTokens'
  | 'cacheCreation1hTokens'
  | 'cacheReadTokens'
  | 'webSearches'
  | 'estimatedMore'
  | 'statedNanos'
>

export interface Cost {
  /** Billionths of a dollar; not always whole, because of the factor for the USA. */
  nanos: number
  usd: number
  /** The table has no price for the model, and one was needed: the cost is 0, or that of `unknownAs`. */
  isUnknown: boolean
}

/** A user's prices laid over `base`, or sentences that say what is wrong with them. */
export function readPrices(json: unknown, base: PriceTable = bundledPrices): PricesRead {
  return readPricesOver(json, base)
}

/** The id of the table's model that an id or alias means; the id without provider, date and tag where there is none. */
export function modelName(id: string, table: PriceTable = bundledPrices): string {
  return modelOf(table, id)?.id ?? bareModelId(id)
}

/** Tokens that fit into the model's context; null where unknown. An id tagged `[1m]` says it itself. */
export function contextWindow(table: PriceTable, model: string): number | null {
  const stated = modelOf(table, model)?.contextWindow ?? null
  return model.includes('[1m]') ? Math.max(stated ?? 0, 1_000_000) : stated
}

/** What a cell costs. To add up costs use `CostSum`, which does not round in between. */
export function costOf(table: PriceTable, cell: CostCell, options: CostOptions = {}): Cost {
  const sum = new CostSum(table, options)
  const isUnknown = sum.add(cell)
  return { nanos: sum.nanos(), usd: sum.usd(), isUnknown }
}

/**
 * Adds up what cells cost, exactly: the result is the same in any order and however the cells are parted into sums that
 * are merged. Sums can be merged that have the same table.
 */
export class CostSum {
  private readonly table: PriceTable
  private readonly options: CostOptions
  private readonly scale: Scale
  /** The sum is `high + low`; `low` stays where numbers are exact. */
  private low = 0
  private high = 0n
  private unknown: Set<string> | null = null

  constructor(table: PriceTable, options: CostOptions = {}) {
    this.table = table
    this.options = options
    this.scale = scaleOf(table.usInferenceFactor)
  }

  /** Whether its model has no price, and one was needed. */
  add(cell: CostCell): boolean {
    if (cell.isSynthetic || cell.isError || cell.model === '<synthetic>') return false
    const mode = this.options.mode ?? 'auto'
    if (mode !== 'calculate' && cell.hasStated) {
      this.addProduct(whole(Math.round(cell.statedNanos)), 1000 * this.scale.over)
      return false
    }
    if (mode === 'display') return false
    const row = this.rowOf(cell.model, cell)
    if (row !== null) this.addCalculated(cell, row)
    else this.addUnknown(cell)
    return row === null
  }

  merge(other: CostSum): void {
    this.addUnits(other.low)
    this.high += other.high
    for (const model of other.unknownModels) this.addUnknownModel(model)
  }

  /** Models without a price that were met, by `modelName`. */
  get unknownModels(): ReadonlySet<string> {
    return this.unknown ?? none
  }

  /** Billionths of a dollar. */
  nanos(): number {
    return this.inUnitsOf(3)
  }

  usd(): number {
    return this.inUnitsOf(12)
  }

  private addUnknown(cell: CostCell): void {
    this.addUnknownModel(modelName(cell.model, this.table))
    const { unknownAs } = this.options
    const row = unknownAs === undefined ? null : this.rowOf(unknownAs, cell)
    if (row !== null) this.addCalculated(cell, row)
  }

  private rowOf(model: string, cell: CostCell): PriceRow | null {
    const at = cell.quarter === null ? null : cell.quarter * quarterMillis
    return priceOf(this.table, model, at, cell.isFast, cell.abovePrompt)
  }

  private addUnknownModel(model: string): void {
    this.unknown ??= new Set()
    this.unknown.add(model)
  }

  private addCalculated(cell: CostCell, row: PriceRow): void {
    const factor = cell.isUs ? this.scale.times : this.scale.over
    const created = whole(cell.cacheCreationTokens)
    const created1h = Math.min(whole(cell.cacheCreation1hTokens), created)
    const more = this.options.isEstimated ? whole(cell.estimatedMore) : 0
    this.addProduct(whole(cell.inputTokens), picos(row.input) * factor)
    this.addProduct(whole(cell.outputTokens) + more, picos(row.output) * factor)
    this.addProduct(created - created1h, picos(row.cacheWrite5m) * factor)
    this.addProduct(created1h, picos(row.cacheWrite1h) * factor)
    this.addProduct(whole(cell.cacheReadTokens), picos(row.cacheRead) * factor)
    this.addProduct(whole(cell.webSearches), picos(this.table.webSearchPerRequest * 1e6) * this.scale.over)
  }

  /** A number of units as long as it is exact. */
  private addProduct(count: number, units: number): void {
    const product = count * units
    if (product <= Number.MAX_SAFE_INTEGER) this.addUnits(product)
    else this.high += BigInt(count) * BigInt(units)
  }

  private addUnits(units: number): void {
    const next = this.low + units
    if (next <= Number.MAX_SAFE_INTEGER) {
      this.low = next
    } else {
      this.high += BigInt(this.low)
      this.low = units
    }
  }

  /** The nearest number to the sum divided by a power of ten. */
  private inUnitsOf(digits: number): number {
    const exponent = digits + this.scale.digits
    if (this.high === 0n) return this.low / 10 ** exponent
    return Number(`${this.high + BigInt(this.low)}e-${exponent}`)
  }
}

const none: ReadonlySet<string> = new Set()

/**
 * A unit is a picodollar over a power of ten, so that the factor for the USA is a whole number too: with 1.1, a token at 5
 * USD per million has 5,000,000 × 10 units, and 5,000,000 × 11 in the USA.
 */
interface Scale {
  times: number
  over: number
  digits: number
}

function scaleOf(factor: number): Scale {
  let digits = 0
  while (digits < 6 && Math.abs(Math.round(factor * 10 ** digits) - factor * 10 ** digits) > 1e-7) digits++
  const over = 10 ** digits
  return { times: Math.round(factor * over), over, digits }
}

/** Picodollars a token, of USD per million tokens. */
const picos = (usdPerMillion: number): number => Math.round(usdPerMillion * 1e6)

/** A count as logs should have it: whole, not negative, exact. */
function whole(count: number): number {
  return count >= 1 ? Math.min(Math.trunc(count), Number.MAX_SAFE_INTEGER) : 0
}

export type PricesRead = { table: PriceTable } | { problems: string[] }

const unit = 'USD per 1,000,000 tokens'
const tableKeys = new Set(['unit', 'date', 'sources', 'rules', 'webSearchPerRequest', 'usInferenceFactor', 'models'])
const modelKeys = new Set(['aliases', 'contextWindow', 'rows', 'released', 'note'])
const priceKeys = ['input', 'output', 'cacheWrite5m', 'cacheWrite1h', 'cacheRead'] as const
const rowKeys = new Set<string>(['from', 'to', 'speed', 'abovePromptTokens', ...priceKeys])
const mostUsd = 1_000_000
const mostFactor = 1000

/** The prices of `json` laid over those of `base`. */
function readPricesOver(json: unknown, base: PriceTable): PricesRead {
  if (!isObject(json)) return { problems: ['The prices are not a JSON object.'] }
  const reader = new PricesReader(base)
  const table = reader.read(json)
  return reader.problems.length > 0 ? { problems: reader.problems } : { table }
}

class PricesReader {
  readonly problems: string[] = []
  private readonly base: PriceTable
  /** The model of each alias that the file gives. */
  private readonly aliases = new Map<string, string>()

  constructor(base: PriceTable) {
    this.base = base
  }

  read(json: JsonObject): PriceTable {
    this.refuseOthers(json, '', tableKeys)
    if (json['unit'] !== undefined && json['unit'] !== unit) this.problem(`unit is not ${jsonText(unit)}.`)
    const facts = {
      date: this.day(json['date'], 'date')?.text ?? this.base.date,
      webSearchPerRequest: this.amount(json['webSearchPerRequest'], 'webSearchPerRequest', mostUsd),
      usInferenceFactor: this.amount(json['usInferenceFactor'], 'usInferenceFactor', mostFactor),
    }
    const models = this.models(json['models'])
    return makeTable(
      {
        date: facts.date,
        webSearchPerRequest: facts.webSearchPerRequest ?? this.base.webSearchPerRequest,
        usInferenceFactor: facts.usInferenceFactor ?? this.base.usInferenceFactor,
      },
      models,
    )
  }

  /** The base's models, then new ones; an alias given here leaves the model that had it. */
  private models(json: unknown): PricedModel[] {
    const models = new Map(this.base.models)
    if (json !== undefined && !isObject(json)) this.problem('models is not an object.')
    if (!isObject(json)) return [...models.values()]
    const given = new Set(Object.keys(json))
    for (const [id, value] of Object.entries(json)) {
      const model = this.model(value, id, given)
      if (model) models.set(id, model)
    }
    return [...models.values()].map(model => {
      const isTaken = (alias: string) => this.aliases.has(alias) && this.aliases.get(alias) !== model.id
      return { ...model, aliases: model.aliases.filter(alias => !isTaken(alias)) }
    })
  }

  private model(json: unknown, id: string, given: ReadonlySet<string>): PricedModel | null {
    const path = keyPath('models', id)
    if (!isObject(json)) return this.problem(`${path} is not an object.`)
    this.refuseOthers(json, path, modelKeys)
    const known = this.base.models.get(id)
    const window = json['contextWindow']
    return {
      id,
      aliases: json['aliases'] === undefined ? (known?.aliases ?? []) : this.aliasesOf(json['aliases'], id, given),
      contextWindow:
        window === undefined
          ? ((known ?? modelOf(this.base, id))?.contextWindow ?? null)
          : this.tokens(window, `${path}.contextWindow`),
      rows: json['rows'] === undefined && known ? known.rows : this.rows(json['rows'], `${path}.rows`),
    }
  }

  private aliasesOf(json: unknown, id: string, given: ReadonlySet<string>): string[] {
    const path = `${keyPath('models', id)}.aliases`
    if (!Array.isArray(json)) this.problem(`${path} is not a list.`)
    for (const [i, alias] of asArray(json).entries()) {
      if (typeof alias !== 'string' || alias === '') this.problem(`${path}[${i}] is not a name.`)
      else if (this.aliases.has(alias)) this.problem(`${path}[${i}] is an alias that was given before.`)
      else if (given.has(alias) || this.base.models.has(alias)) this.problem(`${path}[${i}] is the id of a model.`)
      else this.aliases.set(alias, id)
    }
    return asArray(json).filter(alias => typeof alias === 'string')
  }

  private rows(json: unknown, path: string): PriceRow[] {
    if (json === undefined) this.problem(`${path} is missing.`)
    else if (!Array.isArray(json)) this.problem(`${path} is not a list.`)
    else if (json.length === 0) this.problem(`${path} is empty.`)
    const rows: PriceRow[] = []
    for (const [i, value] of asArray(json).entries()) {
      const row = this.row(value, `${path}[${i}]`)
      if (row) rows.push(row)
    }
    return rows
  }

  private row(json: unknown, path: string): PriceRow | null {
    if (!isObject(json)) return this.problem(`${path} is not an object.`)
    this.refuseOthers(json, path, rowKeys)
    const from = this.day(json['from'], `${path}.from`)
    const to = this.day(json['to'], `${path}.to`)
    if (from && to && from.ms >= to.ms) this.problem(`${path}.to is not after its from.`)
    const speed = json['speed'] ?? 'standard'
    if (speed !== 'standard' && speed !== 'fast') this.problem(`${path}.speed is neither "standard" nor "fast".`)
    const price = (key: (typeof priceKeys)[number]): number => {
      if (json[key] === undefined) this.problem(`${path}.${key} is missing.`)
      return this.amount(json[key], `${path}.${key}`, mostUsd) ?? 0
    }
    return {
      from: from?.text ?? null,
      to: to?.text ?? null,
      fromMs: from?.ms ?? Number.NEGATIVE_INFINITY,
      toMs: to?.ms ?? Number.POSITIVE_INFINITY,
      speed: speed === 'fast' ? 'fast' : 'standard',
      abovePromptTokens: this.tokens(json['abovePromptTokens'], `${path}.abovePromptTokens`) ?? 0,
      input: price('input'),
      output: price('output'),
      cacheWrite5m: price('cacheWrite5m'),
      cacheWrite1h: price('cacheWrite1h'),
      cacheRead: price('cacheRead'),
    }
  }

  /** An absent or null day stays open. */
  private day(value: unknown, path: string): { text: string; ms: number } | null {
    if (value === undefined || value === null) return null
    const ms = typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value) ? toMillis(value) : null
    if (typeof value !== 'string' || ms === null) return this.problem(`${path} is not a day as YYYY-MM-DD.`)
    return { text: value, ms }
  }

  private amount(value: unknown, path: string, most: number): number | undefined {
    if (value === undefined) return undefined
    if (typeof value === 'number' && value >= 0 && value <= most) return value
    this.problem(`${path} is not a number from 0 to ${most}.`)
    return undefined
  }

  private tokens(value: unknown, path: string): number | null {
    if (value === undefined || value === null) return null
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value
    return this.problem(`${path} is not a whole number of tokens.`)
  }

  private refuseOthers(json: JsonObject, path: string, known: ReadonlySet<string>): void {
    for (const key of Object.keys(json)) {
      if (!known.has(key)) this.problem(`${keyPath(path, key)} is not a known key.`)
    }
  }

  private problem(sentence: string): null {
    this.problems.push(sentence)
    return null
  }
}

/** `models.my-model`, or `models["my model"]` where the key is not a plain word. */
function keyPath(path: string, key: string): string {
  if (!/^[\w-]+$/.test(key)) return `${path}[${jsonText(key)}]`
  return path === '' ? key : `${path}.${key}`
}

/** What one million tokens of each kind cost in USD, under the conditions that the row names. */
export interface PriceRow {
  /** First day, `YYYY-MM-DD` in UTC; null: since ever. */
  from: string | null
  /** First day after it, `YYYY-MM-DD` in UTC; null: still. */
  to: string | null
  /** The same as milliseconds since 1970, infinite where open. */
  fromMs: number
  toMs: number
  speed: 'standard' | 'fast'
  /** Holds for prompts larger than this, for the whole request, its output too. */
  abovePromptTokens: number
  input: number
  output: number
  cacheWrite5m: number
  cacheWrite1h: number
  cacheRead: number
}

export interface PricedModel {
  id: string
  aliases: readonly string[]
  /** In tokens; null where the table does not say. */
  contextWindow: number | null
  rows: readonly PriceRow[]
}

export interface PriceTable {
  /** The day on which the prices were gathered, `YYYY-MM-DD`. */
  date: string
  /** By id. */
  models: ReadonlyMap<string, PricedModel>
  /** By id and alias; an id beats an alias. */
  names: ReadonlyMap<string, PricedModel>
  /** USD. */
  webSearchPerRequest: number
  /** On the tokens of requests that had to be answered in the USA. */
  usInferenceFactor: number
  /** Prompt sizes, ascending, above which some row applies; cells have to be parted at these or finer. */
  promptSteps: readonly number[]
}

/** A table of these models, with what follows from them. */
export function makeTable(
  facts: Pick<PriceTable, 'date' | 'webSearchPerRequest' | 'usInferenceFactor'>,
  models: readonly PricedModel[],
): PriceTable {
  const byId = new Map(models.map(model => [model.id, model]))
  const names = new Map<string, PricedModel>()
  for (const model of models) for (const alias of model.aliases) names.set(alias, model)
  for (const [id, model] of byId) names.set(id, model)
  const steps = new Set(models.flatMap(model => model.rows.map(row => row.abovePromptTokens)))
  steps.delete(0)
  return { ...facts, models: byId, names, promptSteps: [...steps].sort((a, b) => a - b) }
}

const providerPrefix = /^(?:[a-z]{2,}(?:-[a-z]+)*\.)?anthropic\./
const suffixes: readonly RegExp[] = [/\[1m\]$/, /-v[12]:0$/, /@\d{4}-?\d\d-?\d\d$/, /-\d{8}$/]

/**
 * An id without what providers and Claude Code add to it: `us.anthropic.claude-opus-4-1-20250805-v1:0[1m]` →
 * `claude-opus-4-1`. Each addition once, the suffixes in any order; letter case is kept.
 */
function bareModelId(id: string): string {
  const bare = shorterForms(id).at(-1)?.replace(providerPrefix, '')
  return bare === undefined || bare === '' ? id : bare
}

/** The id, then what is left as one suffix after the other is taken off. */
function shorterForms(id: string): string[] {
  const forms = [id]
  const left = new Set(suffixes)
  let form = id
  for (;;) {
    const suffix = findSuffix(form, left)
    if (suffix === undefined) return forms
    left.delete(suffix)
    form = form.replace(suffix, '')
    forms.push(form)
  }
}

function findSuffix(text: string, candidates: ReadonlySet<RegExp>): RegExp | undefined {
  for (const pattern of candidates) if (pattern.test(text)) return pattern
  return undefined
}

/**
 * The model that an id means; undefined where the table does not know it. The longest form of the id that the table names
 * wins, so that a user can price a dated or a provider's id apart.
 */
export function modelOf(table: PriceTable, id: string): PricedModel | undefined {
  const named = table.names.get(id)
  if (named !== undefined) return named
  let met = metIds.get(table)
  if (met === undefined) {
    met = new Map()
    metIds.set(table, met)
  }
  let model = met.get(id)
  if (model === undefined) {
    model = findModel(table, id)
    met.set(id, model)
  }
  return model ?? undefined
}

/** What ids that a table does not name were found to mean: reports ask for the same few of them very often. */
const metIds = new WeakMap<PriceTable, Map<string, PricedModel | null>>()

function findModel(table: PriceTable, id: string): PricedModel | null {
  for (const form of shorterForms(id)) {
    const model = table.names.get(form) ?? table.names.get(form.replace(providerPrefix, ''))
    if (model !== undefined) return model
  }
  return null
}

/**
 * The row that prices a request; null where the model is unknown or no row of it applies.
 * `atMs`: milliseconds since 1970; null takes the newest prices. `abovePrompt`: the largest of the table's `promptSteps`
 * that is below the size of the prompt, else 0. A fast request of a model without a fast row has the standard price.
 */
export function priceOf(
  table: PriceTable,
  model: string,
  atMs: number | null,
  isFast: boolean,
  abovePrompt: number,
): PriceRow | null {
  const rows = modelOf(table, model)?.rows
  if (rows === undefined) return null
  const at = atMs ?? newestTime(rows)
  const standard = bestRow(rows, at, 'standard', abovePrompt)
  return isFast ? (bestRow(rows, at, 'fast', abovePrompt) ?? standard) : standard
}

function bestRow(rows: readonly PriceRow[], at: number, speed: PriceRow['speed'], abovePrompt: number) {
  let best: PriceRow | null = null
  for (const row of rows) {
    const holds = row.speed === speed && row.abovePromptTokens <= abovePrompt && isWithin(row, at)
    if (holds && (best === null || isCloser(row, best))) best = row
  }
  return best
}

/** The end of time is within a row that is still open. */
function isWithin(row: PriceRow, at: number): boolean {
  return row.fromMs <= at && (at < row.toMs || row.toMs === Number.POSITIVE_INFINITY)
}

/** Where rows overlap: the larger prompt, then the later beginning, then the earlier end. */
function isCloser(row: PriceRow, other: PriceRow): boolean {
  if (row.abovePromptTokens !== other.abovePromptTokens) return row.abovePromptTokens > other.abovePromptTokens
  if (row.fromMs !== other.fromMs) return row.fromMs > other.fromMs
  return row.toMs < other.toMs
}

/** The last moment at which any row applies. */
function newestTime(rows: readonly PriceRow[]): number {
  let newest = Number.NEGATIVE_INFINITY
  for (const row of rows) newest = Math.max(newest, row.toMs === Number.POSITIVE_INFINITY ? row.toMs : row.toMs - 1)
  return newest
}

// At the end, since it is read when the module is loaded.
const noPrices = makeTable({ date: '', webSearchPerRequest: 0, usInferenceFactor: 1 }, [])

/** The prices that come with the program. */
export const bundledPrices: PriceTable = tableOf(readPricesOver(tableJson, noPrices))

function tableOf(read: PricesRead): PriceTable {
  return 'table' in read ? read.table : noPrices
}

/** The models that are known, without a price for any: what each used is counted, and costs nothing that is known. */
export const withoutPrices: PriceTable = makeTable(
  { date: '', webSearchPerRequest: 0, usInferenceFactor: 1 },
  [...bundledPrices.models.values()].map(model => ({ ...model, rows: [] })),
)
