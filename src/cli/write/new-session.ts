// What commands that make a new session out of another have in common: which session is meant, whether it may be read while
// something writes it, where the new one goes, and what is said about it. What the new one is like is up to src/write/edit.

import { randomUUID } from 'node:crypto'
import { dirname, resolve } from 'node:path'
import { textToBytes } from '../../base/bytes.ts'
import { escapeForLine } from '../../base/escape.ts'
import { posixQuote, powershellQuote } from '../../base/shell-quote.ts'
import { decodeText } from '../../decode/decode.ts'
import { isBelow } from '../../disk/discover/homes.ts'
import { sampleHome } from '../../disk/package-folder.ts'
import { contextOfEvents } from '../../graph/context/context.ts'
import { sessionId } from '../../model/ids.ts'
import { mainLogs, type SessionFiles } from '../../model/source.ts'
import type { NewSession } from '../../schema/contract-shapes.ts'
import { resumeCommand, resumeFolder, usualShell } from '../../session/resume-command.ts'
import { graphSummary } from '../../session/summary.ts'
import { countOf, sizeText } from '../../view/words.ts'
import { type EditedSession, type EditOptions, type ReadSession, readSession } from '../../write/edit/session.ts'
import { publish, publishedPaths } from '../../write/publish.ts'
import { refuseInUse } from '../../write/use.ts'
import { type CommandInput, type GlobalOptions, UserError } from '../command.ts'
import { sessionOf } from '../input.ts'
import { printJson, printLine, say } from '../terminal/output.ts'
import { withUserErrors } from './errors.ts'

export const editOptions: EditOptions = { newId: randomUUID, now: Date.now }

/** The session that is meant, read whole. Without --force not one that may be in use. */
export async function sessionToEdit({ args, options, globals }: CommandInput): Promise<ReadSession> {
  const files = await sessionOf(args[0], { ...globals, usesSample: false })
  const session = await readSession(globals.source, files)
  if (options['force'] !== true) await checkUse(files, session)
  return session
}

async function checkUse(files: SessionFiles, { graph }: ReadSession): Promise<void> {
  const { endedAt } = graphSummary(graph)
  await withUserErrors(() => refuseInUse(files, endedAt, Date.now()), '--force does it all the same.')
}

/** Writes the session next to its origin, or only says what would be written. */
export async function writeNew(
  origin: ReadSession,
  edited: EditedSession,
  { options, globals }: Pick<CommandInput, 'options' | 'globals'>,
): Promise<NewSession> {
  const folder = folderOf(origin.files)
  const isDry = options['dryRun'] === true
  const paths = publishedPaths(folder, edited)
  const written = isDry ? null : await withUserErrors(() => publish(folder, edited, { tree: globals.tree }))
  const shell = usualShell(process.platform)
  return {
    session: edited.session,
    origin: origin.files.id,
    dryRun: isDry,
    files: paths,
    bytes: written?.bytes ?? lineBytes(edited),
    messages: messagesOf(edited),
    command: resumeCommand(shell, resumeFolder(origin.graph, origin.files.slug), edited.session),
    undo: undoCommand(folder, edited),
  }
}

/** The project folder of the origin, though its log may be in the archive alone. */
function folderOf(files: SessionFiles): string {
  const [log] = mainLogs(files)
  if (log === undefined) throw new UserError(`${escapeForLine(files.id)} has no log`)
  if (isBelow(log.path, sampleHome())) throw new UserError('the sample history is not written to; copy it elsewhere')
  return dirname(resolve(log.path))
}

/** How many messages a resume of it sends. */
function messagesOf({ session, lines }: EditedSession): number {
  const { events } = decodeText(textToBytes(`${lines.join('\n')}\n`), { session })
  return contextOfEvents(sessionId(session), events).messages.length
}

function lineBytes({ lines, files }: EditedSession): number {
  const all = [lines, ...files.map(({ content }) => ('lines' in content ? content.lines : []))]
  return all.flat().reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0)
}

function undoCommand(folder: string, edited: EditedSession): string {
  const [log = '', ...others] = publishedPaths(folder, edited)
  const paths = others.length === 0 ? [log] : [log, log.replace(/\.jsonl$/, '')]
  if (process.platform === 'win32') return `Remove-Item -Recurse ${paths.map(powershellQuote).join(', ')}`
  return `rm -r ${paths.map(posixQuote).join(' ')}`
}

/** The command that resumes it goes to stdout, where scripts take it; what was done is said next to it. */
export async function printNew(
  report: NewSession,
  done: readonly string[],
  { json, quiet }: GlobalOptions,
): Promise<void> {
  if (json) {
    await printJson(report)
    return
  }
  if (!quiet) for (const line of [...done, ...outcomeLines(report)]) say(`clew: ${line}`)
  if (!report.dryRun) await printLine(report.command)
}

function* outcomeLines({ files, bytes, messages, dryRun, undo }: NewSession): Generator<string> {
  const [path = ''] = files
  const size = `${countOf(files.length, 'file')}, ${sizeText(bytes)}; a resume sends ${countOf(messages, 'message')}`
  if (dryRun) {
    yield `nothing was written (--dry-run): ${size}`
    return
  }
  yield `wrote ${size}:`
  yield `  ${escapeForLine(path)}`
  yield 'to undo:'
  yield `  ${escapeForLine(undo)}`
}
