// `clew fork`: a session up to one of its events as a new session, next to it.

import { eventNamed } from '../../answers/session/selection.ts'
import { escapeForLine } from '../../base/escape.ts'
import { countOf } from '../../view/words.ts'
import { type Fork, forkSession } from '../../write/edit/fork.ts'
import { editOptions } from '../../write/new-session.ts'
import type { CommandInput, ExitCode } from '../command.ts'
import { withUserErrors } from '../write/errors.ts'
import { printNew, sessionToEdit, writeFork } from '../write/new-session.ts'

export async function run(input: CommandInput): Promise<ExitCode> {
  const { options, globals } = input
  const origin = await sessionToEdit(input)
  const { title, at: text } = options as { at?: string; title?: string }
  const at = text === undefined ? undefined : eventNamed(origin.graph, text).id
  const fork = await withUserErrors(() =>
    forkSession(origin, { ...editOptions, ...(at !== undefined && { at }), ...(title !== undefined && { title }) }),
  )
  const report = await writeFork(origin, fork, input)
  await printNew(report, [...forkLines(origin.files.id, fork)], globals)
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
