// `clew show` as text: head, items and foot. A long session is decoded once: its first screen is painted from the first
// events, everything else when all of it was read. It writes as long as someone reads.

import type { Progress } from '../../answers/clew.ts'
import {
  type ArchivePlaces,
  archiveFactsOf,
  archiveNotes,
  detailOf,
  lineageNotSearched,
} from '../../answers/session/detail.ts'
import { type FirstFacts, firstFacts, isNamedById } from '../../answers/session/first-facts.ts'
import { isWhole, onlyTalk, viewOptionsFor, withMark } from '../../answers/session/selection.ts'
import { withSpilled } from '../../answers/session/spilled.ts'
import type { FileVerdict } from '../../answers/session/verdict.ts'
import type { ListRow } from '../../answers/sessions/rows.ts'
import { jsonText } from '../../base/json.ts'
import { buildGraph } from '../../graph/graph.ts'
import { hasFlag, type SessionEvent } from '../../model/event.ts'
import type { GraphFile, SessionGraph } from '../../model/session.ts'
import { isBeingWritten, type SessionFiles } from '../../model/source.ts'
import { noteFirstPrompt, type TitleFallbacks } from '../../model/title.ts'
import { SessionPainter } from '../../render/terminal/items.ts'
import type { Paint } from '../../render/terminal/style.ts'
import { cutLine, type Line, own, render, type SafeText, safeLine, wrapLine } from '../../render/terminal/text.ts'
import { type Clock, clockFor, periodText, spentText, withInheritedText } from '../../render/words.ts'
import type { SessionDetail } from '../../schema/contract-shapes.ts'
import { type LoadOptions, loadSession } from '../../session/load.ts'
import { graphSummary } from '../../session/summary.ts'
import { uncertainEvents } from '../../view/placement.ts'
import { viewItems, viewSession } from '../../view/thread.ts'
import type { ViewItem } from '../../view/view.ts'
import { countOf, inheritedText } from '../../view/words.ts'
import type { Sink } from '../terminal/pager.ts'
import type { ShowOptions } from './show-options.ts'

/** Beyond this, the other sessions of the folder are not read just for a line at the end. */
const largestFolderBytes = 32 * 1024 * 1024
/** Lines that are held back while the rest is read: writing one now and then shows whether someone still reads. */
const heldLines = 24
/** The first screen is shown before the rest of the first part is painted. */
const screenLines = 80
const probeBytes = 2 * 1024 * 1024

/** Thrown to end the loading when no one reads any more. */
class ReaderGone extends Error {}

interface TextShow {
  session: SessionFiles
  places: ArchivePlaces
  options: ShowOptions
  paint: Paint
  sink: Sink
  timezone?: string | undefined
  progress: Progress
  load?: LoadOptions
  /** How much is read for the first screen. */
  firstBytes?: number
}

/** Prints the session. False where the file does not contain one: the verdict says what it is. */
export async function showText(show: TextShow, verdict: FileVerdict): Promise<boolean> {
  const { session, options, sink } = show
  const facts = await headFacts(show, archiveNotes(await archiveFactsOf(session, show.places), session.id))
  const printer = new Printer(show, clockFor(show.timezone), facts)
  try {
    const graph = await loadAll(show, verdict, printer)
    if (verdict.fault !== undefined) return false
    const view = viewOptionsFor(graph, options)
    const name = graph.threads.find(thread => thread.id === view.thread)?.agentType
    const items = withOutput(onlyTalk(viewItems(graph, view), options), show)
    const marked = options.event === undefined ? items : withMark(items, graph, options.event)
    printer.know(graph)
    await printer.rest(marked, view.thread === undefined ? undefined : (name ?? 'subagent'))
    if (sink.isClosed) return true
    await printer.foot(await detailOf(graph, session, show.places, largestFolderBytes))
  } catch (error) {
    if (!(error instanceof ReaderGone)) throw error
  }
  return true
}

/** Decodes all files once. The first screen of a long session is painted from the events so far. */
async function loadAll(show: TextShow, verdict: FileVerdict, printer: Printer): Promise<SessionGraph> {
  const { session, sink, progress, options } = show
  const [main] = session.logs
  const { firstBytes = defaultFirstBytes } = show
  let events: SessionEvent[] | null = isWhole(options) && main?.role === 'session' && main.size > firstBytes ? [] : null
  let read = 0
  let unreported = 0
  const logged = new Set<string>(session.logs.flatMap(({ nameAgent }) => nameAgent ?? []))
  try {
    return await loadSession(show.places.source, session, show.load, (_file, record, found) => {
      verdict.see(record)
      read += record.bytes
      unreported += record.bytes
      if (unreported >= probeBytes) {
        progress.add(unreported)
        unreported = 0
        printer.probe()
        if (sink.isClosed) throw new ReaderGone()
      }
      if (events === null) return undefined
      for (const event of found) if (!hasFlag(event, 'embedded') || !logged.has(event.thread)) events.push(event)
      if (read < firstBytes) return undefined
      const items = firstItems(session, events)
      printer.knowStart(events)
      events = null
      return items.length > 0 ? printer.first([...withOutput(items, show)]) : undefined
    })
  } finally {
    progress.end()
  }
}

function withOutput(items: Iterable<ViewItem>, { options, session, places }: TextShow): Iterable<ViewItem> {
  return options.isFull ? withSpilled(items, session.side, places.source) : items
}

async function headFacts({ session, options, places }: TextShow, notes: string[]): Promise<HeadFacts> {
  const facts = await firstFacts(session, places)
  const { turn, thread, branch, since, event } = options
  const parts = [
    thread === undefined ? '' : `thread ${thread}`,
    branch === undefined ? '' : `branch ${branch}`,
    turn === undefined ? '' : `turn ${turn}`,
    options.isTalk ? 'prompts and answers' : '',
    since === undefined ? '' : `since ${since}`,
    event === undefined ? '' : `around event ${event}`,
  ].filter(part => part !== '')
  return { ...facts, notes, ...(parts.length > 0 && { part: parts.join(', ') }) }
}

/** Writes header, items and footer once each, in two steps where there was a first part. */
class Printer {
  private readonly show: TextShow
  private readonly clock: Clock
  private readonly head: HeadFacts
  private painter: SessionPainter
  private printed: ViewItem[] = []
  private held: string[] = []
  private hasHead = false

  constructor(show: TextShow, clock: Clock, head: HeadFacts) {
    this.show = show
    this.clock = clock
    this.head = head
    this.painter = new SessionPainter(show.paint)
  }

  /** All of the session is read: where nothing is printed yet, the head is exact. */
  know(graph: SessionGraph): void {
    if (this.hasHead || this.head.row.facts !== undefined) return
    const { row } = this.head
    const { title, titleFrom, cwd, gitBranch, startedAt, endedAt } = graphSummary(graph)
    Object.assign(row, { cwd, startedAt, endedAt, ...(gitBranch !== undefined && { gitBranch }) })
    // What names it in another file of its folder is not in the graph.
    if (row.titleFrom !== 'summary' || !isNamedById({ titleFrom })) Object.assign(row, { title, titleFrom })
  }

  /** The first events of a long session: its first prompt may be behind the ends of its files. */
  knowStart(events: readonly SessionEvent[]): void {
    const { row } = this.head
    if (row.facts !== undefined || !isNamedById(row)) return
    const found: TitleFallbacks = {}
    for (const event of events) if (event.thread === (row.session.id as string)) noteFirstPrompt(found, event)
    if (found.firstPrompt !== undefined) row.title = found.firstPrompt
  }

  async first(items: ViewItem[]): Promise<void> {
    await this.printHead()
    this.printed = items
    const { sink } = this.show
    let lines = 0
    for (const line of this.painter.lines(items)) {
      this.held.push(line)
      if (this.held.length <= heldLines) continue
      await sink.line(this.held.shift() ?? '')
      if (++lines === screenLines) await sink.flush()
      if (sink.isClosed) throw new ReaderGone()
    }
    await sink.flush()
  }

  /** Writes one of the lines held back; whether it arrives shows a moment later. */
  probe(): void {
    const line = this.held.shift()
    if (line !== undefined) this.show.sink.line(line).then(() => this.show.sink.flush())
  }

  async rest(items: Iterable<ViewItem>, name: string | undefined): Promise<void> {
    const { sink, paint } = this.show
    if (name !== undefined) this.painter = new SessionPainter(paint, name)
    await this.printHead()
    for (const line of this.held.splice(0)) await sink.line(line)
    for (const line of this.painter.lines(this.unprinted(items))) {
      await sink.line(line)
      if (sink.isClosed) return
    }
  }

  /** What the first step did not print. Where it printed something that looks otherwise now, it is said again from there. */
  private *unprinted(items: Iterable<ViewItem>): Generator<ViewItem> {
    let at = 0
    let isSame = true
    for (const item of items) {
      const before = this.printed[at++]
      const isEqual = before !== undefined && jsonText(before) === jsonText(item)
      if (isSame && !isEqual && before !== undefined) yield changedNotice(item)
      isSame &&= isEqual
      if (!isSame) yield item
    }
  }

  async foot(detail: SessionDetail): Promise<void> {
    for (const line of footLines(detail, this.head.row, this.clock, this.show.paint)) await this.show.sink.line(line)
    await this.show.sink.flush()
  }

  private async printHead(): Promise<void> {
    if (this.hasHead) return
    this.hasHead = true
    for (const line of headLines(this.head, this.clock, this.show.paint)) await this.show.sink.line(line)
  }
}

function changedNotice(item: ViewItem): ViewItem {
  const headline = 'Later records changed the items above; they are shown again from here.'
  const { id, thread } = item
  return { id, kind: 'notice', actor: 'client', thread, at: null, headline, badges: [], body: [], isQuiet: false }
}

const defaultFirstBytes = 512 * 1024

/** The last records that were read may belong together with the next ones. */
const leftOut = 12

/** Items that later records cannot change, from the first events of the main file. */
export function firstItems(session: SessionFiles, events: readonly SessionEvent[]): ViewItem[] {
  const [main] = session.logs
  // A file in which no one speaks may not be a log: then nothing is printed before all of it was read.
  if (main === undefined || !events.some(({ kind }) => kind === 'prompt' || kind === 'answer')) return []
  const file: GraphFile = { path: main.path, role: main.role, events }
  const graph = buildGraph(session.id, [file], session.side, isBeingWritten(session, null, Date.now()))
  const hasAgentFiles = session.logs.some(log => log.role !== 'session')
  return certainItems(graph, viewSession(graph), hasAgentFiles)
}

function certainItems(graph: SessionGraph, items: readonly ViewItem[], hasAgentFiles: boolean): ViewItem[] {
  const uncertain = uncertainEvents(graph, hasAgentFiles)
  const end = items.length - leftOut
  const lastPrompt = items.findLastIndex(item => item.kind === 'prompt')
  // The last turn waits for the rest, unless it is all there is.
  const before = lastPrompt > end / 2 ? Math.min(lastPrompt, end) : end
  const stop = items.findIndex(item => uncertain.has(item.id))
  return items.slice(0, Math.max(0, stop < 0 ? before : Math.min(stop, before)))
}

/** Facts from the ends of the session's files: what can be said before anything else is read. */
interface HeadFacts extends FirstFacts {
  /** Set where only a part is shown: `turn 3`. */
  part?: string
  /** Where its bytes are, if not simply on disk. */
  notes: string[]
}

function headLines({ row, versions, part, notes }: HeadFacts, clock: Clock, paint: Paint): string[] {
  const { colors } = paint
  const when = periodText(row.startedAt, row.endedAt, clock)
  const facts: Line = joined(
    [
      own(plainDash(when, paint)),
      safeLine(row.cwd ?? row.session.slug),
      row.gitBranch === undefined ? own('') : own(`branch ${safeLine(row.gitBranch)}`),
      versions.length === 0 ? own('') : own(`version ${safeLine(versions.join(', '))}`),
    ],
    paint,
  )
  const title: Line = [{ text: safeLine(row.title.trim()), style: colors.bold }]
  if (part !== undefined) title.push({ text: own(` ${paint.glyphs.dot} ${safeLine(part)}`), style: colors.yellow })
  const lines = [
    ...wrapLine(title, paint.width),
    ...wrapLine([{ text: safeLine(row.session.id), style: colors.dim }], paint.width),
    ...wrapLine(facts, paint.width),
    ...notes.flatMap(note => wrapLine([{ text: safeLine(note), style: colors.yellow }], paint.width)),
    [],
  ]
  return lines.map(line => rendered(line, paint))
}

/** Sums, models, related sessions and findings; title and time where they differ from those of the head. */
export function footLines(
  detail: SessionDetail,
  head: Pick<ListRow, 'title' | 'startedAt' | 'endedAt'>,
  clock: Clock,
  paint: Paint,
): string[] {
  const { colors, glyphs } = paint
  const rows: [string, string][] = [['contains', holdsText(detail)]]
  if (detail.title !== head.title) rows.push(['title', detail.title])
  if (detail.startedAt !== head.startedAt || detail.endedAt !== head.endedAt)
    rows.push(['time', periodText(detail.startedAt, detail.endedAt, clock)])
  if (detail.models.length > 0) rows.push(['models', detail.models.join(', ')])
  if (detail.versions.length > 1) rows.push(['version', detail.versions.join(', ')])
  rows.push(['tokens', spentText(detail.usage)])
  if (detail.withInherited !== undefined) rows.push(['', withInheritedText(detail.withInherited)])
  for (const { relation, session, how } of detail.lineage) rows.push(['related', `${relation} ${session} (${how})`])
  const unsearched = detail.diagnostics.find(finding => finding.code === lineageNotSearched)
  if (unsearched) rows.push(['related', unsearched.message])
  const findings = detail.diagnostics.length - (unsearched ? 1 : 0)
  if (findings > 0) rows.push(['findings', `${countOf(findings, 'finding')}; for details: clew check`])
  const names = Math.max(...rows.map(([name]) => name.length))
  const lines: Line[] = [[], [{ text: own(glyphs.line.repeat(Math.min(24, paint.width))), style: colors.dim }]]
  for (const [name, value] of rows) {
    wrapLine([{ text: safeLine(plainDash(value, paint)) }], paint.width - names - 2).forEach((line, index) => {
      lines.push([{ text: own((index === 0 ? name : '').padEnd(names + 2)), style: colors.dim }, ...line])
    })
  }
  return lines.map(line => rendered(line, paint))
}

function holdsText(detail: SessionDetail): string {
  const isOwn = ({ inherited }: { inherited?: boolean }) => inherited !== true
  const calls = detail.toolCalls.filter(isOwn)
  const compactions = detail.compactions.filter(isOwn).length
  const failed = calls.filter(call => call.status === 'failed').length
  const agents = detail.threads.filter(thread => thread.kind === 'subagent' && thread.internal !== true)
  const subagents = agents.filter(isOwn).length
  const parts = [
    countOf(detail.turns.filter(isOwn).length, 'turn'),
    `${countOf(calls.length, 'call')}${failed > 0 ? ` (${failed} failed)` : ''}`,
  ]
  if (subagents > 0) parts.push(countOf(subagents, 'subagent'))
  if (compactions > 0) parts.push(countOf(compactions, 'compaction'))
  if (detail.branches.length > 1) parts.push(countOf(detail.branches.length, 'branch', 'branches'))
  const isInherited = ({ inherited }: { inherited?: boolean }) => inherited === true
  const inherited = {
    turns: detail.turns.filter(isInherited).length,
    calls: detail.toolCalls.filter(isInherited).length,
  }
  return [parts.join(', '), inheritedText(inherited)].filter(text => text !== '').join('; ')
}

function joined(texts: readonly SafeText[], { glyphs, colors }: Paint): Line {
  const known = texts.filter(text => text !== '')
  return known.flatMap((text, index) => {
    const dot = { text: own(` ${glyphs.dot} `), style: colors.dim }
    return index === 0 ? [{ text }] : [dot, { text }]
  })
}

/** Dashes and signs of our own words, where the terminal has only ASCII. */
function plainDash(text: string, { glyphs }: Paint): string {
  return glyphs.dash === '-' ? text.replaceAll('–', '-').replaceAll('≥', '>=') : text
}

function rendered(line: Line, paint: Paint): string {
  return render(cutLine(line, paint.width, paint.glyphs.ellipsis))
}
