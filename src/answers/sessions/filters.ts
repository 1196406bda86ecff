// Filters and order of lists, from options. It reads no file, but knows which filters need full files.

import { toMillis } from '../../base/instant.ts'
import { asString } from '../../base/json.ts'
import { InvalidExpression, textMatcher } from '../../grep/expression.ts'
import { isToolNamed } from '../../grep/hits.ts'
import type { ProjectRow } from '../../schema/contract-shapes.ts'
import { isInProject } from '../../session/projects.ts'
import type { Clew } from '../clew.ts'
import { UserError } from '../error.ts'
import { readTime } from '../times.ts'
import { wholeProject } from './names.ts'
import { costOf, type ListRow, placeOf, tokensOf, whenOf } from './rows.ts'

const hasWords = ['error', 'subagent', 'compaction', 'image'] as const
export type HasWord = (typeof hasWords)[number]
const sortWords = ['when', 'size', 'title', 'tokens', 'cost', 'prompts', 'duration'] as const
export type SortWord = (typeof sortWords)[number]

export interface Filters {
  project?: string
  /** Milliseconds since 1970. */
  since?: number
  until?: number
  model?: string
  branch?: string
  tool?: string
  has: HasWord[]
  grep?: string
  /** Only sessions that Claude Code has set aside; false: only the others. */
  isSetAside?: boolean
  /** Only sessions in which programs alone sent prompts; false: only the others. */
  isProgrammatic?: boolean
}

/** `options`: by the names of the commands' options, as the library and the server have them, too. */
export function readFilters(
  options: Readonly<Record<string, unknown>>,
  { timezone }: Pick<Clew, 'timezone'>,
  now: number,
): Filters {
  const context = { now, timezone }
  const filters: Filters = { has: readHas(options['has']) }
  for (const name of ['project', 'model', 'branch', 'tool', 'grep'] as const) {
    const text = asString(options[name])
    if (text === undefined) continue
    if (text === '') throw new UserError(`--${name} needs a value`)
    filters[name] = name === 'project' ? wholeProject(text) : text
  }
  const since = asString(options['since'])
  const until = asString(options['until'])
  if (since !== undefined) filters.since = readTime(since, 'since', context)
  if (until !== undefined) filters.until = readTime(until, 'until', context)
  if (filters.since !== undefined && filters.until !== undefined && filters.since >= filters.until) {
    throw new UserError(`--since ${since} is not before --until ${until}`)
  }
  if (typeof options['setAside'] === 'boolean') filters.isSetAside = options['setAside']
  if (options['typed'] === true && options['programmatic'] === true) {
    throw new UserError('--typed and --programmatic exclude each other')
  }
  if (options['typed'] === true || options['programmatic'] === true) {
    filters.isProgrammatic = options['programmatic'] === true
  }
  // A wrong expression is reported before anything is read.
  if (filters.grep !== undefined) checkPattern(filters.grep)
  return filters
}

function checkPattern(pattern: string): void {
  try {
    textMatcher(pattern)
  } catch (error) {
    throw error instanceof InvalidExpression ? new UserError(error.message) : error
  }
}

function readHas(value: unknown): HasWord[] {
  const words = (Array.isArray(value) ? value : value === undefined ? [] : [value]).flatMap(word =>
    String(word).split(','),
  )
  return words.map(word => {
    const known = hasWords.find(has => has === word.trim().replace(/s$/, ''))
    if (known === undefined) throw new UserError(`Invalid --has "${word}". One of: ${hasWords.join(', ')}`)
    return known
  })
}

/** Whether rows from the ends of files are not enough. */
export function needsFull(filters: Filters, sort: SortWord): boolean {
  if (filters.isSetAside !== undefined || filters.isProgrammatic !== undefined) return true
  if (filters.has.length > 0 || ['tokens', 'cost', 'prompts', 'duration'].includes(sort)) return true
  return filters.model !== undefined || filters.tool !== undefined || filters.grep !== undefined
}

/** Whether a session may pass the filters, by a row from the ends of its files. */
export function mayPass(row: ListRow, filters: Filters): boolean {
  if (filters.project !== undefined && row.cwd !== null && !isInProject(placeOf(row), filters.project)) {
    return false
  }
  // Records in the middle may be out of order, by a day at most.
  const slack = 86_400_000
  return filters.since === undefined || Math.max(whenOf(row), row.modifiedMs) + slack >= filters.since
}

export function passes(row: ListRow, filters: Filters): boolean {
  const { facts } = row
  if (filters.project !== undefined && !isInProject(placeOf(row), filters.project)) return false
  if (filters.since !== undefined && whenOf(row) < filters.since) return false
  if (filters.until !== undefined && (toMillis(row.startedAt) ?? row.modifiedMs) >= filters.until) return false
  if (filters.branch !== undefined && !contains(row.gitBranch ?? '', filters.branch)) return false
  if (filters.grep !== undefined && row.isMatch !== true) return false
  const { model, tool, isSetAside, isProgrammatic } = filters
  if (isSetAside !== undefined && isSetAside !== (row.setAside !== undefined)) return false
  if (isProgrammatic !== undefined && facts?.isProgrammatic !== isProgrammatic) return false
  if (model !== undefined && !facts?.models.some(name => contains(name, model))) return false
  if (tool !== undefined && !facts?.tools.some(name => isToolNamed(name, tool))) return false
  return filters.has.every(word => hasWord(row, word))
}

function hasWord({ facts }: ListRow, word: HasWord): boolean {
  if (facts === undefined) return false
  if (word === 'image') return facts.hasImage
  return facts[`${word}s`] > 0
}

function contains(text: string, part: string): boolean {
  return text.toLowerCase().includes(part.toLowerCase())
}

export interface Order {
  sort: SortWord
  isReversed: boolean
  limit: number
}

export function readOrder(options: Readonly<Record<string, unknown>>): Order {
  const sort = sortWords.find(word => word === (options['sort'] ?? 'when'))
  if (sort === undefined) throw new UserError(`Invalid --sort "${options['sort']}". One of: ${sortWords.join(', ')}`)
  return { sort, isReversed: options['reverse'] === true, limit: readLimit(options['limit']) }
}

export function readLimit(value: unknown): number {
  if (value === undefined) return Number.POSITIVE_INFINITY
  const limit = Number(value)
  if (!Number.isInteger(limit) || limit < 1)
    throw new UserError(`Invalid --limit "${value}". Must be a whole number of at least 1`)
  return limit
}

/** Sort keys of a row; largest first, titles from A to Z. */
export interface Sortable {
  when: number
  size: number
  title: string
  tokens: number
  cost: number
  prompts: number
  duration: number
}

export function ordered<Row>(rows: readonly Row[], order: Order, keyOf: (row: Row) => Sortable): Row[] {
  const keyed = rows.map(row => ({ row, key: keyOf(row) }))
  const { sort } = order
  keyed.sort((one, other) => {
    if (sort === 'title') return compareText(one.key.title, other.key.title) || other.key.when - one.key.when
    return other.key[sort] - one.key[sort] || other.key.when - one.key.when
  })
  const sorted = keyed.map(({ row }) => row)
  return (order.isReversed ? sorted.reverse() : sorted).slice(0, order.limit)
}

/** Independent of the locale. */
function compareText(one: string, other: string): number {
  const [a, b] = [one.toLowerCase(), other.toLowerCase()]
  return a < b ? -1 : a > b ? 1 : 0
}

export function sortKeys(row: ListRow): Sortable {
  return {
    when: whenOf(row),
    size: row.bytes,
    title: row.title,
    tokens: tokensOf(row),
    cost: costOf(row) ?? 0,
    prompts: row.facts?.prompts ?? 0,
    duration: row.facts?.durationMs ?? 0,
  }
}

export function projectKeys(row: ProjectRow): Sortable {
  return {
    when: row.lastUsed === null ? 0 : Date.parse(row.lastUsed),
    size: row.bytes,
    title: row.name,
    tokens: row.tokens ?? 0,
    cost: row.costUSD ?? 0,
    prompts: row.prompts ?? 0,
    duration: 0,
  }
}
