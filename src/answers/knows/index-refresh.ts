// Refreshing the index for a user who waits: which roots, and which of them are archived first.

import { existsSync } from 'node:fs'
import { canonicalPlace } from '../../files/place.ts'
import type { PlainRefreshOptions } from '../../index/refresh/background.ts'
import type { RefreshOptions, RefreshReport } from '../../index/refresh/refresh.ts'
import { isOnNetwork } from '../../index/store/open.ts'
import { archiveSettingOf, noteWaiting } from '../archive-mode.ts'
import type { Clew } from '../clew.ts'
import { settingsOf } from '../configured.ts'
import { scopeOf } from '../scope.ts'
import { missingHomesOf } from '../settings.ts'

/** How long a command waits for another one that writes the index. */
const longestWaitMs = 60_000

interface WatchedOptions {
  waitMs?: number
  /** Archive roots that were named with --root, too. */
  archivesNamed?: boolean
}

/** The options of a refresh, without progress. */
export function refreshOptions(clew: Clew, options: WatchedOptions = {}): RefreshOptions {
  const { roots, isScoped } = scopeOf(clew)
  return {
    home: clew.home,
    roots: [...roots],
    isScoped,
    missing: missingHomesOf(clew),
    onLeft: left => clew.listener.note(leftText(left)),
    archiveRoots: rootsToArchive(clew, options.archivesNamed === true),
    exclude: [...settingsOf(clew).exclude],
    waitMs: options.waitMs ?? longestWaitMs,
    onWait: noteWaiting(clew),
  }
}

/** Those of a refresh in a thread of its own, which has no listener and waits for nobody. */
export function plainRefreshOptions(clew: Clew): PlainRefreshOptions {
  const { onWait: _wait, onLeft: _left, ...options } = refreshOptions(clew, { waitMs: 0 })
  return options
}

/** They were named for once: an answer about all homes is not about them. */
function leftText(roots: readonly string[]): string {
  return `no longer indexed: ${roots.join(', ')}, named with --root before`
}

/** What is indexed is archived first, where that was asked for. */
function rootsToArchive(clew: Clew, archivesNamed: boolean): string[] {
  const { roots, isSample } = scopeOf(clew)
  if (isSample || clew.isReadOnly || archiveSettingOf(clew).mode !== 'auto') return []
  const present = roots.filter(root => existsSync(root))
  if (!clew.isRootNamed || archivesNamed) return present
  const archived = clew.archive?.manifest.catalog.homes() ?? new Set<string>()
  return present.filter(root => archived.has(canonicalPlace(root)))
}

/** Does `work` with a line of progress; Ctrl-C asks it to stop. */
export function watched<Value = RefreshReport>(
  clew: Clew,
  options: RefreshOptions,
  work: (options: RefreshOptions) => Promise<Value>,
): Promise<Value> {
  if (isOnNetwork(clew.home)) {
    clew.listener.note(
      `${clew.home} is on a network file system, where an index may get damaged; name a local folder with --home`,
    )
  }
  const stopping = 'stopping after this step; Ctrl-C again stops at once'
  return clew.listener.stoppable(stopping, watching => work({ ...options, ...watching }))
}
