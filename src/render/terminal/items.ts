// Items → lines of a terminal, in reading order: who speaks, turns with a line between them, calls with their outcome,
// subagents' threads inside the call that started them. It decides nothing about content: that is the view's part.

import { columnsOf } from '../../base/width.ts'
import type { Badge, ThreadPart, ViewItem, ViewPart } from '../../view/view.ts'
import { countOf } from '../../view/words.ts'
import { badgesOf, splitHeadline } from '../words.ts'
import { cutNote, type Limits, noLimit, paintPart } from './parts.ts'
import { badgeLines, badgeRuns, type Paint } from './style.ts'
import {
  cutLine,
  type Line,
  lineWidth,
  own,
  type Run,
  render,
  type SafeText,
  type Style,
  safeLine,
  wrapLine,
} from './text.ts'

/** A line that is ready, or lines still to be made: threads nest as deep as the log likes, so no function calls itself. */
type Step = string | Generator<Step>

/** One thread while it is painted. */
interface Frame {
  /** Before every line: the rules of the threads around it. */
  prefix: Line
  width: number
  depth: number
  /** Whether it is the session's own, whose turns have a line between them. */
  hasTurns: boolean
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
/** How many items of a nested thread, and of an abandoned branch, are shown. */
const nestedItems = { head: 16, tail: 4 }

/** Paints a session piece by piece: what it has painted decides how the next item begins. */
export class SessionPainter {
  private readonly paint: Paint
  private readonly root: Frame

  /** `name`: who answers in the thread that is shown. */
  constructor(paint: Paint, name = 'Claude') {
    this.paint = paint
    this.root = newFrame([], paint.width, 0, true, name, 'You')
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
        yield* this.spoken(frame, item)
      else if (item.kind === 'compaction') yield* this.border(frame, item)
      else if (item.kind === 'answer') yield* this.answered(frame, item)
      else if (item.kind === 'branch') yield* this.branched(frame, item)
      else yield* this.done(frame, item)
    }
  }

  /** What was typed or delegated: behind a bar. */
  private *spoken(frame: Frame, item: ViewItem): Generator<Step> {
    const { glyphs, colors } = this.paint
    yield* this.blank(frame, 'said')
    frame.isSpeaking = false
    const isTurn = frame.hasTurns && (item.kind === 'prompt' || item.turn !== frame.turn)
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
    const space = frame.width - indent.length
    const lines =
      item.kind === 'thinking'
        ? thinkingLines(item, space, this.paint)
        : item.kind === 'call'
          ? callLines(item, space, this.paint)
          : noteLines(item, space, this.paint)
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

  /** Prints once who acts, until someone else speaks. */
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
    const width = frame.width - lineWidth(lead)
    const textParts = parts.filter(part => part.type === 'text').length
    for (const [index, part] of parts.entries()) {
      if (part.type === 'branch') continue
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
    const { colors } = this.paint
    const name = part.agentType ?? 'subagent'
    const link = part.linkedBy === undefined ? 'not linked to a call' : `linked by ${part.linkedBy}`
    const about = badgeRuns([quiet(`--thread ${part.thread}`), quiet(link)], this.paint)
    const title: Line = [{ text: safeLine(name), style: colors.bold }, ...about]
    yield* this.framed(frame, { title, items: part.items, style: colors.magenta, lead: 4 }, name)
  }

  /** An abandoned branch, in the same way; its turns have their numbers. */
  private *branched(frame: Frame, item: ViewItem): Generator<Step> {
    const { colors } = this.paint
    yield* this.blank(frame, 'said')
    frame.isSpeaking = false
    for (const part of item.body) {
      if (part.type !== 'branch') continue
      const { name, what } = splitHeadline(item)
      const about = badgeRuns([...badgesOf(item), quiet(`--branch ${part.leaf}`)], this.paint)
      const words = what === '' ? '' : `  ${what}`
      const title: Line = [{ text: safeLine(name), style: colors.bold }, { text: safeLine(words) }, ...about]
      yield* this.framed(frame, { title, items: part.items, style: colors.blue, lead: 0 })
    }
  }

  /** Items between a title and an end, with a rule down their side. `name`: who answers, where that is a subagent. */
  private *framed(frame: Frame, { title, items, style, lead: indented }: Framed, name?: string): Generator<Step> {
    const { glyphs } = this.paint
    const lead: Line = [{ text: own(' '.repeat(indented)) }]
    for (const [index, line] of wrapLine(title, frame.width - indented - 2).entries()) {
      const mark = own(`${index === 0 ? glyphs.threadStart : glyphs.rule} `)
      yield this.emit(frame, [...lead, { text: mark, style }, ...line])
    }
    const child = childFrame(frame, [...lead, { text: own(`${glyphs.rule} `), style }], name)
    const { head, tail } = nestedItems
    const hidden = this.paint.isFull ? 0 : items.length - head - tail
    yield this.itemSteps(child, hidden > 1 ? items.slice(0, head) : items)
    if (hidden > 1) {
      yield this.emit(child, [])
      yield this.emit(child, [{ text: own(indent) }, ...cutNote(hidden, 'item', this.paint)])
      child.last = 'long'
      yield this.itemSteps(child, items.slice(-tail))
    }
    yield this.emit(frame, [...lead, { text: own(`${glyphs.threadEnd}${glyphs.line}`), style }])
    frame.last = 'long'
  }

  private emit(frame: Frame, line: Line): string {
    return render(cutLine([...frame.prefix, ...line], this.paint.width, this.paint.glyphs.ellipsis))
  }
}

function newFrame(prefix: Line, width: number, depth: number, hasTurns: boolean, name: string, asker: string): Frame {
  return { prefix, width, depth, hasTurns, name, asker, turn: undefined, isSpeaking: false, last: 'nothing' }
}

/** Items inside items. */
interface Framed {
  title: Line
  items: readonly ViewItem[]
  style: Style
  /** How far it is indented. */
  lead: number
}

/** `name`: who answers in it; without one the same speak as around it. */
function childFrame(frame: Frame, rule: Line, name: string | undefined): Frame {
  const inner = frame.width - lineWidth(rule)
  const [prefix, width] = inner < leastFrame ? [frame.prefix, frame.width] : [[...frame.prefix, ...rule], inner]
  const depth = frame.depth + 1
  if (name === undefined) return { ...frame, prefix, width, depth, isSpeaking: false, last: 'nothing' }
  return newFrame(prefix, width, depth, false, name, frame.name)
}

function quiet(text: string): Badge {
  return { text, tone: 'quiet' }
}

/** What Claude Code does for itself repeats the conversation: one line says where to read it. */
function foldedThread(part: ThreadPart, paint: Paint): Line {
  const about = `${countOf(part.items.length, 'item')}; --thread ${safeLine(part.thread)}`
  return [{ text: own(`${indent}${indent}${paint.glyphs.ellipsis} ${about}`), style: paint.colors.dim }]
}

function limitsOf(frame: Frame, item: ViewItem): Limits {
  if (item.kind === 'summary') return summaryLimits
  return frame.depth === 0 ? mainLimits : nestedLimits
}

/** The thread of an item. */
interface Place {
  name: string
  asker: string
}

/** `── turn 3 · You · 1 image ───────────────── 2026-01-12 09:14 ──`; badges that do not fit are below it. */
function separator(item: ViewItem, asker: string, width: number, paint: Paint): Line {
  const { glyphs, colors } = paint
  const turn = item.turn === undefined ? '' : `turn ${item.turn + 1} ${glyphs.dot} `
  const time = item.at === null ? '' : ` ${paint.time(item.at).slice(0, paint.showsTimes ? 19 : 16)} `
  const end = own(`${time}${glyphs.line.repeat(2)}`)
  const start: Line = [
    { text: own(`${glyphs.line.repeat(2)} ${turn}`), style: colors.dim },
    { text: safeLine(asker), style: colors.bold },
  ]
  const marks = badgeRuns(badgesOf(item), paint)
  const space = width - end.length - 2
  const shown = lineWidth([...start, ...marks]) <= space ? [...start, ...marks] : start
  const fill = glyphs.line.repeat(Math.max(1, width - lineWidth(shown) - end.length - 1))
  return [...shown, { text: own(` ${fill}${end}`), style: colors.dim }]
}

/** Whether the line between turns has the item's badges. */
function hasMarksInSeparator(item: ViewItem, asker: string, width: number, paint: Paint): boolean {
  return separator(item, asker, width, paint).length > 3 || badgesOf(item).length === 0
}

/** The lines above what was typed: who asks whom where no separator says it, the command, and badges. */
function spokenLabel(item: ViewItem, place: Place, saysWho: boolean, width: number, paint: Paint): Line[] {
  const { colors, glyphs } = paint
  const isCommand = item.kind === 'command'
  const who = own(`${safeLine(place.asker)} ${glyphs.arrow} ${safeLine(place.name)}`)
  const lines: Line[] = []
  if (isCommand) lines.push([...timeRun(item, paint), { text: safeLine(item.headline), style: colors.bold }])
  else if (saysWho) lines.push([...timeRun(item, paint), { text: who, style: colors.bold }])
  else if (item.body.length === 0) lines.push([{ text: safeLine(item.headline) }])
  const marks = badgeRuns(badgesOf(item), paint)
  const [last = []] = lines.splice(-1)
  if (last.length === 0) return badgeLines(badgesOf(item), width, paint)
  if (lineWidth([...last, ...marks]) <= width) return [...lines, [...last, ...marks]]
  return [...lines, ...wrapLine(last, width), ...badgeLines(badgesOf(item), width, paint)]
}

export function callLines(item: ViewItem, width: number, paint: Paint): Line[] {
  const { colors, glyphs } = paint
  const [name, what] = nameAndRest(item.headline)
  const marks: Record<string, [string, Style]> = {
    done: [glyphs.done, colors.green],
    failed: [glyphs.failed, colors.red],
    interrupted: [glyphs.interrupted, colors.yellow],
    missing: [glyphs.missing, colors.yellow],
    running: [glyphs.running, colors.cyan],
  }
  const [mark, style] = marks[item.status ?? 'done'] ?? [glyphs.note, colors.dim]
  const runs: Line = [
    { text: own(`${mark} `), style },
    ...timeRun(item, paint),
    { text: name, style: item.isRemoved ? colors.dim : colors.bold },
    { text: what, ...(item.isRemoved && { style: colors.dim }) },
  ]
  return fitHeadline(runs, badgesOf(item), width, paint)
}

/** Tool and what it works on. Only the first word is the name; a made-up name may be anything. */
function nameAndRest(headline: string): [SafeText, SafeText] {
  const text = safeLine(headline)
  const end = text.search(/\s/)
  return end < 0 ? [text, own('')] : [text.slice(0, end) as SafeText, text.slice(end) as SafeText]
}

/** Cut so that the badges stay visible; with --full wrapped instead. */
function fitHeadline(runs: Line, badges: readonly Badge[], width: number, paint: Paint): Line[] {
  const behind = badgeRuns(badges, paint)
  if (paint.isFull) return wrapLine([...runs, ...behind], width)
  const space = width - lineWidth(behind)
  // The headline says more than its badges: they move below where they would leave it less than half the line.
  if (space >= lineWidth(runs) || space >= Math.max(24, width / 2)) {
    return [[...cutHeadline(runs, space, paint), ...behind]]
  }
  const below = badgeLines(badges, width - 2, paint).map(line => [{ text: own('  ') }, ...line])
  return [cutHeadline(runs, width, paint), ...below]
}

/** A path says most at its end: it is cut at its beginning. */
function cutHeadline(runs: Line, width: number, { glyphs }: Paint): Line {
  const what = runs.at(-1)
  if (what === undefined || lineWidth(runs) <= width) return runs
  const path = /^( +)((?:[A-Za-z]:|~)?[\\/]\S*)$/.exec(what.text)
  const before = runs.slice(0, -1)
  const space = width - lineWidth(before) - (path?.[1]?.length ?? 0) - glyphs.ellipsis.length
  if (path === null || space < 12) return cutLine(runs, width, glyphs.ellipsis)
  const characters = [...(path[2] ?? '')]
  let kept = ''
  for (let at = characters.length - 1; at >= 0 && columnsOf(characters[at] + kept) <= space; at--)
    kept = characters[at] + kept
  return [...before, { ...what, text: own(`${path[1]}${glyphs.ellipsis}${kept}`) }]
}

/** `∴ thinking, 34 lines · --thinking shows it`, or why there is nothing to show. */
export function thinkingLines(item: ViewItem, width: number, paint: Paint): Line[] {
  const { colors, glyphs } = paint
  const isOpen = paint.showsThinking || paint.isFull
  const lines = item.body.reduce((sum, part) => sum + (part.type === 'markdown' ? part.text.split('\n').length : 0), 0)
  // A part that is not Markdown explains why there is no text.
  const note = item.body.find(part => part.type === 'text')
  const hint = isOpen ? '' : ` ${glyphs.dot} --thinking`
  const about = lines > 0 ? own(`thinking, ${countOf(lines, 'line')}${hint}`) : safeLine(note?.text ?? item.headline)
  const runs: Line = [
    { text: own(`${glyphs.thinking} `), style: colors.dim },
    ...timeRun(item, paint),
    { text: about, style: colors.dim },
    ...badgeRuns(badgesOf(item), paint),
  ]
  return [cutLine(runs, width, glyphs.ellipsis)]
}

/** The body of an item that no one said. */
function bodyOf(item: ViewItem, paint: Paint): readonly ViewPart[] {
  return partsOf(item, paint).filter(part => paint.isFull || part.type !== 'facts' || part.isFolded !== true)
}

function partsOf(item: ViewItem, paint: Paint): readonly ViewPart[] {
  if (item.kind === 'thinking') {
    return paint.showsThinking || paint.isFull ? item.body.filter(part => part.type !== 'text') : []
  }
  if (item.kind === 'call' || item.kind === 'command')
    return item.body.filter(part => !repeatsHeadline(part, item.headline))
  // Quiet things are one line, but a thread or a picture in them is never passed over.
  const isOneLine = item.isQuiet && !paint.isFull && item.kind !== 'summary'
  return isOneLine ? item.body.filter(part => part.type === 'thread' || part.type === 'media') : item.body
}

/** A command of one line is in the headline already. */
function repeatsHeadline(part: ViewPart, headline: string): boolean {
  return part.type === 'code' && !part.text.includes('\n') && headline.endsWith(` ${part.text}`)
}

/** One line for what no one said, or more where it is not quiet. */
export function noteLines(item: ViewItem, width: number, paint: Paint): Line[] {
  const { colors, glyphs } = paint
  const [mark, style] = lookOf(item, paint)
  const text: Run = { text: safeLine(item.headline), ...(style && { style }) }
  const runs: Line = [{ text: own(`${mark} `), style: style ?? colors.dim }, ...timeRun(item, paint), text]
  const marks = badgesOf(item)
  return item.isQuiet && !paint.isFull
    ? [cutLine([...runs, ...badgeRuns(marks, paint)], width, glyphs.ellipsis)]
    : hangingHeadline(runs, marks, width, paint)
}

/** Who answers: its name where it was not said yet, its time, and badges; nothing where there is nothing to say. */
function answerLabel(item: ViewItem, name: string | null, width: number, paint: Paint): Line[] {
  const time = timeRun(item, paint)
  const marks = badgeRuns(badgesOf(item), paint)
  const said: Line = item.body.length > 0 ? [] : [{ text: safeLine(item.headline), style: paint.colors.dim }]
  if (name === null) {
    const line = [...time, ...said, ...(time.length + said.length > 0 ? marks : marks.slice(1))]
    return line.length > 0 ? wrapLine([{ text: own('  ') }, ...line], width) : []
  }
  return wrapLine([...time, { text: safeLine(name), style: paint.colors.bold }, ...marks], width)
}

function hangingHeadline(runs: Line, marks: readonly Badge[], width: number, paint: Paint): Line[] {
  const [mark, ...rest] = [...runs, ...badgeRuns(marks, paint)]
  if (mark === undefined) return []
  const lead = { text: own(' '.repeat(mark.text.length)) }
  return wrapLine(rest, width - mark.text.length).map((line, index) => [index === 0 ? mark : lead, ...line])
}

function lookOf(item: ViewItem, { glyphs, colors }: Paint): [mark: string, style: Style | undefined] {
  if (item.kind === 'error' || item.kind === 'damaged') return [glyphs.failed, colors.red]
  if (item.kind === 'interruption') return [glyphs.interrupted, colors.yellow]
  if (item.kind === 'notification') return [glyphs.bullet, colors.cyan]
  if (item.kind === 'link') return [glyphs.arrow, colors.cyan]
  if (item.kind === 'summary') return [glyphs.bullet, colors.bold]
  return [glyphs.note, item.isQuiet ? colors.dim : undefined]
}

/** A border over the whole width: `═══ Compacted · 155,000 tokens before ═══`. */
export function compactionLines(item: ViewItem, width: number, paint: Paint): Line[] {
  const { glyphs, colors } = paint
  const time = item.at === null ? [] : [{ text: paint.time(item.at).slice(0, 16), tone: 'quiet' as const }]
  const text: Line = [
    { text: own(`${glyphs.heavyLine.repeat(3)} `), style: colors.yellow },
    { text: safeLine(item.headline), style: colors.bold },
  ]
  const badges = badgeRuns([...badgesOf(item), ...time], paint)
  const isOneLine = lineWidth(text) + lineWidth(badges) < width - 4
  const first = isOneLine ? [...text, ...badges] : cutLine(text, width - 4, glyphs.ellipsis)
  const fill = own(` ${glyphs.heavyLine.repeat(Math.max(1, width - lineWidth(first) - 1))}`)
  const border: Line = [...first, { text: fill, style: colors.yellow }]
  const below = isOneLine ? [] : wrapLine(badges, width - 3).map(line => [{ text: own('   ') }, ...line])
  return [border, ...below]
}

function timeRun(item: ViewItem, paint: Paint): Line {
  if (!paint.showsTimes || item.at === null) return []
  return [{ text: own(`${paint.time(item.at).slice(11)} `), style: paint.colors.dim }]
}
