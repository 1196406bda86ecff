// `clew index`: refreshes, rebuilds, describes and verifies the index.

import { sentence } from '../../answers/archive-mode.ts'
import { UserError } from '../../answers/error.ts'
import { refreshOptions, watched } from '../../answers/knows/index-refresh.ts'
import { scopeOf } from '../../answers/scope.ts'
import { clockFor } from '../../answers/times.ts'
import { escapeForLine } from '../../base/escape.ts'
import { FileError } from '../../files/error.ts'
import { isDue, type RefreshReport, rebuildIndex, refreshIndex } from '../../index/refresh/refresh.ts'
import { currentPath, openToRead, removeLeftovers, UnusableIndexError } from '../../index/store/open.ts'
import { isSqliteError } from '../../index/store/port.ts'
import { NewerIndexError } from '../../index/store/schema.ts'
import { indexNumbers } from '../../index/store/status.ts'
import { verifyIndex } from '../../index/store/verify.ts'
import type { IndexRefresh, IndexStatus, IndexVerify } from '../../schema/contract-shapes.ts'
import { countOf, sizeText } from '../../view/words.ts'
import type { CommandInput, ExitCode, GlobalOptions } from '../command.ts'
import { unknownVerb } from '../help.ts'
import { findingLine, printJson, printLine, say } from '../terminal/output.ts'
import { refuseOwn } from './archive/archive-open.ts'

const verbs: Readonly<Record<string, (globals: GlobalOptions) => Promise<ExitCode>>> = {
  refresh: globals => fresh(globals, refreshIndex),
  rebuild: globals => fresh(globals, rebuildIndex),
  status,
  verify,
}

export async function run({ args, globals }: CommandInput): Promise<ExitCode> {
  const [word = 'status', ...more] = args
  const verb = verbs[word]
  if (verb === undefined) throw new UserError(unknownVerb('index', word, Object.keys(verbs)))
  if (more.length > 0) throw new UserError(`too many words: "${more.join(' ')}"; --root PATH names what to index`)
  try {
    return await verb(globals)
  } catch (error) {
    throw toUserError(error)
  }
}

function toUserError(error: unknown): unknown {
  if (error instanceof NewerIndexError)
    return new UserError(`${error.message}; use that one, or --home with another folder`)
  if (error instanceof FileError) return new UserError(sentence(error.message))
  if (error instanceof UnusableIndexError) return new UserError(`${error.message}; clew index rebuild builds a new one`)
  if (isSqliteError(error)) {
    return new UserError(`the index cannot be used: ${escapeForLine(error.message)}; the archive is untouched`)
  }
  return error
}

async function fresh(globals: GlobalOptions, work: typeof refreshIndex): Promise<ExitCode> {
  const options = refreshOptions(globals.clew, { archivesNamed: true })
  for (const root of options.roots) refuseOwn(root, globals)
  const started = performance.now()
  const report = await watched(globals.clew, options, work)
  const tookMs = Math.round(performance.now() - started)
  // Why it ends with 1 is said in any case.
  for (const finding of report.findings) if (!globals.quiet || isDue(finding)) say(findingLine(finding))
  if (globals.json) await printJson({ ...jsonOf(report), tookMs })
  else if (!globals.quiet) await printLine(reportText(report, scopeOf(globals.clew).isSample))
  if (report.archived?.failure !== undefined) throw new UserError(sentence(report.archived.failure.message))
  // What was named is not there, and nothing was done instead.
  if (!report.isStopped && report.files === 0 && report.findings.some(({ code }) => code === 'missing-path')) return 2
  if (report.isStopped) return 130
  return report.findings.some(isDue) ? 1 : 0
}

function jsonOf({ archived, wasDamaged: _wasDamaged, ...rest }: RefreshReport): Omit<IndexRefresh, 'tookMs'> {
  return { ...rest, ...(archived !== undefined && { keptBytes: archived.bytes, keptFiles: archived.committed }) }
}

/** `indexed 148 files, 43 MB: 97 sessions changed`. */
function reportText(report: RefreshReport, isSample: boolean): string {
  const { files, bytes, sessions, dropped } = report
  const of = isSample ? ' of the sample history' : ''
  const tail = report.isStopped ? '; stopped before the end, the next run continues' : ''
  if (report.isUnchanged) return `nothing new${of}`
  const out = dropped > 0 ? `; ${countOf(dropped, 'file')} removed` : ''
  const made = report.isRebuilt ? 'rebuilt: ' : ''
  const changed = countOf(sessions, 'session')
  return `${made}indexed ${countOf(files, 'file')}${of}, ${sizeText(bytes)}: ${changed} changed${out}${tail}`
}

const emptyStatus: IndexStatus = {
  sessions: 0,
  events: 0,
  files: 0,
  bytes: 0,
  indexedBytes: 0,
  pendingBytes: 0,
  dbBytes: 0,
  refreshed: null,
}

async function status(globals: GlobalOptions): Promise<ExitCode> {
  await removeLeftovers(globals.clew.home)
  const db = openToRead(globals.clew.home)
  if (db === null) {
    if (globals.json) {
      await printJson(emptyStatus)
    } else say('clew: there is no index yet; clew index refresh builds it')
    return 1
  }
  try {
    const numbers: IndexStatus = indexNumbers(db, scopeOf(globals.clew).roots)
    if (globals.json) await printJson(numbers)
    else for (const line of statusLines(numbers, globals)) await printLine(line)
    return 0
  } finally {
    db.close()
  }
}

function statusLines(numbers: IndexStatus, globals: GlobalOptions): string[] {
  const { sessions, events, files, indexedBytes, pendingBytes, dbBytes, refreshed } = numbers
  const share = indexedBytes === 0 ? '' : ` (${Math.round((100 * dbBytes) / indexedBytes)} % of the logs)`
  return [
    `${countOf(sessions, 'session')}, ${countOf(events, 'event')} in ${countOf(files, 'file')}`,
    `indexed   ${sizeText(indexedBytes)}`,
    `waiting   ${pendingBytes === 0 ? 'nothing' : sizeText(pendingBytes)}`,
    `size      ${sizeText(dbBytes)}${share}`,
    `refreshed ${refreshed === null ? 'not yet completely' : clockFor(globals.clew.timezone)(refreshed)}`,
    `file      ${currentPath(globals.clew.home) ?? ''}`,
  ]
}

async function verify(globals: GlobalOptions): Promise<ExitCode> {
  if (currentPath(globals.clew.home) === null)
    throw new UserError('there is no index yet; clew index refresh builds it')
  // A damaged one would be replaced, not compared.
  openToRead(globals.clew.home)?.close()
  const verdict = await watched(globals.clew, refreshOptions(globals.clew), verifyIndex)
  if (verdict === null) throw new UserError('stopped; nothing was compared')
  if (globals.json) await printJson(verdict satisfies IndexVerify)
  else if (verdict.equal) await printLine('the index is equal to a rebuilt one')
  else {
    await printLine(`${countOf(verdict.differences.length, 'difference')}; clew index rebuild builds a new index`)
    for (const { table, key } of verdict.differences.slice(0, 20)) await printLine(`  ${table} ${escapeForLine(key)}`)
  }
  return verdict.equal ? 0 : 1
}
