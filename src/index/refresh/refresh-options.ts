// What a refresh is asked to do, and the look at the disk that it begins with.

import { existsSync } from 'node:fs'
import { type RootSurvey, surveyRoots } from '../../archive/capture/survey.ts'
import type { ArchiveOptions } from '../../archive/store/archive.ts'
import type { WriteOps } from '../../archive/store/ops.ts'

export interface RefreshOptions {
  /** Clew's own folder. */
  home: string
  /** What is looked at; homes that are only kept are added where `isScoped` is false. */
  roots: readonly string[]
  /** Only these roots were asked for: what is indexed of others stays as it is. */
  isScoped: boolean
  /** Roots that are kept first; what of them is not kept is indexed as it lies there. */
  keepRoots: readonly string[]
  exclude?: readonly string[]
  /** What lies below the roots, where somebody just looked. */
  surveyed?: TimedSurvey
  /** How long to wait for another process that writes. */
  waitMs?: number
  onWait?: ArchiveOptions['onWait']
  /** Told what begins, and of how many bytes. */
  begin?: (what: 'keeping' | 'indexing', bytes: number) => void
  progress?: (bytes: number) => void
  isStopped?: () => boolean
  /** For tests: how long a log is that is settled from its last prompt on, how far was looked, system calls, and statements. */
  markFrom?: number
  onWay?: (way: 'grown' | 'near' | 'all') => void
  ops?: WriteOps
  onStep?: (what: string) => void
}

/** What lies on disk, and when the look at it began. */
export interface TimedSurvey extends RootSurvey {
  lookedAtMs: number
}

export function surveyFor({ roots }: RefreshOptions): TimedSurvey {
  const lookedAtMs = Date.now()
  return { ...surveyRoots(roots.filter(root => existsSync(root))), lookedAtMs }
}
