// Filters and order of lists, from options. It reads no file, but knows which filters need full files.

import { toMillis } from '../../base/instant.ts'
import { asString } from '../../base/json.ts'
import { InvalidExpression, textMatcher } from '../../grep/expression.ts'
import { isToolNamed } from '../../grep/hits.ts'
import { isOnDisk } from '../../model/source.ts'
import type { ProjectRow } from '../../schema/contract-shapes.ts'
import type { Projects } from '../../session/projects.ts'
import type { Clew } from '../clew.ts'
import { UserError } from '../error.ts'
import { readTime } from '../times.ts'
import { wholeProject } from './names.ts'
import { costOf, type ListContext, type ListRow, placeOf, tokensOf, whenOf } from './rows.ts'

/** States that a session may be in, by the words that filters name them with. */
const stateWords = [
  'live',
  'error',
  'subagent',
  'compaction',
  'image',
  'gone',
  'programmatic',
  'typed',
  'set-aside',
  'archived',
  'unarchived',
  'expiring',
] as const
export type StateWord = (typeof stateWords)[number]
const hasWords = ['error', 'subagent', 'compaction', 'image'] as const
const sortWords = [
  'when',
  'started',
  'size',
  'title',
  'tokens',
  'cost',
  'prompts',
  'calls',
  'errors',
  'duration',
] as const
export type SortWord = (typeof sortWords)[number]
const groupWords = ['family', 'project'] as const
export type GroupWord = (typeof groupWords)[number]

export interface Filters {
  /** A part of a path or a name as lists have it; `=KEY` means the project of that key alone. */
  project?: string
  /** All of these are in the title, the id, the project or the branch; in small letters. */
  words?: readonly string[]
  /** Milliseconds since 1970. */
  since?: number
  until?: number
  model?: string
  branch?: string
  tool?: string
  grep?: string
  /** States that it is in, and that it is not in. */
  is: readonly StateWord[]
  not: readonly StateWord[]
}

export const noFilters: Filters = { is: [], not: [] }

type Options = Readonly<Record<string, unknown>>

/**
 * `options`: by the names of the commands' options, as the library and the server have them, too. A wrong value is the same
 * error for all of them.
 */
export function readFilters(options: Options, { timezone }: Pick<Clew, 'timezone'>, now: number): Filters {
  const filters: Filters = { ...readStates(options), ...readSpan(options, { now, timezone }) }
  for (const name of ['project', 'model', 'branch', 'tool', 'grep'] as const) {
    const text = textOption(options, name)
    if (text !== undefined) filters[name] = name === 'project' ? wholeProject(text) : text
  }
  const words = (asString(options['text']) ?? '').toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length > 0) filters.words = words
  // A wrong expression is reported before anything is read.
  if (filters.grep !== undefined) checkPattern(filters.grep)
  return filters
}

/** A text that was given and is not empty. */
export function textOption(options: Options, name: string): string | undefined {
  const text = asString(options[name])
  if (text?.trim() !== '') return text
  throw new UserError(`--${name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)} needs a value`)
}

/** `since` and `until`, in milliseconds since 1970. */
export function readSpan(
  options: Options,
  context: { now: number; timezone?: string | undefined },
): Pick<Filters, 'since' | 'until'> {
  const { now, timezone } = context
  const span: Pick<Filters, 'since' | 'until'> = {}
  const since = textOption(options, 'since')
  const until = textOption(options, 'until')
  if (since !== undefined) span.since = readTime(since, 'since', { now, timezone })
  if (until !== undefined) span.until = readTime(until, 'until', { now, timezone })
  if (span.since !== undefined && span.until !== undefined && span.since >= span.until) {
    throw new UserError(`--since ${since} is not before --until ${until}`)
  }
  return span
}

function checkPattern(pattern: string): void {
  try {
    textMatcher(pattern)
  } catch (error) {
    throw error instanceof InvalidExpression ? new UserError(error.message) : error
  }
}

/** `has`, `is`, and the options that name one state. */
function readStates(options: Options): Pick<Filters, 'is' | 'not'> {
  const is: StateWord[] = [...readWords(options['has'], 'has', hasWords), ...readWords(options['is'], 'is', stateWords)]
  const not: StateWord[] = []
  if (options['typed'] === true && options['programmatic'] === true) {
    throw new UserError('--typed and --programmatic exclude each other')
  }
  for (const word of ['gone', 'typed', 'programmatic'] as const) if (options[word] === true) is.push(word)
  if (typeof options['setAside'] === 'boolean') (options['setAside'] ? is : not).push('set-aside')
  return { is, not }
}

function readWords<Word extends string>(value: unknown, name: string, words: readonly Word[]): Word[] {
  const given = (Array.isArray(value) ? value : value === undefined ? [] : [value]).flatMap(one =>
    String(one).split(','),
  )
  return given.map(word => {
    const known = words.find(one => one === word.trim().toLowerCase().replace(/s$/, ''))
    if (known === undefined) throw new UserError(`Invalid --${name} "${word}". One of: ${words.join(', ')}`)
    return known
  })
}

/** States that the ends of files show, too. */
const quickStates: ReadonlySet<StateWord> = new Set(['live', 'gone', 'archived', 'unarchived', 'expiring'])

/** Whether rows from the ends of files are not enough. */
export function needsFull(filters: Filters, sort: SortWord): boolean {
  if ([...filters.is, ...filters.not].some(word => !quickStates.has(word))) return true
  if (!['when', 'started', 'size', 'title'].includes(sort)) return true
  return filters.model !== undefined || filters.tool !== undefined || filters.grep !== undefined
}

/** Whether a session may pass the filters, by a row from the ends of its files. */
export function mayPass(row: ListRow, filters: Filters, projects: Projects): boolean {
  const { project, is, since } = filters
  // Files in no project folder are in that of a directory, which the ends of files may lack.
  const isSure = row.cwd !== null || row.session.slug !== ''
  if (project !== undefined && isSure && !projects.isMeant(placeOf(row), project)) return false
  if (is.includes('gone') && isOnDisk(row.session)) return false
  // Records in the middle may be out of order, by a day at most.
  const slack = 86_400_000
  return since === undefined || Math.max(whenOf(row), row.modifiedMs) + slack >= since
}

/** `context`: where filters name states or words, what rows do not say. */
export function passes(row: ListRow, filters: Filters, projects: Projects, context?: ListContext): boolean {
  const { facts } = row
  const { model, tool, project, words } = filters
  if (project !== undefined && !projects.isMeant(placeOf(row), project)) return false
  if (filters.since !== undefined && whenOf(row) < filters.since) return false
  if (filters.until !== undefined && (toMillis(row.startedAt) ?? row.modifiedMs) >= filters.until) return false
  if (filters.branch !== undefined && !contains(row.gitBranch ?? '', filters.branch)) return false
  if (filters.grep !== undefined && row.isMatch !== true) return false
  if (model !== undefined && !facts?.models.some(name => contains(name, model))) return false
  if (tool !== undefined && !facts?.tools.some(name => isToolNamed(name, tool))) return false
  if (words !== undefined && !containsWords(row, words, context)) return false
  return filters.is.every(word => isIn(row, word, context)) && !filters.not.some(word => isIn(row, word, context))
}

function containsWords(row: ListRow, words: readonly string[], context: ListContext | undefined): boolean {
  const project = context?.projects.of(placeOf(row))
  const texts = [row.title, row.session.id, project?.key ?? '', project?.name ?? '', row.gitBranch ?? '']
  return words.every(word => texts.some(text => text.toLowerCase().includes(word)))
}

const soonMs = 7 * 86_400_000

function isIn(row: ListRow, word: StateWord, context: ListContext | undefined): boolean {
  const { facts, session } = row
  if (word === 'gone') return !isOnDisk(session)
  if (word === 'set-aside') return row.setAside !== undefined
  if (word === 'live') return context?.isLive(row) === true
  if (word === 'archived') return context?.isArchived(session) === true
  if (word === 'unarchived') return context?.isArchived(session) === false
  if (word === 'expiring') {
    const at = isOnDisk(session) ? context?.retention?.deletedOn(session) : undefined
    return context !== undefined && at !== undefined && at < context.now + soonMs
  }
  if (facts === undefined) return false
  if (word === 'image') return facts.hasImage
  if (word === 'typed') return !facts.isProgrammatic
  if (word === 'programmatic') return facts.isProgrammatic
  return facts[`${word}s`] > 0
}

function contains(text: string, part: string): boolean {
  return text.toLowerCase().includes(part.toLowerCase())
}

export interface Order {
  sort: SortWord
  isReversed: boolean
  /** What is kept together: families of forks, with what is live on top; or projects. */
  group?: GroupWord
  /** How many are left out at the beginning. */
  offset: number
  limit: number
}

export function readOrder(options: Options): Order {
  const sort = sortWords.find(word => word === (options['sort'] ?? 'when'))
  if (sort === undefined) throw new UserError(`Invalid --sort "${options['sort']}". One of: ${sortWords.join(', ')}`)
  const group = groupWords.find(word => word === options['group'])
  if (group === undefined && options['group'] !== undefined)
    throw new UserError(`Invalid --group "${options['group']}". One of: ${groupWords.join(', ')}`)
  const order: Order = {
    sort,
    isReversed: options['reverse'] === true,
    offset: readOffset(options['offset']),
    limit: readLimit(options['limit']),
  }
  return group === undefined ? order : { ...order, group }
}

export function readLimit(value: unknown): number {
  return wholeNumber(value, 'limit') ?? Number.POSITIVE_INFINITY
}

export function readOffset(value: unknown): number {
  return wholeNumber(value, 'offset', 0) ?? 0
}

/** A number from 1 on, or from `least`; undefined where the option is absent. */
export function wholeNumber(value: unknown, name: string, least = 1): number | undefined {
  if (value === undefined) return undefined
  const number = /^\s*\d{1,9}\s*$/.test(String(value)) ? Number(value) : Number.NaN
  if (number >= least) return number
  throw new UserError(`Invalid --${name} "${value}". It takes a whole number of at least ${least}`)
}

/** Sort keys of a row; largest first, titles from A to Z. */
export type Sortable = Readonly<Record<Exclude<SortWord, 'title'>, number>> & { title: string }

export function ordered<Row>(rows: readonly Row[], order: Order, keyOf: (row: Row) => Sortable): Row[] {
  const keyed = rows.map(row => ({ row, key: keyOf(row) }))
  const { sort } = order
  keyed.sort((one, other) => {
    if (sort === 'title') return compareText(one.key.title, other.key.title) || other.key.when - one.key.when
    return other.key[sort] - one.key[sort] || other.key.when - one.key.when
  })
  const sorted = keyed.map(({ row }) => row)
  return order.isReversed ? sorted.reverse() : sorted
}

/** What an order leaves of a list. */
export function cutToPage<Row>(rows: readonly Row[], { offset, limit }: Pick<Order, 'offset' | 'limit'>): Row[] {
  return rows.slice(offset, offset + limit)
}

/** Independent of the locale. */
function compareText(one: string, other: string): number {
  const [a, b] = [one.toLowerCase(), other.toLowerCase()]
  return a < b ? -1 : a > b ? 1 : 0
}

export function sortKeys(row: ListRow): Sortable {
  const { facts } = row
  return {
    when: whenOf(row),
    started: toMillis(row.startedAt) ?? 0,
    size: row.bytes,
    title: row.title,
    tokens: tokensOf(row),
    cost: costOf(row) ?? 0,
    prompts: facts?.prompts ?? 0,
    calls: facts?.toolCalls ?? 0,
    errors: facts?.errors ?? 0,
    duration: facts?.durationMs ?? 0,
  }
}

export function projectKeys(row: ProjectRow): Sortable {
  const when = row.lastUsed === null ? 0 : Date.parse(row.lastUsed)
  return {
    ...{ when, started: when, size: row.bytes, title: row.name },
    ...{ tokens: row.tokens ?? 0, cost: row.costUSD ?? 0, prompts: row.prompts ?? 0, calls: 0, errors: 0, duration: 0 },
  }
}
