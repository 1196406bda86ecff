// `clew tag`: tags a session as the agent SDK does, or takes its tag away.

import { UserError } from '../../answers/error.ts'
import { retag } from '../../answers/write/change.ts'
import { escapeForLine } from '../../base/escape.ts'
import type { CommandInput, ExitCode } from '../command.ts'
import { printChange, writeQuery } from '../write/print-change.ts'

export async function run(input: CommandInput): Promise<ExitCode> {
  const name = input.args.slice(1).join(' ').trim()
  const isRemoved = input.options['remove'] === true
  if (isRemoved && name !== '') throw new UserError('--remove takes no tag')
  if (!isRemoved && name === '') throw new UserError('missing tag: clew tag SESSION TAG, or --remove')
  const report = await retag(input.globals.clew, { ...writeQuery(input), tag: isRemoved ? null : name })
  const session = report.session.slice(0, 8)
  const done = isRemoved ? `${session}: tag removed` : `${session} tagged #${escapeForLine(name)}`
  await printChange(report, done, input.globals)
  return 0
}
