// What people ask of `clew grep`, read from arguments and options; what is wrong with it is said before anything is read.

import type { GrepOptions } from '../../grep/events.ts'
import { expressionOf } from '../../grep/expression.ts'
import { requiredTexts } from '../../grep/literal.ts'
import { type EventKind, eventKinds } from '../../model/event.ts'
import { type CommandInput, UserError } from '../command.ts'
import { type Filters, readFilters, readLimit } from '../list/filters.ts'
import { wholeNumber } from '../options.ts'

/** What is printed: matching lines, sessions, or numbers. */
export type Mode = 'lines' | 'sessions' | 'counts'

export interface Asked {
  query: string
  session?: string
  mode: Mode
  limit: number
  filters: Filters
  options: GrepOptions
}

/** Snapshots, prompt histories and lines that are no JSON have no text of a session. */
const kinds = eventKinds.filter(kind => kind !== 'snapshot' && kind !== 'history' && kind !== 'malformed')

export function readAsked(input: CommandInput): Asked {
  const { args, options, globals } = input
  const [query = '', session, ...more] = args
  if (more.length > 0) throw new UserError('grep takes an expression and one session; quote an expression with blanks')
  const isFixed = options['fixedStrings'] === true
  const expression = expressionOf({ query, ignoresCase: options['ignoreCase'] === true, isFixed })
  const filters = readFilters(input, Date.now())
  const mode: Mode = options['count'] === true ? 'counts' : options['sessions'] === true ? 'sessions' : 'lines'
  const limit = readLimit(options['limit'])
  const grep: GrepOptions = {
    expression,
    texts: requiredTexts(expression),
    context: readContext(options),
    kinds: readKinds(options['kind']),
    most: mode === 'lines' ? limit : mode === 'sessions' && !globals.json ? 1 : Number.POSITIVE_INFINITY,
    countsOnly: mode !== 'lines',
  }
  for (const key of ['since', 'until'] as const) if (filters[key] !== undefined) grep[key] = filters[key]
  if (filters.tool !== undefined) grep.tool = filters.tool
  const { kinds: onlyKinds, tool, since, until, most } = grep
  const isForAll = [tool, since, until, filters.project].every(one => one === undefined) && onlyKinds.length === 0
  if (grep.countsOnly && isForAll && most === Number.POSITIVE_INFINITY) grep.countsAtOnce = true
  const asked: Asked = { query, mode, limit, filters, options: grep }
  if (session !== undefined) asked.session = session
  return asked
}

function readContext(options: Record<string, unknown>): GrepOptions['context'] {
  const read = (name: string) => wholeNumber(options[name], `--${name}`, 0)
  const both = read('context') ?? 0
  return { before: read('before') ?? both, after: read('after') ?? both }
}

function readKinds(value: unknown): EventKind[] {
  const words = (Array.isArray(value) ? value : []).flatMap(word => String(word).split(','))
  return words.map(word => {
    const kind = kinds.find(known => known === word.trim())
    if (kind === undefined) throw new UserError(`--kind ${word}: it is one of ${kinds.join(', ')}`)
    return kind
  })
}
