// `clew ls`: lists sessions or projects from the index. Without one, the table comes from the ends of files; `--long`, `--json`,
// `--csv` and filters that need more read full files.

import pc from 'picocolors'
import { UserError } from '../../answers/error.ts'
import { inOrder, type Listing, listedProjects, listSessions, printedRows } from '../../answers/sessions/list.ts'
import { shortIds } from '../../answers/sessions/names.ts'
import type { ListRow } from '../../answers/sessions/rows.ts'
import { clockFor } from '../../answers/times.ts'
import { isOnDisk } from '../../model/source.ts'
import { leastWidth, outputWidth } from '../../render/terminal/style.ts'
import { type Column, fittedTable } from '../../render/terminal/table.ts'
import type { ProjectRow } from '../../schema/contract-shapes.ts'
import type { CommandInput, ExitCode, GlobalOptions } from '../command.ts'
import {
  csvLines,
  fullColumns,
  noteOf,
  projectColumns,
  projectCsv,
  quickColumns,
  type Shown,
  sessionCsv,
} from '../list/columns.ts'
import { findingLine, printCsv, printJson, printLine, reportUnread, say } from '../terminal/output.ts'

export async function run({ args, options, globals }: CommandInput): Promise<ExitCode> {
  const what = args[0] ?? 'sessions'
  if (what !== 'sessions' && what !== 'projects') {
    throw new UserError(`ls lists sessions or projects, not "${what}"; try --project ${what}`)
  }
  const isCsv = options['csv'] === true
  const isFull = options['long'] === true || globals.json || isCsv
  const listing = await listSessions(globals.clew, { options, isFull })
  const { rows, findings, sessions } = listing
  if (sessions.length > 0) reportUnread(findings, globals.quiet)
  else for (const finding of findings) say(findingLine(finding))
  const output = { globals, isCsv }
  if (what === 'projects') await printProjects(listedProjects(listing), listing, output)
  else await printSessions(inOrder(listing), listing, output)
  if (rows.length > 0) return 0
  if (!globals.quiet) say(nothing(listing, globals))
  return findings.some(finding => finding.severity === 'error') ? 2 : 1
}

interface Output {
  globals: GlobalOptions
  isCsv: boolean
}

function nothing({ sessions, isGone }: Listing, { clew: { archive } }: GlobalOptions): string {
  const { length } = sessions
  if (length === 0) return 'clew: no sessions found; --root PATH names a Claude home'
  const hasGone = sessions.some(session => !isOnDisk(session))
  if (isGone && !hasGone && archive === undefined)
    return 'clew: nothing is archived yet; clew archive run archives your sessions'
  if (isGone && !hasGone) return `clew: all ${length} sessions are still on disk`
  return `clew: none of ${length} sessions matches; try fewer filters`
}

async function printSessions(rows: readonly ListRow[], listing: Listing, { globals, isCsv }: Output): Promise<void> {
  if (globals.json) return printJson({ sessions: printedRows(rows, listing) })
  if (isCsv) return printCsv(csvLines(sessionCsv, printedRows(rows, listing)))
  if (rows.length === 0) return
  const gone = rows.filter(row => !isOnDisk(row.session)).length
  const shown: Shown = {
    clock: clockFor(globals.clew.timezone),
    shortId: shortIds(listing.sessions.map(session => session.id)),
    hasGone: gone > 0,
    hasNotes: rows.some(row => noteOf(row) !== ''),
    projects: listing.projects,
  }
  const leftOut = await printTable(rows, listing.isFull ? fullColumns(shown) : quickColumns(shown))
  const notes = listing.isExact ? [] : ['Titles and times may be incomplete without an index; --long reads full files']
  if (gone > 0 && !listing.isGone)
    notes.push(`${gone} of ${rows.length} ${gone === 1 ? 'is' : 'are'} only in the archive`)
  if (leftOut !== undefined) notes.push(leftOut)
  for (const note of notes) printNote(note, globals)
}

async function printProjects(
  rows: readonly ProjectRow[],
  { isFull }: Listing,
  { globals, isCsv }: Output,
): Promise<void> {
  if (globals.json) return printJson({ projects: rows })
  if (isCsv) return printCsv(csvLines(projectCsv, rows))
  const hasGone = rows.some(row => row.gone > 0)
  if (rows.length === 0) return
  const leftOut = await printTable(rows, projectColumns(clockFor(globals.clew.timezone), isFull, hasGone))
  if (leftOut !== undefined) printNote(leftOut, globals)
}

/** Returns what was left out, in words. */
async function printTable<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): Promise<string | undefined> {
  const { lines, leftOut } = fittedTable(rows, columns, Math.max(leastWidth, outputWidth()), pc.dim)
  const atOnce = 200
  for (let from = 0; from < lines.length; from += atOnce) await printLine(lines.slice(from, from + atOnce).join('\n'))
  return leftOut
}

/** A footnote under a table, on stderr so that the table can be piped. */
function printNote(text: string, globals: GlobalOptions): void {
  if (!globals.quiet) say(pc.dim(text))
}
