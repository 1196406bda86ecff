// The inspector: context, to-do list, files, cost, and the selected event, as of the place on screen.

import { useEffect, useMemo, useState } from 'react'
import { countText, moneyText } from '../../src/base/format.ts'
import type { Instant } from '../../src/base/instant.ts'
import { relativePath } from '../../src/base/relative-path.ts'
import { visibleLine } from '../../src/render/safe-text.ts'
import type { ContextAt, FileTouched, HeadUsage, Outline, SessionHead } from '../../src/view/reading.ts'
import type { CheckListPart, ViewItem } from '../../src/view/view.ts'
import { certaintyMarks, certaintyOf, purposeName } from '../../src/view/words.ts'
import { colourOf, nameOf } from '../context/steps.ts'
import { askNewSession, forkAt } from '../new-session/ask.ts'
import { CopyButton } from '../parts/copy.tsx'
import { CheckList, keyed } from '../parts/facts.tsx'
import { Icon } from '../parts/icon.tsx'
import { toolKind } from '../parts/tool-kind.ts'
import { useAsync, useItems, useOutline, useReader, useStore } from '../reader.ts'
import { Link } from '../route.ts'
import { clockWithSeconds, longWhen, tokensText } from '../shell/format.ts'
import { titleOf } from './filter.tsx'
import { pathHalves } from './items/call-line.ts'
import { useAround } from './state.ts'

export interface InspectorProps {
  head: SessionHead
  session: string
  thread: string
  /** What is looked at; absent: the end. */
  item: ViewItem | undefined
  /** The slot up to which things count. */
  slot: number | undefined
}

export function Inspector({ head, session, thread, item, slot }: InspectorProps) {
  return (
    <>
      <ContextNow event={item?.id ?? null} session={session} version={head.counts.events} />
      <Todos thread={thread} slot={slot} />
      <FilesTouched session={session} project={head.project.key} version={head.counts.events} />
      <Cost head={head} />
      {item ? <EventFacts item={item} /> : null}
    </>
  )
}

function Todos({ thread, slot }: { thread: string; slot: number | undefined }) {
  const todos = useTodos(thread, slot)
  if (todos.length === 0) return null
  const done = todos.filter(todo => todo.state === 'done').length
  return (
    <section>
      <h2>
        {slot === undefined ? 'To-do at the end' : 'To-do here'}{' '}
        <span className="inspect-count">
          {done} of {todos.length}
        </span>
      </h2>
      <CheckList items={todos} />
    </section>
  )
}

/** What is written before the output and the cost. */
function marksOf({ isOutputFinal, unknownModels }: HeadUsage): { output: string; cost: string } {
  const { output, cost } = certaintyOf({ isPartial: !isOutputFinal, isUnpriced: unknownModels.length > 0 })
  return { output: certaintyMarks[output], cost: certaintyMarks[cost] }
}

function Cost({ head }: { head: SessionHead }) {
  const { usage, withInherited, counts } = head
  const isNothing = usage.outputTokens + usage.inputTokens + usage.cacheReadTokens === 0
  if (isNothing && withInherited === undefined) return null
  const marks = marksOf(usage)
  const output = `${marks.output}${countText(usage.outputTokens)}`
  return (
    <section>
      <h2>Cost</h2>
      <dl className="inspect-rows">
        {usage.costUSD === undefined ? null : (
          <div>
            <dt>This session</dt>
            <dd>
              {marks.cost}
              {moneyText(usage.costUSD)}
            </dd>
          </div>
        )}
        {(usage.ownAgentsUSD ?? []).map(({ purpose, costUSD }) => (
          <div key={purpose} title="Claude Code asked for this by itself.">
            <dt>By {purposeName(purpose)}</dt>
            <dd>
              {marks.cost}
              {moneyText(costUSD)}
            </dd>
          </div>
        ))}
        {usage.subagentsUSD === undefined || counts.subagents === 0 ? null : (
          <div>
            <dt>By {counts.subagents === 1 ? 'one subagent' : `${counts.subagents} subagents`}</dt>
            <dd>
              {marks.cost}
              {moneyText(usage.subagentsUSD)}
            </dd>
          </div>
        )}
        {withInherited?.costUSD === undefined ? null : (
          <div title="Of messages that another session sent, this one has copies: they are counted there.">
            <dt>With inherited history</dt>
            <dd>
              {marksOf(withInherited).cost}
              {moneyText(withInherited.costUSD)}
            </dd>
          </div>
        )}
        <div>
          <dt>Output</dt>
          <dd>{output} tok</dd>
        </div>
        <div>
          <dt>Read from cache</dt>
          <dd>{tokensText(usage.cacheReadTokens)} tok</dd>
        </div>
      </dl>
      {usage.unknownModels.length > 0 ? (
        <p className="text-note">No price is known for {usage.unknownModels.join(', ')}.</p>
      ) : null}
    </section>
  )
}

/** Moving through the session asks only where the reader stays. */
const stayMs = 350

export interface ContextNowProps {
  event: string | null
  session: string
  /** Changes while the session grows. */
  version: number
}

export function ContextNow({ event, session, version }: ContextNowProps) {
  const reader = useReader()
  const [{ event: asked, version: known }, setAsked] = useState({ event, version })
  useEffect(() => {
    // What was in the window at an event does not change.
    if (event === asked && (event !== null || version === known)) return
    const timer = setTimeout(() => setAsked({ event, version }), stayMs)
    return () => clearTimeout(timer)
  }, [event, version, asked, known])
  const { value, error } = useAsync(() => reader.contextAt(asked), [reader, asked, known])
  const [last, setLast] = useState<ContextAt>()
  useEffect(() => {
    if (value) setLast(value)
  }, [value])
  const context = value ?? last
  return (
    <section>
      <h2>
        <Link route={{ screen: 'context', session, query: event === null ? {} : { event } }}>
          {asked === null ? 'Context at the end' : 'Context here'}
        </Link>
      </h2>
      {context ? <ContextBar context={context} /> : <p className="text-note">{error?.message ?? ' '}</p>}
    </section>
  )
}

interface Sort {
  name: string
  colour: string
  tokens: number
}

function ContextBar({ context }: { context: ContextAt }) {
  const sorts = foldedSorts(sortsOf(context))
  const about = context.isEstimated ? '≈ ' : ''
  return (
    <>
      <div className="context-bar" aria-hidden="true">
        {sorts.map(sort => (
          <span
            key={sort.name}
            style={{ width: `${(sort.tokens / Math.max(1, context.tokens)) * 100}%`, background: sort.colour }}
          />
        ))}
      </div>
      <dl className="inspect-rows">
        {sorts.map(sort => (
          <div key={sort.name}>
            <dt>
              <span className="swatch" style={{ background: sort.colour }} />
              {sort.name}
            </dt>
            <dd>
              {about}
              {tokensText(sort.tokens)}
            </dd>
          </div>
        ))}
        <div className="in-all">
          <dt>Total</dt>
          <dd>
            {about}
            {tokensText(context.tokens)}
            {context.window === undefined ? '' : ` of ${tokensText(context.window)}`}
          </dd>
        </div>
      </dl>
    </>
  )
}

/** More than these share a row, so that the rows add up to the total. */
const mostSorts = 6

function foldedSorts(sorts: Sort[]): Sort[] {
  if (sorts.length <= mostSorts) return sorts
  const tokens = sorts.slice(mostSorts - 1).reduce((sum, sort) => sum + sort.tokens, 0)
  return [...sorts.slice(0, mostSorts - 1), { name: 'Other', colour: 'var(--hair)', tokens }]
}

const outputs: Readonly<Record<string, [name: string, colour: string]>> = {
  file: ['Files read', 'var(--file)'],
  shell: ['Shell output', 'var(--shell)'],
  web: ['Web pages', 'var(--web)'],
  agent: ['Subagents’ answers', 'var(--agent)'],
}

function sortsOf(context: ContextAt): Sort[] {
  const sums = new Map<string, Sort>()
  for (const part of context.parts) {
    const output =
      part.kind === 'output' ? (outputs[toolKind(part.tool ?? '')] ?? ['Other output', 'var(--agent-6)']) : undefined
    const [name, colour] = output ?? [nameOf(part.kind), colourOf(part.kind)]
    const sort = sums.get(name)
    if (sort) sort.tokens += part.tokens
    else sums.set(name, { name, colour, tokens: part.tokens })
  }
  return [...sums.values()].filter(sort => sort.tokens > 0).sort((a, b) => b.tokens - a.tokens)
}

const mostFiles = 9

export interface FilesTouchedProps {
  session: string
  project: string
  /** Changes when there may be more. */
  version: number
}

export function FilesTouched({ session, project, version }: FilesTouchedProps) {
  const reader = useReader()
  const { value: files } = useAsync(() => reader.files(), [reader, version])
  if (!files || files.length === 0) return null
  const sorted = files
    .map((file, at) => ({ file, at }))
    .sort((a, b) => weightOf(b.file) - weightOf(a.file))
    .slice(0, mostFiles)
  return (
    <section>
      <h2>
        <Link route={{ screen: 'files', session, query: {} }}>Files</Link>{' '}
        <span className="inspect-count">{countText(files.length)}</span>
      </h2>
      <ul className="inspect-files">
        {sorted.map(({ file, at }) => (
          <li key={file.path}>
            <Link route={{ screen: 'files', session, query: { file: String(at) } }} title={file.path}>
              <PathName path={relativePath(file.path, project)} />
            </Link>
            <Changes file={file} />
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Where there is no space, the folder is cut first. */
function PathName({ path }: { path: string }) {
  const [start, end] = pathHalves(path)
  return (
    <>
      {start === '' ? null : <span className="path-start">{visibleLine(start)}</span>}
      <span className="path-end">{visibleLine(end)}</span>
    </>
  )
}

function Changes({ file }: { file: FileTouched }) {
  if (file.added + file.removed === 0) return <span className="faint">read</span>
  return (
    <span className="mono">
      <span className="mark-good">+{file.added}</span> <span className="mark-bad">−{file.removed}</span>
    </span>
  )
}

function weightOf(file: FileTouched): number {
  return (file.added + file.removed) * 1000 + file.steps.length
}

export function EventFacts({ item }: { item: ViewItem }) {
  const { session, head, showRaw } = useAround()
  const fork = forkAt(item, session, head)
  return (
    <section>
      <h2>This event</h2>
      <dl className="inspect-rows">
        <div>
          <dt>{visibleLine(titleOf(item))}</dt>
          <dd>{item.status ?? item.actor}</dd>
        </div>
        <div>
          <dt>When</dt>
          <dd title={longWhen(item.at)}>{whenIn(head, item.at)}</dd>
        </div>
        {keyed(item.body.flatMap(part => (part.type === 'facts' && part.isFolded ? part.facts : []))).map(
          ({ key, value: fact }) => (
            <div key={key}>
              <dt>{visibleLine(fact.name)}</dt>
              <dd>{visibleLine(fact.value)}</dd>
            </div>
          ),
        )}
        <div>
          <dt>Id</dt>
          <dd className="event-id" title={item.id}>
            {visibleLine(item.id)}
          </dd>
        </div>
      </dl>
      <p className="raw-tools">
        <button type="button" className="tool-button" onClick={() => showRaw(item.id)}>
          <Icon name="raw" /> <span>Raw record</span>
        </button>
        <CopyButton text={() => item.id} what="event id" label="Copy id" />
        {fork === undefined ? null : (
          <button type="button" className="tool-button" onClick={() => askNewSession(fork)}>
            <Icon name="branch" /> <span>Fork from here</span>
          </button>
        )}
      </p>
    </section>
  )
}

/** The day is said where it is not that on which the session began. */
export function whenIn(head: SessionHead | undefined, at: Instant): string {
  if (at === null) return longWhen(at)
  const date = new Date(at)
  const isSameDay = head?.startedAt != null && new Date(head.startedAt).toDateString() === date.toDateString()
  return isSameDay ? clockWithSeconds(date) : longWhen(at)
}

export type Todo = CheckListPart['items'][number]

const wholeTools = new Set(['TodoWrite', 'TodoRead', 'TaskList'])
const singleTools = new Set(['TaskCreate', 'TaskUpdate'])
/** Single tasks further back are not looked for. */
const mostSlots = 40

export function useTodos(thread: string, slot: number | undefined): Todo[] {
  const { value: outline } = useOutline(thread)
  const store = useStore()
  const items = useItems(thread)
  const slots = useMemo(() => (outline ? listSlots(outline, slot ?? outline.ids.length) : []), [outline, slot])
  const wanted = slots.join(' ')
  useEffect(() => {
    for (const one of wanted.split(' ')) if (one !== '') store.want(thread, Number(one), Number(one) + 1)
  }, [store, thread, wanted])
  return joined(slots.map(one => items.get(one) ?? []))
}

/** The last whole list before a slot, and the single tasks behind it. */
function listSlots(outline: Outline, before: number): number[] {
  const found: number[] = []
  for (const slot of callSlots(outline)) {
    if (slot > before) continue
    const names = outline.calls[slot]?.map(call => call.name) ?? []
    if (names.some(name => singleTools.has(name))) found.push(slot)
    if (names.some(name => wholeTools.has(name))) {
      if (!found.includes(slot)) found.push(slot)
      break
    }
    if (found.length >= mostSlots) break
  }
  return found.reverse()
}

const known = new WeakMap<Outline, number[]>()

/** Slots that may change a list, the last first. */
function callSlots(outline: Outline): number[] {
  let slots = known.get(outline)
  if (!slots) {
    slots = []
    for (const [slot, calls] of Object.entries(outline.calls)) {
      if (calls.some(({ name }) => wholeTools.has(name) || singleTools.has(name))) slots.push(Number(slot))
    }
    slots.reverse()
    known.set(outline, slots)
  }
  return slots
}

function joined(slots: readonly (readonly ViewItem[])[]): Todo[] {
  let todos = new Map<string, Todo>()
  for (const item of slots.flat()) {
    const list = item.body.find(part => part.type === 'checklist')
    if (item.kind !== 'call' || !list || !/^(Todo|Task)/.test(item.headline)) continue
    if (!/^Task(Create|Update)/.test(item.headline)) todos = new Map()
    for (const todo of list.items) todos.set(todo.text, todo)
  }
  return [...todos.values()].filter(todo => todo.state !== 'dropped')
}
