// `clew search`: finds texts by their words, from the index, the best first.

import { resolve } from 'node:path'
import pc from 'picocolors'
import { escapeForLine } from '../../base/escape.ts'
import { countOf } from '../../base/format.ts'
import { canonicalPlace } from '../../files/place.ts'
import {
  addFilter,
  parseQuery,
  type QueryFilters,
  type QueryProblem,
  type SearchQuery,
} from '../../index/search/query.ts'
import { type SearchAnswer, type SearchHit, type SearchOptions, search } from '../../index/search/search.ts'
import { sessionIds } from '../../index/search/sessions.ts'
import { leastWidth, outputWidth } from '../../render/terminal/style.ts'
import { type CommandInput, type ExitCode, UserError } from '../command.ts'
import { type OpenIndex, openIndex } from '../index-open.ts'
import { readLimit } from '../list/filters.ts'
import { shortIds, wholeProject } from '../list/names.ts'
import { clockFor } from '../list/times.ts'
import { wholeNumber } from '../options.ts'
import { anchorOf, headingLine, hitLines, type SearchPaint, snippetColumns } from '../session/search-paint.ts'
import { flush, isOutputClosed, printJson, printLine, say } from '../terminal/output.ts'

const usualSessions = 10
const usualHits = 20

export async function run(input: CommandInput): Promise<ExitCode> {
  const { options, globals } = input
  const clock = clockFor(globals.timezone)
  const opened = wholeNumber(options['open'], '--open')
  const width = Math.max(leastWidth, outputWidth())
  const columns = globals.json ? jsonColumns : snippetColumns(width)
  const ended = await ask(input, columns, async ({ query, answer, index, isGrouped, now }) => {
    const groups = isGrouped ? groupsOf(answer) : answer.hits.map(hit => ({ hits: [hit], hidden: 0 }))
    if (opened !== undefined) return hitNumber(opened, groups)
    if (globals.json) await printJson(printed(input, answer, index))
    const shortId = shortIds(globals.json ? [] : sessionIds(index.db))
    if (!globals.json) await printText(groups, { width, clock, shortId, now })
    // What is said about the hits is below them.
    await flush()
    if (!globals.quiet) sayRest(answer, { isSample: index.isSample, isJson: globals.json, isGrouped, shortId })
    return answer.total > 0 ? 0 : isEmpty(query) ? 2 : 1
  })
  return typeof ended === 'number' ? ended : openHit(ended, input)
}

/** `clew search --json`. */
export interface PrintedSearch extends SearchAnswer {
  /** The words that were searched for. */
  query: string
  /** True where the index could not be refreshed: what is newest is missing. */
  isStale?: boolean
}

/** What `clew search --json` prints. */
export function searchAnswer(input: Question): Promise<PrintedSearch> {
  return ask(input, jsonColumns, async ({ answer, index }) => printed(input, answer, index))
}

type Question = Pick<CommandInput, 'args' | 'options' | 'globals'>
/** How long snippets are for programs. */
const jsonColumns = 160

function printed({ args }: Question, answer: SearchAnswer, { isStale }: OpenIndex): PrintedSearch {
  return { query: args.join(' '), ...answer, ...(isStale && { isStale }) }
}

interface Asked {
  query: SearchQuery
  answer: SearchAnswer
  index: OpenIndex
  isGrouped: boolean
  now: number
}

/** Searches, and closes the index after `use`. */
async function ask<Result>(input: Question, columns: number, use: (asked: Asked) => Promise<Result>): Promise<Result> {
  const { args, options, globals } = input
  const now = Date.now()
  const query = readQuery(args.join(' '), input, now)
  refuseErrors(query.problems)
  const index = await openIndex(globals, { isNeeded: true })
  if (index === null) throw new UserError('search needs the index; `clew grep` works without one')
  try {
    const searchOptions: SearchOptions = { ...readOptions(options), now, columns }
    if (index.roots !== undefined)
      searchOptions.roots = index.roots.flatMap(root => [resolve(root), canonicalPlace(root)])
    const answer = search(index.db, index.source, query, searchOptions)
    refuseErrors(answer.problems)
    return await use({ query, answer, index, isGrouped: searchOptions.isGrouped, now })
  } finally {
    index.db.close()
  }
}

/** A filter that means nothing: no answer is better than one to another question. */
function refuseErrors(problems: readonly QueryProblem[]): void {
  const [wrong] = problems.filter(({ severity }) => severity === 'error')
  if (wrong !== undefined) throw new UserError(wrong.message)
}

/** The hit with this number in the output. */
function hitNumber(number: number, groups: readonly HitGroup[]): SearchHit {
  const hits = groups.flatMap(group => group.hits)
  const hit = hits[number - 1]
  if (hit !== undefined) return hit
  throw new UserError(
    hits.length === 0 ? 'nothing found to open' : `no hit ${number}; hits are numbered 1 to ${hits.length}`,
  )
}

/** Reads the session at the hit, with what is stored outside of the log; a line of the prompt history by itself. */
async function openHit(hit: SearchHit, input: CommandInput): Promise<ExitCode> {
  if (hit.kind === 'history') {
    const { run: history } = await import('./history.ts')
    return history({ ...input, args: [], options: { pasted: true, ...timesAround(hit) } })
  }
  const { run: show } = await import('./show.ts')
  const event = hit.event === '' ? {} : { event: hit.event }
  return show({ ...input, args: [sessionWord(hit)], options: { ...event, full: hit.storedIn !== undefined } })
}

/** Times between which only this prompt was typed. */
function timesAround({ at }: SearchHit): { since?: string; until?: string } {
  return at === null ? {} : { since: at, until: new Date(Date.parse(at) + 1).toISOString() }
}

function sessionWord({ session, generation }: SearchHit): string {
  return generation === undefined ? session : `${session}@${generation}`
}

function isEmpty({ expression, excluded, filters }: SearchQuery): boolean {
  return expression === null && excluded === null && Object.keys(filters).length === 0
}

function readOptions(options: Record<string, unknown>): Pick<SearchOptions, 'limit' | 'isGrouped' | 'perSession'> {
  const isGrouped = options['flat'] !== true
  const isAll = options['all'] === true
  if (isAll && options['limit'] !== undefined) throw new UserError('--all and --limit exclude each other')
  const usual = isGrouped ? usualSessions : usualHits
  const limit = isAll || options['limit'] !== undefined ? readLimit(options['limit']) : usual
  return { limit, isGrouped, ...(isAll && { perSession: Number.POSITIVE_INFINITY }) }
}

/** Options mean what filters of the same name do; a wrong one is an error, since no one reads hints about a script. */
function readQuery(text: string, { options, globals }: Question, now: number): SearchQuery {
  const context = { now, timezone: globals.timezone }
  const query = parseQuery(text, context)
  for (const name of ['kind', 'tool', 'project', 'session', 'since', 'until']) {
    const given = options[name]
    for (const value of Array.isArray(given) ? given : given === undefined ? [] : [given]) {
      const written = { name, value: String(value), isQuoted: false, isExcluded: false, from: 0, to: 0 }
      const problem = addFilter(query.filters, written, context)
      if (problem !== undefined) throw new UserError(`--${name} ${String(value)}: ${problem.message}`)
    }
  }
  resolveProjects(query.filters)
  const problems = query.problems.filter(({ code }) => code !== 'empty' || isEmpty(query))
  return { ...query, problems }
}

/** `.` and `..` are folders: those and all below them. */
function resolveProjects({ project }: QueryFilters): void {
  for (const values of project === undefined ? [] : [project.any, project.none]) {
    for (const [at, value] of values.entries()) values[at] = wholeProject(value)
  }
}

/** Hits that are printed together, and how many of their session are not. */
interface HitGroup {
  hits: SearchHit[]
  hidden: number
}

function groupsOf({ hits, sessions }: SearchAnswer): HitGroup[] {
  return sessions.map(({ session, hits: count }) => {
    const own = hits.filter(hit => hit.session === session)
    return { hits: own, hidden: count - own.length }
  })
}

async function printText(groups: readonly HitGroup[], paint: SearchPaint): Promise<void> {
  let number = 1
  for (const { hits, hidden } of groups) {
    const [first] = hits
    if (first === undefined) continue
    if (number > 1) await printLine('')
    await printLine(headingLine(first, latestOf(hits), paint))
    for (const hit of hits) for (const line of hitLines(hit, number++, paint)) await printLine(line)
    if (hidden > 0) await printLine(pc.dim(`    and ${hidden} more`))
    if (isOutputClosed()) return
  }
}

function latestOf(hits: readonly SearchHit[]): number | null {
  const times = hits.flatMap(({ at }) => (at === null ? [] : [Date.parse(at)]))
  return times.length === 0 ? null : Math.max(...times)
}

interface RestOptions {
  isSample: boolean
  isJson: boolean
  isGrouped: boolean
  shortId: (id: string) => string
}

/** Hints and a last line, for people. */
function sayRest(answer: SearchAnswer, { isSample, isJson, isGrouped, shortId }: RestOptions): void {
  if (isSample) say('clew: you have no sessions yet; these are from the bundled sample history')
  for (const { message } of answer.problems) say(`clew: ${escapeForLine(message)}`)
  if (isJson) return
  if (answer.hits.length === 0) {
    if (answer.problems.length > 0) return
    say('clew: nothing found; `clew grep` also finds punctuation and parts of words')
    return
  }
  const least = answer.isTotalLowerBound ? ' at least; only the latest texts were searched' : ''
  const found = `${countOf(answer.total, 'hit')} in ${countOf(answer.sessionTotal, 'session')}${least}`
  const hidden = answer.total - answer.hits.length
  const isMore = isGrouped && answer.sessionTotal > answer.sessions.length
  const others =
    hidden > 0 ? `; ${hidden} not shown; to see them: --all${isMore ? '; for more sessions: -n N' : ''}` : ''
  say(pc.dim(`${found} (${Math.ceil(answer.tookMs)} ms)${others}`))
  const opening = openingHint(answer, shortId)
  if (opening !== '') say(pc.dim(opening))
}

/** How to open one of the hits: one that has a turn around it. */
function openingHint({ hits }: SearchAnswer, shortId: RestOptions['shortId']): string {
  const hit = hits.find(({ kind, event }) => kind !== 'title' && kind !== 'history' && kind !== 'queue' && event !== '')
  if (hit === undefined) return hits.length > 0 ? 'to read on: --open N' : ''
  const session = sessionWord({ ...hit, session: shortId(hit.session) })
  const full = hit.storedIn === undefined ? '' : ' --full'
  return escapeForLine(`to read on: --open N, or clew show ${session} --event ${anchorOf(hit)}${full}`)
}
