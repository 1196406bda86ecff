// Which Claude homes count: those that were named, those of the config, the usual ones, or the bundled samples where there is
// nothing else. It looks at names of folders and files, and opens no log.

import { join } from 'node:path'
import { hasArchive } from '../archive/store/mode.ts'
import { isBelow, namesIn } from '../disk/discover/homes.ts'
import { isLogName } from '../disk/discover/project.ts'
import { sampleHome } from '../files/package-folder.ts'
import { canonicalPlace } from '../files/place.ts'
import type { InScope } from '../index/search/sessions.ts'
import type { Clew } from './clew.ts'
import { forbidden } from './error.ts'
import { homesOf } from './settings.ts'

export interface Scope {
  /** They may not exist. */
  roots: readonly string[]
  /** Only these count, whatever else is indexed or archived. */
  isScoped: boolean
  /** There are no sessions yet: the bundled samples are shown. */
  isSample: boolean
  /** They and where links lead to; absent where everything that is indexed counts. */
  places?: string[]
  isInScope?: InScope
}

const known = new WeakMap<object, Scope>()

/** The same for every question of one handle. */
export function scopeOf(clew: ScopeFacts): Scope {
  const held = known.get(clew)
  if (held !== undefined) return held
  const scope = findScope(clew)
  known.set(clew, scope)
  return scope
}

type ScopeFacts = Pick<Clew, 'root' | 'home' | 'usesSample'>

/** As it is now: a first session ends the samples. */
export function findScope(clew: ScopeFacts): Scope {
  const isNamed = isAnyNamed(clew)
  const found = homesOf(clew)
  const isSample = clew.usesSample && !isNamed && !hasArchive(clew.home) && !found.some(hasSessions)
  const roots = isSample ? [sampleHome()] : found
  if (!isSample && !isNamed) return { roots, isScoped: false, isSample }
  const places = roots.flatMap(root => [root, canonicalPlace(root)])
  return { roots, isScoped: true, isSample, places, isInScope: path => places.some(root => isBelow(path, root)) }
}

/** Whether homes were named: for this once, as a setting, or in the environment. */
export function isAnyNamed({ root }: Pick<Clew, 'root'>): boolean {
  return root.length > 0 || Boolean(process.env['CLAUDE_CONFIG_DIR'])
}

/** Whether any project has a log. */
function hasSessions(root: string): boolean {
  for (const projects of ['projects', 'conversations'].map(name => join(root, name))) {
    for (const project of namesIn(projects)) {
      if (isLogName(project) || namesIn(join(projects, project)).some(isLogName)) return true
    }
  }
  return false
}

/** Throws where nothing may be changed. `what`: `restored`; `advice`: what can be changed instead of the samples. */
export function refuseChanges(clew: Clew, what: string, advice: string): void {
  if (clew.isReadOnly) throw forbidden(`Nothing can be ${what} here.`, 'clew serve runs with --read-only-token.')
  if (scopeOf(clew).isSample) throw forbidden('These are the bundled samples.', advice)
}

/** Once, whoever asks first: the listener of a handle says each sentence once. */
export function noteSample({ listener }: Pick<Clew, 'listener'>): void {
  listener.note('no sessions of yours yet; showing the bundled sample history')
}
