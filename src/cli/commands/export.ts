// `clew export`: many sessions as files in a folder, with an index page. How one looks is decided by src/cli/session/document.ts,
// as for `clew show --format`.

import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import pkg from '../../../package.json' with { type: 'json' }
import { silent } from '../../answers/clew.ts'
import { UserError } from '../../answers/error.ts'
import { namedPath } from '../../answers/paths.ts'
import { type DocumentFormat, type DocumentQuery, documentOf } from '../../answers/session/document.ts'
import { FileFault } from '../../answers/session/verdict.ts'
import { passes, readFilters } from '../../answers/sessions/filters.ts'
import { sessionOf } from '../../answers/sessions/find.ts'
import { type Listing, listSessions, printedRows } from '../../answers/sessions/list.ts'
import { type ListRow, placeOf } from '../../answers/sessions/rows.ts'
import { escapeForLine, jsonLine } from '../../base/escape.ts'
import { asString } from '../../base/json.ts'
import { bytesOf, type SessionFiles } from '../../model/source.ts'
import { totalTokens } from '../../model/usage.ts'
import { type ListedSession, sessionListToHtml, sessionListToMarkdown } from '../../render/session-list.ts'
import type { ExportReport, SessionRow } from '../../schema/contract-shapes.ts'
import { byLatest } from '../../session/latest.ts'
import { countOf, sizeText } from '../../view/words.ts'
import type { CommandInput, ExitCode, GlobalOptions } from '../command.ts'
import { ExportFolder, fileName } from '../export/folder.ts'
import { findingLine, printJson, printLine, say } from '../terminal/output.ts'
import { startProgress } from '../terminal/progress.ts'

type Detail = ExportReport['detail']

interface Export {
  folder: ExportFolder
  format: DocumentFormat
  detail: Detail
  globals: GlobalOptions
  listing: Listing
}

/** A session and where it goes. */
interface Exported {
  row: ListRow
  file: string
}

export async function run(input: CommandInput): Promise<ExitCode> {
  const { options } = input
  // The bundled samples are nobody's to keep in files.
  const globals = { ...input.globals, clew: { ...input.globals.clew, usesSample: false } }
  const out = asString(options['out'])
  if (!out) throw new UserError('missing --out; name the folder to export to: clew export --all --out DIR')
  const folder = namedPath(out)
  if (/\.(html?|md|json)$/i.test(folder) && !existsSync(folder)) {
    throw new UserError(
      `--out names a folder; to write one file: clew show SESSION --format FORMAT > ${escapeForLine(out)}`,
    )
  }
  const { rows, listing } = await chosenRows({ ...input, globals })
  const format = (options['format'] ?? 'html') as DocumentFormat
  const detail = (options['detail'] ?? 'normal') as Detail
  if (rows.length === 0) {
    if (globals.json) await printJson(emptyReport(folder, format, detail))
    if (!globals.quiet) say('clew: no session matches; nothing was exported')
    return 1
  }
  const job: Export = {
    folder: ExportFolder.open(folder, options['force'] === true),
    format,
    detail,
    globals,
    listing,
  }
  const report = await writeAll(job, rows, describe(input))
  if (globals.json) await printJson(report)
  else {
    await printLine(escapeForLine(report.index))
    if (!globals.quiet) say(`clew: ${reportText(report)}`)
  }
  return report.failed.length > 0 ? 1 : 0
}

/** Those that are named, and those that pass the filters; latest first. */
async function chosenRows(input: CommandInput): Promise<{ rows: ListRow[]; listing: Listing }> {
  const { args, options, globals } = input
  const hasFilter = ['project', 'since', 'until'].some(name => options[name] !== undefined)
  if (args.length === 0 && !hasFilter && options['all'] !== true) {
    throw new UserError('nothing is selected; name sessions, --project, --since, or --all for everything')
  }
  const filters = readFilters(options, globals.clew, Date.now())
  const all = await listSessions({ ...globals.clew, listener: silent }, { options: {}, isFull: true })
  const selected = hasFilter || options['all'] === true ? all.rows.filter(row => passes(row, filters)) : []
  const named = await namedRows(args, all.rows, globals)
  const rows = new Map([...selected, ...named].map(row => [keyOf(row.session), row]))
  return { rows: [...rows.values()].sort(byLatest), listing: all }
}

async function namedRows(
  args: readonly string[],
  found: readonly ListRow[],
  globals: GlobalOptions,
): Promise<ListRow[]> {
  const rows: ListRow[] = []
  for (const text of args) {
    const session = await sessionOf(text, globals.clew)
    const known = found.find(row => keyOf(row.session) === keyOf(session))
    rows.push(known ?? (await readRow(session, globals)))
  }
  return rows
}

async function readRow(session: SessionFiles, globals: GlobalOptions): Promise<ListRow> {
  const { fullRows } = await import('../../answers/sessions/full-rows.ts')
  const { copiedPartsFor } = await import('../../answers/sessions/copied.ts')
  const copied = await copiedPartsFor([session], globals.clew)
  const [row] = (await fullRows([session], { copied }, globals.clew)).rows
  if (row === undefined) throw new UserError(`${session.id} cannot be read`)
  return row
}

/** Two homes may have sessions of one id. */
function keyOf({ id, logs }: SessionFiles): string {
  return `${id} ${logs[0]?.generation ?? ''}`
}

function describe({ options }: CommandInput): string {
  const parts = ['project', 'since', 'until'].flatMap(name => {
    const text = asString(options[name])
    return text === undefined ? [] : [`${name} ${text}`]
  })
  return parts.length === 0 ? '' : `, ${parts.join(', ')}`
}

function emptyReport(out: string, format: DocumentFormat, detail: Detail): ExportReport {
  const index = resolve(out, `index.${format}`)
  return { out, index, format, detail, sessions: 0, written: 0, unchanged: 0, bytes: 0, failed: [] }
}

async function writeAll(job: Export, rows: readonly ListRow[], about: string): Promise<ExportReport> {
  const { folder, format, detail, globals } = job
  const report = emptyReport(folder.path, format, detail)
  const total = rows.reduce((sum, row) => sum + bytesOf(row.session), 0)
  const progress = startProgress({ what: 'exporting', total, isQuiet: globals.quiet })
  const done: Exported[] = []
  try {
    for (const exported of withFiles(rows, job)) {
      if (await writeSession(job, exported, report)) done.push(exported)
      else report.failed.push(exported.row.session.id)
      progress.add(bytesOf(exported.row.session))
    }
  } finally {
    progress.end()
  }
  report.sessions = done.length
  await writeIndex(job, done, about)
  return report
}

/** The day, the project and the id: names that stay while a session grows. */
function withFiles(rows: readonly ListRow[], { format, listing: { projects } }: Export): Exported[] {
  const used = new Set<string>()
  return rows.map(row => {
    const { id } = row.session
    const parts = [row.startedAt?.slice(0, 10) ?? '', projects.of(placeOf(row)).name, id]
    let file = `sessions/${fileName(parts, format)}`
    for (let n = 2; used.has(file.toLowerCase()); n++) file = `sessions/${fileName([...parts, String(n)], format)}`
    used.add(file.toLowerCase())
    return { row, file }
  })
}

/** False where there is no session in its files; the reason is printed. */
async function writeSession(job: Export, { row, file }: Exported, report: ExportReport): Promise<boolean> {
  const { folder, globals } = job
  const { projects } = job.listing
  const { session } = row
  const key = versionOf(session, projects.of(placeOf(row)).name, job)
  if (folder.has(file, key)) {
    report.unchanged++
    return true
  }
  const clew = { ...globals.clew, listener: silent }
  try {
    const chunks = await documentOf(clew, session, queryFor(job), projects)
    report.bytes += folder.write(file, key, chunks)
    report.written++
    return true
  } catch (error) {
    if (!(error instanceof FileFault)) throw error
    say(findingLine(error.finding))
    return false
  }
}

/** Changes with everything that the file is made from. */
function versionOf(session: SessionFiles, project: string, { format, detail, globals }: Export): string {
  const files = [...session.logs, ...session.side].map(({ path, size, modifiedMs }) => [path, size, modifiedMs])
  return JSON.stringify([pkg.version, format, detail, globals.clew.timezone ?? '', project, files])
}

function queryFor({ format, detail }: Export): DocumentQuery {
  const isFull = detail === 'full'
  return {
    format,
    isFull,
    showsThinking: isFull,
    showsTimes: isFull,
    isTalk: detail === 'prompts',
  }
}

async function writeIndex(job: Export, done: readonly Exported[], about: string): Promise<void> {
  const { folder, format, detail, globals, listing } = job
  const known = done.filter(({ row }) => row.facts !== undefined)
  const rows = known.map(({ row }) => row)
  const sessions = printedRows(rows, listing).map((row, at) => ({
    file: known[at]?.file ?? '',
    ...row,
  }))
  const options = { about, ...(globals.clew.timezone !== undefined && { timezone: globals.clew.timezone }) }
  const chunks =
    format === 'json'
      ? [`${jsonLine({ format, detail, sessions })}\n`]
      : format === 'md'
        ? sessionListToMarkdown(sessions.map(entryOf), options)
        : sessionListToHtml(sessions.map(entryOf), options)
  folder.write(`index.${format}`, 'index', chunks)
}

function entryOf(row: SessionRow & { file: string }): ListedSession {
  const { file, id, title, project, startedAt, endedAt, prompts, toolCalls, usage } = row
  return {
    file,
    id,
    title,
    project: project.name,
    startedAt,
    endedAt,
    prompts,
    toolCalls,
    tokens: totalTokens(usage),
  }
}

function reportText({ sessions, written, unchanged, bytes, failed, out }: ExportReport): string {
  const parts = [`${countOf(written, 'file')} written, ${sizeText(bytes)}`]
  if (unchanged > 0) parts.push(`${unchanged} unchanged`)
  if (failed.length > 0) parts.push(`${failed.length} failed`)
  return `exported ${countOf(sessions, 'session')} to ${escapeForLine(out)}: ${parts.join(', ')}`
}
