// `clew archive import`: takes an old backup of a Claude home, or another archive, into the archive.

import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import pc from 'picocolors'
import { excludeRules, refuseOwnArchive, sentence } from '../../../answers/archive-mode.ts'
import { UserError } from '../../../answers/error.ts'
import { homesOf } from '../../../answers/settings.ts'
import { type ImportReport, importBackup, type Skipped, UnknownHomesError } from '../../../archive/transfer/import.ts'
import { escapeForLine } from '../../../base/escape.ts'
import { asArray, asString } from '../../../base/json.ts'
import { expandTilde } from '../../../disk/discover/homes.ts'
import { FileError } from '../../../files/error.ts'
import { canonicalPlace } from '../../../files/place.ts'
import { countOf, sizeText } from '../../../view/words.ts'
import type { CommandInput, ExitCode, GlobalOptions } from '../../command.ts'
import { canAsk, confirm } from '../../terminal/ask.ts'
import { findingLine, printJson, printLine, say } from '../../terminal/output.ts'
import { withProgress } from '../../terminal/progress.ts'
import { openArchive, refuseOff, withUserErrors } from './archive-open.ts'

const listed = 10

export async function run({ args, options, globals }: CommandInput): Promise<ExitCode> {
  const [named, ...more] = args
  if (!named) throw new UserError('what to import? A folder with a backup of a Claude home, or an archive')
  if (more.length > 0) throw new UserError('import takes one folder at a time')
  refuseOff(globals)
  const source = resolve(expandTilde(named, homedir()))
  if (!existsSync(source)) throw new UserError(`there is no ${source}`)
  for (const own of [source, join(source, 'archive')]) refuseOwnArchive(own, globals.clew)
  const home = homeFor(options['as'], globals)
  const answers: Answers = { homeMap: homeMapOf(options['homeMap']), mayExpand: options['yes'] === true }
  const report = await withUserErrors(() => importAsking(source, home, answers, globals))
  if (report === null) return 1
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

/** What the person has said to questions that a backup raises. */
interface Answers {
  homeMap: Map<string, string>
  mayExpand: boolean
}

/** Imports, and asks where the backup needs an answer; null where that was a no. Without a terminal it is an error. */
async function importAsking(
  source: string,
  home: string,
  answers: Answers,
  globals: GlobalOptions,
): Promise<ImportReport | null> {
  for (;;) {
    try {
      return await withProgress({ what: 'importing', isQuiet: globals.quiet }, progress =>
        importBackup(openArchive(globals), source, {
          as: home,
          exclude: excludeRules(globals.clew),
          known: homesOf(globals.clew),
          ...answers,
          progress: bytes => progress.add(bytes),
        }),
      )
    } catch (error) {
      if (!(await isAnswered(error, answers, globals))) return null
    }
  }
}

/** Whether the person allows what the import stopped at. Any other error is thrown again. */
async function isAnswered(error: unknown, answers: Answers, globals: GlobalOptions): Promise<boolean> {
  const mayAsk = canAsk() && !globals.json
  if (error instanceof UnknownHomesError) {
    if (!mayAsk) throw new UserError(unknownHomesText(error.homes))
    for (const home of error.homes) {
      const question = `The archive has files of the Claude home ${escapeForLine(home)}, which is none of this machine. Import them as files of that folder? [y/N]`
      if (!(await confirm(question))) return refused()
      answers.homeMap.set(home, canonicalPlace(home))
    }
    return true
  }
  if (error instanceof FileError && error.code === 'expands') {
    if (!mayAsk) throw new UserError(`${sentence(error.message)}; --yes imports it all the same`)
    if (!(await confirm(`${escapeForLine(error.message)} Import it? [y/N]`))) return refused()
    answers.mayExpand = true
    return true
  }
  throw error
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
    map.set(from, canonicalPlace(expandTilde(to, homedir())))
  }
  return map
}

/** The home that the files are taken to belong to: the named one, else the first there is, else the usual place. */
function homeFor(named: unknown, globals: GlobalOptions): string {
  if (named === '') throw new UserError('--as needs the path of a Claude home')
  if (typeof named === 'string') return canonicalPlace(expandTilde(named, homedir()))
  return canonicalPlace(homesOf(globals.clew)[0] ?? join(homedir(), '.claude'))
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
