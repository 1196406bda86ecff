// What a run that keeps is asked for, and what it tells afterwards. Types only.

import type { Finding } from '../../model/finding.ts'
import type { ArchiveError } from '../format/error.ts'
import type { RootSurvey } from './survey.ts'

export interface KeepOptions {
  roots: readonly string[]
  /** What lies below the roots, from somebody who has just looked. */
  surveyed?: RootSurvey
  /** Working directories of projects, and files of a home, that are not kept. */
  exclude?: readonly string[]
  /** The place of a file that is about to be replaced: what it holds is kept, but the file goes on as what it was before. */
  replaced?: string
  /** Told how many bytes are to be looked at, before the first one. */
  begin?: (bytes: number) => void
  /** Told how many raw bytes more are done. */
  progress?: (bytes: number) => void
  /** Asked between files; true stops after a commit. */
  isStopped?: () => boolean
  /**
   * Somebody waits for what is committed: a commit is due after so many stored bytes, and files come session by session. Absent:
   * after 64 MiB, and by kind.
   */
  commitBytes?: number
  /** Called after each commit: what was read before it is kept. What it gives is waited for. */
  onCommit?: () => void | Promise<void>
}

export interface KeepReport {
  /** Files that were looked at. */
  files: number
  /** Files that were not there before, that grew, that began another generation, that were moved. */
  added: number
  grown: number
  rewritten: number
  moved: number
  /** Files that rules leave out. */
  leftOut: number
  /** Raw bytes that are kept now and were not before. */
  bytes: number
  /** Bytes written for them. */
  stored: number
  /** Files whose new bytes are on the disk. */
  committed: number
  /** Whether somebody asked it to stop before the end. */
  isStopped: boolean
  /** What could not be kept, and why. */
  findings: Finding[]
  /** Why it stopped before the end; what was committed before is kept. */
  failure?: ArchiveError
}
