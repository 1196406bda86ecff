// `clew tag`: tags a session as the agent SDK does, or takes its tag away.

import { UserError } from '../../answers/error.ts'
import { escapeForLine } from '../../base/escape.ts'
import { tag } from '../../write/write.ts'
import type { CommandInput, ExitCode } from '../command.ts'
import { change, printChange, sessionToChange } from '../write/change-session.ts'

export async function run(input: CommandInput): Promise<ExitCode> {
  const name = input.args.slice(1).join(' ').trim()
  const isRemoved = input.options['remove'] === true
  if (isRemoved && name !== '') throw new UserError('--remove takes no tag')
  if (!isRemoved && name === '') throw new UserError('missing tag: clew tag SESSION TAG, or --remove')
  const target = await sessionToChange(input)
  const report = await change(target, input, writer => writer.appendAll([tag(name)]))
  const session = target.files.id.slice(0, 8)
  const done = isRemoved ? `${session}: tag removed` : `${session} tagged #${escapeForLine(name)}`
  await printChange(report, done, input.globals)
  return 0
}
