// Which sessions a list shows, and in which order: what people ask for with options, as conditions on rows. It reads no
// file; it says whether files have to be read whole.

import { resolve } from 'node:path'
import { toMillis } from '../../base/instant.ts'
import { asString } from '../../base/json.ts'
import { matcherOf } from '../../grep/pattern.ts'
import { type CommandInput, UserError } from '../command.ts'
import { type ListRow, tokensOf, whenOf } from './list-row.ts'
import { readTime } from './list-times.ts'

const hasWords = ['error', 'subagent', 'compaction', 'image'] as const
export type HasWord = (typeof hasWords)[number]
const sortWords = ['when', 'size', 'title', 'tokens', 'prompts', 'duration'] as const
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
}

export function readFilters({ options, globals }: Pick<CommandInput, 'options' | 'globals'>, now: number): Filters {
  const context = { now, timezone: globals.timezone }
  const filters: Filters = { has: readHas(options['has']) }
  for (const name of ['project', 'model', 'branch', 'tool', 'grep'] as const) {
    const text = asString(options[name])
    if (text === undefined) continue
    if (text === '') throw new UserError(`--${name} needs a text`)
    filters[name] = text
  }
  const since = asString(options['since'])
  const until = asString(options['until'])
  if (since !== undefined) filters.since = readTime(since, 'since', context)
  if (until !== undefined) filters.until = readTime(until, 'until', context)
  if (filters.since !== undefined && filters.until !== undefined && filters.since >= filters.until) {
    throw new UserError(`--since ${since} is not before --until ${until}`)
  }
  // A wrong expression is said before anything is read.
  if (filters.grep !== undefined) matcherOf(filters.grep)
  return filters
}

function readHas(value: unknown): HasWord[] {
  const words = (Array.isArray(value) ? value : value === undefined ? [] : [value]).flatMap(word =>
    String(word).split(','),
  )
  return words.map(word => {
    const known = hasWords.find(has => has === word.trim().replace(/s$/, ''))
    if (known === undefined) throw new UserError(`--has ${word}: it is one of ${hasWords.join(', ')}`)
    return known
  })
}

/** Whether the ends of files do not tell enough. */
export function needsWhole(filters: Filters, sort: SortWord): boolean {
  if (filters.has.length > 0 || ['tokens', 'prompts', 'duration'].includes(sort)) return true
  return filters.model !== undefined || filters.tool !== undefined || filters.grep !== undefined
}

/** Whether a row from the ends of a session's files leaves it possible that the whole session is asked for. */
export function mayKeep(row: ListRow, filters: Filters): boolean {
  if (filters.project !== undefined && row.cwd !== null && !isInProject(row.cwd, row.session.slug, filters.project)) {
    return false
  }
  // Records may stand out of order in the middle: a day's room.
  const room = 86_400_000
  return filters.since === undefined || Math.max(whenOf(row), row.modifiedMs) + room >= filters.since
}

export function keeps(row: ListRow, filters: Filters): boolean {
  const { facts } = row
  if (filters.project !== undefined && !isInProject(row.cwd, row.session.slug, filters.project)) return false
  if (filters.since !== undefined && whenOf(row) < filters.since) return false
  if (filters.until !== undefined && (toMillis(row.startedAt) ?? row.modifiedMs) >= filters.until) return false
  if (filters.branch !== undefined && !holds(row.gitBranch ?? '', filters.branch)) return false
  if (filters.grep !== undefined && row.isMatch !== true) return false
  const { model, tool } = filters
  if (model !== undefined && !facts?.models.some(name => holds(name, model))) return false
  if (tool !== undefined && !facts?.tools.some(name => isNamed(name, tool))) return false
  return filters.has.every(word => hasIt(row, word))
}

function hasIt({ facts }: ListRow, word: HasWord): boolean {
  if (facts === undefined) return false
  if (word === 'image') return facts.hasImage
  return facts[`${word}s`] > 0
}

/** A path means that folder and all below it; other text any part of the working directory or of the folder's name. */
export function isInProject(cwd: string | null, slug: string, wanted: string): boolean {
  if (/^(\.\.?([\\/]|$)|~?[\\/]$)/.test(wanted)) {
    const folder = resolve(wanted)
    return cwd !== null && (cwd === folder || cwd.startsWith(folder.endsWith('/') ? folder : `${folder}/`))
  }
  const text = wanted.length > 1 ? wanted.replace(/[\\/]+$/, '') : wanted
  return holds(cwd ?? '', text) || holds(slug, text)
}

function holds(text: string, part: string): boolean {
  return text.toLowerCase().includes(part.toLowerCase())
}

/** A tool's whole name, or the part of an MCP tool's name that its server gave it. */
export function isNamed(name: string, wanted: string): boolean {
  const lower = name.toLowerCase()
  const text = wanted.toLowerCase()
  return lower === text || lower.endsWith(`__${text}`) || lower.startsWith(`${text}__`)
}

export interface Order {
  sort: SortWord
  isReversed: boolean
  limit: number
}

export function readOrder(options: Record<string, unknown>): Order {
  const sort = sortWords.find(word => word === (options['sort'] ?? 'when'))
  if (sort === undefined) throw new UserError(`--sort ${options['sort']}: it is one of ${sortWords.join(', ')}`)
  return { sort, isReversed: options['reverse'] === true, limit: readLimit(options['limit']) }
}

export function readLimit(value: unknown): number {
  if (value === undefined) return Number.POSITIVE_INFINITY
  const limit = Number(value)
  if (!Number.isInteger(limit) || limit < 1) throw new UserError(`--limit ${value}: it is a number from 1 on`)
  return limit
}

/** What rows are ordered by; the larger first, titles from A on. */
export interface Sortable {
  when: number
  size: number
  title: string
  tokens: number
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

/** The same order on every machine, whatever its language. */
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
    prompts: row.facts?.prompts ?? 0,
    duration: row.facts?.durationMs ?? 0,
  }
}
