// The filters of a query (`tool:Bash`, `since:7d`): their names, and what their values may be. Which rows they mean is
// decided where the rows are read.

import { eventKinds } from '../../model/event.ts'
import { nearest, type QueryProblem } from './problem.ts'
import { readWhen, type TimeContext } from './when.ts'

const states = ['error', 'archived']

const textFilters = ['tool', 'kind', 'project', 'file', 'model', 'is', 'session', 'thread'] as const
export type TextFilter = (typeof textFilters)[number]
export const filterNames: readonly string[] = [...textFilters, 'since', 'until']

/** Values of one filter: a row has one of `any` (where there are some) and none of `none`. */
export interface FilterValues {
  any: string[]
  none: string[]
}

/** Every filter has to hold; one that was not written is absent. */
export type QueryFilters = { [Name in TextFilter]?: FilterValues } & {
  /** Milliseconds since 1970; from then on. */
  since?: number
  /** Before then. */
  until?: number
}

export interface WrittenFilter {
  name: string
  value: string
  isQuoted: boolean
  isExcluded: boolean
  from: number
  to: number
}

/** Adds one to those read so far; what is odd about it is given back. */
export function addFilter(
  filters: QueryFilters,
  written: WrittenFilter,
  context: TimeContext,
): Omit<QueryProblem, 'from' | 'to'> | undefined {
  const { name, value } = written
  if (value.trim() === '') {
    return { code: 'filter-empty', severity: 'warning', message: `${name}: needs a value, as in ${examples[name]}` }
  }
  if (name === 'since' || name === 'until') return addTime(filters, name, written, context)
  const textName = textFilters.find(known => known === name)
  return textName === undefined ? undefined : addText(filters, textName, written)
}

const examples: Readonly<Record<string, string>> = {
  tool: 'tool:Bash',
  kind: 'kind:prompt',
  project: 'project:shop',
  file: 'file:main.ts',
  model: 'model:opus',
  is: 'is:error',
  session: 'session:3f2a',
  thread: 'thread:main',
  since: 'since:7d',
  until: 'until:2026-01-31',
}

function addTime(
  filters: QueryFilters,
  name: 'since' | 'until',
  { value, isExcluded }: WrittenFilter,
  context: TimeContext,
): Omit<QueryProblem, 'from' | 'to'> | undefined {
  if (isExcluded) {
    const other = name === 'since' ? 'until' : 'since'
    const message = `${name}: cannot be turned round; write ${other}:${value}`
    return { code: 'filter-excluded', severity: 'warning', message, instead: `${other}:${value}` }
  }
  const at = readWhen(value, name, context)
  if (at === undefined || !Number.isFinite(at)) {
    const message = `${name}:${value} is no time; these are: 2026-02-17, "2026-02-17 14:30", 7d, 24h, today, yesterday`
    return { code: 'filter-time', severity: 'warning', message }
  }
  filters[name] = at
  if (filters.since === undefined || filters.until === undefined || filters.since < filters.until) return undefined
  return { code: 'filter-span', severity: 'warning', message: 'since: is not before until:, so nothing can be found' }
}

function addText(
  filters: QueryFilters,
  name: TextFilter,
  { value, isQuoted, isExcluded }: WrittenFilter,
): Omit<QueryProblem, 'from' | 'to'> | undefined {
  // Paths may have commas.
  const isList = !isQuoted && name !== 'project' && name !== 'file'
  const values = (isList ? value.split(',') : [value]).map(part => part.trim()).filter(part => part !== '')
  const known = name === 'kind' ? eventKinds : name === 'is' ? states : undefined
  let problem: Omit<QueryProblem, 'from' | 'to'> | undefined
  for (const part of values) {
    const found = known === undefined ? part : known.find(word => isSameWord(word, part))
    if (found === undefined) {
      problem = unknownValue(name, part, known ?? [])
      continue
    }
    const kept = filters[name] ?? { any: [], none: [] }
    filters[name] = kept
    const list = isExcluded ? kept.none : kept.any
    if (!list.includes(found)) list.push(found)
  }
  return problem
}

/** In any case, with or without the s of the plural. */
function isSameWord(word: string, written: string): boolean {
  return word.replace(/s$/, '') === written.toLowerCase().replace(/s$/, '')
}

function unknownValue(name: string, value: string, known: readonly string[]): Omit<QueryProblem, 'from' | 'to'> {
  const meant = nearest(value, known)
  const hint = meant === undefined ? `it is one of ${known.join(', ')}` : `did you mean ${name}:${meant}?`
  return {
    code: 'filter-value',
    severity: 'warning',
    message: `there is no ${name}:${value}; ${hint}`,
    ...(meant === undefined ? {} : { instead: `${name}:${meant}` }),
  }
}
