// The index for commands that answer from it: refreshed where that is cheap or asked for, else as it is, saying so.

import { ArchiveError } from '../archive/format/error.ts'
import { escapeForLine } from '../base/escape.ts'
import { isFresh, type RefreshReport, surveyFor } from '../index/refresh/refresh.ts'
import { currentPath, isDamage, openToRead, UnusableIndexError } from '../index/store/open.ts'
import { type Database, isSqliteError } from '../index/store/port.ts'
import { NewerIndexError } from '../index/store/schema.ts'
import { openSource } from '../index/store/source.ts'
import { pendingOf } from '../index/store/status.ts'
import type { Finding } from '../model/finding.ts'
import type { ByteSource } from '../model/source.ts'
import { countOf, sizeText } from '../view/words.ts'
import { type GlobalOptions, UserError } from './command.ts'
import { sentence } from './commands/archive/archive-open.ts'
import { indexScope, refreshOptions, watched } from './index-refresh.ts'
import { findingLine, say } from './terminal/output.ts'

/** More than this is not read just because somebody asked for a list. */
const cheapBytes = 16 * 1024 * 1024

export interface OpenIndex {
  db: Database
  source: ByteSource
  /** Answers are about these alone; absent where they are about all that is indexed. */
  roots?: string[]
  /** It answers from what it knew before. */
  isStale: boolean
  /** What could not be read while it was refreshed. */
  findings: Finding[]
  isSample: boolean
}

type Refreshed = Pick<OpenIndex, 'isStale' | 'findings'>

export interface OpenIndexOptions {
  /** Without an index there is no answer: it is made where there is none. */
  isNeeded: boolean
}

/** Null where there is no index that could answer, or nobody wants it. Close `db` when done. */
export async function openIndex(globals: GlobalOptions, options: OpenIndexOptions): Promise<OpenIndex | null> {
  if (globals.usesIndex === false) return null
  try {
    const refreshed = options.isNeeded ? await refreshNeeded(globals) : await refreshCheaply(globals)
    if (refreshed === null) return null
    const db = openToRead(globals.home)
    if (db === null) return null
    const { roots, isScoped, isSample } = indexScope(globals)
    return { db, source: openSource(globals.home), ...refreshed, isSample, ...(isScoped && { roots }) }
  } catch (error) {
    return refuse(error, options.isNeeded)
  }
}

/** Errors are for people; a list that can be had without an index is made without one. */
function refuse(error: unknown, isNeeded: boolean): null {
  if (error instanceof NewerIndexError) {
    const hint = 'use that one, or --home with a folder of its own'
    if (isNeeded) throw new UserError(`${error.message}; ${hint}`)
    return null
  }
  if (error instanceof ArchiveError) {
    if (isNeeded) throw new UserError(sentence(error.message))
    return null
  }
  if (error instanceof UnusableIndexError || isDamage(error)) {
    if (isNeeded) throw new UserError('the index is damaged; clew index rebuild makes it anew')
    return null
  }
  if (!isNeeded && isSqliteError(error)) return null
  if (isSqliteError(error)) throw new UserError(`the index cannot be written: ${escapeForLine(error.message)}`)
  throw error
}

/** However long it takes; where another one is at it for too long, what there is answers. */
async function refreshNeeded(globals: GlobalOptions): Promise<Refreshed> {
  const hasIndex = currentPath(globals.home) !== null
  try {
    const report = await watched(globals, refreshOptions(globals, hasIndex ? { waitMs: 2000 } : {}))
    if (!globals.quiet) for (const finding of report.findings.slice(0, 3)) say(findingLine(finding))
    if (report.isRebuilt && hasIndex && !globals.quiet) say('clew: the index was damaged or old and was made anew')
    if (!hasIndex && !globals.quiet && !indexScope(globals).isSample) say(firstText(report))
    if (report.isStopped) say('clew: not all is indexed yet; the next run goes on')
    return { isStale: report.isStopped, findings: report.findings }
  } catch (error) {
    if (!hasIndex || !(error instanceof ArchiveError)) throw error
    if (!globals.quiet) say(`clew: answering from the last refresh: ${escapeForLine(sentence(error.message))}`)
    return { isStale: true, findings: [] }
  }
}

/** Nobody asked for copies of everything: people must know that there are some, and how there would be none. */
function firstText({ files, bytes, kept }: RefreshReport): string {
  const indexed = `clew: indexed ${countOf(files, 'file')}, ${sizeText(bytes)}`
  if (kept === undefined || kept.bytes === 0) return indexed
  return `${indexed}, and kept copies of them in ${sizeText(kept.stored)}; clew config set archive off keeps none`
}

/** Only where there is an index of these roots and little is new. */
async function refreshCheaply(globals: GlobalOptions): Promise<Refreshed | null> {
  const db = openToRead(globals.home)
  if (db === null) return null
  const asked = refreshOptions(globals, { waitMs: 0 })
  const surveyed = surveyFor(asked)
  const options = { ...asked, surveyed }
  try {
    if (isFresh(db, options)) return { isStale: false, findings: surveyed.findings }
    const pending = pendingOf(db, surveyed)
    if (pending > cheapBytes) {
      if (!globals.quiet) say(`clew: ${sizeText(pending)} are not indexed yet; clew index refresh does it`)
      return null
    }
  } finally {
    db.close()
  }
  try {
    const { isStopped, findings } = await watched(globals, options)
    return { isStale: isStopped, findings }
  } catch (error) {
    if (!(error instanceof ArchiveError) || error.code !== 'locked') throw error
    if (!globals.quiet) say('clew: another clew is refreshing the index; this is from before')
    return { isStale: true, findings: [] }
  }
}
