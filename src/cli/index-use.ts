// The index for commands that can do without: opened once per command, and only where there is one and --no-index was not
// given. Its code and SQLite's are loaded no sooner than that.

import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { isBelow } from '../disk/discover/homes.ts'
import type { InScope } from '../index/search/sessions.ts'
import type { GlobalOptions } from './command.ts'
import { homesOf } from './config.ts'
import type { OpenIndex } from './index-open.ts'

/** An open index, and which paths answers are about: all that is indexed where it is absent. */
export interface UsedIndex extends OpenIndex {
  isInScope?: InScope
}

const used = new WeakMap<GlobalOptions, Promise<UsedIndex | null>>()
const refreshed = new WeakSet<GlobalOptions>()

/** Null where files have to be read. The same for every question of one command. */
export function indexFor(globals: GlobalOptions): Promise<UsedIndex | null> {
  // Without an index there may be what a killed first refresh left, which is removed.
  if (globals.usesIndex === false || !existsSync(join(globals.home, 'index'))) return Promise.resolve(null)
  const known = used.get(globals)
  if (known !== undefined) return known
  const opening = open(globals)
  used.set(globals, opening)
  return opening
}

async function open(globals: GlobalOptions): Promise<UsedIndex | null> {
  const { openIndex } = await import('./index-open.ts')
  const index = await openIndex(globals, { isNeeded: false })
  if (index === null) return null
  if (!index.isStale) refreshed.add(globals)
  await reopen(globals)
  // What a setting names is read alone too, whatever else is indexed.
  const named = index.roots ?? namedRoots(globals)
  if (named === null) return index
  const { canonicalPlace } = await import('../files/place.ts')
  const roots = named.flatMap(root => [resolve(root), canonicalPlace(root)])
  return { ...index, isInScope: path => roots.some(root => isBelow(path, root)) }
}

function namedRoots({ root }: GlobalOptions): string[] | null {
  if (root.length === 0 && !process.env['CLAUDE_CONFIG_DIR']) return null
  return homesOf({ root })
}

/** Reads what was archived just now. */
async function reopen(globals: GlobalOptions): Promise<void> {
  if (globals.archive !== undefined) {
    globals.archive.reload()
    return
  }
  const { openPlaces } = await import('../archive/read/places.ts')
  Object.assign(globals, await openPlaces(globals.home))
}

/** A refresh archives what is new before it indexes it. */
export function wasRefreshed(globals: GlobalOptions): boolean {
  return refreshed.has(globals)
}

export async function closeIndex(globals: GlobalOptions): Promise<void> {
  const opening = used.get(globals)
  used.delete(globals)
  const index = await opening?.catch(() => null)
  index?.db.close()
}
