// The index for commands that can do without: opened once per command, and only where there is one and --no-index was not
// given. Its code and SQLite's are loaded no sooner than that.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Clew } from '../clew.ts'
import { scopeOf } from '../scope.ts'
import type { UsedIndex } from './used-index.ts'

const used = new WeakMap<Clew, Promise<UsedIndex | null>>()
const refreshed = new WeakSet<Clew>()

/** Null where files have to be read. The same for every question of one command. */
export function indexFor(clew: Clew): Promise<UsedIndex | null> {
  if (clew.upkeep !== undefined) return clew.upkeep.index()
  // Without an index there may be what a killed first refresh left, which is removed.
  if (!clew.usesIndex || !existsSync(join(clew.home, 'index'))) return Promise.resolve(null)
  const known = used.get(clew)
  if (known !== undefined) return known
  const opening = open(clew)
  used.set(clew, opening)
  return opening
}

/** The index for what has no answer without one: refreshed, and made where there is none. Null where it must not be used. */
export async function neededIndex(clew: Clew): Promise<UsedIndex | null> {
  if (clew.upkeep !== undefined) return clew.upkeep.neededIndex()
  await closeIndex(clew)
  const opening = open(clew, true)
  used.set(clew, opening)
  return opening
}

async function open(clew: Clew, isNeeded = false): Promise<UsedIndex | null> {
  const { openIndex } = await import('./index-open.ts')
  const index = await openIndex(clew, { isNeeded })
  if (index === null) return null
  if (!index.isStale) refreshed.add(clew)
  await reopen(clew)
  const { isInScope } = scopeOf(clew)
  return isInScope === undefined ? index : { ...index, isInScope }
}

/** Reads what was archived just now. */
async function reopen(clew: Clew): Promise<void> {
  if (clew.archive !== undefined) {
    clew.archive.reload()
    return
  }
  const { openPlaces } = await import('../../archive/read/places.ts')
  Object.assign(clew, await openPlaces(clew.home))
}

/** A refresh archives what is new before it indexes it. */
export function wasRefreshed(clew: Clew): boolean {
  return refreshed.has(clew)
}

export async function closeIndex(clew: Clew): Promise<void> {
  const opening = used.get(clew)
  used.delete(clew)
  const index = await opening?.catch(() => null)
  index?.db.close()
}
