// What all exports share: facts at the top, options, times in a zone, names of kinds, sections by turn. It
// makes no markup and escapes nothing.

import { clockIn } from '../base/clock.ts'
import { moneyText } from '../base/format.ts'
import { type Instant, toMillis } from '../base/instant.ts'
import type { Usage } from '../model/event.ts'
import type { Span } from '../view/markdown.ts'
import { foldText } from '../view/parts.ts'
import type { Badge, DiffHunk, ViewItem, ViewKind } from '../view/view.ts'
import { certaintyMarks, certaintyOf, countOf, countText, durationText, sizeText } from '../view/words.ts'

/** The facts at the top of an exported session. All texts are raw: painters escape. */
export interface SessionHead {
  id: string
  title: string
  /** Working directory; null where the log names none. */
  project: string | null
  /** What lists call its project; absent where nothing names one. */
  projectName?: string
  startedAt: Instant
  endedAt: Instant
  models: string[]
  /** Client versions that wrote it. */
  versions: string[]
  /** Paths that it was read from. */
  files: string[]
  /** What it sent itself. */
  tokens?: PricedUsage
  /** With history that was copied from other sessions; absent where that is the same. */
  withInherited?: PricedUsage
  /** Anything a reader should know first: what was left out, what is uncertain. */
  notes?: string[]
}

/** What a document says of a session that is only in the archive. */
export const goneNote = 'archived: no longer on disk'

export type PricedUsage = Usage & { costUSD?: number }

export interface ExportOptions {
  /** Cuts nothing, however long. */
  isFull?: boolean
  /** The time of every item, not only of prompts. */
  timestamps?: boolean
  /** IANA name; the machine's zone where absent. */
  timezone?: string
  /** Thinking written out (Markdown) or opened (HTML); else it is only mentioned or folded. */
  thinking?: boolean
}

/** A point in time, as a reader in that zone sees it. */
interface Reading {
  date: string
  time: string
  seconds: string
  iso: string
}

/** Reads instants in one zone. */
export interface Clock {
  zone: string
  read(at: Instant): Reading | null
}

/** An unknown zone is read as UTC: the wrong name of a zone must not lose an export. */
function zoneNamed(timezone: string | undefined): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: timezone }).resolvedOptions().timeZone
  } catch {
    return 'UTC'
  }
}

export function clockFor(timezone: string | undefined): Clock {
  const zone = zoneNamed(timezone)
  const shown = clockIn(zone)
  const read = (at: Instant): Reading | null => {
    const millis = toMillis(at)
    if (millis === null) return null
    const [date = '', seconds = ''] = shown(millis).split(' ')
    return { date, seconds, time: seconds.slice(0, 5), iso: new Date(millis).toISOString() }
  }
  return { zone, read }
}

/** `2026-02-17 14:31 – 16:02 (1 h 31 min, Europe/Berlin)`; empty where no time is known. */
export function periodText(from: Instant, to: Instant, clock: Clock): string {
  const first = clock.read(from)
  const last = clock.read(to)
  if (first === null || last === null) {
    const one = first ?? last
    return one === null ? '' : `${one.date} ${one.time} (${clock.zone})`
  }
  const end = first.date === last.date ? last.time : `${last.date} ${last.time}`
  const span = durationText((toMillis(to) ?? 0) - (toMillis(from) ?? 0))
  return `${first.date} ${first.time} – ${end} (${span}, ${clock.zone})`
}

function tokensText(usage: Usage): string {
  const { output: certainty } = certaintyOf({ isPartial: !usage.outputFinal })
  const output = `${certaintyMarks[certainty]}${countText(usage.outputTokens)} out`
  const cache = `${countText(usage.cacheReadTokens)} from cache, ${countText(usage.cacheCreationTokens)} to cache`
  return `${countText(usage.inputTokens)} in, ${output}, ${cache}`
}

/** Tokens, and what they cost where that is known. */
export function spentText(usage: PricedUsage): string {
  const { costUSD } = usage
  if (costUSD === undefined) return tokensText(usage)
  const { cost } = certaintyOf({ isPartial: !usage.outputFinal })
  return `${tokensText(usage)}, ${certaintyMarks[cost]}${moneyText(costUSD)}`
}

/** The same with history that was copied from other sessions. */
export function withInheritedText(usage: PricedUsage): string {
  return `${spentText(usage)}, with inherited history`
}

/** What a kind is called where the headline does not say it. */
const kindWords: Readonly<Record<ViewKind, string>> = {
  prompt: 'Prompt',
  delegation: 'Delegation',
  answer: 'Answer',
  thinking: 'Thinking',
  call: 'Call',
  result: 'Result',
  command: 'Command',
  notification: 'Notification',
  interruption: 'Interruption',
  error: 'Error',
  compaction: 'Compaction',
  summary: 'Summary',
  branch: 'Earlier branch',
  hook: 'Hook',
  notice: 'Notice',
  attachment: 'Attachment',
  link: 'Link',
  unknown: 'Unknown',
  damaged: 'Damaged',
}

const kindPlurals: Readonly<Partial<Record<ViewKind, [one: string, many: string]>>> = {
  summary: ['summary', 'summaries'],
  branch: ['earlier branch', 'earlier branches'],
  unknown: ['unknown event', 'unknown events'],
  damaged: ['damaged record', 'damaged records'],
}

/** `1 hook`, `2 summaries`. */
export function kindCount(kind: ViewKind, count: number): string {
  const word = kindWords[kind].toLowerCase()
  const [one, many] = kindPlurals[kind] ?? [word, `${word}s`]
  return countOf(count, one, many)
}

/** A headline is `What it is  what it is about`, two blanks between; the second part may be missing. */
export function splitHeadline(item: ViewItem): { name: string; what: string } {
  const headline = item.headline.trim()
  const cut = headline.indexOf('  ')
  const name = cut === -1 ? headline : headline.slice(0, cut)
  return { name: name || kindWords[item.kind], what: cut === -1 ? '' : headline.slice(cut).trim() }
}

/** Why the log has no thinking here, where it says so in a word instead of holding the text. */
export function missingThinking(item: ViewItem): string | undefined {
  const [part] = item.body
  return item.kind === 'thinking' && item.body.length === 1 && part?.type === 'text' ? part.text : undefined
}

type Hue = 'shell' | 'file' | 'web' | 'agent' | 'plan' | 'system'

const hueByTool: ReadonlyMap<string, Hue> = new Map<string, Hue>([
  ...['Bash', 'BashOutput', 'KillShell', 'KillBash', 'Grep', 'Glob', 'LS', 'PowerShell'].map(
    n => [n, 'shell'] as const,
  ),
  ...['Read', 'Edit', 'MultiEdit', 'Write', 'NotebookEdit', 'NotebookRead', 'LSP'].map(n => [n, 'file'] as const),
  ...['WebFetch', 'WebSearch'].map(n => [n, 'web'] as const),
  ...['Task', 'Agent', 'Skill', 'SendMessage', 'Workflow'].map(n => [n, 'agent'] as const),
  ...['TodoWrite', 'TodoRead', 'ExitPlanMode', 'EnterPlanMode', 'AskUserQuestion'].map(n => [n, 'plan'] as const),
])

/** Which family a call belongs to. */
export function hueOf(item: ViewItem): Hue {
  if (item.kind === 'command') return 'shell'
  if (item.kind !== 'call' && item.kind !== 'result') return 'system'
  const { name } = splitHeadline(item)
  const known = hueByTool.get(name)
  if (known !== undefined) return known
  if (item.body.some(part => part.type === 'thread')) return 'agent'
  if (item.body.some(part => part.type === 'diff')) return 'file'
  if (item.body.some(part => part.type === 'checklist') || name.startsWith('Task')) return 'plan'
  return /^mcp|›/i.test(name) ? 'web' : 'system'
}

/** Its badges, with what happened to it where they do not say so. */
export function badgesOf(item: ViewItem): Badge[] {
  const badges = [...item.badges]
  const says = (word: string) => badges.some(badge => badge.text.toLowerCase().includes(word))
  if (item.isRemoved && !says('removed')) badges.push({ text: 'removed', tone: 'warn' })
  if (item.isAborted && !says('aborted')) badges.push({ text: 'aborted', tone: 'warn' })
  return badges
}

/** `[ ]` or `[x]` at the start of a list item makes it a task; `spans`: what is behind the mark. */
export function taskOf(spans: readonly Span[]): { isDone: boolean; spans: Span[] } | null {
  const [first, ...others] = spans
  const mark = /^\[([ xX])\] /.exec(first?.text ?? '')
  if (first === undefined || mark === null) return null
  return { isDone: mark[1] !== ' ', spans: [{ ...first, text: first.text.slice(mark[0].length) }, ...others] }
}

/** Lines of a change with their numbers, at most so many: in the old text where one is removed, else in the new one. */
export function numberedLines({ oldStart, newStart, lines }: DiffHunk, most: number) {
  let oldLine = oldStart
  let newLine = newStart
  return lines.slice(0, most).map(line => {
    const number = line.sign === '-' ? oldLine : newLine
    if (line.sign !== '+') oldLine++
    if (line.sign !== '-') newLine++
    return { ...line, number }
  })
}

export function isFailure(item: ViewItem): boolean {
  return item.status === 'failed' || item.kind === 'error' || item.kind === 'damaged'
}

/** How much of a long text is shown at its beginning and end. */
interface Limits {
  head: number
  tail: number
}

/** A text without its last line end; cut in the middle where it is too long. */
interface CutText {
  first: string[]
  /** What is said between the two pieces; empty where nothing is left out. */
  hidden: string
  last: string[]
  /** Of the whole text. */
  lineCount: number
}

export function cutText(text: string, options: ExportOptions, limits: Limits): CutText {
  const whole = text.replace(/\n$/, '')
  const folded = options.isFull === true ? null : foldText(whole, limits)
  if (folded === null || folded.hiddenLines === 0) {
    const lines = whole.split('\n')
    return { first: lines, hidden: '', last: [], lineCount: lines.length }
  }
  return {
    first: folded.lines.slice(0, limits.head),
    hidden: hiddenText(folded.hiddenLines, folded.hiddenBytes),
    last: folded.lines.slice(limits.head),
    lineCount: folded.lines.length + folded.hiddenLines,
  }
}

/** What is shown where lines were left out. */
export function hiddenText(lines: number, bytes: number): string {
  return `${countOf(lines, 'line')} (${sizeText(bytes)}) left out; a full export has them`
}

/** What belongs together under one heading: a turn, or what is before the first. */
export interface Section {
  /** 1, 2, … in reading order: a turn that a rewind left and came back to gives two sections. */
  number: number
  /** The turn's number for people, from 1; absent before the first. */
  turn?: number
  /** What was asked; absent where the section begins with something else. */
  prompt?: ViewItem
  items: ViewItem[]
}

export function sectionsOf(items: readonly ViewItem[]): Section[] {
  const sections: Section[] = []
  let current: Section | undefined
  for (const item of items) {
    const turn = item.turn === undefined ? undefined : item.turn + 1
    // What is only a checkpoint or notice before the next prompt still reads as the end of what was before.
    const begins = turn !== undefined && turn !== current?.turn && !item.isQuiet
    if (current === undefined || begins) {
      current = { number: sections.length + 1, items: [] }
      if (begins) current.turn = turn
      sections.push(current)
    }
    if (current.prompt === undefined && (item.kind === 'prompt' || item.kind === 'command')) current.prompt = item
    current.items.push(item)
  }
  return sections
}

interface Counts {
  turns: number
  calls: number
  failed: number
  subagents: number
  compactions: number
}

/** Counts everything, subagents' threads included. */
export function countItems(items: readonly ViewItem[], sections: readonly Section[]): Counts {
  const turns = new Set(sections.flatMap(({ turn }) => turn ?? []))
  const counts = { calls: 0, failed: 0, subagents: 0, compactions: 0 }
  const stack: (readonly ViewItem[])[] = [items]
  for (let level = stack.pop(); level !== undefined; level = stack.pop()) {
    for (const item of level) {
      if (item.kind === 'call') counts.calls++
      if (item.kind === 'call' && isFailure(item)) counts.failed++
      if (item.kind === 'compaction') counts.compactions++
      for (const part of item.body) {
        // Quiet ones are those that Claude Code starts for itself.
        if (part.type === 'thread' && !item.isQuiet) counts.subagents++
        if (part.type === 'branch') for (const { turn } of part.items) if (turn !== undefined) turns.add(turn + 1)
        if (part.type === 'thread' || part.type === 'branch') stack.push(part.items)
      }
    }
  }
  return { turns: turns.size, ...counts }
}

/** The beginning of what was asked, in one line of raw text. */
export function gistOf(item: ViewItem): string {
  if (item.kind === 'command') return item.headline.trim()
  for (const part of item.body) {
    const isSaid = part.type === 'markdown' || (part.type === 'text' && part.isFolded !== true)
    const text = isSaid ? part.text : ''
    const line = text.trim().split('\n', 1)[0]?.trim() ?? ''
    if (line !== '') return line
  }
  return item.headline.trim()
}
