// The arguments and options of `clew grep` as a query; what is wrong with them is reported before anything is read.

import { UserError } from '../../answers/error.ts'
import { type Filters, readFilters, readLimit } from '../../answers/sessions/filters.ts'
import { readKinds } from '../../answers/texts/kinds.ts'
import { type Expression, expressionOf, InvalidExpression, type Query } from '../../grep/expression.ts'
import type { GrepOptions } from '../../grep/hits.ts'
import type { CommandInput } from '../command.ts'
import { wholeNumber } from '../options.ts'

/** What is printed: matching lines, sessions, or numbers. */
type Mode = 'lines' | 'sessions' | 'counts'

export interface GrepQuery {
  query: string
  /** The one session to search. */
  session?: string
  mode: Mode
  /** Numbers of lines are printed. */
  showsLines: boolean
  limit: number
  filters: Filters
  options: GrepOptions
}

export function readQuery(input: CommandInput): GrepQuery {
  const { args, options, globals } = input
  const [query = '', session, ...more] = args
  if (more.length > 0) throw new UserError('grep takes an expression and one session; quote an expression with spaces')
  if (query === '') throw new UserError('grep needs an expression to search for')
  const isFixed = options['fixedStrings'] === true
  const isWord = options['wordRegexp'] === true
  const expression = validExpression({ query, ignoresCase: options['ignoreCase'] === true, isFixed, isWord })
  const filters = readFilters(options, globals.clew, Date.now())
  const mode: Mode = options['count'] === true ? 'counts' : options['sessions'] === true ? 'sessions' : 'lines'
  const limit = readLimit(options['limit'])
  const grep: GrepOptions = {
    expression,
    context: readContext(options),
    kinds: readKinds(options['kind']),
    most: mode === 'lines' ? limit : mode === 'sessions' && !globals.json ? 1 : Number.POSITIVE_INFINITY,
    countsOnly: mode !== 'lines',
    isInverted: options['invertMatch'] === true,
    onlyMatching: options['onlyMatching'] === true,
    // Only a terminal has an end of the line.
    isWhole: globals.json || options['full'] === true || process.stdout.isTTY !== true,
  }
  for (const key of ['since', 'until'] as const) if (filters[key] !== undefined) grep[key] = filters[key]
  if (filters.tool !== undefined) grep.tool = filters.tool
  const showsLines = options['lineNumber'] === true
  return { query, mode, showsLines, limit, filters, options: grep, ...(session === undefined ? {} : { session }) }
}

function validExpression(query: Query): Expression {
  try {
    return expressionOf(query)
  } catch (error) {
    throw error instanceof InvalidExpression ? new UserError(error.message) : error
  }
}

function readContext(options: Record<string, unknown>): GrepOptions['context'] {
  const read = (name: string) => wholeNumber(options[name], `--${name}`, 0)
  const both = read('context') ?? 0
  return { before: read('before') ?? both, after: read('after') ?? both }
}
