// The index as people look after it: refreshed, rebuilt, described, compared with a new one. Opening it for a question is in
// src/answers/knows.

import { isDue, type RefreshReport, rebuildIndex, refreshIndex } from '../../index/refresh/refresh.ts'
import { currentPath, openToRead, removeLeftovers } from '../../index/store/open.ts'
import { indexNumbers } from '../../index/store/status.ts'
import { type IndexVerdict, verifyIndex } from '../../index/store/verify.ts'
import type { Finding } from '../../model/finding.ts'
import type { IndexStatus } from '../../schema/contract-shapes.ts'
import { refuseOwnArchive } from '../archive-mode.ts'
import type { Clew } from '../clew.ts'
import { UserError } from '../error.ts'
import { indexError } from '../knows/index-error.ts'
import { refreshOptions, watched } from '../knows/index-refresh.ts'
import { scopeOf } from '../scope.ts'
import { missingHomesOf } from '../settings.ts'

/** What was indexed, and what not. `due`: of the findings, what was to be archived and is not. */
export interface Refreshed {
  report: RefreshReport
  due: readonly Finding[]
  tookMs: number
  isSample: boolean
}

/** Indexes what is new, or everything again; it is archived first where that is switched on. Ctrl-C stops it between steps. */
export function renewIndex(clew: Clew, how: 'refresh' | 'rebuild'): Promise<Refreshed> {
  return withUserErrors(async () => {
    const options = refreshOptions(clew, { archivesNamed: true })
    for (const root of options.roots) refuseOwnArchive(root, clew)
    const started = performance.now()
    const report = await watched(clew, options, how === 'refresh' ? refreshIndex : rebuildIndex)
    const tookMs = Math.round(performance.now() - started)
    return { report, due: report.findings.filter(isDue), tookMs, isSample: scopeOf(clew).isSample }
  })
}

/** Numbers of the index, and where it is; null where there is none. */
export function indexStatus(clew: Clew): Promise<{ numbers: IndexStatus; path: string } | null> {
  return withUserErrors(async () => {
    await removeLeftovers(clew.home)
    const db = openToRead(clew.home)
    if (db === null) return null
    try {
      return {
        numbers: indexNumbers(db, scopeOf(clew).roots, missingHomesOf(clew)),
        path: currentPath(clew.home) ?? '',
      }
    } finally {
      db.close()
    }
  })
}

/** Compared with one that is built for it, row by row. An error where there is none, or somebody stopped it. */
export function verifiedIndex(clew: Clew): Promise<IndexVerdict> {
  return withUserErrors(async () => {
    if (currentPath(clew.home) === null) throw new UserError('there is no index yet; clew index refresh builds it')
    // A damaged one would be replaced, not compared.
    openToRead(clew.home)?.close()
    const [missing] = (await indexStatus(clew))?.numbers.missing ?? []
    if (missing !== undefined) throw new UserError(`${missing} is not there: what is indexed of it cannot be compared`)
    const verdict = await watched(clew, refreshOptions(clew), verifyIndex)
    if (verdict === null) throw new UserError('stopped; nothing was compared')
    return verdict
  })
}

async function withUserErrors<Value>(act: () => Promise<Value>): Promise<Value> {
  try {
    return await act()
  } catch (error) {
    throw indexError(error) ?? error
  }
}
