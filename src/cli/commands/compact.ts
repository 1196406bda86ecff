// `clew compact`: appends a compaction with the user's own summary, as Claude Code's /compact does with the model's.

import { readFileSync, statSync } from 'node:fs'
import { text as readStream } from 'node:stream/consumers'
import { UserError } from '../../answers/error.ts'
import { wholeNumber } from '../../answers/sessions/filters.ts'
import { compact } from '../../answers/write/change.ts'
import { attempt } from '../../base/attempt.ts'
import { escapeForLine } from '../../base/escape.ts'
import { countOf } from '../../view/words.ts'
import type { CommandInput, ExitCode } from '../command.ts'
import { printChange, writeQuery } from '../write/print-change.ts'

const usualKeep = 4

export async function run(input: CommandInput): Promise<ExitCode> {
  const { options, globals } = input
  const keep = wholeNumber(options['keep'], 'keep', 0) ?? usualKeep
  const summary = () => summaryOf(options['summary'])
  const report = await compact(globals.clew, { ...writeQuery(input), keep, summary })
  const kept = keep === 0 ? '' : `, with its last ${keep === 1 ? 'turn' : countOf(keep, 'turn')}`
  await printChange(report, `${report.session.slice(0, 8)} compacted${kept}`, globals)
  return 0
}

/** The text itself, a file with it, or standard input. */
async function summaryOf(value: unknown): Promise<string> {
  if (typeof value !== 'string' || value === '')
    throw new UserError('missing --summary: a text, a file, or - for stdin')
  const summary = value === '-' ? await readStream(process.stdin) : textOrFile(value)
  if (summary.trim() === '') throw new UserError('the summary is empty')
  return summary
}

/** One word is a path, and not a summary. */
function textOrFile(value: string): string {
  // A long text is no name of a file.
  if (attempt(() => statSync(value))?.isFile()) return readFileSync(value, 'utf8')
  if (!/\s/.test(value.trim())) throw new UserError(`--summary: there is no file ${escapeForLine(value)}`)
  return value
}
