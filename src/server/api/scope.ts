// What the server is about: which roots are read, whether they are all that counts, and what of them is kept first. It looks
// at names of folders and files, and into none of them.

import { existsSync, readdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve, sep } from 'node:path'
import { archiveFolder } from '../../archive/format/layout.ts'
import { Archive } from '../../archive/store/archive.ts'
import { canonicalPlace } from '../../archive/store/place.ts'
import { claudeHomes } from '../../disk/discover/homes.ts'
import { isLogName } from '../../disk/discover/project.ts'
import { sampleHome } from '../../disk/package-folder.ts'
import type { PlainRefreshOptions } from '../../index/refresh/background.ts'
import type { InScope } from '../../index/search/sessions.ts'
import { readSettings, type Settings } from './settings.ts'

export interface Scope {
  /** Clew's own folder. */
  home: string
  roots: string[]
  /** Only these were asked for. */
  isScoped: boolean
  /** There are no sessions yet: the bundled ones are shown. */
  isSample: boolean
  /** Nothing is kept in passing either. */
  isReadOnly: boolean
  /** The roots were named for this once. */
  isOnce: boolean
  settings: Settings
  /** Absent where everything that is indexed counts. */
  isInScope?: InScope
}

export interface ScopeOptions {
  home: string
  roots?: readonly string[]
  isReadOnly?: boolean
}

export function scopeOf({ home, roots = [], isReadOnly = false }: ScopeOptions): Scope {
  const settings = readSettings(home)
  const named = roots.length > 0 ? [...roots] : settings.roots
  const isNamed = named.length > 0 || Boolean(process.env['CLAUDE_CONFIG_DIR'])
  const found = claudeHomes({ roots: named, env: process.env, homeDir: homedir() }).map(root => resolve(root))
  const hasArchive = existsSync(join(home, 'archive', 'manifest'))
  const isSample = !isNamed && !hasArchive && !found.some(hasSessions)
  const scope: Scope = {
    home,
    roots: isSample ? [sampleHome()] : found,
    isScoped: isSample || isNamed,
    isSample,
    isReadOnly,
    isOnce: roots.length > 0,
    settings,
  }
  if (scope.isScoped) scope.isInScope = below(scope.roots)
  return scope
}

/** Whether any project has a log: where none has, there is nothing to show. */
function hasSessions(root: string): boolean {
  for (const projects of ['projects', 'conversations'].map(name => join(root, name))) {
    for (const project of namesIn(projects)) {
      if (isLogName(project) || namesIn(join(projects, project)).some(isLogName)) return true
    }
  }
  return false
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function below(roots: readonly string[]): InScope {
  const places = roots.flatMap(root => [resolve(root), canonicalPlace(root)])
  return path => places.some(root => path === root || path.startsWith(root.endsWith(sep) ? root : root + sep))
}

/** What is indexed is archived first, unless the config says otherwise. */
export function refreshOptionsOf(scope: Scope): PlainRefreshOptions {
  const { home, roots, isScoped, isSample, isReadOnly, settings } = scope
  const isArchiving = !isSample && !isReadOnly && settings.mode === 'auto'
  const keepRoots = isArchiving ? archivedRoots(scope) : []
  return { home, roots, isScoped, keepRoots, exclude: settings.exclude, waitMs: 0 }
}

/** Roots that were named on the command line are archived only where they already are in the archive. */
function archivedRoots({ home, roots, isOnce }: Scope): string[] {
  const present = roots.filter(root => existsSync(root))
  if (!isOnce) return present
  const archive = new Archive(archiveFolder(home))
  const known = archive.exists ? archive.manifest.catalog.homes() : new Set<string>()
  return present.filter(root => known.has(canonicalPlace(root)))
}
