// What people set once and the server goes by: the few values of config.json that decide what is kept and what things cost.
// Values that make no sense count as not set: the command that writes the file refuses them.

import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { asArray, asObject, asString, isObject, type JsonObject, parseJson } from '../../base/json.ts'
import { expandTilde } from '../../disk/discover/homes.ts'
import { readWeekStart } from '../../usage/calendar.ts'
import { bundledPrices, type PriceTable, readPrices } from '../../usage/prices.ts'

export type KeepMode = 'auto' | 'manual' | 'off'

export interface Settings {
  roots: string[]
  exclude: string[]
  /** `auto` where nothing is said. */
  mode: KeepMode
  prices: PriceTable
  unknownAs?: string
  /** From 0 for Sunday. */
  weekStart: number
  timezone?: string
}

const monday = 1

/** `home`: Clew's own folder. */
export function readSettings(home: string): Settings {
  const config = asObject(readJson(join(home, 'config.json'))) ?? {}
  const mode = config['archive']
  const settings: Settings = {
    roots: paths(config['roots']),
    exclude: paths(config['exclude']),
    mode: mode === 'manual' || mode === 'off' ? mode : 'auto',
    prices: pricesOf(config),
    weekStart: readWeekStart(asString(config['weekStart']) ?? '') ?? monday,
  }
  const unknownAs = asString(config['unknownAs'])
  if (unknownAs !== undefined) settings.unknownAs = unknownAs
  const timezone = asString(config['timezone'])
  if (timezone !== undefined) settings.timezone = timezone
  return settings
}

function paths(value: unknown): string[] {
  const texts = asArray(value).flatMap(text => asString(text) ?? [])
  return texts.filter(text => text !== '').map(text => expandTilde(text, homedir()))
}

function pricesOf({ prices }: JsonObject): PriceTable {
  const given = typeof prices === 'string' ? readJson(resolve(expandTilde(prices, homedir()))) : prices
  if (!isObject(given)) return bundledPrices
  const read = readPrices(given)
  return 'table' in read ? read.table : bundledPrices
}

function readJson(path: string): unknown {
  try {
    return parseJson(readFileSync(path, 'utf8'))
  } catch {
    return undefined
  }
}
