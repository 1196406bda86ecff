// What was typed: the prompts of sessions, joined with the prompt histories of homes, which outlive them. Each prompt once,
// however many files have it. The one answer for the command, the web app and the library.

import { toMillis } from '../../base/instant.ts'
import { RecordDecoder } from '../../decode/decode.ts'
import { ReadError, readFinding } from '../../disk/read/read.ts'
import { textMatcher } from '../../grep/expression.ts'
import type { TypedPrompt } from '../../index/search/prompts.ts'
import type { Finding } from '../../model/finding.ts'
import { recordedId } from '../../model/ids.ts'
import { typedText } from '../../model/typed-text.ts'
import type { HistoryPrompt } from '../../schema/contract-shapes.ts'
import { eventDecoder } from '../../session/load.ts'
import type { Placed } from '../../session/projects.ts'
import { linkByName, linkByPlace, linkTo, type PromptHome, readHistory } from '../../session/scan/history-prompts.ts'
import type { Clew } from '../clew.ts'
import { ask } from '../knows/ask.ts'
import { memo } from '../memo.ts'
import { type Filters, readFilters, readOrder } from '../sessions/filters.ts'
import { type KnownRows, knownRows } from '../sessions/known.ts'
import { placeOf } from '../sessions/rows.ts'

/** A prompt with its place. */
export interface PastPrompt {
  prompt: HistoryPrompt
  /** Where it is in its session; absent where only the prompt history has it. */
  event?: string
  /** Where the whole of its text is, where it is cut. */
  whole?: TypedPrompt['whole']
  /** Of its session, else of its directory. */
  projectKey: string | null
  projectName?: string
  /** Several sessions of its directory were in use then, and none has it. */
  isUnclear?: true
}

export interface Past {
  /** The oldest first. */
  prompts: readonly PastPrompt[]
  /** Whether any home has a prompt history. */
  hasHistory: boolean
  findings: readonly Finding[]
}

export interface PastAnswer extends Past {
  /** With the same filters, on all pages. */
  total: number
  /** Before any filter. */
  all: readonly PastPrompt[]
  offset: number
}

/** The last of those that pass the filters, the oldest of them first. Filters and limits are those of lists. */
export async function historyOf(clew: Clew, options: Readonly<Record<string, unknown>>): Promise<PastAnswer> {
  const filters = readFilters(options, clew, Date.now())
  const { offset, limit } = readOrder(options)
  const past = await pastOf(clew)
  const rows = await knownRows(clew)
  const fitting: PastPrompt[] = []
  for (const one of past.prompts) {
    if (!mayFit(one, filters, rows)) continue
    const whole = filters.grep === undefined ? one : await wholeOf(one, clew)
    if (hasText(whole.prompt, filters)) fitting.push(whole)
  }
  const end = Math.max(0, fitting.length - offset)
  const page = fitting.slice(Math.max(0, end - limit), end)
  const prompts = await Promise.all(page.map(one => wholeOf(one, clew)))
  return { ...past, prompts, total: fitting.length, all: past.prompts, offset }
}

/** What `clew history --json` prints of each. */
export function printedPrompts({ prompts }: Pick<Past, 'prompts'>): HistoryPrompt[] {
  return prompts.map(({ prompt, event }) => (event === undefined ? prompt : { ...prompt, event }))
}

const pastOf = memo(async (clew): Promise<Past> => {
  const { typed, histories, findings } = await ask(clew, knows => knows.prompts())
  const rows = await knownRows(clew)
  const unread: Finding[] = []
  const written = await readHistory(histories, clew).catch((error: unknown) => {
    if (!(error instanceof ReadError)) throw error
    unread.push(readFinding(error))
    return []
  })
  const sessions = rows.rows.map(({ session }) => session)
  const sent = once(typed, rows)
  const homes = promptHomes(sent, rows)
  linkByName(written, sessions, () => homes)
  const own = written.length === 0 ? null : new OwnPrompts(sent)
  const taken = written.map(prompt => ({ prompt, ...own?.take(prompt, rows) }))
  const lost = taken.filter(({ prompt }) => prompt.linkedBy === undefined).map(({ prompt }) => prompt)
  const unclear = new Set(linkByPlace(lost, homes))
  const joined = taken.map(one => placed({ ...one, ...(unclear.has(one.prompt) && { isUnclear: true }) }, rows))
  const others = (own?.rest ?? sent).map(one => placed(fromSession(one, rows), rows))
  const dated = [...joined, ...others].map(past => ({ past, at: toMillis(past.prompt.at) ?? 0 }))
  const prompts = dated.sort((one, other) => one.at - other.at).map(({ past }) => past)
  return { prompts, hasHistory: histories.length > 0, findings: [...findings, ...unread] }
})

/** Where two sessions have one prompt and neither is known to have copied it, it is of the one that ended first. */
function once(typed: readonly TypedPrompt[], rows: KnownRows): TypedPrompt[] {
  const ended = (one: TypedPrompt) => toMillis(rows.row(one.session)?.endedAt ?? null) ?? Number.POSITIVE_INFINITY
  const byEvent = new Map<string, TypedPrompt>()
  for (const one of typed) {
    if (rows.row(one.session) === undefined) continue
    const before = byEvent.get(one.event)
    if (before === undefined || ended(one) < ended(before)) byEvent.set(one.event, one)
  }
  return [...byEvent.values()]
}

/** In use from the first prompt on: not all who know sessions know when the first record of a subagent was. */
function promptHomes(sent: readonly TypedPrompt[], rows: KnownRows): PromptHome[] {
  const begun = new Map<string, number>()
  for (const { session, at } of sent) {
    if (at !== null) begun.set(session, Math.min(at, begun.get(session) ?? at))
  }
  return rows.rows.map(row => {
    const at = begun.get(row.session.id)
    return at === undefined ? row : { ...row, startedAt: new Date(at).toISOString() }
  })
}

function fromSession({ session, event, at, text, whole, cwd }: TypedPrompt, rows: KnownRows): PastPrompt {
  const prompt: HistoryPrompt = {
    at: at === null ? null : new Date(at).toISOString(),
    project: cwd,
    text,
    pasted: [],
    onDisk: false,
    linkedBy: 'id',
  }
  const row = rows.row(session)
  if (row !== undefined) linkTo(prompt, row.session)
  return { prompt, event, ...(whole !== undefined && { whole }), projectKey: null }
}

function placed(
  past: PastPrompt | (Omit<PastPrompt, 'projectKey'> & { projectKey?: null }),
  rows: KnownRows,
): PastPrompt {
  const place = placeOfPrompt(past.prompt, rows)
  if (place.cwd === null && place.slug === '') return { ...past, projectKey: null }
  const { key, name } = rows.projects.of(place)
  return { ...past, projectKey: key, projectName: name }
}

/** That of its session, where it is known. */
function placeOfPrompt({ session, project }: HistoryPrompt, rows: KnownRows): Placed {
  const row = session === undefined ? undefined : rows.row(session)
  return row === undefined ? { cwd: project, slug: '' } : placeOf(row)
}

/** Clocks of the two files differ a little, and a prompt may wait until it is sent. */
const slackMs = 10 * 60_000
const comparedLetters = 120

/** The prompts of sessions, from which those are taken that a prompt history has, too. */
class OwnPrompts {
  private readonly byStart = new Map<string, Set<TypedPrompt>>()
  private readonly left: Set<TypedPrompt>

  constructor(typed: readonly TypedPrompt[]) {
    this.left = new Set(typed)
    for (const one of typed) {
      const text = start(one.text)
      for (const key of [`s ${one.session}`, `id ${recordedId(one.session)}`, `p ${one.cwd}`])
        this.add(`${key} ${text}`, one)
    }
  }

  /** Those that no history has. */
  get rest(): TypedPrompt[] {
    return [...this.left]
  }

  /** Of sessions with the id that it names, or of its directory, it is of the one that has its text. */
  take(prompt: HistoryPrompt, rows: KnownRows): Pick<PastPrompt, 'event'> {
    const { session, linkedBy, project, text, at } = prompt
    const isNamed = linkedBy === 'id'
    const isKnown = session !== undefined && rows.row(session) !== undefined
    const key = isKnown ? `s ${session}` : isNamed ? `id ${session}` : `p ${project}`
    const ms = toMillis(at)
    const near = [...(this.byStart.get(`${key} ${start(text)}`) ?? [])].filter(
      one => this.left.has(one) && (one.at === null || ms === null || Math.abs(one.at - ms) < slackMs),
    )
    const [found] = near.sort((one, other) => distance(one, ms) - distance(other, ms))
    if (found === undefined) return {}
    this.left.delete(found)
    const row = rows.row(found.session)
    if (!isKnown && row !== undefined) linkTo(prompt, row.session)
    prompt.linkedBy ??= 'text'
    return { event: found.event }
  }

  private add(key: string, one: TypedPrompt): void {
    const known = this.byStart.get(key)
    if (known) known.add(one)
    else this.byStart.set(key, new Set([one]))
  }
}

function distance({ at }: TypedPrompt, ms: number | null): number {
  return at === null || ms === null ? 0 : Math.abs(at - ms)
}

/** What is pasted stands for itself in a history and as text in a session: only what comes before it is compared. */
function start(text: string): string {
  const [typed = ''] = text.split('[Pasted text')
  return typed.replace(/\s+/g, ' ').trim().slice(0, comparedLetters)
}

function mayFit({ prompt }: PastPrompt, { project, since, until }: Filters, rows: KnownRows): boolean {
  if (project !== undefined && !rows.projects.isMeant(placeOfPrompt(prompt, rows), project)) return false
  const at = toMillis(prompt.at)
  if (since !== undefined && (at === null || at < since)) return false
  return until === undefined || (at !== null && at < until)
}

function hasText({ text, pasted }: HistoryPrompt, { grep, words = [] }: Filters): boolean {
  const lower = words.length === 0 ? '' : text.toLowerCase()
  if (!words.every(word => lower.includes(word))) return false
  if (grep === undefined) return true
  const matches = textMatcher(grep)
  return [text, ...pasted.map(one => one.text ?? '')].some(matches)
}

/** With its text from the log, where the index has the beginning alone. */
async function wholeOf(past: PastPrompt, clew: Clew): Promise<PastPrompt> {
  const { whole, prompt } = past
  if (whole === undefined) return past
  const { whole: _, ...rest } = past
  const rows = await knownRows(clew)
  const session = rows.row(prompt.session ?? '')?.session
  const log = session?.logs.find(({ path }) => path === whole.path)
  if (session === undefined || log === undefined) return rest
  try {
    const bytes = clew.source.readSync(log.generation, whole.offset, whole.offset + whole.bytes)
    const decoder = new RecordDecoder(log.path)
    const events = eventDecoder(log, { session: session.id })
    const [record] = [...decoder.push(bytes), ...decoder.end()]
    const event = record === undefined ? undefined : events.decode(record)[0]
    return event === undefined ? rest : { ...rest, prompt: { ...prompt, text: typedText(event) } }
  } catch (error) {
    if (error instanceof ReadError) return rest
    throw error
  }
}
