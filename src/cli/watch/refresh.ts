// Keeps archive and index up to date behind `clew watch`. When and how a refresh runs is in src/index/refresh/background.ts.

import { existsSync } from 'node:fs'
import { archiveInPassing } from '../../answers/care/in-passing.ts'
import { silent } from '../../answers/clew.ts'
import { sentence } from '../../answers/file-errors.ts'
import { refreshOptions } from '../../answers/knows/index-refresh.ts'
import { scopeOf } from '../../answers/scope.ts'
import { surveyRoots } from '../../archive/capture/survey.ts'
import { openPlaces } from '../../archive/read/places.ts'
import { escapeForLine } from '../../base/escape.ts'
import { isLogName } from '../../disk/discover/project.ts'
import { BackgroundRefresh, type PlainRefreshOptions, type RefreshOutcome } from '../../index/refresh/background.ts'
import { currentPath } from '../../index/store/open.ts'
import { sizeText } from '../../view/words.ts'
import type { GlobalOptions } from '../command.ts'
import { say } from '../terminal/output.ts'

const timing = { firstMs: 1_000, leastPauseMs: 4_000, share: 0.1, busyMs: 4_000, idleMs: 120_000 }
/** A larger first index is not built without being asked for. */
const largestFirstBytes = 64 * 1024 * 1024
/** People who end a watch expect it to end: what takes longer is explained. */
const patienceMs = 500
const hurryMs = 500

export class WatchRefresh {
  private readonly globals: GlobalOptions
  private readonly background: BackgroundRefresh
  private readonly said = new Set<string>()

  constructor(globals: GlobalOptions) {
    this.globals = globals
    this.background = new BackgroundRefresh({
      ...timing,
      options: () => this.options(),
      onOutcome: outcome => this.report(outcome),
    })
  }

  /** Something changed. */
  touch(): void {
    this.background.touch()
  }

  /** Takes in what changed since the last refresh, unless `hurry` is called. */
  async end(): Promise<void> {
    const patience = setTimeout(() => {
      if (!this.globals.quiet) say('clew: saving new lines; press Ctrl-C again to skip')
    }, patienceMs)
    await this.background.finish()
    clearTimeout(patience)
  }

  /** Ends with what is done by now. */
  hurry(): void {
    this.background.stop(hurryMs)
  }

  private async options(): Promise<PlainRefreshOptions | null> {
    const { home } = this.globals.clew
    const clew = { ...this.globals.clew, ...(await openPlaces(home)), listener: silent }
    const { isSample, roots } = scopeOf(clew)
    if (isSample) return null
    const bytes = currentPath(home) === null ? logBytes(roots) : 0
    if (bytes > largestFirstBytes) {
      await archiveInPassing({ ...clew, listener: { ...clew.listener, note() {} } })
      this.sayOnce(`${sizeText(bytes)} not indexed yet; to index it: clew index refresh`)
      return null
    }
    const { onWait: _onWait, ...options } = refreshOptions(clew, { waitMs: 0 })
    return options
  }

  private report({ reason, notArchived }: RefreshOutcome): void {
    if (reason !== undefined) this.sayOnce(`the index is out of date: ${sentence(reason)}`)
    if (notArchived !== undefined) this.sayOnce(`not archived: ${sentence(notArchived)}`)
  }

  private sayOnce(message: string): void {
    if (this.globals.quiet || this.said.has(message)) return
    this.said.add(message)
    say(`clew: ${escapeForLine(message)}`)
  }
}

function logBytes(roots: readonly string[]): number {
  const { files } = surveyRoots(roots.filter(path => existsSync(path)))
  return files.reduce((sum, { path, state }) => sum + (isLogName(path) ? state.size : 0), 0)
}
