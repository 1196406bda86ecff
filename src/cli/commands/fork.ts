// `clew fork`: a session up to one of its events as a new session, next to it.

import { fork } from '../../answers/write/fork.ts'
import { escapeForLine } from '../../base/escape.ts'
import { countOf } from '../../view/words.ts'
import type { Fork } from '../../write/edit/fork.ts'
import type { CommandInput, ExitCode } from '../command.ts'
import { printNew } from '../write/new-session.ts'
import { writeQuery } from '../write/print-change.ts'

export async function run(input: CommandInput): Promise<ExitCode> {
  const { at, title } = input.options as { at?: string; title?: string }
  const { origin, report, edited } = await fork(input.globals.clew, { ...writeQuery(input), at, title })
  await printNew(report, [...forkLines(origin, edited)], input.globals)
  return 0
}

/** What was copied, and what is odd about it. */
export function* forkLines(origin: string, { title, records, subagents, damaged, openCalls }: Fork): Generator<string> {
  const parts = [countOf(records, 'record'), ...(subagents > 0 ? [countOf(subagents, 'subagent')] : [])]
  yield `forked ${escapeForLine(origin.slice(0, 8))} as "${escapeForLine(title)}": ${parts.join(', ')}`
  if (damaged > 0)
    yield `${countOf(damaged, 'damaged line')} left out; to see what they say: clew repair ${escapeForLine(origin.slice(0, 8))} --dry-run`
  if (openCalls > 0) yield `${countOf(openCalls, 'call')} without a result: Claude Code takes them for interrupted`
}
