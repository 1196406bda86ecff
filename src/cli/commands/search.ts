// `clew search`: finds texts by their words, from the index, the best first.

import pc from 'picocolors'
import { UserError } from '../../answers/error.ts'
import { wholeNumber } from '../../answers/sessions/filters.ts'
import { shortIds } from '../../answers/sessions/names.ts'
import type { FoundTexts, SearchHit } from '../../answers/texts/search.ts'
import { jsonColumns, printedSearch, searchTexts } from '../../answers/texts/search.ts'
import { clockFor } from '../../answers/times.ts'
import { escapeForLine } from '../../base/escape.ts'
import { countOf } from '../../base/format.ts'
import { leastWidth, outputWidth } from '../../render/terminal/style.ts'
import type { CommandInput, ExitCode } from '../command.ts'
import { anchorOf, headingLine, hitLines, type SearchPaint, snippetColumns } from '../session/search-paint.ts'
import { flush, isOutputClosed, printJson, printLine, say } from '../terminal/output.ts'

export async function run(input: CommandInput): Promise<ExitCode> {
  const { args, options, globals } = input
  const clock = clockFor(globals.clew.timezone)
  const opened = wholeNumber(options['open'], 'open')
  const width = Math.max(leastWidth, outputWidth())
  const columns = globals.json ? jsonColumns : snippetColumns(width)
  const words = args.join(' ')
  const found = await searchTexts(globals.clew, words, options, { columns })
  const { answer, isGrouped, now } = found
  const groups = isGrouped ? groupsOf(answer) : answer.hits.map(hit => ({ hits: [hit], hidden: 0 }))
  if (opened !== undefined) return openHit(hitNumber(opened, groups), input)
  if (globals.json) await printJson(printedSearch(words, found))
  const shortId = shortIds(globals.json ? [] : found.sessionIds())
  if (!globals.json) await printText(groups, answer.isTotalLowerBound, { width, clock, shortId, now })
  // What is said about the hits is below them.
  await flush()
  if (!globals.quiet) sayRest(answer, { isJson: globals.json, isGrouped, shortId })
  return answer.total > 0 ? 0 : found.isEmpty ? 2 : 1
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

/** Hits that are printed together, and how many of their session are not. */
interface HitGroup {
  hits: SearchHit[]
  hidden: number
}

function groupsOf({ hits, sessions }: FoundTexts['answer']): HitGroup[] {
  return sessions.map(({ session, hits: count }) => {
    const own = hits.filter(hit => hit.session === session)
    return { hits: own, hidden: count - own.length }
  })
}

async function printText(groups: readonly HitGroup[], isLowerBound: boolean, paint: SearchPaint): Promise<void> {
  const least = isLowerBound ? 'at least ' : ''
  let number = 1
  for (const { hits, hidden } of groups) {
    const [first] = hits
    if (first === undefined) continue
    if (number > 1) await printLine('')
    await printLine(headingLine(first, latestOf(hits), paint))
    for (const hit of hits) for (const line of hitLines(hit, number++, paint)) await printLine(line)
    if (hidden > 0) await printLine(pc.dim(`    and ${least}${hidden} more`))
    if (isOutputClosed()) return
  }
}

function latestOf(hits: readonly SearchHit[]): number | null {
  const times = hits.flatMap(({ at }) => (at === null ? [] : [Date.parse(at)]))
  return times.length === 0 ? null : Math.max(...times)
}

interface RestOptions {
  isJson: boolean
  isGrouped: boolean
  shortId: (id: string) => string
}

/** Hints and a last line, for people. */
function sayRest(answer: FoundTexts['answer'], { isJson, isGrouped, shortId }: RestOptions): void {
  for (const { message } of answer.problems) say(`clew: ${escapeForLine(message)}`)
  if (isJson) return
  if (answer.hits.length === 0) {
    if (answer.problems.length > 0) return
    say('clew: nothing found; `clew grep` also finds punctuation and parts of words')
    return
  }
  const least = answer.isTotalLowerBound ? 'at least ' : ''
  const found = `${least}${countOf(answer.total, 'hit')} in ${countOf(answer.sessionTotal, 'session')}`
  const hidden = answer.total - answer.hits.length
  const isMore = isGrouped && answer.sessionTotal > answer.sessions.length
  const older = answer.isTotalLowerBound ? ' and what is older' : ''
  const others =
    hidden > 0 ? `; ${hidden}${older} not shown; to see them: --all${isMore ? '; for more sessions: -n N' : ''}` : ''
  say(pc.dim(`${found} (${Math.ceil(answer.tookMs)} ms)${others}`))
  const opening = openingHint(answer, shortId)
  if (opening !== '') say(pc.dim(opening))
}

/** How to open one of the hits: one that has a turn around it. */
function openingHint({ hits }: FoundTexts['answer'], shortId: RestOptions['shortId']): string {
  const hit = hits.find(({ kind, event }) => kind !== 'title' && kind !== 'history' && kind !== 'queue' && event !== '')
  if (hit === undefined) return hits.length > 0 ? 'to read on: --open N' : ''
  const session = sessionWord({ ...hit, session: shortId(hit.session) })
  const full = hit.storedIn === undefined ? '' : ' --full'
  return escapeForLine(`to read on: --open N, or clew show ${session} --event ${anchorOf(hit)}${full}`)
}
