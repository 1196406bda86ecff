// How commands that make a new session out of another print it. What is written, and where, is in src/write/new-session.ts.

import { escapeForLine } from '../../base/escape.ts'
import type { NewSession } from '../../schema/contract-shapes.ts'
import { countOf, sizeText } from '../../view/words.ts'
import type { GlobalOptions } from '../command.ts'
import { printJson, printLine, say } from '../terminal/output.ts'

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
