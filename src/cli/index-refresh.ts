// Refreshing the index for a user who waits: which roots, and which of them are archived first.

import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { sampleHome } from '../disk/package-folder.ts'
import { canonicalPlace } from '../files/place.ts'
import type { RefreshOptions, RefreshReport } from '../index/refresh/refresh.ts'
import { isOnNetwork } from '../index/store/open.ts'
import type { GlobalOptions } from './command.ts'
import { archiveSettingOf, excludeRules } from './commands/archive/archive-open.ts'
import { homesOf } from './config.ts'
import { say, sayWaiting } from './terminal/output.ts'
import { stoppable } from './terminal/progress.ts'

/** How long a command waits for another one that writes the index. */
const longestWaitMs = 60_000

interface IndexScope {
  roots: string[]
  /** Only these were asked for. */
  isScoped: boolean
  isSample: boolean
}

/** What the index is about: the usual homes, those that were named, or the sample history where there is nothing else. */
export function indexScope(globals: GlobalOptions): IndexScope {
  const isNamed = globals.root.length > 0 || Boolean(process.env['CLAUDE_CONFIG_DIR'])
  const roots = homesOf(globals).map(root => resolve(root))
  const isEmpty = !isNamed && globals.archive === undefined && !roots.some(root => existsSync(root))
  if (isEmpty && globals.usesSample !== false) return { roots: [sampleHome()], isScoped: true, isSample: true }
  return { roots, isScoped: isNamed, isSample: false }
}

interface WatchedOptions {
  waitMs?: number
  /** Archive roots that were named with --root, too. */
  archivesNamed?: boolean
}

/** The options of a refresh, without progress. */
export function refreshOptions(globals: GlobalOptions, options: WatchedOptions = {}): RefreshOptions {
  const { roots, isScoped, isSample } = indexScope(globals)
  return {
    home: globals.home,
    roots,
    isScoped,
    archiveRoots: isSample ? [] : rootsToArchive(roots, globals, options.archivesNamed === true),
    exclude: excludeRules(globals),
    waitMs: options.waitMs ?? longestWaitMs,
    onWait: sayWaiting(globals.quiet),
  }
}

/** What is indexed is archived first, where that was asked for. */
function rootsToArchive(roots: readonly string[], globals: GlobalOptions, archivesNamed: boolean): string[] {
  if (archiveSettingOf(globals).mode !== 'auto') return []
  const present = roots.filter(root => existsSync(root))
  if (globals.isRootNamed !== true || archivesNamed) return present
  const archived = globals.archive?.manifest.catalog.homes() ?? new Set<string>()
  return present.filter(root => archived.has(canonicalPlace(root)))
}

/** Does `work` with a line of progress; Ctrl-C asks it to stop. */
export function watched<Value = RefreshReport>(
  globals: GlobalOptions,
  options: RefreshOptions,
  work: (options: RefreshOptions) => Promise<Value>,
): Promise<Value> {
  if (isOnNetwork(globals.home) && !globals.quiet) {
    say(
      `clew: ${globals.home} is on a network file system, where an index may get damaged; name a local folder with --home`,
    )
  }
  const stopping = 'clew: stopping after this step; Ctrl-C again stops at once'
  return stoppable(globals, stopping, watching => work({ ...options, ...watching }))
}
