// Many sessions as files in a folder, with an index page that links to them. How one looks is decided in
// src/answers/session/document.ts; which files are already there and of what, in export-folder.ts.

import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { escapeForLine, jsonLine } from '../../base/escape.ts'
import type { Finding } from '../../model/finding.ts'
import { bytesOf, type SessionFiles } from '../../model/source.ts'
import { totalTokens } from '../../model/usage.ts'
import { type ListedSession, sessionListToHtml, sessionListToMarkdown } from '../../render/session-list.ts'
import type { ExportReport, SessionRow } from '../../schema/contract-shapes.ts'
import { byLatest } from '../../session/latest.ts'
import { type Clew, silent } from '../clew.ts'
import { UserError } from '../error.ts'
import { namedPath } from '../paths.ts'
import { type DocumentFormat, type DocumentQuery, documentOf } from '../session/document.ts'
import { FileFault } from '../session/verdict.ts'
import { ExportFolder, fileName } from './export-folder.ts'
import { passes, readFilters } from './filters.ts'
import { sessionOf } from './find.ts'
import { type Listing, listSessions, printedRows } from './list.ts'
import { type ListRow, placeOf } from './rows.ts'

type Detail = ExportReport['detail']

export interface ExportQuery {
  /** Names of sessions. */
  words: readonly string[]
  all?: boolean
  /** By the names of the options of `clew export`: project, since, until. */
  filters: Readonly<Record<string, unknown>>
  /** The folder: new, empty, or an earlier export. */
  out: string
  format?: DocumentFormat
  detail?: Detail
  /** Writes into a folder with other files, and replaces them. */
  isForced?: boolean
  /** Of Clew: another version writes files again. */
  version: string
}

interface Job {
  clew: Clew
  query: ExportQuery
  folder: ExportFolder
  format: DocumentFormat
  detail: Detail
  listing: Listing
}

/** A session and where it goes. */
interface Exported {
  row: ListRow
  file: string
}

/** Nothing is written where no session is selected. `faults`: why files of sessions were not written. */
export async function exportSessions(
  opened: Clew,
  query: ExportQuery,
): Promise<{ report: ExportReport; faults: readonly Finding[] }> {
  // The bundled samples are nobody's to keep in files.
  const clew = { ...opened, usesSample: false }
  const { format = 'html', detail = 'normal' } = query
  const path = namedPath(query.out)
  if (/\.(html?|md|json)$/i.test(path) && !existsSync(path)) {
    const how = `clew show SESSION --format FORMAT > ${escapeForLine(query.out)}`
    throw new UserError(`--out names a folder; to write one file: ${how}`)
  }
  const { rows, listing } = await chosenRows(clew, query)
  const report = emptyReport(path, format, detail)
  if (rows.length === 0) return { report, faults: [] }
  const folder = ExportFolder.open(path, query.isForced === true)
  return { report, faults: await writeAll({ clew, query, folder, format, detail, listing }, rows, report) }
}

/** Those that are named, and those that pass the filters; latest first. */
async function chosenRows(clew: Clew, query: ExportQuery): Promise<{ rows: ListRow[]; listing: Listing }> {
  const { words, filters: options, all: takesAll = false } = query
  const hasFilter = filterNames.some(name => options[name] !== undefined)
  if (words.length === 0 && !hasFilter && !takesAll) {
    throw new UserError('nothing is selected; name sessions, --project, --since, or --all for everything')
  }
  const filters = readFilters(options, clew, Date.now())
  const all = await listSessions({ ...clew, listener: silent }, { options: {}, isFull: true })
  const selected = hasFilter || takesAll ? all.rows.filter(row => passes(row, filters, all.projects)) : []
  const named = await namedRows(words, all.rows, clew)
  const rows = new Map([...selected, ...named].map(row => [keyOf(row.session), row]))
  return { rows: [...rows.values()].sort(byLatest), listing: all }
}

async function namedRows(words: readonly string[], found: readonly ListRow[], clew: Clew): Promise<ListRow[]> {
  const rows: ListRow[] = []
  for (const word of words) {
    const session = await sessionOf(word, clew)
    const known = found.find(row => keyOf(row.session) === keyOf(session))
    rows.push(known ?? (await readRow(session, clew)))
  }
  return rows
}

async function readRow(session: SessionFiles, clew: Clew): Promise<ListRow> {
  const { fullRows } = await import('./full-rows.ts')
  const { copiedPartsFor } = await import('./copied.ts')
  const copied = await copiedPartsFor([session], clew)
  const [row] = (await fullRows([session], { copied }, clew)).rows
  if (row === undefined) throw new UserError(`${session.id} cannot be read`)
  return row
}

/** Two homes may have sessions of one id. */
function keyOf({ id, logs }: SessionFiles): string {
  return `${id} ${logs[0]?.generation ?? ''}`
}

const filterNames = ['project', 'since', 'until'] as const

function describe({ filters }: ExportQuery): string {
  const parts = filterNames.flatMap(name => (filters[name] === undefined ? [] : [`${name} ${filters[name]}`]))
  return parts.length === 0 ? '' : `, ${parts.join(', ')}`
}

function emptyReport(out: string, format: DocumentFormat, detail: Detail): ExportReport {
  const index = resolve(out, `index.${format}`)
  return { out, index, format, detail, sessions: 0, written: 0, unchanged: 0, bytes: 0, failed: [] }
}

async function writeAll(job: Job, rows: readonly ListRow[], report: ExportReport): Promise<Finding[]> {
  const total = rows.reduce((sum, row) => sum + bytesOf(row.session), 0)
  const progress = job.clew.listener.progress('exporting', total)
  const done: Exported[] = []
  const faults: Finding[] = []
  try {
    for (const exported of withFiles(rows, job)) {
      const fault = await writeSession(job, exported, report)
      if (fault === null) done.push(exported)
      else {
        report.failed.push(exported.row.session.id)
        faults.push(fault)
      }
      progress.add(bytesOf(exported.row.session))
    }
  } finally {
    progress.end()
  }
  report.sessions = done.length
  await writeIndex(job, done, describe(job.query))
  return faults
}

/** The day, the project and the id: names that stay while a session grows. */
function withFiles(rows: readonly ListRow[], { format, listing: { projects } }: Job): Exported[] {
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

/** Why there is no session in its files; null where it is written. */
async function writeSession(job: Job, { row, file }: Exported, report: ExportReport): Promise<Finding | null> {
  const { folder, clew, listing } = job
  const { session } = row
  const { projects } = listing
  const key = versionOf(session, projects.of(placeOf(row)).name, job)
  if (folder.has(file, key)) {
    report.unchanged++
    return null
  }
  try {
    const chunks = await documentOf({ ...clew, listener: silent }, session, queryFor(job), projects)
    report.bytes += folder.write(file, key, chunks)
    report.written++
    return null
  } catch (error) {
    if (!(error instanceof FileFault)) throw error
    return error.finding
  }
}

/** Changes with everything that the file is made from. */
function versionOf(session: SessionFiles, project: string, { format, detail, clew, query }: Job): string {
  const files = [...session.logs, ...session.side].map(({ path, size, modifiedMs }) => [path, size, modifiedMs])
  return JSON.stringify([query.version, format, detail, clew.timezone ?? '', project, files])
}

function queryFor({ format, detail }: Job): DocumentQuery {
  const isFull = detail === 'full'
  return {
    format,
    isFull,
    showsThinking: isFull,
    showsTimes: isFull,
    isTalk: detail === 'prompts',
  }
}

async function writeIndex(job: Job, done: readonly Exported[], about: string): Promise<void> {
  const { folder, format, detail, clew, listing } = job
  const known = done.filter(({ row }) => row.facts !== undefined)
  const rows = known.map(({ row }) => row)
  const sessions = printedRows(rows, listing).map((row, at) => ({
    file: known[at]?.file ?? '',
    ...row,
  }))
  const options = { about, ...(clew.timezone !== undefined && { timezone: clew.timezone }) }
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
