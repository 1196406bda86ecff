// Prints what a watch sees: lines for people with a heading for each session and subagent, or one JSON object a line. What is
// worth a line is decided here, for both.

import { escapeForLine } from '../../base/escape.ts'
import type { EventKind, SessionEvent } from '../../model/event.ts'
import { toEventLine } from '../../session/load.ts'
import { isInProject, isNamed } from '../list/filters.ts'
import { flush, printJson, printLine, say } from '../terminal/output.ts'
import type { WatchSink } from './watch-follow.ts'
import { itemsOf, OpenCalls } from './watch-items.ts'
import type { WatchPainter, WatchPlace } from './watch-paint.ts'
import type { WatchedSession } from './watch-sessions.ts'

/** Which events are asked for. */
export interface WatchFilter {
  kinds: ReadonlySet<EventKind>
  tool?: string
  project?: string
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
    this.calls.see(event)
    this.calls.close(event)
    session.see(event)
  }

  async event(event: SessionEvent, session: WatchedSession): Promise<void> {
    this.calls.see(event)
    const title = session.see(event)
    if (this.isAsked(event, session)) await this.print(event, session, title)
    this.calls.close(event)
  }

  private isAsked(event: SessionEvent, session: WatchedSession): boolean {
    const { kinds, tool, project } = this.filter
    if (kinds.size > 0 && !kinds.has(event.kind)) return false
    if (tool !== undefined && !this.calls.toolsOf(event).some(name => isNamed(name, tool))) return false
    return project === undefined || isInProject(event.cwd ?? session.cwd, session.slug, project)
  }

  flush(): Promise<void> {
    return flush()
  }

  protected abstract print(event: SessionEvent, session: WatchedSession, title: string | undefined): Promise<void>
  abstract note(text: string, session: WatchedSession | null): Promise<void>
}

/** Every event that is asked for; what is no event is said on stderr. */
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

  /** `isOne`: only one session is followed, and people know which. */
  constructor(filter: WatchFilter, painter: WatchPainter, isOne: boolean) {
    super(filter)
    this.painter = painter
    this.isOne = isOne
  }

  protected async print(event: SessionEvent, session: WatchedSession, title: string | undefined): Promise<void> {
    const { kinds, isAll, tool } = this.filter
    const isNamedKind = kinds.has(event.kind)
    if (session.isRepeated(event) && !isAll) return
    const items = itemsOf(event, this.calls).filter(item => {
      if (tool !== undefined && item.kind !== 'call' && !isAll) return false
      return isAll || isNamedKind || !item.isQuiet
    })
    if (items.length === 0 && title === undefined) return
    const place = await this.introduce(event, session)
    if (title !== undefined && tool === undefined) await this.line(`is called ${title}`, place, session.lastAt)
    for (const item of items) {
      // Records without a time were written right after the last one.
      for (const line of this.painter.itemLines({ ...item, at: item.at ?? session.lastAt }, place))
        await printLine(line)
    }
  }

  /** Names the session, and the subagent, before the first thing that is shown of it. */
  private async introduce(event: SessionEvent, session: WatchedSession): Promise<WatchPlace> {
    const main: WatchPlace = { hue: session.hue, ...(!this.isOne && { label: session.id }) }
    if (!session.isTold) {
      session.isTold = true
      if (!this.isOne) await this.line(sessionText(session), main, session.lastAt)
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
function sessionText({ title, project, isNew }: WatchedSession): string {
  return isNew ? `new session in ${project}` : `${title ?? 'session'} · ${project}`
}
