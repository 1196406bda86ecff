// `clew title`: names a session as Claude Code's /rename does.

import { UserError } from '../../answers/error.ts'
import { retitle } from '../../answers/write/change.ts'
import { escapeForLine } from '../../base/escape.ts'
import type { CommandInput, ExitCode } from '../command.ts'
import { printChange, writeQuery } from '../write/print-change.ts'

export async function run(input: CommandInput): Promise<ExitCode> {
  const name = input.args.slice(1).join(' ').trim()
  if (name === '') throw new UserError('missing title: clew title SESSION TITLE')
  const report = await retitle(input.globals.clew, { ...writeQuery(input), title: name })
  await printChange(report, `${report.session.slice(0, 8)} renamed to "${escapeForLine(name)}"`, input.globals)
  return 0
}
