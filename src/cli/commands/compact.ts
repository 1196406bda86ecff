// `clew compact`: appends a compaction with the user's own summary, as Claude Code's /compact does with the model's.

import { readFileSync } from 'node:fs'
import { text as readStream } from 'node:stream/consumers'
import { UserError } from '../../answers/error.ts'
import { escapeForLine } from '../../base/escape.ts'
import { isFile } from '../../disk/discover/tree.ts'
import { buildContext } from '../../graph/context/context.ts'
import { loadSession } from '../../session/load.ts'
import { makeUpOf } from '../../session/make-up.ts'
import { countOf } from '../../view/words.ts'
import type { CommandInput, ExitCode } from '../command.ts'
import { wholeNumber } from '../options.ts'
import { change, printChange, sessionToChange } from '../write/change-session.ts'

const usualKeep = 4

export async function run(input: CommandInput): Promise<ExitCode> {
  const { options, globals } = input
  const keep = wholeNumber(options['keep'], '--keep', 0) ?? usualKeep
  const target = await sessionToChange(input)
  const summary = await summaryOf(options['summary'], globals)
  const graph = await loadSession(globals.clew.source, target.files)
  const context = buildContext(graph)
  if (!context.resumable) throw new UserError(`there is nothing to compact: ${context.reason ?? 'nothing was said'}`)
  const preTokens = makeUpOf(context, graph.events).lastRequestTokens ?? 0
  const report = await change(target, input, writer => writer.compact({ summary, keep, preTokens }))
  const kept = keep === 0 ? '' : `, with its last ${keep === 1 ? 'turn' : countOf(keep, 'turn')}`
  await printChange(report, `${target.files.id.slice(0, 8)} compacted${kept}`, globals)
  return 0
}

/** The text itself, a file with it, or standard input. */
async function summaryOf(value: unknown, { clew: { tree } }: CommandInput['globals']): Promise<string> {
  if (typeof value !== 'string' || value === '')
    throw new UserError('missing --summary: a text, a file, or - for stdin')
  const summary = value === '-' ? await readStream(process.stdin) : textOrFile(value, tree)
  if (summary.trim() === '') throw new UserError('the summary is empty')
  return summary
}

/** One word is a path, and not a summary. */
function textOrFile(value: string, tree: CommandInput['globals']['clew']['tree']): string {
  if (isFile(value, tree)) return readFileSync(value, 'utf8')
  if (!/\s/.test(value.trim())) throw new UserError(`--summary: there is no file ${escapeForLine(value)}`)
  return value
}
