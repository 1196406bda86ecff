// `clew show` as text: the first screen from the first bytes, then everything else, as long as somebody reads it.

import { jsonText } from '../../base/json.ts'
import { withEnds } from '../../disk/read/ends.ts'
import type { SessionGraph } from '../../model/session.ts'
import type { SessionFiles } from '../../model/source.ts'
import { type Clock, clockFor } from '../../render/words.ts'
import type { SessionDetail } from '../../schema/contract-shapes.ts'
import { loadSession } from '../../session/load.ts'
import { viewItems } from '../../view/thread.ts'
import type { ViewItem } from '../../view/view.ts'
import { quickRows } from '../list/list-quick.ts'
import { mainLogs } from '../list/list-row.ts'
import type { Sink } from '../terminal/pager.ts'
import { footLines, type HeadFacts, headLines } from '../terminal/paint-head.ts'
import { SessionPainter } from '../terminal/paint-items.ts'
import type { Paint } from '../terminal/paint-style.ts'
import type { Progress } from '../terminal/progress.ts'
import { type KeptPlaces, keptFactsOf, keptNotes } from './kept-facts.ts'
import { detailOf } from './show-detail.ts'
import { markedItem, withMark } from './show-event.ts'
import { firstBytes, firstItems } from './show-first.ts'
import { isWhole, type ShowOptions, viewOptionsFor } from './show-options.ts'
import { withSpilled } from './spill-text.ts'
import type { FileVerdict } from './verdict.ts'

/** Beyond this, the other sessions of the folder are not read just for a line at the end. */
const largestFolderBytes = 32 * 1024 * 1024
/** Lines that are kept back while the rest is read: writing one now and then tells whether anybody still reads. */
const heldLines = 24
/** The first screen is shown before the rest of the first part is painted. */
const screenLines = 80
const probeBytes = 2 * 1024 * 1024

/** Thrown out of the loading when nobody reads any more. */
class ReaderGone extends Error {}

export interface TextShow {
  session: SessionFiles
  places: KeptPlaces
  options: ShowOptions
  paint: Paint
  sink: Sink
  timezone?: string | undefined
  progress: Progress
  /** How much is read for the first screen. */
  firstBytes?: number
}

/** Prints the session. False where its file holds none: the verdict says what it is. */
export async function showText(show: TextShow, verdict: FileVerdict): Promise<boolean> {
  const { session, options, sink } = show
  const { source } = show.places
  const clock = clockFor(show.timezone)
  const spilled = (items: Iterable<ViewItem>) => (options.isFull ? withSpilled(items, session.side, source) : items)
  const early = isWhole(options) ? await firstItems(source, session, show.firstBytes ?? firstBytes) : []
  const first = [...spilled(early)]
  const head = headFacts(show, keptNotes(await keptFactsOf(session, show.places), session.id))
  const printer = new Printer(show, clock, head)
  if (first.length > 0) await printer.first(first)
  if (sink.isClosed) return true
  try {
    const graph = await loadAll(show, verdict, printer)
    if (verdict.isHopeless) return false
    const view = viewOptionsFor(graph, options)
    const name = graph.threads.find(thread => thread.id === view.thread)?.agentType
    const items = spilled(viewItems(graph, view))
    const marked = options.event === undefined ? items : withMark(items, markedItem(graph, options.event))
    await printer.rest(marked, view.thread === undefined ? undefined : (name ?? 'subagent'))
    if (sink.isClosed) return true
    const detail = await detailOf(graph, session, show.places, largestFolderBytes)
    await printer.foot(detail)
  } catch (error) {
    if (!(error instanceof ReaderGone)) throw error
  }
  return true
}

async function loadAll(show: TextShow, verdict: FileVerdict, printer: Printer): Promise<SessionGraph> {
  let unseen = 0
  try {
    return await loadSession(show.places.source, show.session, {}, (_file, record) => {
      verdict.see(record)
      unseen += record.bytes
      if (unseen < probeBytes) return
      show.progress.add(unseen)
      unseen = 0
      printer.probe()
      if (show.sink.isClosed) throw new ReaderGone()
    })
  } finally {
    show.progress.end()
  }
}

function headFacts({ session, options, places: { source } }: TextShow, notes: string[]): HeadFacts {
  const [row] = quickRows([session], source)
  if (row === undefined) throw new Error('a session has a row')
  const versions = new Set<string>()
  for (const log of mainLogs(session)) {
    const found = withEnds(log, source, ends => [ends.firstField('version'), ends.lastField('version')])
    for (const version of found ?? []) if (version) versions.add(version)
  }
  const { turn, thread, branch, since, event } = options
  const parts = [
    thread === undefined ? '' : `thread ${thread}`,
    branch === undefined ? '' : `branch ${branch}`,
    turn === undefined ? '' : `turn ${turn}`,
    since === undefined ? '' : `since ${since}`,
    event === undefined ? '' : `around event ${event}`,
  ].filter(part => part !== '')
  return { row, versions: [...versions], notes, ...(parts.length > 0 && { part: parts.join(', ') }) }
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
      if (sink.isClosed) return
    }
    await sink.flush()
  }

  /** Writes one of the lines kept back; whether it arrives shows a moment later. */
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
    for (const line of footLines(detail, this.head.row.title, this.show.paint)) await this.show.sink.line(line)
    await this.show.sink.flush()
  }

  private async printHead(): Promise<void> {
    if (this.hasHead) return
    this.hasHead = true
    for (const line of headLines(this.head, this.clock, this.show.paint)) await this.show.sink.line(line)
  }
}

function changedNotice(item: ViewItem): ViewItem {
  const headline = 'Later records changed what stands above; it is shown again from here.'
  const { id, thread } = item
  return { id, kind: 'notice', actor: 'client', thread, at: null, headline, badges: [], body: [], isQuiet: false }
}
