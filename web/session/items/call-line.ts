// What the one line of a tool call says: what for, on what, which part of it, how long, how it ended. It paints nothing.

import { relativePath } from '../../../src/base/relative-path.ts'
import type { Badge, ViewItem } from '../../../src/view/view.ts'
import { firstLine } from '../../../src/view/words.ts'
import { type ToolKind, toolKind } from '../../parts/tool-kind.ts'
import { subjectOf, titleOf } from '../filter.tsx'

export interface CallLine {
  kind: ToolKind
  title: string
  /** The type of an agent. */
  lead: string
  /** What it is for, in words. */
  words: string
  /** On what, as a machine reads it: a command, a path, an address. */
  target: string
  /** Cut in its middle where it is too long. */
  isPath: boolean
  /** Which part of it: lines. */
  part: string
  /** The whole, for those who point at it. */
  full: string
}

/** `home`: the directory of the project; `before`: the call above, from which this one is told apart. */
export function lineOf(item: ViewItem, home: string, before?: ViewItem): CallLine {
  const line = plainLine(item, home)
  return before === undefined ? line : toldApart(line, item, plainLine(before, home))
}

function plainLine(item: ViewItem, home: string): CallLine {
  const title = titleOf(item)
  const subject = subjectOf(item)
  const kind = toolKind(title)
  const first = item.body[0]
  const line = { kind, title, lead: '', words: '', target: '', isPath: false, part: '', full: subject.slice(0, 500) }
  if (kind === 'shell' && first?.type === 'code') {
    const command = firstLine(first.text)
    const words = subject === command ? '' : subject
    return { ...line, words, target: command, full: first.text.slice(0, 500) }
  }
  if (kind === 'agent') {
    const lead = item.badges.find(badge => isAgentType(item, badge))?.text ?? ''
    return subject === '' ? { ...line, words: lead } : { ...line, lead, words: subject }
  }
  if (kind === 'shell') {
    const target = searchedIn(subject, home)
    return { ...line, target, full: target.slice(0, 500) }
  }
  const target = relativePath(subject, home)
  if (kind === 'file') return { ...line, target, isPath: isPath(target), part: rangeOf(item) }
  return kind === 'web' ? { ...line, target } : { ...line, words: target }
}

/** A pattern and where it was searched for: the project itself goes without saying. */
function searchedIn(subject: string, home: string): string {
  const cut = subject.lastIndexOf('  in ')
  if (cut < 0) return relativePath(subject, home)
  const [pattern, place] = [subject.slice(0, cut), subject.slice(cut + 5)]
  const below = relativePath(`${place.replace(/[\\/]+$/, '')}/`, home)
  return below === '' ? pattern : `${pattern} in ${relativePath(place, home)}`
}

function isPath(target: string): boolean {
  return !/\s/.test(target) && /[/\\]/.test(target)
}

const range = /^lines (\d+)-(\d+)/

/** `10–60`, where a part of a file was read. */
function rangeOf(item: ViewItem): string {
  for (const { text } of item.badges) {
    const found = range.exec(text)
    if (found) return `${found[1]}–${found[2]}`
  }
  return ''
}

const sharedLength = 16

/** Neighbours that would look the same say in what they differ: the lines that were changed, the end of a command. */
function toldApart(line: CallLine, item: ViewItem, before: CallLine): CallLine {
  if (line.title !== before.title) return line
  const isSame = line.target === before.target && line.words === before.words && line.part === before.part
  if (isSame && line.kind === 'file') {
    const diff = item.body.find(part => part.type === 'diff')
    const start = diff?.hunks[0]?.newStart
    return start === undefined || diff?.isComputed === true ? line : { ...line, part: `line ${start}` }
  }
  if (line.kind !== 'shell' || line.words !== before.words) return line
  const shared = sharedStart(line.full, before.full)
  if (shared < sharedLength || shared >= line.full.length) return line
  return { ...line, target: `… ${line.full.slice(wordStart(line.full, shared)).replace(/\s+/g, ' ')}` }
}

function sharedStart(one: string, other: string): number {
  let at = 0
  while (at < one.length && one[at] === other[at]) at++
  return at
}

/** The beginning of the word that a place is in. */
function wordStart(text: string, at: number): number {
  let start = at
  while (start > 0 && !/\s/.test(text[start - 1] ?? '')) start--
  return start
}

/** The two halves of a path: the second is never cut. */
export function pathHalves(path: string): [start: string, end: string] {
  const cut = Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1
  const name = path.slice(cut)
  return name.length > 40 ? [path.slice(0, -24), path.slice(-24)] : [path.slice(0, cut), name]
}

export interface CallMarks {
  duration: string
  shown: Badge[]
  /** Some say less than their badge. */
  isShortened: boolean
}

/** More marks than these are shown when the call is opened. */
const mostMarks = 2
const longestMark = 14
const durationMark = /^\d[\d.,]* (ms|s|min|h)\b/
/** Said by the line itself, or of no interest until it is opened. */
const silent = /^(exit 0$|timeout |lines \d)/

/** The duration has a column; of the rest, verdicts come first. */
export function marksOf(item: ViewItem): CallMarks {
  const duration = item.badges.find(badge => badge.tone === 'quiet' && durationMark.test(badge.text))
  const rest = item.badges.filter(
    badge => badge !== duration && !silent.test(badge.text) && !isAgentType(item, badge) && !isModel(badge),
  )
  const loud = rest.filter(badge => badge.tone !== 'quiet')
  const quiet = rest.filter(badge => badge.tone === 'quiet' && badge.text.length <= longestMark)
  const most = [...loud, ...quiet].slice(0, mostMarks)
  const shown = most.map(withoutTask)
  if (item.status === 'failed' && shown.every(badge => badge.tone !== 'bad')) {
    shown.unshift({ text: 'failed', tone: 'bad' })
  }
  return { duration: duration?.text ?? '', shown, isShortened: most.some(badge => withoutTask(badge) !== badge) }
}

/** The name of a task in the background is in the opened call. */
function withoutTask(badge: Badge): Badge {
  return badge.text.startsWith('background task ') ? { ...badge, text: 'background' } : badge
}

/** A subagent's type comes before its task. */
function isAgentType(item: ViewItem, badge: Badge): boolean {
  return toolKind(titleOf(item)) === 'agent' && badge.tone === 'accent' && badge.text !== 'running'
}

/** The model that continued is shown when the call is opened. */
function isModel(badge: Badge): boolean {
  return badge.tone === 'quiet' && /^claude-/.test(badge.text)
}
