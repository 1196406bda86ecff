// `clew trim`: a fork whose old and large outputs are notes, so that it resumes within a budget.

import { UserError } from '../../answers/error.ts'
import { trim } from '../../answers/write/fork.ts'
import { escapeForLine } from '../../base/escape.ts'
import { countText } from '../../base/format.ts'
import { countOf } from '../../view/words.ts'
import type { Cut } from '../../write/edit/trim.ts'
import type { CommandInput, ExitCode } from '../command.ts'
import { printNew } from '../write/new-session.ts'
import { writeQuery } from '../write/print-change.ts'
import { forkLines } from './fork.ts'

export async function run(input: CommandInput): Promise<ExitCode> {
  const { options, globals } = input
  const budget = tokensOf(options['budget'])
  const title = options['title'] as string | undefined
  const { origin, report, edited } = await trim(globals.clew, { ...writeQuery(input), budget, title })
  const { cuts, tokensBefore, tokensAfter } = edited
  await printNew(report, [...forkLines(origin, edited), ...cutLines(cuts, tokensBefore, tokensAfter)], globals)
  return 0
}

/** `100k`, `1.5m`, `80000`. */
function tokensOf(value: unknown): number {
  const found = /^(\d+(?:\.\d+)?)([km]?)$/i.exec(String(value ?? ''))
  const unit = { '': 1, k: 1000, m: 1_000_000 }[found?.[2]?.toLowerCase() ?? '']
  const tokens = found === null || unit === undefined ? Number.NaN : Math.round(Number(found[1]) * unit)
  if (!Number.isSafeInteger(tokens) || tokens < 1)
    throw new UserError(
      value === undefined ? 'missing --budget, such as 100k' : `Invalid --budget "${value}". Examples: 100k, 80000`,
    )
  return tokens
}

/** Of more cuts the largest are listed. */
const listed = 8

function* cutLines(cuts: readonly Cut[], before: number, after: number): Generator<string> {
  const change = `about ${countText(before)} → ${countText(after)} tokens`
  yield cuts.length === 0
    ? `nothing was cut: it fits (about ${countText(before)} tokens)`
    : `cut ${countOf(cuts.length, 'output')}: ${change}`
  const largest = [...cuts].sort((one, other) => other.tokens - one.tokens).slice(0, listed)
  for (const { tool, tokens, event } of largest)
    yield `  ${escapeForLine(tool)}, about ${countText(tokens)} tokens, event ${escapeForLine(event)}`
  if (cuts.length > listed) yield `  and ${countText(cuts.length - listed)} smaller; --json lists all`
}
