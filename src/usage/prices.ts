// What API messages cost: prices of the bundled table or a user's own, times the tokens of usage cells, in whole units so
// that no order of adding changes a sum. It does not decide which messages count; that is settled when cells are made.

import type { UsageCell } from '../model/spent.ts'
import { quarterMillis } from './cells.ts'
import { type PricesRead, readPricesOver } from './prices-file.ts'
import { bareModelId, makeTable, modelOf, type PriceRow, type PriceTable, priceOf } from './prices-rows.ts'
import tableJson from './prices-table.json' with { type: 'json' }

export { type PricedModel, type PriceRow, type PriceTable, priceOf } from './prices-rows.ts'
export type { PricesRead }

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

const noPrices = makeTable({ date: '', webSearchPerRequest: 0, usInferenceFactor: 1 }, [])

/** The prices that come with the program. */
export const bundledPrices: PriceTable = tableOf(readPricesOver(tableJson, noPrices))

function tableOf(read: PricesRead): PriceTable {
  return 'table' in read ? read.table : noPrices
}

/** A user's prices laid over `base`, or sentences that say what is wrong with them; see prices-file.ts for the format. */
export function readPrices(json: unknown, base: PriceTable = bundledPrices): PricesRead {
  return readPricesOver(json, base)
}

/** The id of the table's model that an id or alias means; the id without provider, date and tag where there is none. */
export function modelName(id: string, table: PriceTable = bundledPrices): string {
  return modelOf(table, id)?.id ?? bareModelId(id)
}

/** Tokens that the model's context holds; null where unknown. An id tagged `[1m]` says it itself. */
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
