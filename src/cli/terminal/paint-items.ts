// Items → lines of a terminal, in reading order: who speaks, turns with a line between them, calls with their outcome,
// subagents' threads inside the call that started them. It decides nothing about content: that is the view's part.

import type { ThreadPart, ViewItem, ViewPart } from '../../view/view.ts'
import { countOf } from '../../view/words.ts'
import {
  answerLabel,
  bodyOf,
  callLines,
  compactionLines,
  hasMarksInSeparator,
  noteLines,
  separator,
  spokenLabel,
  thinkingLines,
} from './paint-item.ts'
import { cutNote, type Limits, noLimit } from './paint-limits.ts'
import { paintPart } from './paint-parts.ts'
import { badgeRuns, type Paint } from './paint-style.ts'
import { cutLine, type Line, own, render, safeLine, wrapLine } from './paint-text.ts'

/** A line that is ready, or lines still to be made: threads nest as deep as the log likes, so no function calls itself. */
type Step = string | Generator<Step>

/** One thread while it is painted. */
interface Frame {
  /** Before every line: the rules of the threads around it. */
  prefix: Line
  width: number
  depth: number
  /** Who answers in it, and who asks. */
  name: string
  asker: string
  turn: number | undefined
  /** Whether the last lines were the agent's, so that its name need not be said again. */
  isSpeaking: boolean
  last: 'nothing' | 'said' | 'did' | 'long'
}

/** What is left to write in when threads nest deeper and deeper. */
const leastFrame = 28
const indent = '  '

const mainLimits: Limits = { head: 8, tail: 4, markdown: 400 }
const nestedLimits: Limits = { head: 4, tail: 2, markdown: 60 }
const askLimits: Limits = { head: 8, tail: 2, markdown: 60 }
const summaryLimits: Limits = { head: 6, tail: 0, markdown: 8 }
/** How many items of a nested thread are shown. */
const nestedItems = { head: 16, tail: 4 }

/** Paints a session piece by piece: what it has painted decides how the next item begins. */
export class SessionPainter {
  private readonly paint: Paint
  private readonly root: Frame

  /** `name`: who answers in the thread that is shown. */
  constructor(paint: Paint, name = 'Claude') {
    this.paint = paint
    this.root = newFrame([], paint.width, 0, name, 'You')
  }

  *lines(items: Iterable<ViewItem>): Generator<string> {
    const stack: Generator<Step>[] = [this.itemSteps(this.root, items)]
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const { value, done } = top.next()
      if (done) stack.pop()
      else if (typeof value === 'string') yield value
      else stack.push(value)
    }
  }

  private *itemSteps(frame: Frame, items: Iterable<ViewItem>): Generator<Step> {
    for (const item of items) {
      if (item.kind === 'prompt' || item.kind === 'delegation' || item.kind === 'command')
        yield* this.asked(frame, item)
      else if (item.kind === 'compaction') yield* this.border(frame, item)
      else if (item.kind === 'answer') yield* this.answered(frame, item)
      else yield* this.done(frame, item)
    }
  }

  /** What was typed or delegated: behind a bar. */
  private *asked(frame: Frame, item: ViewItem): Generator<Step> {
    const { glyphs, colors } = this.paint
    yield* this.blank(frame, 'said')
    frame.isSpeaking = false
    const isTurn = frame.depth === 0 && (item.kind === 'prompt' || item.turn !== frame.turn)
    frame.turn = item.turn
    const style = item.isRemoved ? colors.dim : colors.blue
    const bar = { text: own(`${glyphs.bar} `), style }
    if (isTurn) yield this.emit(frame, separator(item, frame.asker, frame.width, this.paint))
    const isSaid = isTurn && item.kind === 'prompt' && item.body.length > 0
    if (!isSaid || !hasMarksInSeparator(item, frame.asker, frame.width, this.paint)) {
      const label = spokenLabel(item, frame, !isTurn, frame.width - 2, this.paint)
      for (const line of label) yield this.emit(frame, [bar, ...line])
    }
    const limits = item.kind === 'delegation' ? askLimits : mainLimits
    yield* this.body(frame, bodyOf(item, this.paint), [bar], limits)
  }

  private *answered(frame: Frame, item: ViewItem): Generator<Step> {
    yield* this.blank(frame, 'said')
    const name = frame.isSpeaking ? null : frame.name
    frame.isSpeaking = true
    for (const line of answerLabel(item, name, frame.width, this.paint)) yield this.emit(frame, line)
    const limits = frame.depth === 0 ? { ...mainLimits, markdown: noLimit } : nestedLimits
    yield* this.body(frame, item.body, [{ text: own(indent) }], limits)
  }

  /** Everything else: one headline, and a body with a rule at its side. */
  private *done(frame: Frame, item: ViewItem): Generator<Step> {
    if ((item.kind === 'thinking' || item.kind === 'call') && !frame.isSpeaking) yield* this.speaks(frame)
    else yield* this.blank(frame, item.kind === 'summary' ? 'said' : 'did')
    const room = frame.width - indent.length
    const lines =
      item.kind === 'thinking'
        ? thinkingLines(item, room, this.paint)
        : item.kind === 'call'
          ? callLines(item, room, this.paint)
          : noteLines(item, room, this.paint)
    for (const line of lines) yield this.emit(frame, [{ text: own(indent) }, ...line])
    const parts = bodyOf(item, this.paint)
    if (parts.length === 0) return
    if (item.isQuiet && !this.paint.isFull && parts.every(part => part.type === 'thread')) {
      for (const part of parts) yield this.emit(frame, foldedThread(part, this.paint))
      return
    }
    const rule = { text: own(`${this.paint.glyphs.rule} `), style: this.paint.colors.dim }
    yield* this.body(frame, parts, [{ text: own(indent + indent) }, rule], limitsOf(frame, item))
    frame.last = 'long'
  }

  private *border(frame: Frame, item: ViewItem): Generator<Step> {
    yield* this.blank(frame, 'said')
    frame.isSpeaking = false
    for (const line of compactionLines(item, frame.width, this.paint)) yield this.emit(frame, line)
    yield* this.body(frame, item.body, [{ text: own(indent) }], summaryLimits)
  }

  /** Says once who acts, until somebody else speaks. */
  private *speaks(frame: Frame): Generator<Step> {
    yield* this.blank(frame, 'said')
    frame.isSpeaking = true
    frame.last = 'did'
    yield this.emit(frame, [{ text: safeLine(frame.name), style: this.paint.colors.bold }])
  }

  /** An empty line between things that were said, and after long ones. */
  private *blank(frame: Frame, next: 'said' | 'did'): Generator<Step> {
    const isClose = frame.last === 'nothing' || (frame.last === 'did' && next === 'did')
    if (!isClose) yield this.emit(frame, [])
    frame.last = next
  }

  private *body(frame: Frame, parts: readonly ViewPart[], lead: Line, limits: Limits): Generator<Step> {
    const width = frame.width - leadWidth(lead)
    const textParts = parts.filter(part => part.type === 'text').length
    for (const [index, part] of parts.entries()) {
      if (part.type === 'thread') {
        yield this.threadSteps(frame, part)
        continue
      }
      if (part.type === 'text' && part.label !== undefined && textParts > 1) {
        yield this.emit(frame, [...lead, { text: own(`${safeLine(part.label)}:`), style: this.paint.colors.dim }])
      } else if (part.type === 'markdown' && index > 0 && parts[index - 1]?.type !== 'thread')
        yield this.emit(frame, lead)
      for (const line of paintPart(part, width, limits, this.paint)) yield this.emit(frame, [...lead, ...line])
    }
  }

  /** A subagent's thread, with a rule down its side. */
  private *threadSteps(frame: Frame, part: ThreadPart): Generator<Step> {
    const { glyphs, colors } = this.paint
    const name = part.agentType ?? 'subagent'
    const link = part.linkedBy === undefined ? 'not linked to a call' : `linked by ${part.linkedBy}`
    const lead = own(`${indent}${indent}`)
    const title: Line = [{ text: safeLine(name), style: colors.bold }]
    const about = badgeRuns(
      [
        { text: `--thread ${part.thread}`, tone: 'quiet' },
        { text: link, tone: 'quiet' },
      ],
      this.paint,
    )
    const lines = wrapLine([...title, ...about], frame.width - 6)
    for (const [index, line] of lines.entries()) {
      const mark = own(`${index === 0 ? glyphs.threadStart : glyphs.rule} `)
      yield this.emit(frame, [{ text: lead }, { text: mark, style: colors.magenta }, ...line])
    }
    const child = this.childFrame(frame, lead, name)
    const { head, tail } = nestedItems
    const hidden = this.paint.isFull ? 0 : part.items.length - head - tail
    yield this.itemSteps(child, hidden > 1 ? part.items.slice(0, head) : part.items)
    if (hidden > 1) {
      yield this.emit(child, [])
      yield this.emit(child, [{ text: own(indent) }, ...cutNote(hidden, 'item', this.paint)])
      child.last = 'long'
      yield this.itemSteps(child, part.items.slice(-tail))
    }
    yield this.emit(frame, [{ text: lead }, { text: own(`${glyphs.threadEnd}${glyphs.line}`), style: colors.magenta }])
    frame.last = 'long'
  }

  private childFrame(frame: Frame, lead: Line[number]['text'], name: string): Frame {
    const rule: Line = [{ text: lead }, { text: own(`${this.paint.glyphs.rule} `), style: this.paint.colors.magenta }]
    const width = frame.width - leadWidth(rule)
    if (width < leastFrame) return newFrame(frame.prefix, frame.width, frame.depth + 1, name, frame.name)
    return newFrame([...frame.prefix, ...rule], width, frame.depth + 1, name, frame.name)
  }

  private emit(frame: Frame, line: Line): string {
    return render(cutLine([...frame.prefix, ...line], this.paint.width, this.paint.glyphs.ellipsis))
  }
}

function newFrame(prefix: Line, width: number, depth: number, name: string, asker: string): Frame {
  return { prefix, width, depth, name, asker, turn: undefined, isSpeaking: false, last: 'nothing' }
}

function leadWidth(lead: Line): number {
  return lead.reduce((sum, run) => sum + run.text.length, 0)
}

/** What the client does for itself replays the conversation: one line says where to read it. */
function foldedThread(part: ThreadPart, paint: Paint): Line {
  const about = `${countOf(part.items.length, 'item')}; --thread ${safeLine(part.thread)}`
  return [{ text: own(`${indent}${indent}${paint.glyphs.ellipsis} ${about}`), style: paint.colors.dim }]
}

function limitsOf(frame: Frame, item: ViewItem): Limits {
  if (item.kind === 'summary') return summaryLimits
  return frame.depth === 0 ? mainLimits : nestedLimits
}
