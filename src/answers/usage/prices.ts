// Which prices apply: the bundled ones, over them those of the config, over those a file that is named for once. Where those of
// the config cannot be read nothing has a price, and the fault says so: bundled prices in their place would be a guess.

import { readFileSync } from 'node:fs'
import { errorCode } from '../../base/error-code.ts'
import { parseJson } from '../../base/json.ts'
import { readText } from '../../disk/read/read.ts'
import { bundledPrices, modelName, type PriceTable, priceOf, readPrices, withoutPrices } from '../../usage/prices.ts'
import type { Pricing } from '../../usage/session-usage.ts'
import type { Clew } from '../clew.ts'
import { fileState, type Settings, settingsOf, stateOf } from '../configured.ts'
import { UserError } from '../error.ts'
import { latest } from '../memo.ts'
import { namedPath } from '../paths.ts'

export interface LoadedPrices extends Pricing {
  /** What was laid over the bundled ones, for people; empty where nothing was. */
  from: readonly string[]
  /** Why nothing has a price, or not the one that the config wants: a sentence. */
  fault?: string
}

type Places = Pick<Clew, 'home'>

const pricesAt = latest<string, LoadedPrices>()

/** As the config says now. */
export function configuredPrices(clew: Places): LoadedPrices {
  const settings = settingsOf(clew)
  const file = typeof settings.prices === 'string' ? fileState(namedPath(settings.prices)) : ''
  return pricesAt(clew.home, `${stateOf(clew.home)} ${file}`, () => loadConfigured(settings))
}

/** What of the config cannot be used, its prices included: a sentence each, the same wherever it is said. */
export function settingsFaults(clew: Places): readonly string[] {
  const { faults } = settingsOf(clew)
  const { fault } = configuredPrices(clew)
  return fault === undefined ? faults : [...faults, fault]
}

/** The same for questions: their listener hears of a fault. */
export function pricingOf(clew: Clew): LoadedPrices {
  const prices = configuredPrices(clew)
  if (prices.fault !== undefined) clew.listener.note(prices.fault)
  return prices
}

/** `named`: a file for this once, which must be right. It is laid over what the config says. */
export function pricesWith(clew: Clew, named: string | undefined): LoadedPrices {
  if (named === undefined) return pricingOf(clew)
  const { fault: _, ...configured } = configuredPrices(clew)
  // It may be a pipe.
  const { table, from } = layFile(configured.prices, named, path => readFileSync(path, 'utf8'))
  return { ...configured, prices: table, from: [...configured.from, from] }
}

function loadConfigured({ prices, unknownAs }: Settings): LoadedPrices {
  try {
    const loaded = loadBase(prices)
    if (unknownAs === undefined) return loaded
    return withUnknownAs(loaded, unknownAs)
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    return { prices: withoutPrices, from: [], fault: `${error.message}; until that is fixed, no cost is known` }
  }
}

function loadBase(prices: Settings['prices']): LoadedPrices {
  if (prices === undefined) return { prices: bundledPrices, from: [] }
  const { table, from } =
    typeof prices === 'string'
      ? layFile(bundledPrices, prices, readText)
      : lay(bundledPrices, prices, 'prices in the config')
  return { prices: table, from: [from] }
}

function withUnknownAs(loaded: LoadedPrices, wanted: string): LoadedPrices {
  try {
    return { ...loaded, unknownAs: knownModel(loaded.prices, wanted, 'unknownAs in the config:') }
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    return { ...loaded, fault: error.message }
  }
}

interface Laid {
  table: PriceTable
  from: string
}

function layFile(base: PriceTable, path: string, read: (path: string) => string): Laid {
  const file = namedPath(path)
  let text: string
  try {
    text = read(file)
  } catch (error) {
    throw new UserError(`cannot read the prices in ${file} (${errorCode(error)})`)
  }
  return lay(base, parseJson(text), file)
}

function lay(base: PriceTable, json: unknown, from: string): Laid {
  const read = readPrices(json, base)
  if ('table' in read) return { table: read.table, from }
  const [first = '', ...more] = read.problems
  throw new UserError(`${from}: ${first}${more.length > 0 ? ` (and ${more.length} more)` : ''}`)
}

/** The model that unknown ones are priced as; an error where it has no price itself. */
export function knownModel(table: PriceTable, wanted: string, from: string): string {
  const isKnown = priceOf(table, wanted, null, false, 0) !== null
  if (isKnown) return modelName(wanted, table)
  const names = [...table.models.keys()].slice(0, 4).join(', ')
  throw new UserError(`${from} ${wanted}: it has no price itself; models that have one: ${names}, …`)
}
