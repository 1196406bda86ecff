// Prints what a watch sees: lines for people with a heading for each session and subagent, or one JSON object a line. What is
// worth a line is decided here, for both.

import type { WatchSink } from '../../answers/live/follow.ts'
import type { WatchedSession } from '../../answers/live/watched-session.ts'
import { kindsOfEvent } from '../../answers/texts/kinds.ts'
import { escapeForLine } from '../../base/escape.ts'
import { fitColumns } from '../../base/width.ts'
import { isToolNamed } from '../../grep/hits.ts'
import type { SessionEvent } from '../../model/event.ts'
import { callLines, compactionLines, noteLines, thinkingLines } from '../../render/terminal/items.ts'
import { type Limits, noLimit, paintPart } from '../../render/terminal/parts.ts'
import { badgeRuns, type Paint } from '../../render/terminal/style.ts'
import { cutLine, type Line, lineWidth, own, render, type Style, safeLine } from '../../render/terminal/text.ts'
import { toEventLine } from '../../session/load.ts'
import type { Placed, Projects } from '../../session/projects.ts'
import { type TextKind, textKindOf } from '../../session/text-kinds.ts'
import type { ViewItem, ViewPart } from '../../view/view.ts'
import { flush, printJson, printLine, say } from '../terminal/output.ts'
import { itemsOf, OpenCalls } from './items.ts'

/** Which events are shown. */
export interface WatchFilter {
  kinds: ReadonlySet<TextKind>
  tool?: string
  /** Whether its project is meant. */
  isMeant?: (session: Placed) => boolean
  /** Also what a reader skips at first. */
  isAll: boolean
}

/** What both forms share: titles and open calls are followed even where an event is not shown. */
abstract class Printer implements WatchSink {
  protected readonly filter: WatchFilter
  protected readonly calls = new OpenCalls()

  constructor(filter: WatchFilter) {
    this.filter = filter
  }

  learn(event: SessionEvent, session: WatchedSession): void {
    if (session.isRepeatedLine(event)) return
    this.calls.see(event)
    this.calls.close(event)
    session.see(event)
  }

  async event(event: SessionEvent, session: WatchedSession): Promise<void> {
    if (session.isRepeatedLine(event)) return
    this.calls.see(event)
    const title = session.see(event)
    if (this.passes(event, session)) await this.print(event, session, title)
    this.calls.close(event)
  }

  private passes(event: SessionEvent, session: WatchedSession): boolean {
    const { kinds, tool, isMeant } = this.filter
    if (kinds.size > 0 && ![...kindsOfEvent(event)].some(kind => kinds.has(kind))) return false
    if (tool !== undefined && !this.calls.toolsOf(event).some(name => isToolNamed(name, tool))) return false
    return isMeant === undefined || isMeant({ cwd: session.cwd ?? event.cwd ?? null, slug: session.slug })
  }

  flush(): Promise<void> {
    return flush()
  }

  protected abstract print(event: SessionEvent, session: WatchedSession, title: string | undefined): Promise<void>
  abstract note(text: string, session: WatchedSession | null): Promise<void>
}

/** What `--kind` calls an item of an event. */
function kindOfItem(item: string, { kind }: SessionEvent): TextKind {
  return textKindOf(
    kind,
    kind !== 'tool-results' && item === 'call' ? 'input' : item === 'thinking' ? 'thinking' : 'text',
  )
}

/** Every event that passes the filter; notes go to stderr. */
export class JsonPrinter extends Printer {
  private readonly isQuiet: boolean

  constructor(filter: WatchFilter, isQuiet: boolean) {
    super(filter)
    this.isQuiet = isQuiet
  }

  protected print(event: SessionEvent): Promise<void> {
    return printJson(toEventLine(event))
  }

  async note(text: string, session: WatchedSession | null): Promise<void> {
    if (!this.isQuiet) say(`clew: ${session === null ? '' : `${escapeForLine(session.id)}: `}${escapeForLine(text)}`)
  }
}

export class TextPrinter extends Printer {
  private readonly painter: WatchPainter
  private readonly isOne: boolean
  private readonly projects: () => Promise<Projects>

  /** `isOne`: only one session is followed, and people know which. `projects`: of all sessions. */
  constructor(filter: WatchFilter, painter: WatchPainter, isOne: boolean, projects: () => Promise<Projects>) {
    super(filter)
    this.painter = painter
    this.isOne = isOne
    this.projects = projects
  }

  protected async print(event: SessionEvent, session: WatchedSession, title: string | undefined): Promise<void> {
    const { kinds, isAll, tool } = this.filter
    if (session.isRepeated(event) && !isAll) return
    const items = itemsOf(event, this.calls).filter(item => {
      if (tool !== undefined && item.kind !== 'call' && !isAll) return false
      if (kinds.size > 0) return kinds.has(kindOfItem(item.kind, event))
      return isAll || !item.isQuiet
    })
    if (items.length === 0 && title === undefined) return
    const place = await this.introduce(event, session)
    if (title !== undefined && tool === undefined) await this.line(`renamed to "${title}"`, place, session.lastAt)
    for (const item of items) {
      // Records without a time were written right after the last one.
      for (const line of this.painter.itemLines({ ...item, at: item.at ?? session.lastAt }, place))
        await printLine(line)
    }
  }

  /** Names the session, and the subagent, before the first thing that is shown of it. */
  private async introduce(event: SessionEvent, session: WatchedSession): Promise<WatchPlace> {
    const main: WatchPlace = { hue: session.hue, ...(!this.isOne && { label: session.id }) }
    if (!session.isIntroduced) {
      session.isIntroduced = true
      if (!this.isOne) await this.line(sessionText(session, await this.projects()), main, session.lastAt)
    }
    if (event.thread === (session.id as string)) return main
    const meta = session.agentOf(event.thread)
    const place = { ...main, agent: meta?.agentType ?? event.thread }
    if (session.isFirstOf(event.thread)) {
      const what = [meta?.agentType, meta?.description].filter(word => word !== undefined).join(': ')
      await this.line(`subagent ${what === '' ? event.thread : what}`, place, session.lastAt)
    }
    return place
  }

  private line(text: string, place: WatchPlace | null, at: string | null): Promise<void> {
    return printLine(this.painter.noteLine(text, place, at))
  }

  async note(text: string, session: WatchedSession | null): Promise<void> {
    const place = session === null ? null : { hue: session.hue, ...(!this.isOne && { label: session.id }) }
    await this.line(text, place, new Date().toISOString())
  }
}

/** `Croissants for the fair · bakery`, or that it has just begun: then its first prompt follows anyway. */
function sessionText({ title, cwd, slug, isNew }: WatchedSession, projects: Projects): string {
  const project = projects.of({ cwd, slug }).name
  return isNew ? `new session in ${project}` : `${title ?? 'session'} · ${project}`
}

/** Where an item happened. */
interface WatchPlace {
  /** Short id of the session; absent where only one is followed. */
  label?: string
  /** Chooses the session's colour: the same one as long as it is watched. */
  hue: number
  /** What a subagent is called; absent on the main thread. */
  agent?: string
}

// On narrower terminals labels are shorter and names are left out.
const wideEnough = 76
const labelWidth = { wide: 8, narrow: 4 }
const longestAgent = 12

const spokenLimits: Limits = { head: 4, tail: 1, markdown: 6 }
const outputLimits: Limits = { head: 3, tail: 1, markdown: 3 }
const commandLimits: Limits = { head: 5, tail: 0, markdown: 0 }
const fullLimits: Limits = { head: noLimit, tail: noLimit, markdown: noLimit }

export class WatchPainter {
  private readonly base: Paint
  private readonly widthNow: () => number

  /** `widthNow` is called for every item: windows change while one watches. */
  constructor(paint: Paint, widthNow: () => number = () => paint.width) {
    this.base = paint
    this.widthNow = widthNow
  }

  itemLines(item: ViewItem, place: WatchPlace): string[] {
    const paint = { ...this.base, width: this.widthNow() }
    const lead = this.lead(item.at, place, paint)
    const space = paint.width - lineWidth(lead)
    const lines = this.contentLines(item, space, paint)
    const agent = agentRun(place, paint)
    const blank: Line = [{ text: own(' '.repeat(lineWidth(lead) - lineWidth(agent))) }, ...agent]
    return lines.map((line, index) => render([...(index === 0 ? lead : blank), ...line]))
  }

  /** A note that is not an event: a session begins, a file was truncated. `text` may contain names from a log. */
  noteLine(text: string, place: WatchPlace | null, at: string | null): string {
    const paint = { ...this.base, width: this.widthNow() }
    const lead = place === null ? [this.time(at, paint)] : this.lead(at, place, paint)
    const { glyphs, colors } = paint
    const line: Line = [...lead, { text: own(`${glyphs.line.repeat(2)} `), style: colors.dim }]
    return render(cutLine([...line, { text: safeLine(text), style: colors.bold }], paint.width, glyphs.ellipsis))
  }

  private time(at: string | null, paint: Paint) {
    const isWide = paint.width >= wideEnough
    // `2026-02-17 23:21:59`: the day is today's, mostly.
    const time = at === null ? '--:--:--' : paint.time(at).slice(11)
    return { text: own(`${isWide ? time : time.slice(0, 5)} `), style: paint.colors.dim }
  }

  private lead(at: string | null, place: WatchPlace, paint: Paint): Line {
    const { label, hue } = place
    const width = paint.width >= wideEnough ? labelWidth.wide : labelWidth.narrow
    const line: Line = [this.time(at, paint)]
    if (label !== undefined) {
      const short = own(`${fitColumns(safeLine(label.slice(0, width)), width)} `)
      line.push({ text: short, style: hueOf(hue, paint) })
    }
    return [...line, ...agentRun(place, paint)]
  }

  private contentLines(item: ViewItem, space: number, paint: Paint): Line[] {
    if (item.kind === 'prompt' || item.kind === 'delegation') return spokenLines(item, space, paint, paint.glyphs.bar)
    if (item.kind === 'answer') return spokenLines(item, space, paint, undefined)
    if (item.kind === 'compaction') return compactionLines({ ...item, at: null }, space, paint)
    if (item.kind === 'call') return callItemLines(item, space, paint)
    const isThinking = item.kind === 'thinking'
    const head = isThinking && !paint.isFull ? thinkingLines(item, space, paint) : noteLines(item, space, paint)
    const hasBody = paint.isFull || (!item.isQuiet && item.kind !== 'damaged')
    const parts = paint.isFull ? item.body : item.body.filter(part => part.type !== 'facts')
    return hasBody ? [...head, ...bodyLines(parts, space, outputLimits, paint)] : head
  }
}

/** Text that someone wrote: its first words are on the line itself. */
function spokenLines(item: ViewItem, space: number, paint: Paint, bar: string | undefined): Line[] {
  const { colors, glyphs } = paint
  const isHuman = item.actor === 'human'
  const mark: Line =
    bar === undefined
      ? [{ text: own(`${glyphs.bullet} `), style: colors.green }]
      : [{ text: own(`${bar} `), style: isHuman ? colors.blue : colors.dim }]
  const inner = space - lineWidth(mark)
  const parts = item.body.filter(part => paint.isFull || part.type !== 'text' || part.isFolded !== true)
  const lines = parts.flatMap(part => partLines(part, inner, paint.isFull ? fullLimits : spokenLimits, paint))
  const shown = paint.isFull ? lines : lines.slice(0, spokenLimits.markdown)
  if (lines.length > shown.length) {
    const rest = own(` ${glyphs.ellipsis}`)
    const last = shown.at(-1) ?? []
    shown[shown.length - 1] = cutLine([...cutLine(last, inner - 2, ''), { text: rest, style: colors.dim }], inner, '')
  }
  if (shown.length === 0) shown.push([{ text: safeLine(item.headline), style: colors.dim }])
  const badges = badgeRuns(item.badges, paint)
  const first = shown[0] ?? []
  if (badges.length > 0 && lineWidth(first) + lineWidth(badges) <= inner) shown[0] = [...first, ...badges]
  else if (badges.length > 0) shown.push(cutLine(badges.slice(1), inner, glyphs.ellipsis))
  const rest: Line = bar === undefined ? [{ text: own('  ') }] : mark
  return shown.map((line, index) => [...(index === 0 ? mark : rest), ...line])
}

function callItemLines(item: ViewItem, space: number, paint: Paint): Line[] {
  const head = callLines(item, space, paint).map(line => cutLine(line, space, paint.glyphs.ellipsis))
  const isWorth = paint.isFull || item.status === 'failed'
  if (!isWorth) return [...head.slice(0, 1), ...bodyLines(commandsOf(item), space, commandLimits, paint)]
  // The input was shown with the call; of a failure the reason counts.
  const parts = paint.isFull ? item.body : reasons(item.body)
  return [...head, ...bodyLines(parts, space, outputLimits, paint)]
}

/** What a call runs that has just begun, where its headline says something else about it. */
function commandsOf({ status, body, headline }: ViewItem): ViewPart[] {
  if (status !== 'running') return []
  const isCommand = (part: ViewPart) => part.type === 'code' && /^(bash|powershell)$/.test(part.language ?? '')
  return body.filter(part => isCommand(part) && !(part.type === 'code' && headline.endsWith(part.text)))
}

function reasons(parts: readonly ViewPart[]): ViewPart[] {
  const texts = parts.filter(part => part.type === 'text')
  const bad = texts.filter(({ tone }) => tone === 'bad' || tone === 'warn')
  return bad.length > 0 ? bad : texts
}

function bodyLines(parts: readonly ViewPart[], space: number, limits: Limits, paint: Paint): Line[] {
  const rule = { text: own(`  ${paint.glyphs.rule} `), style: paint.colors.dim }
  const width = space - lineWidth([rule])
  const lines = parts.flatMap(part => partLines(part, width, paint.isFull ? fullLimits : limits, paint))
  return lines.map(line => [rule, ...line])
}

function partLines(part: ViewPart, width: number, limits: Limits, paint: Paint): Line[] {
  if (part.type === 'thread' || part.type === 'branch') return []
  return Array.from(paintPart(part, width, limits, paint), line => cutLine(line, width, paint.glyphs.ellipsis))
}

function agentRun({ agent }: WatchPlace, paint: Paint): Line {
  if (agent === undefined) return []
  const { glyphs, colors } = paint
  const isWide = paint.width >= wideEnough
  const name = isWide && agent !== '' ? `${fitColumns(safeLine(agent), longestAgent)} ` : ''
  return [{ text: own(`${glyphs.rule} ${name}`), style: colors.dim }]
}

function hueOf(hue: number, { colors }: Paint): Style {
  const hues = [colors.cyan, colors.magenta, colors.yellow, colors.green, colors.blue, colors.red]
  const style = hues[hue % hues.length] ?? colors.cyan
  return text => style(text)
}
