// Which prices apply: the bundled ones, over them those of the config file, over those a file that the command line names. It
// reads them; what a message costs is decided elsewhere.

import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { resolve } from 'node:path'
import { errorCode } from '../../base/error-code.ts'
import { isObject, parseJson } from '../../base/json.ts'
import { expandTilde } from '../../disk/discover/homes.ts'
import { readText } from '../../disk/read/read.ts'
import { bundledPrices, modelName, type PriceTable, priceOf, readPrices } from '../../usage/prices.ts'
import { UserError } from '../error.ts'
import { readConfig } from '../settings.ts'

export interface LoadedPrices {
  table: PriceTable
  /** What was laid over the bundled ones, for people; empty where nothing was. */
  from: string[]
}

/** `home`: Clew's own folder. `named`: the value of `--prices`. */
export function loadPrices(home: string, named?: string): LoadedPrices {
  const loaded: LoadedPrices = { table: bundledPrices, from: [] }
  const { prices } = readConfig(home)
  if (typeof prices === 'string') layFile(loaded, prices, readText)
  else if (isObject(prices)) lay(loaded, prices, 'prices in the config')
  // It may be a pipe.
  if (named !== undefined) layFile(loaded, named, path => readFileSync(path, 'utf8'))
  return loaded
}

function layFile(loaded: LoadedPrices, path: string, read: (path: string) => string): void {
  const file = resolve(expandTilde(path, homedir()))
  let text: string
  try {
    text = read(file)
  } catch (error) {
    throw new UserError(`cannot read the prices in ${file} (${errorCode(error)})`)
  }
  lay(loaded, parseJson(text), file)
}

function lay(loaded: LoadedPrices, json: unknown, from: string): void {
  const read = readPrices(json, loaded.table)
  if ('problems' in read) {
    const [first = '', ...more] = read.problems
    throw new UserError(`${from}: ${first}${more.length > 0 ? ` (and ${more.length} more)` : ''}`)
  }
  loaded.table = read.table
  loaded.from.push(from)
}

/** The model that unknown ones are priced as; an error where it has no price itself. */
export function knownModel(table: PriceTable, wanted: string, from: string): string {
  const isKnown = priceOf(table, wanted, null, false, 0) !== null
  if (isKnown) return modelName(wanted, table)
  const names = [...table.models.keys()].slice(0, 4).join(', ')
  throw new UserError(`${from} ${wanted}: it has no price itself; models that have one: ${names}, …`)
}
