// What `clew doctor` says about the index: whether there is one that can be used, how far it is behind, and what lies about.
// It looks at the file as SQLite does; whether rows say what logs say, `clew index verify` tells.

import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { sizeText } from '../../../view/words.ts'
import type { GlobalOptions } from '../../command.ts'
import type { Problem } from './doctor-problem.ts'

/** The `index` of `clew doctor --json`. */
export interface IndexReport {
  /** The database in use; null where there is none. */
  path: string | null
  bytes: number
  /** Of its tables; null where it cannot be read. */
  format: number | null
  sessions: number
  /** Bytes of logs on disk that are not indexed yet. */
  pendingBytes: number
  refreshed: string | null
  isDamaged: boolean
  isOnNetwork: boolean
  /** Files that rebuilds left which were killed. */
  leftovers: string[]
}

const none: IndexReport = {
  path: null,
  bytes: 0,
  format: null,
  sessions: 0,
  pendingBytes: 0,
  refreshed: null,
  isDamaged: false,
  isOnNetwork: false,
  leftovers: [],
}

export async function examineIndex(
  globals: GlobalOptions,
  roots: readonly string[],
): Promise<{ report: IndexReport; problems: Problem[] }> {
  const folder = join(globals.home, 'index')
  if (!existsSync(folder)) return { report: none, problems: [] }
  const { currentPath, databaseBytes, isOnNetwork } = await import('../../../index/store/open.ts')
  const path = currentPath(globals.home)
  const report: IndexReport = {
    ...none,
    path,
    bytes: path === null ? 0 : databaseBytes(path),
    isOnNetwork: isOnNetwork(globals.home),
    leftovers: leftoversIn(folder, path),
  }
  const problem = await look(report, globals, roots)
  return { report, problems: [...(problem ?? []), ...placeProblems(report)] }
}

/** Fills in what the database tells. */
async function look(report: IndexReport, globals: GlobalOptions, roots: readonly string[]): Promise<Problem[] | null> {
  const { isDamage, openToRead, UnusableIndexError } = await import('../../../index/store/open.ts')
  const { versionOf, NewerIndexError } = await import('../../../index/store/schema.ts')
  const { indexNumbers } = await import('../../../index/store/status.ts')
  const { isSound } = await import('../../../index/search/health.ts')
  try {
    const db = openToRead(globals.home)
    if (db === null) return null
    try {
      report.format = versionOf(db)
      const { sessions, pendingBytes, refreshed } = indexNumbers(db, roots)
      Object.assign(report, { sessions, pendingBytes, refreshed })
      if (isSound(db)) return null
    } finally {
      db.close()
    }
  } catch (error) {
    if (error instanceof NewerIndexError) return [notice('index-newer', `${error.message}.`, 'Use that one.')]
    if (!(error instanceof UnusableIndexError || isDamage(error))) throw error
  }
  report.isDamaged = true
  return [notice('index-damaged', 'The index is damaged or too old to be used.', 'clew index rebuild makes it anew')]
}

/** Nothing is lost with an index: it is made anew from logs and archive. */
function notice(code: string, message: string, remedy: string): Problem {
  const text = message.charAt(0).toUpperCase() + message.slice(1)
  return { code, severity: 'warning', losesData: false, message: text, remedy }
}

function* placeProblems({ isOnNetwork, leftovers }: IndexReport): Generator<Problem> {
  if (isOnNetwork) {
    const message = 'The index lies on a network file system, where SQLite’s locks are not to be trusted.'
    yield notice('index-on-network', message, 'Name a local folder with CLEW_HOME or --home.')
  }
  if (leftovers.length > 0) {
    const bytes = leftovers.reduce((sum, path) => sum + (statSync(path, { throwIfNoEntry: false })?.size ?? 0), 0)
    const message = `${leftovers.length} files (${sizeText(bytes)}) beside the index were left by runs that were killed.`
    yield notice('index-leftovers', message, 'clew index refresh removes them')
  }
}

function leftoversIn(folder: string, current: string | null): string[] {
  return readdirSync(folder)
    .filter(name => /\.sqlite(-(wal|shm|journal))?$/.test(name))
    .map(name => join(folder, name))
    .filter(path => current === null || !path.startsWith(current))
    .sort()
}
