// Reads a table of prices from JSON: the bundled one, and a user's own laid over it. It gives a table or sentences that say
// what is wrong; it never throws, and never takes half a file.
//
//   { "date": "2026-11-15", "webSearchPerRequest": 0.01, "usInferenceFactor": 1.1,
//     "models": { "my-model": { "aliases": ["mine"], "contextWindow": 200000, "rows": [
//       { "from": "2026-01-01", "to": null, "speed": "fast", "abovePromptTokens": 200000,
//         "input": 3, "output": 15, "cacheWrite5m": 3.75, "cacheWrite1h": 6, "cacheRead": 0.3 } ] } } }
//
// Every key may be absent, but a row has its five prices, in USD per 1,000,000 tokens (digits after the sixth decimal are
// rounded away), and a model that the base does not have has rows. A row without `from`, `to`, `speed` or
// `abovePromptTokens` holds since ever, still, at standard speed, for every prompt. The rows of a model replace all rows
// that the base has for it; what is not given stays. `unit`, `sources`, `rules`, `released` and `note` are for readers.

import { toMillis } from '../base/instant.ts'
import { asArray, isObject, type JsonObject, jsonText } from '../base/json.ts'
import { makeTable, modelOf, type PricedModel, type PriceRow, type PriceTable } from './prices-rows.ts'

export type PricesRead = { table: PriceTable } | { problems: string[] }

const unit = 'USD per 1,000,000 tokens'
const tableKeys = new Set(['unit', 'date', 'sources', 'rules', 'webSearchPerRequest', 'usInferenceFactor', 'models'])
const modelKeys = new Set(['aliases', 'contextWindow', 'rows', 'released', 'note'])
const priceKeys = ['input', 'output', 'cacheWrite5m', 'cacheWrite1h', 'cacheRead'] as const
const rowKeys = new Set<string>(['from', 'to', 'speed', 'abovePromptTokens', ...priceKeys])
const mostUsd = 1_000_000
const mostFactor = 1000

/** The prices of `json` laid over those of `base`. */
export function readPricesOver(json: unknown, base: PriceTable): PricesRead {
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

/** `models.my-model`, or `models["my model"]` where the key is no plain word. */
function keyPath(path: string, key: string): string {
  if (!/^[\w-]+$/.test(key)) return `${path}[${jsonText(key)}]`
  return path === '' ? key : `${path}.${key}`
}
