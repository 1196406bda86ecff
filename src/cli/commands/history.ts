// `clew history`: the prompts that were typed, newest last, with pasted text and the session of each.

import pc from 'picocolors'
import { copiedPartsIn } from '../../answers/sessions/copied.ts'
import { type Filters, readFilters, readLimit } from '../../answers/sessions/filters.ts'
import { discoverRoots } from '../../answers/sessions/find.ts'
import { indexedRows } from '../../answers/sessions/indexed-rows.ts'
import { projectName, shortIds } from '../../answers/sessions/names.ts'
import { type ListRow, placeOf, projectsOf } from '../../answers/sessions/rows.ts'
import { type Clock, clockFor } from '../../answers/times.ts'
import { escapeForLine, escapeForTerminal } from '../../base/escape.ts'
import { toMillis } from '../../base/instant.ts'
import { columnsOf, cutToColumns, fitColumns } from '../../base/width.ts'
import { mergeDiscoveries } from '../../disk/discover/resolve.ts'
import { ReadError, readFinding } from '../../disk/read/read.ts'
import { textMatcher } from '../../grep/expression.ts'
import type { Finding } from '../../model/finding.ts'
import { bytesOf, type LogFile, type SessionFiles } from '../../model/source.ts'
import { leastWidth, outputWidth } from '../../render/terminal/style.ts'
import { render, safeLine, wrapLine } from '../../render/terminal/text.ts'
import type { HistoryPrompt } from '../../schema/contract-shapes.ts'
import { isInProject } from '../../session/projects.ts'
import {
  historyFile,
  linkPrompts,
  type Pasted,
  promptsOfSessions,
  readHistory,
} from '../../session/scan/history-prompts.ts'
import { type DatedSession, datedSession, quickRows } from '../../session/scan/quick-rows.ts'
import { sizeText } from '../../view/words.ts'
import type { CommandInput, ExitCode, GlobalOptions } from '../command.ts'
import { findingLine, printJson, printLine, say } from '../terminal/output.ts'
import { withProgress } from '../terminal/progress.ts'

export async function run(input: CommandInput): Promise<ExitCode> {
  const { options, globals } = input
  const filters = readFilters(options, globals.clew, Date.now())
  const limit = readLimit(options['limit'])
  const { files, sessions, rows, dated, errors } = (await indexedSources(globals)) ?? (await discoveredSources(globals))
  if (files.length === 0 && sessions.length === 0) {
    if (globals.json) await printJson({ prompts: [] })
    for (const finding of errors) say(findingLine(finding))
    say('clew: neither history.jsonl nor sessions found; --root PATH names a Claude home')
    return errors.length > 0 ? 2 : 1
  }
  if (files.length === 0 && !globals.quiet) say('clew: no history.jsonl found; showing the prompts of the sessions')
  const all = await allPrompts(files, sessions, globals).catch((error: unknown) => {
    if (!(error instanceof ReadError)) throw error
    say(findingLine(readFinding(error)))
    return null
  })
  if (all === null) return 2
  const kept = all.filter(prompt => keepsPrompt(prompt, filters))
  const prompts = kept.slice(Math.max(0, kept.length - limit))
  if (files.length > 0) linkPrompts(prompts, sessions, rows)
  if (globals.json) {
    await printJson({ prompts })
  } else {
    const shortId = shortIds(sessions.map(session => session.id))
    const idWidth = Math.min(37, sessionIds(prompts).reduce((most, id) => Math.max(most, shortId(id).length), 8) + 1)
    const width = Math.max(leastWidth, outputWidth())
    const nameOf = projectNames(dated())
    const shown: Shown = { clock: clockFor(globals.clew.timezone), shortId, nameOf, width, idWidth }
    for (const prompt of prompts) await printPrompt(prompt, shown, options['pasted'] === true)
  }
  if (prompts.length > 0) return 0
  if (!globals.quiet) say(`clew: none of ${all.length} prompts matches; try fewer filters`)
  return 1
}

function allPrompts(
  files: readonly LogFile[],
  sessions: readonly SessionFiles[],
  globals: GlobalOptions,
): Promise<HistoryPrompt[]> {
  if (files.length > 0) return readHistory(files, globals.clew)
  const total = sessions.reduce((sum, session) => sum + bytesOf(session), 0)
  return withProgress({ what: 'reading', total, isQuiet: globals.quiet }, async progress => {
    const copied = await copiedPartsIn(sessions, globals.clew.source)
    return promptsOfSessions(sessions, globals.clew, copied, bytes => progress.add(bytes))
  })
}

/** The prompt histories, and the sessions that prompts may belong to. */
interface Sources {
  files: LogFile[]
  sessions: SessionFiles[]
  rows: () => readonly ListRow[]
  /** Of all sessions. */
  dated: () => readonly DatedSession[]
  errors: Finding[]
}

async function discoveredSources(globals: GlobalOptions): Promise<Sources> {
  const { discoveries } = await discoverRoots(globals.clew)
  const files = discoveries.flatMap(discovery => discovery.histories)
  const sessions = mergeDiscoveries(discoveries, globals.clew.source)
  const errors = discoveries.flatMap(({ findings }) => findings.filter(({ severity }) => severity === 'error'))
  return {
    ...{ files, sessions, errors },
    rows: () => quickRows(sessions, globals.clew.source),
    dated: () => sessions.map(session => datedSession(session, globals.clew.source)),
  }
}

/**
 * The index has the paths of the histories and the sessions. The prompts themselves are read from the files: nearly all of
 * such a file is printed, and reading it once is faster than a query for each line.
 */
async function indexedSources(globals: GlobalOptions): Promise<Sources | null> {
  const known = await indexedRows(globals.clew)
  if (known === null) return null
  const { index, rows } = known
  const { historyPaths } = await import('../../index/search/sessions.ts')
  const files = historyPaths(index.db, index.isInScope).flatMap(path => historyFile(path, globals.clew) ?? [])
  if (files.length === 0) return null
  const sessions = rows.map(row => row.session)
  return { files, sessions, rows: () => rows, dated: () => rows, errors: [] }
}

function sessionIds(prompts: readonly HistoryPrompt[]): string[] {
  return prompts.flatMap(prompt => (isReadable(prompt) && prompt.session !== undefined ? [prompt.session] : []))
}

function keepsPrompt(prompt: HistoryPrompt, filters: Filters): boolean {
  const { project, since, until, grep } = filters
  if (project !== undefined && !isInProject({ cwd: prompt.project, slug: '' }, project)) return false
  const at = toMillis(prompt.at)
  if (since !== undefined && (at === null || at < since)) return false
  if (until !== undefined && (at === null || at >= until)) return false
  if (grep === undefined) return true
  const matches = textMatcher(grep)
  return [prompt.text, ...prompt.pasted.map(pasted => pasted.text ?? '')].some(matches)
}

/** The project of a prompt's session, else of its directory. */
function projectNames(sessions: readonly DatedSession[]): (prompt: HistoryPrompt) => string {
  const projects = projectsOf(sessions)
  const names = new Map(sessions.map(row => [row.session.id as string, projects.of(placeOf(row)).name]))
  return ({ session, project }) =>
    names.get(session ?? '') ??
    (project === null ? '-' : (projects.nameOf(project) ?? projectName({ cwd: project, slug: '' })))
}

/** In a narrower terminal the text gets a line of its own. */
const wideEnough = 76

interface Shown {
  clock: Clock
  shortId: (id: string) => string
  /** What lists call its project. */
  nameOf: (prompt: HistoryPrompt) => string
  width: number
  /** Of the ids, with `?`. */
  idWidth: number
}

/** `2026-05-12 18:40  hexwind  704f1849  Same start, other rule`; a narrow terminal gets the text on a line of its own. */
async function printPrompt(prompt: HistoryPrompt, shown: Shown, withPasted: boolean): Promise<void> {
  const isWide = shown.width >= wideEnough
  const projectWidth = isWide ? 14 : Math.max(4, shown.width - 16 - shown.idWidth - 4)
  const place = fitColumns(escapeForLine(shown.nameOf(prompt)), projectWidth)
  const head = `${pc.dim(shown.clock(prompt.at).padEnd(16))}  ${place}  ${sessionText(prompt, shown, isWide)}`
  const note = prompt.pasted.length === 0 ? '' : ` ${pastedNote(prompt.pasted)}`
  const indent = isWide ? 16 + projectWidth + shown.idWidth + 6 : 2
  const lines = promptLines(prompt.text, shown.width - indent, note)
  await printLine(`${head}${isWide ? '  ' : `\n${' '.repeat(indent)}`}${lines.join(`\n${' '.repeat(indent)}`)}`)
  if (withPasted) for (const pasted of prompt.pasted) await printPasted(pasted)
}

/** All of it, wrapped; the note is behind its end. */
function promptLines(text: string, columns: number, note: string): string[] {
  const written = text.trim().split('\n')
  const lines = written.flatMap(line => wrapLine([{ text: safeLine(line) }], columns).map(part => render(part)))
  const last = lines.pop() ?? ''
  if (note === '') return [...lines, last]
  return columnsOf(last) + columnsOf(note) <= columns
    ? [...lines, last + pc.dim(note)]
    : [...lines, last, pc.dim(note.trim())]
}

/** The beginning of the session's id, or `gone`. */
function sessionText(prompt: HistoryPrompt, { shortId, idWidth }: Shown, isPadded: boolean): string {
  const isSure = prompt.linkedBy === 'id' || prompt.linkedBy === 'text'
  const text = isReadable(prompt)
    ? `${cutToColumns(escapeForLine(shortId(prompt.session ?? '')), 36)}${isSure ? '' : '?'}`
    : 'gone'
  const padded = isPadded ? text.padEnd(idWidth) : text
  return isReadable(prompt) ? pc.cyan(padded) : pc.yellow(padded)
}

/** Whether its session can be shown: on disk, or from the archive. */
function isReadable({ onDisk, inArchive }: HistoryPrompt): boolean {
  return onDisk || inArchive === true
}

function pastedNote(pasted: readonly Pasted[]): string {
  const bytes = pasted.reduce((sum, item) => sum + item.bytes, 0)
  return `[pasted ${pasted.length > 1 ? `${pasted.length}, ` : ''}${sizeText(bytes)}]`
}

async function printPasted(pasted: Pasted): Promise<void> {
  if (pasted.text === undefined) {
    await printLine(pc.dim(`  | (${escapeForLine(pasted.type)}, not in the history)`))
    return
  }
  for (const line of pasted.text.split('\n')) await printLine(`${pc.dim('  | ')}${escapeForTerminal(line)}`)
}
