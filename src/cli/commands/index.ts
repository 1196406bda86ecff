// `clew index`: refreshes, rebuilds, describes and verifies the index.

import { indexStatus, type Refreshed, renewIndex, verifiedIndex } from '../../answers/care/index.ts'
import { UserError } from '../../answers/error.ts'
import { sentence } from '../../answers/file-errors.ts'
import { clockFor } from '../../answers/times.ts'
import { escapeForLine } from '../../base/escape.ts'
import type { IndexRefresh, IndexStatus } from '../../schema/contract-shapes.ts'
import { countOf, sizeText } from '../../view/words.ts'
import type { CommandInput, ExitCode, GlobalOptions } from '../command.ts'
import { unknownVerb } from '../help.ts'
import { findingLine, printJson, printLine, reportUnread, say } from '../terminal/output.ts'

const verbs: Readonly<Record<string, (globals: GlobalOptions) => Promise<ExitCode>>> = {
  refresh: globals => renew(globals, 'refresh'),
  rebuild: globals => renew(globals, 'rebuild'),
  status,
  verify,
}

export async function run({ args, globals }: CommandInput): Promise<ExitCode> {
  const [word = 'status', ...more] = args
  const verb = verbs[word]
  if (verb === undefined) throw new UserError(unknownVerb('index', word, Object.keys(verbs)))
  if (more.length > 0) throw new UserError(`too many words: "${more.join(' ')}"; --root PATH names what to index`)
  return await verb(globals)
}

async function renew(globals: GlobalOptions, how: 'refresh' | 'rebuild'): Promise<ExitCode> {
  const refreshed = await renewIndex(globals.clew, how)
  const { report, due } = refreshed
  // Why it ends with 1 is said in any case.
  for (const finding of globals.quiet ? due : report.findings) say(findingLine(finding))
  if (globals.json) await printJson(jsonOf(refreshed))
  else if (!globals.quiet) await printLine(reportText(refreshed))
  if (report.archived?.failure !== undefined) throw new UserError(sentence(report.archived.failure.message))
  // What was named is not there, and nothing was done instead.
  if (!report.isStopped && report.files === 0 && report.findings.some(({ code }) => code === 'missing-path')) return 2
  if (report.isStopped) {
    say('clew: stopped')
    return 130
  }
  return due.length > 0 ? 1 : 0
}

function jsonOf({ report, tookMs }: Refreshed): IndexRefresh {
  const { archived, wasDamaged: _wasDamaged, ...rest } = report
  return {
    ...rest,
    ...(archived !== undefined && { keptBytes: archived.bytes, keptFiles: archived.committed }),
    tookMs,
  }
}

/** `indexed 148 files, 43 MB: 97 sessions changed`. */
function reportText({ report, isSample }: Refreshed): string {
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
  missing: [],
}

async function status(globals: GlobalOptions): Promise<ExitCode> {
  const found = await indexStatus(globals.clew)
  if (globals.json) await printJson(found?.numbers ?? emptyStatus)
  else if (found === null) say('clew: there is no index yet; clew index refresh builds it')
  else for (const line of statusLines(found.numbers, found.path, globals)) await printLine(line)
  return found === null ? 1 : 0
}

function statusLines(numbers: IndexStatus, path: string, globals: GlobalOptions): string[] {
  const { sessions, events, files, indexedBytes, pendingBytes, dbBytes, refreshed, missing } = numbers
  const share = indexedBytes === 0 ? '' : ` (${Math.round((100 * dbBytes) / indexedBytes)} % of the logs)`
  return [
    `${countOf(sessions, 'session')}, ${countOf(events, 'event')} in ${countOf(files, 'file')}`,
    `indexed   ${sizeText(indexedBytes)}`,
    `waiting   ${pendingBytes === 0 ? 'nothing' : sizeText(pendingBytes)}`,
    `size      ${sizeText(dbBytes)}${share}`,
    `refreshed ${refreshed === null ? 'not yet completely' : clockFor(globals.clew.timezone)(refreshed)}`,
    ...missing.map(home => `missing   ${escapeForLine(home)}: what is indexed of it stays`),
    `file      ${path}`,
  ]
}

async function verify(globals: GlobalOptions): Promise<ExitCode> {
  const { equal, differences, findings } = await verifiedIndex(globals.clew)
  reportUnread(findings, equal && globals.quiet)
  const differ = `${countOf(differences.length, 'difference')}; clew index rebuild builds a new index`
  if (globals.json) {
    await printJson({ equal, differences })
    if (!equal) say(`clew: ${differ}`)
  } else if (equal) await printLine('the index is equal to a rebuilt one')
  else {
    await printLine(differ)
    for (const { table, key } of differences.slice(0, 20)) await printLine(`  ${table} ${escapeForLine(key)}`)
  }
  return equal ? 0 : 1
}
