// `clew title`: names a session as Claude Code's /rename does.

import { UserError } from '../../answers/error.ts'
import { escapeForLine } from '../../base/escape.ts'
import { title } from '../../write/write.ts'
import type { CommandInput, ExitCode } from '../command.ts'
import { change, printChange, sessionToChange } from '../write/change-session.ts'

export async function run(input: CommandInput): Promise<ExitCode> {
  const name = input.args.slice(1).join(' ').trim()
  if (name === '') throw new UserError('missing title: clew title SESSION TITLE')
  const target = await sessionToChange(input)
  const agentName = { kind: 'title', detail: { titleFrom: 'agent-name', title: name } } as const
  const report = await change(target, input, writer => writer.appendAll([title(name), agentName]))
  await printChange(report, `${target.files.id.slice(0, 8)} renamed to "${escapeForLine(name)}"`, input.globals)
  return 0
}
