// The index for commands that answer from it: refreshed first where that is cheap or needed, else as it is, with a message.

import { FileError } from '../../files/error.ts'
import { isFresh, type RefreshReport, refreshIndex, surveyFor } from '../../index/refresh/refresh.ts'
import { currentPath, isDamage, openToRead, removeLeftovers, UnusableIndexError } from '../../index/store/open.ts'
import { openSource } from '../../index/store/source.ts'
import { pendingOf } from '../../index/store/status.ts'
import { countOf, sizeText } from '../../view/words.ts'
import { howToArchive, isUndecided } from '../archive-mode.ts'
import type { Clew } from '../clew.ts'
import { Interrupted } from '../error.ts'
import { sentence } from '../file-errors.ts'
import { noteSample, scopeOf } from '../scope.ts'
import { indexError } from './index-error.ts'
import { refreshOptions, watched } from './index-refresh.ts'
import type { UsedIndex } from './used-index.ts'

/** More than this is not read for a list, which can do without the index. */
const cheapBytes = 16 * 1024 * 1024

type Refreshed = Pick<UsedIndex, 'isStale' | 'findings'>

interface OpenIndexOptions {
  /** Without an index there is no answer: it is built where there is none. */
  isNeeded: boolean
}

/** Null where there is no index that could answer, or with --no-index. Close `db` when done. */
export async function openIndex(clew: Clew, options: OpenIndexOptions): Promise<UsedIndex | null> {
  if (!clew.usesIndex) return null
  try {
    await removeLeftovers(clew.home)
    const refreshed = options.isNeeded ? await refreshNeeded(clew) : await refreshCheaply(clew)
    if (refreshed === null) return null
    const db = openToRead(clew.home)
    if (db === null) return null
    const { isSample } = scopeOf(clew)
    if (isSample) noteSample(clew)
    return { db, source: openSource(clew.home), ...refreshed, isSample }
  } catch (error) {
    return refuse(error, options.isNeeded, clew)
  }
}

/** A list that needs no index is made without one. */
function refuse(error: unknown, isNeeded: boolean, { listener }: Clew): null {
  const refusal = indexError(error)
  if (isNeeded || refusal === null) throw refusal ?? error
  if (error instanceof UnusableIndexError || isDamage(error)) listener.note(`logs are read, since ${refusal.message}`)
  return null
}

/** However long it takes; where another process writes for too long, the index answers as it is. */
async function refreshNeeded(clew: Clew): Promise<Refreshed> {
  const hasIndex = currentPath(clew.home) !== null
  try {
    const report = await watched(clew, refreshOptions(clew, hasIndex ? { waitMs: 2000 } : {}), refreshIndex)
    for (const finding of report.findings.slice(0, 3)) clew.listener.unread(finding)
    if (report.wasDamaged) clew.listener.note(rebuiltText)
    if (!hasIndex && !scopeOf(clew).isSample) clew.listener.note(firstText(report, clew))
    if (report.isStopped) throw stopped()
    return { isStale: false, findings: report.findings }
  } catch (error) {
    if (!hasIndex || !(error instanceof FileError)) throw error
    clew.listener.note(`answering from the last refresh: ${sentence(error.message)}`)
    return { isStale: true, findings: [] }
  }
}

/** One of another version is rebuilt without a word. */
const rebuiltText = 'the index was damaged and was rebuilt'

/** An answer from a part of the sessions would look like one from all. */
function stopped(): Interrupted {
  return new Interrupted('stopped before everything was indexed; the next run continues')
}

/** Users must know whether the first index came with a first archive, and how to have the other. */
function firstText({ files, bytes, archived }: RefreshReport, clew: Clew): string {
  const indexed = `indexed ${countOf(files, 'file')}, ${sizeText(bytes)}`
  if (isUndecided(clew)) return `${indexed}; ${howToArchive}`
  if (archived === undefined || archived.bytes === 0) return indexed
  return `${indexed}, and archived copies of them in ${sizeText(archived.stored)}. To stop: clew config set archive manual`
}

/** Only where there is an index of these roots and little is new. */
async function refreshCheaply(clew: Clew): Promise<Refreshed | null> {
  const db = openToRead(clew.home)
  if (db === null) return null
  const base = refreshOptions(clew, { waitMs: 0 })
  const surveyed = surveyFor(base)
  const options = { ...base, surveyed }
  try {
    if (isFresh(db, options)) return { isStale: false, findings: surveyed.findings }
    const pending = pendingOf(db, surveyed)
    if (pending > cheapBytes) {
      clew.listener.note(`${sizeText(pending)} not indexed yet; to index it: clew index refresh`)
      return null
    }
  } finally {
    db.close()
  }
  try {
    const { isStopped, wasDamaged, findings } = await watched(clew, options, refreshIndex)
    if (isStopped) throw stopped()
    if (wasDamaged) clew.listener.note(rebuiltText)
    return { isStale: false, findings }
  } catch (error) {
    if (!(error instanceof FileError) || error.code !== 'locked') throw error
    clew.listener.note('another clew is refreshing the index; these results are from the last refresh')
    return { isStale: true, findings: [] }
  }
}
