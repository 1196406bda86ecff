// What commands that make a new session out of another have in common on a command line: which session is meant, and how the
// result is printed. What is written, and where, is in src/write/new-session.ts.

import { sessionOf } from '../../answers/sessions/find.ts'
import { escapeForLine } from '../../base/escape.ts'
import type { NewSession } from '../../schema/contract-shapes.ts'
import { countOf, sizeText } from '../../view/words.ts'
import type { Fork } from '../../write/edit/fork.ts'
import type { ReadSession } from '../../write/edit/session.ts'
import { readOrigin, writeNew } from '../../write/new-session.ts'
import type { CommandInput, GlobalOptions } from '../command.ts'
import { printJson, printLine, say } from '../terminal/output.ts'
import { forceAdvice, withUserErrors } from './errors.ts'

/** The session that is meant, read whole. Without --force not one that may be in use. */
export async function sessionToEdit({ args, options, globals }: CommandInput): Promise<ReadSession> {
  const files = await sessionOf(args[0], { ...globals.clew, usesSample: false })
  const isForced = options['force'] === true
  return withUserErrors(() => readOrigin(globals.clew.source, files, { isForced }), forceAdvice)
}

/** Writes the session next to its origin, or with --dry-run only says what would be written. */
export async function writeFork(
  origin: ReadSession,
  fork: Fork,
  { options, globals }: Pick<CommandInput, 'options' | 'globals'>,
): Promise<NewSession> {
  return withUserErrors(() => writeNew(origin, fork, { tree: globals.clew.tree, isDry: options['dryRun'] === true }))
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
