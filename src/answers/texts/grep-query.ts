// The options of `clew grep`, of the library too, as a query; what is wrong with them is reported before anything is read.

import { type Expression, expressionOf, InvalidExpression, type Query } from '../../grep/expression.ts'
import type { GrepOptions } from '../../grep/hits.ts'
import type { Clew } from '../clew.ts'
import { UserError } from '../error.ts'
import { type Filters, readFilters, readLimit, wholeNumber } from '../sessions/filters.ts'
import { readKinds } from './kinds.ts'

/** What is asked for: matching lines, sessions, or numbers. */
type Mode = 'lines' | 'sessions' | 'counts'

export interface GrepQuery {
  query: string
  /** The one session to search; all of them where absent. */
  session?: string
  mode: Mode
  limit: number
  filters: Filters
  options: GrepOptions
}

/** `options`: by the names of the command's options. `isWhole`: lines are not cut, and of sessions all lines are counted. */
export function readGrepQuery(
  clew: Clew,
  query: string,
  session: string | undefined,
  options: Readonly<Record<string, unknown>>,
  isWhole: boolean,
): GrepQuery {
  if (query === '') throw new UserError('grep needs an expression to search for')
  const isFixed = options['fixedStrings'] === true
  const isWord = options['wordRegexp'] === true
  const expression = validExpression({ query, ignoresCase: options['ignoreCase'] === true, isFixed, isWord })
  const filters = readFilters(options, clew, Date.now())
  const mode: Mode = options['count'] === true ? 'counts' : options['sessions'] === true ? 'sessions' : 'lines'
  const limit = readLimit(options['limit'])
  const grep: GrepOptions = {
    expression,
    context: readContext(options),
    kinds: readKinds(options['kind']),
    most: mode === 'lines' ? limit : mode === 'sessions' && !isWhole ? 1 : Number.POSITIVE_INFINITY,
    countsOnly: mode !== 'lines',
    isInverted: options['invertMatch'] === true,
    onlyMatching: options['onlyMatching'] === true,
    isWhole: isWhole || options['full'] === true,
  }
  for (const key of ['since', 'until'] as const) if (filters[key] !== undefined) grep[key] = filters[key]
  if (filters.tool !== undefined) grep.tool = filters.tool
  return { query, mode, limit, filters, options: grep, ...(session !== undefined && { session }) }
}

function validExpression(query: Query): Expression {
  try {
    return expressionOf(query)
  } catch (error) {
    throw error instanceof InvalidExpression ? new UserError(error.message) : error
  }
}

function readContext(options: Readonly<Record<string, unknown>>): GrepOptions['context'] {
  const read = (name: string) => (options[name] === undefined ? undefined : wholeNumber(options[name], name, 0))
  const both = read('context') ?? 0
  return { before: read('before') ?? both, after: read('after') ?? both }
}
