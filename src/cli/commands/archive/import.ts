// `clew archive import`: takes an old backup of a Claude home, or another archive, into the archive.

import pc from 'picocolors'
import {
  type ImportDoubt,
  type ImportQuery,
  type ImportReport,
  importFrom,
  type Skipped,
} from '../../../answers/care/archive.ts'
import { UserError } from '../../../answers/error.ts'
import { sentence } from '../../../answers/file-errors.ts'
import { escapeForLine } from '../../../base/escape.ts'
import { asArray, asString } from '../../../base/json.ts'
import { countOf, sizeText } from '../../../view/words.ts'
import type { CommandInput, ExitCode, GlobalOptions } from '../../command.ts'
import { canAsk, confirm } from '../../terminal/ask.ts'
import { findingLine, printJson, printLine, say } from '../../terminal/output.ts'

const listed = 10

export async function run({ args, options, globals }: CommandInput): Promise<ExitCode> {
  const [named, ...more] = args
  if (!named) throw new UserError('what to import? A folder with a backup of a Claude home, or an archive')
  if (more.length > 0) throw new UserError('import takes one folder at a time')
  const as = options['as']
  const query: Query = {
    source: named,
    ...(typeof as === 'string' && { as }),
    homeMap: homeMapOf(options['homeMap']),
    mayExpand: options['yes'] === true,
  }
  const answer = await importAsking(query, globals)
  if (answer === null) return 1
  const { report, home } = answer
  const findings = globals.quiet ? [] : report.findings.filter(finding => finding.code !== 'no-sessions')
  for (const finding of findings) say(findingLine(finding))
  if (globals.json) await printJson(report)
  else for (const line of reportLines(report, home)) await printLine(line)
  if (report.problem !== undefined) return 2
  return report.files === 0 || isIncomplete(report) ? 1 : 0
}

/** What the rules leave out is not missing; anything else that was not taken in is. */
function isIncomplete({ skipped, findings }: ImportReport): boolean {
  return (
    skipped.some(({ reason }) => reason !== 'excluded' && reason !== 'forgotten') ||
    findings.some(({ severity }) => severity !== 'info')
  )
}

/** What the person has said to questions that a backup raises is put into it. */
type Query = ImportQuery & { homeMap: Map<string, string> }

/** Imports, and asks where the backup needs an answer; null where that was a no. Without a terminal it is an error. */
async function importAsking(
  query: Query,
  globals: GlobalOptions,
): Promise<{ report: ImportReport; home: string } | null> {
  for (;;) {
    const answer = await importFrom(globals.clew, query)
    if (!('doubt' in answer)) return answer
    if (!(await isAnswered(answer.doubt, query, canAsk() && !globals.json))) return null
  }
}

/** Whether the person allows what the import stopped at. */
async function isAnswered(doubt: ImportDoubt, query: Query, mayAsk: boolean): Promise<boolean> {
  if ('expands' in doubt) {
    if (!mayAsk) throw new UserError(`${sentence(doubt.expands)}; --yes imports it all the same`)
    if (!(await confirm(`${escapeForLine(doubt.expands)} Import it? [y/N]`))) return refused()
    query.mayExpand = true
    return true
  }
  if (!mayAsk) throw new UserError(unknownHomesText(doubt.unknownHomes))
  for (const home of doubt.unknownHomes) {
    const question = `The archive has files of the Claude home ${escapeForLine(home)}, which is none of this machine. Import them as files of that folder? [y/N]`
    if (!(await confirm(question))) return refused()
    query.homeMap.set(home, home)
  }
  return true
}

function refused(): false {
  say('clew: nothing was imported')
  return false
}

function unknownHomesText(homes: readonly string[]): string {
  const [first = ''] = homes
  const many = homes.length > 1 ? ` (and ${homes.length - 1} more)` : ''
  return `the archive has files of the Claude home ${first}${many}, which is none of this machine; --home-map ${first}=HOME says which home here it is`
}

/** `--home-map /old/.claude=/home/mira/.claude`, any number of times. */
function homeMapOf(values: unknown): Map<string, string> {
  const map = new Map<string, string>()
  for (const value of asArray(values)) {
    const found = /^(.+?)=((?:~?[/\\]|[A-Za-z]:[/\\]|~$).*)$/s.exec(asString(value) ?? '')
    const [, from = '', to = ''] = found ?? []
    if (found === null)
      throw new UserError(`Invalid --home-map "${String(value)}". It takes OLD=NEW, two homes with their whole paths`)
    map.set(from, to)
  }
  return map
}

const skipTexts: Readonly<Record<Skipped['reason'], string>> = {
  'not-a-session': 'it is not part of a session, such as settings or memory',
  damaged: 'it is damaged',
  unreadable: 'it cannot be read',
  excluded: 'the config excludes it',
  forgotten: 'its session is forgotten',
}

function* reportLines(report: ImportReport, home: string): Generator<string> {
  const { files, added, known, bytes, stored, skipped, problem } = report
  if (problem !== undefined) yield pc.red(`incomplete: ${escapeForLine(problem)}`)
  for (const { path, reason } of skipped.slice(0, listed))
    yield pc.yellow(`skipped ${escapeForLine(path)}: ${skipTexts[reason]}`)
  if (skipped.length > listed) yield pc.yellow(`skipped ${skipped.length - listed} more`)
  if (files === 0) {
    yield 'no session was found in it'
    return
  }
  const already = known > 0 ? `${countOf(known, 'file')} ${known === 1 ? 'was' : 'were'} archived already` : ''
  const parts =
    added > 0
      ? [
          `imported ${countOf(added, 'generation')}, ${sizeText(bytes)} in ${sizeText(stored)}${placeText(report, home)}`,
        ]
      : ['nothing new']
  if (already !== '') parts.push(already)
  yield parts.join('; ')
}

/** An archive names its homes itself. */
function placeText({ isArchive, found }: ImportReport, home: string): string {
  if (!isArchive) return `, as files of ${escapeForLine(home)}`
  const [first, ...more] = found
  return first === undefined ? '' : `, as files of ${escapeForLine(more.length > 0 ? `${found.length} homes` : first)}`
}
