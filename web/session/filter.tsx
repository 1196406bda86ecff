// What of a session is shown: the filters in the address, the slots that they let through, and the bar that changes them.

import { type ReactNode, useMemo } from 'react'
import { countOf, countText } from '../../src/base/format.ts'
import { eventKinds } from '../../src/model/event.ts'
import { visibleLine } from '../../src/render/safe-text.ts'
import { mcpTitle } from '../../src/view/calls/other.ts'
import type { HeadThread, Outline, SessionHead } from '../../src/view/reading.ts'
import type { ViewItem, ViewPart } from '../../src/view/view.ts'
import { inheritedText } from '../../src/view/words.ts'
import { Dropdown, useNarrow } from '../parts/dropdown.tsx'
import { Icon } from '../parts/icon.tsx'
import { tokensText } from '../shell/format.ts'

export const sorts = ['prompts', 'answers', 'tools', 'errors', 'subagents'] as const
export type Sort = (typeof sorts)[number]

export interface Filter {
  /** Nothing here and no tool: everything. */
  sorts: ReadonlySet<Sort>
  /** Names as in the log. */
  tools: ReadonlySet<string>
  /** With what Claude Code wrote down for itself. */
  isQuiet: boolean
  /** Without thinking: a choice of the reader, not of the address. */
  hidesThinking?: boolean
  /** Threads in which, or in one that they started, something failed. */
  failedThreads?: ReadonlySet<string>
}

/** `prompts,tool:Bash,quiet`. */
export function readFilter(show: string | undefined): Filter {
  const words = (show ?? '').split(',').filter(word => word !== '')
  return {
    sorts: new Set(sorts.filter(sort => words.includes(sort))),
    tools: new Set(words.flatMap(word => (word.startsWith('tool:') ? [word.slice(5)] : []))),
    isQuiet: words.includes('quiet'),
  }
}

export function writeFilter(filter: Filter): string {
  const tools = [...filter.tools].map(name => `tool:${name}`)
  return [...filter.sorts, ...tools, ...(filter.isQuiet ? ['quiet'] : [])].join(',')
}

export function isEverything(filter: Filter): boolean {
  return filter.sorts.size === 0 && filter.tools.size === 0
}

/** Threads in which something failed, with those that they are shown in. */
export function failedThreads(threads: readonly HeadThread[]): ReadonlySet<string> {
  const parents = new Map(threads.map(({ id, parentThread }) => [id, parentThread]))
  const failed = new Set<string>()
  for (const { id, errors = 0 } of threads) {
    if (errors === 0) continue
    for (let at: string | undefined = id; at !== undefined && !failed.has(at); at = parents.get(at)) failed.add(at)
  }
  return failed
}

const places = Object.fromEntries(eventKinds.map((kind, at) => [kind, at])) as Record<string, number>
const promptKinds = new Set([places['prompt'], places['delegation'], places['command'], places['interruption']])
/** Quiet as a whole, but what a reader expects at its place: thinking and summaries are folded lines. */
const neverHidden = new Set([places['answer'], places['compact-summary'], places['preserved'], places['compaction']])

/** The slots that are shown, in order. `isOnPath` absent: only one path. */
export function visibleSlots(outline: Outline, filter: Filter, isOnPath?: (slot: number) => boolean): number[] {
  const quiet = new Set(outline.quiet)
  const errors = new Set(outline.errors)
  const repeated = repeatedSlots(outline)
  const shown: number[] = []
  for (let slot = 0; slot < outline.ids.length; slot++) {
    if (isOnPath && !isOnPath(slot)) continue
    const kind = outline.kinds[slot] ?? -1
    const isThinking = kind === places['answer'] && quiet.has(slot)
    if (isThinking && (filter.hidesThinking || repeated.has(slot))) continue
    if (quiet.has(slot) && !filter.isQuiet && !neverHidden.has(kind)) continue
    if (isWanted(outline, slot, kind, filter, errors, quiet)) shown.push(slot)
  }
  return shown
}

/** Slots whose thinking is not in the log, but for the first of each turn: it is said once. */
export function repeatedSlots({ unlogged, turns }: Outline): Set<number> {
  return new Set(unlogged.filter((slot, at) => at > 0 && turns[slot] === turns[unlogged[at - 1] ?? -1]))
}

function isWanted(
  outline: Outline,
  slot: number,
  kind: number,
  filter: Filter,
  errors: ReadonlySet<number>,
  quiet: ReadonlySet<number>,
): boolean {
  if (isEverything(filter) || kind === places['compaction']) return true
  if (filter.isQuiet && quiet.has(slot)) return true
  const calls = outline.calls[slot] ?? []
  if (filter.sorts.has('prompts') && promptKinds.has(kind)) return true
  if (filter.sorts.has('answers') && kind === places['answer'] && !quiet.has(slot)) return true
  if (filter.sorts.has('tools') && calls.length > 0) return true
  if (filter.sorts.has('errors') && (errors.has(slot) || kind === places['malformed'])) return true
  if (filter.sorts.has('errors') && calls.some(call => (call.errors ?? 0) > 0)) return true
  if (filter.sorts.has('subagents') && calls.some(call => call.thread !== undefined)) return true
  return calls.some(call => filter.tools.has(call.name))
}

const promptItems = new Set(['prompt', 'delegation', 'command', 'interruption'])

const unloggedText = /^thinking was (not logged by this version|redacted by the API)$/

/** Why thinking is not there; undefined where it is. */
export function whyUnlogged(item: ViewItem): string | undefined {
  const [first] = item.body
  if (item.kind !== 'thinking') return undefined
  return first?.type === 'text' ? unloggedText.exec(first.text)?.[1] : undefined
}

/** A slot may have an answer and its calls: each is shown for itself. `isRepeated`: of its slot, as in `repeatedSlots`. */
export function isShown(item: ViewItem, filter: Filter, isRepeated = false): boolean {
  if (item.kind === 'thinking' && (filter.hidesThinking || (isRepeated && whyUnlogged(item) !== undefined)))
    return false
  if (item.isQuiet && !filter.isQuiet && !foldedKinds.has(item.kind)) return false
  if (isEverything(filter) || item.kind === 'compaction') return true
  if (filter.isQuiet && item.isQuiet) return true
  if (filter.sorts.has('prompts') && promptItems.has(item.kind)) return true
  if (filter.sorts.has('answers') && item.kind === 'answer') return true
  if (filter.sorts.has('tools') && (item.kind === 'call' || item.kind === 'result')) return true
  if (filter.sorts.has('errors') && (item.kind === 'error' || item.kind === 'damaged' || item.status === 'failed'))
    return true
  if (filter.sorts.has('subagents') && item.body.some(part => part.type === 'thread')) return true
  const hasFailed = (part: ViewPart) => part.type === 'thread' && filter.failedThreads?.has(part.thread) === true
  if (filter.sorts.has('errors') && item.body.some(hasFailed)) return true
  return item.kind === 'call' && filter.tools.size > 0 && isOfTool(item, filter.tools)
}
const foldedKinds = new Set(['thinking', 'summary', 'answer'])

function isOfTool(item: ViewItem, tools: ReadonlySet<string>): boolean {
  const title = titleOf(item)
  for (const name of tools) if (name === title || mcpTitle(name) === title) return true
  return false
}

/** The part of a headline before two blanks: the tool's name. */
export function titleOf(item: ViewItem): string {
  const cut = item.headline.indexOf('  ')
  return cut === -1 ? item.headline : item.headline.slice(0, cut)
}

export function subjectOf(item: ViewItem): string {
  const cut = item.headline.indexOf('  ')
  return cut === -1 ? '' : item.headline.slice(cut + 2)
}

export interface ToolCount {
  name: string
  title: string
  count: number
}

/** The tools of a thread, the most used first. */
export function toolCounts(outline: Outline): ToolCount[] {
  const counts = new Map<string, number>()
  for (const calls of Object.values(outline.calls)) {
    for (const { name } of calls) counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return [...counts]
    .map(([name, count]) => ({ name, title: mcpTitle(name) ?? name, count }))
    .sort((a, b) => b.count - a.count || (a.title < b.title ? -1 : 1))
}

/** The first place of `sorted` whose value is not less than `value`. */
export function lowerBound(sorted: readonly number[], value: number): number {
  let from = 0
  let to = sorted.length
  while (from < to) {
    const middle = (from + to) >> 1
    if ((sorted[middle] ?? 0) < value) from = middle + 1
    else to = middle
  }
  return from
}

/** With one that was asked for, whatever the filters say. */
export function withSlot(slots: readonly number[], asked: number | undefined): readonly number[] {
  if (asked === undefined) return slots
  const at = lowerBound(slots, asked)
  return slots[at] === asked ? slots : [...slots.slice(0, at), asked, ...slots.slice(at)]
}

const labels: Record<Sort, string> = {
  prompts: 'Prompts',
  answers: 'Answers',
  tools: 'Tools',
  errors: 'Errors',
  subagents: 'Subagents',
}

export interface FilterBarProps {
  filter: Filter
  outline: Outline | undefined
  shown: number
  /** Of the whole session, as its head has them; absent on a subagent's thread. */
  counts?: SessionHead['counts']
  /** Everything besides filters. */
  tools: ReactNode
  /** Shown besides what `counts` counts. */
  inherited?: SessionHead['inherited']
  onChange(filter: Filter): void
}

export function FilterBar({ tools, ...props }: FilterBarProps) {
  const { filter, outline, shown, onChange } = props
  const isNarrow = useNarrow()
  const count = filter.sorts.size + filter.tools.size + (filter.isQuiet ? 1 : 0)
  return (
    <div className="filter-bar no-print" role="toolbar" aria-label="What is shown">
      {isNarrow ? (
        <Dropdown label={count === 0 ? 'Show…' : `Show: ${countText(count)}`} isPressed={count > 0}>
          <Chips {...props} />
        </Dropdown>
      ) : (
        <Chips {...props} />
      )}
      {isEverything(filter) ? null : (
        <button
          type="button"
          className="chip chip-clear"
          title="Prompts, answers, calls and other events of this thread that are shown, of all. Press to show all."
          onClick={() => onChange({ ...filter, sorts: new Set(), tools: new Set() })}
        >
          <Icon name="close" /> {countText(shown)} of {countOf(outline?.ids.length ?? 0, 'event')}
        </button>
      )}
      <span className="filter-gap" />
      <span className="filter-tools">{tools}</span>
    </div>
  )
}

/** What the count on a chip leaves out. */
function chipTitle(sort: Sort, { turns, calls } = { turns: 0, calls: 0 }): string | undefined {
  if (sort === 'prompts') return inheritedText({ turns, calls: 0 }) || undefined
  if (sort === 'tools') return inheritedText({ turns: 0, calls }) || undefined
  return undefined
}

function Chips({ filter, outline, counts, inherited, onChange }: Omit<FilterBarProps, 'tools'>) {
  const has = useMemo<Partial<Record<Sort, number>>>(
    () => (outline ? chipCounts(outline, counts) : {}),
    [outline, counts],
  )
  const toggle = (sort: Sort) => onChange({ ...filter, sorts: toggled(filter.sorts, sort) })
  return (
    <>
      {sorts.map(sort => (
        <button
          key={sort}
          type="button"
          className="chip"
          aria-pressed={filter.sorts.has(sort)}
          disabled={has[sort] === 0 && !filter.sorts.has(sort)}
          title={chipTitle(sort, inherited)}
          onClick={() => toggle(sort)}
        >
          {labels[sort]}
          {has[sort] ? <span className="chip-count">{tokensText(has[sort] ?? 0)}</span> : null}
        </button>
      ))}
      {outline && has.tools !== 0 ? <ToolChoice filter={filter} outline={outline} onChange={onChange} /> : null}
      <button
        type="button"
        className="chip"
        aria-pressed={filter.isQuiet}
        title="Hooks, notices, attachments and checkpoints that Claude Code wrote down"
        onClick={() => onChange({ ...filter, isQuiet: !filter.isQuiet })}
      >
        System
      </button>
    </>
  )
}

/**
 * The head's own counts on the main thread, so that one page says one number; else those of the thread. A sort that is shown,
 * and of which the session has none itself, has no count.
 */
export function chipCounts(outline: Outline, counts?: SessionHead['counts']): Partial<Record<Sort, number>> {
  let subagents = 0
  let tools = 0
  for (const calls of Object.values(outline.calls)) {
    tools += calls.length
    for (const call of calls) if (call.thread !== undefined) subagents++
  }
  const errors = outline.errors.length
  if (counts === undefined) return { prompts: Object.keys(outline.prompts).length, tools, errors, subagents }
  const own = { prompts: counts.prompts, tools: counts.calls, errors: counts.errors, subagents: counts.subagents }
  const shown = { prompts: outline.kinds.filter(kind => promptKinds.has(kind)).length, tools, errors, subagents }
  // What is shown may be a command, which is no prompt, or inherited, which counts for another session.
  return Object.fromEntries(
    Object.entries(own).filter(([sort, count]) => count > 0 || !shown[sort as keyof typeof shown]),
  )
}

function toggled<T>(set: ReadonlySet<T>, value: T): Set<T> {
  const next = new Set(set)
  if (!next.delete(value)) next.add(value)
  return next
}

interface ToolChoiceProps {
  filter: Filter
  outline: Outline
  onChange(filter: Filter): void
}

function ToolChoice({ filter, outline, onChange }: ToolChoiceProps) {
  const tools = useMemo<ToolCount[]>(() => toolCounts(outline), [outline])
  const label = filter.tools.size === 0 ? 'One tool…' : [...filter.tools].map(visibleLine).join(', ').slice(0, 30)
  return (
    <Dropdown label={label} isPressed={filter.tools.size > 0}>
      <fieldset className="tool-list">
        <legend className="unseen">Tools</legend>
        {tools.map(({ name, title, count }) => (
          <label key={name}>
            <input
              type="checkbox"
              checked={filter.tools.has(name)}
              onChange={() => onChange({ ...filter, tools: toggled(filter.tools, name) })}
            />
            <span>{visibleLine(title)}</span>
            <span className="chip-count">{countText(count)}</span>
          </label>
        ))}
      </fieldset>
    </Dropdown>
  )
}
