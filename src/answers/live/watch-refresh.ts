// Keeps archive and index up to date behind `clew watch`. When and how a refresh runs is in src/index/refresh/background.ts.

import { existsSync } from 'node:fs'
import { surveyRoots } from '../../archive/capture/survey.ts'
import { openPlaces } from '../../archive/read/places.ts'
import { isLogName } from '../../disk/discover/project.ts'
import { BackgroundRefresh, type PlainRefreshOptions, type RefreshOutcome } from '../../index/refresh/background.ts'
import { currentPath } from '../../index/store/open.ts'
import { sizeText } from '../../view/words.ts'
import { archiveInPassing } from '../care/in-passing.ts'
import { type Clew, silent } from '../clew.ts'
import { sentence } from '../file-errors.ts'
import { plainRefreshOptions } from '../knows/index-refresh.ts'
import { scopeOf } from '../scope.ts'

const timing = { firstMs: 1_000, leastPauseMs: 4_000, share: 0.1, busyMs: 4_000, idleMs: 120_000 }
/** A larger first index is not built without being asked for. */
const largestFirstBytes = 64 * 1024 * 1024
/** People who end a watch expect it to end: what takes longer is explained. */
const patienceMs = 500
const hurryMs = 500

export class WatchRefresh {
  private readonly clew: Clew
  private readonly background: BackgroundRefresh

  constructor(clew: Clew) {
    this.clew = clew
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
    const note = () => this.clew.listener.note('saving new lines; press Ctrl-C again to skip')
    const patience = setTimeout(note, patienceMs)
    await this.background.finish()
    clearTimeout(patience)
  }

  /** Ends with what is done by now. */
  hurry(): void {
    this.background.stop(hurryMs)
  }

  private async options(): Promise<PlainRefreshOptions | null> {
    const { home } = this.clew
    const clew = { ...this.clew, ...(await openPlaces(home)), listener: silent }
    const { isSample, roots } = scopeOf(clew)
    if (isSample) return null
    const bytes = currentPath(home) === null ? logBytes(roots) : 0
    if (bytes > largestFirstBytes) {
      await archiveInPassing(clew)
      this.clew.listener.note(`${sizeText(bytes)} not indexed yet; to index it: clew index refresh`)
      return null
    }
    return plainRefreshOptions(clew)
  }

  private report({ reason, notArchived }: RefreshOutcome): void {
    if (reason !== undefined) this.clew.listener.note(`the index is out of date: ${sentence(reason)}`)
    if (notArchived !== undefined) this.clew.listener.note(`not archived: ${sentence(notArchived)}`)
  }
}

function logBytes(roots: readonly string[]): number {
  const { files } = surveyRoots(roots.filter(path => existsSync(path)))
  return files.reduce((sum, { path, state }) => sum + (isLogName(path) ? state.size : 0), 0)
}
