// What the server is about: which roots it reads, whether they are all that counts, what the config says of archiving, prices
// and times. It looks at names of folders and files, and opens no log. Values of config.json that are not valid count as not
// set: the command that writes the file refuses them.

import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { archiveFolder } from '../archive/format/layout.ts'
import { Archive } from '../archive/store/archive.ts'
import { type ArchiveMode, archiveSetting } from '../archive/store/mode.ts'
import { attempt } from '../base/attempt.ts'
import { asArray, asString, isObject, type JsonObject, parseJson } from '../base/json.ts'
import { readConfigFile } from '../disk/config-file.ts'
import { claudeHomes, expandTilde, isBelow, namesIn } from '../disk/discover/homes.ts'
import { isLogName } from '../disk/discover/project.ts'
import { sampleHome } from '../disk/package-folder.ts'
import { canonicalPlace } from '../files/place.ts'
import type { PlainRefreshOptions } from '../index/refresh/background.ts'
import type { InScope } from '../index/search/sessions.ts'
import { readWeekStart } from '../usage/calendar.ts'
import { bundledPrices, type PriceTable, readPrices } from '../usage/prices.ts'
import { forbidden } from './error.ts'

export interface Scope {
  /** Clew's own folder. */
  home: string
  roots: string[]
  /** Only these roots count. */
  isScoped: boolean
  /** There are no sessions yet: the bundled samples are shown. */
  isSample: boolean
  /** Nothing is changed, and nothing archived in the background. */
  isReadOnly: boolean
  /** The roots were named on the command line. */
  isOnce: boolean
  settings: Settings
  /** Absent where everything in the index counts. */
  isInScope?: InScope
}

export function scopeOf({
  home,
  roots = [],
  isReadOnly = false,
}: {
  home: string
  roots?: readonly string[]
  isReadOnly?: boolean
}): Scope {
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

/** Whether any project has a log. */
function hasSessions(root: string): boolean {
  for (const projects of ['projects', 'conversations'].map(name => join(root, name))) {
    for (const project of namesIn(projects)) {
      if (isLogName(project) || namesIn(join(projects, project)).some(isLogName)) return true
    }
  }
  return false
}

function below(roots: readonly string[]): InScope {
  const places = roots.flatMap(root => [resolve(root), canonicalPlace(root)])
  return path => places.some(root => isBelow(path, root))
}

/** Throws where nothing may be changed. `what`: `restored`; `advice`: what can be changed instead of the samples. */
export function refuseChanges({ isReadOnly, isSample }: Scope, what: string, advice: string): void {
  if (isReadOnly) throw forbidden(`Nothing can be ${what} here.`, 'clew serve runs with --read-only-token.')
  if (isSample) throw forbidden('These are the bundled samples.', advice)
}

/** Reads the config again, after it was changed. Roots stay those of the start. */
export function rereadSettings(scope: Scope): void {
  scope.settings = readSettings(scope.home)
}

/** When sessions are archived, as the config says now; a config that cannot be read asks for nothing. */
export function archiveModeOf({ home }: Scope): ArchiveMode {
  return attempt(() => archiveSetting(home))?.mode ?? 'manual'
}

/** Somebody set it. */
export function isArchiveModeChosen({ home }: Scope): boolean {
  return attempt(() => archiveSetting(home))?.isChosen === true
}

/** What is indexed is archived first, where that was asked for. */
export function refreshOptionsOf(scope: Scope): PlainRefreshOptions {
  const { home, roots, isScoped, isSample, isReadOnly, settings } = scope
  const isArchiving = !isSample && !isReadOnly && archiveModeOf(scope) === 'auto'
  const archiveRoots = isArchiving ? archivedRoots(scope) : []
  return { home, roots, isScoped, archiveRoots, exclude: settings.exclude, waitMs: 0 }
}

/** Roots that were named on the command line are archived only where they already are in the archive. */
function archivedRoots({ home, roots, isOnce }: Scope): string[] {
  const present = roots.filter(root => existsSync(root))
  if (!isOnce) return present
  const archive = new Archive(archiveFolder(home))
  const known = archive.exists ? archive.manifest.catalog.homes() : new Set<string>()
  return present.filter(root => known.has(canonicalPlace(root)))
}

interface Settings {
  roots: string[]
  exclude: string[]
  prices: PriceTable
  unknownAs?: string
  /** From 0 for Sunday. */
  weekStart: number
  timezone?: string
}

const monday = 1

function readSettings(home: string): Settings {
  const config = attempt(() => readConfigFile(home)) ?? {}
  const settings: Settings = {
    roots: paths(config['roots']),
    exclude: paths(config['exclude']),
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
