// The items of one slot, and the thread of a subagent inside the call that started it.

import { type CSSProperties, memo, useEffect, useMemo, useState, useSyncExternalStore } from 'react'
import { countOf, countText, durationText } from '../../../src/base/format.ts'
import { visibleLine } from '../../../src/render/safe-text.ts'
import type { TurnFacts } from '../../../src/view/reading.ts'
import type { ThreadPart, ViewItem } from '../../../src/view/view.ts'
import { keyed } from '../../parts/facts.tsx'
import { Icon } from '../../parts/icon.tsx'
import { agentHue } from '../../parts/tool-kind.ts'
import { useItems, useOutline, useStore } from '../../reader.ts'
import { Link } from '../../route.ts'
import type { SessionStore } from '../../store.ts'
import { callsText } from '../../thread/words.ts'
import { type Filter, isShown, lowerBound, readFilter, repeatedSlots, visibleSlots, withSlot } from '../filter.tsx'
import { usePreferences } from '../preferences.ts'
import { itemKey, lastSpoken, type NestedProps, useAround } from '../state.ts'
import { Item } from './item.tsx'

const firstSlots = 24
const step = 60
/** Of the place of steps that are on their way, in pixels. */
const waitingHeight = 28
const everything = readFilter('')
const withoutThinking: Filter = { ...everything, hidesThinking: true }
const none: ReadonlySet<number> = new Set()

export function NestedThread({ part, path }: NestedProps) {
  const { head, open } = useAround()
  const { value: outline, error } = useOutline(part.thread)
  const items = useItems(part.thread)
  const store = useStore()
  const asked = useSyncExternalStore(open.subscribe, () => open.askedIn(path))
  const { thinking } = usePreferences()
  const filter = thinking ? everything : withoutThinking
  const slots = useMemo(() => (outline ? withSlot(visibleSlots(outline, filter), asked) : []), [outline, asked, filter])
  const repeated = useMemo(() => (outline ? repeatedSlots(outline) : none), [outline])
  const end = outline ? lastSpoken(outline) : 0
  const { from, to, showBefore, showAfter } = useRange(slots, asked)
  const shown = slots.slice(from, to)
  const first = shown[0]
  const last = shown.at(-1)
  useEffect(() => {
    if (first !== undefined && last !== undefined) store.want(part.thread, first, last + 1)
  }, [store, part.thread, first, last])
  const hue = agentHue(head, part.thread)
  const style = { '--hue': hue === 0 ? 'var(--agent)' : `var(--agent-${hue})` } as CSSProperties
  return (
    <section className="nested" style={style} data-inferred={isInferred(part.linkedBy)} aria-label={nameOf(part)}>
      <NestedHead part={part} />
      {error ? <p className="text-note">This thread could not be read: {error.message}</p> : null}
      {outline || error ? null : <div className="waiting" style={{ height: waitingHeight }} aria-hidden="true" />}
      {from > 0 ? (
        <button type="button" className="more" onClick={showBefore}>
          Show {countOf(Math.min(step, from), 'earlier step')} of {countText(slots.length)}
        </button>
      ) : null}
      {shown.map(slot => (
        <SlotItems
          key={slot}
          thread={part.thread}
          slot={slot}
          items={items.get(slot)}
          path={path}
          filter={filter}
          isRepeated={repeated.has(slot)}
          isLast={slot >= end}
        />
      ))}
      {to < slots.length ? (
        <button type="button" className="more" onClick={showAfter}>
          Show {countOf(Math.min(step, slots.length - to), 'more step')} of {countText(slots.length)}
        </button>
      ) : null}
    </section>
  )
}

/** The part of a thread that is shown: its beginning, until somebody asks for more, or for a slot that is not in it. */
function useRange(slots: readonly number[], asked: number | undefined) {
  const [range, setRange] = useState({ from: 0, to: firstSlots })
  const [known, setKnown] = useState<number>()
  const wanted = asked === undefined ? -1 : lowerBound(slots, asked)
  if (asked !== known && slots.length > 0) {
    setKnown(asked)
    if (wanted >= 0 && (wanted < range.from || wanted >= range.to)) {
      setRange({ from: Math.max(0, wanted - firstSlots / 2), to: wanted + firstSlots / 2 })
    }
  }
  const end = slots.length <= range.to * 1.2 ? slots.length : Math.min(range.to, slots.length)
  return {
    from: range.from,
    to: end,
    showBefore: () => setRange({ ...range, from: Math.max(0, range.from - step) }),
    showAfter: () => setRange({ ...range, to: end + step }),
  }
}

function nameOf(part: ThreadPart): string {
  return `Subagent ${visibleLine(part.agentType ?? '')}`.trimEnd()
}

/** Links that are a conclusion, not stated by the log. */
function isInferred(linkedBy: string | undefined): boolean {
  return linkedBy === undefined || linkedBy === 'prompt' || linkedBy === 'parent'
}

function NestedHead({ part }: { part: ThreadPart }) {
  const { head, session } = useAround()
  const thread = head?.threads.find(one => one.id === part.thread)
  const from = thread?.startedAt ? Date.parse(thread.startedAt) : Number.NaN
  const to = thread?.endedAt ? Date.parse(thread.endedAt) : Number.NaN
  return (
    <p className="nested-head">
      <Icon name="agent" />
      <b>{visibleLine(part.agentType ?? thread?.agentType ?? 'subagent')}</b>
      {thread ? <span>{callsText(thread)}</span> : null}
      {to > from ? <span>{durationText(to - from)}</span> : null}
      {isInferred(part.linkedBy) ? (
        <span title="The log does not say which call started it">
          {part.linkedBy === undefined ? 'not linked by the log' : `linked by its ${part.linkedBy}`}
        </span>
      ) : null}
      <Link route={{ screen: 'transcript', session, query: { thread: part.thread } }}>Open as its own thread</Link>
    </p>
  )
}

export interface SlotItemsProps {
  thread: string
  slot: number
  items: readonly ViewItem[] | undefined
  /** The key of the thread: empty for the one on screen. */
  path: string
  filter: Filter
  /** Thinking that is not in the log was said before in its turn. */
  isRepeated: boolean
  /** No one spoke after it. */
  isLast: boolean
  turn?: TurnFacts | undefined
  /** How high the place is meanwhile. */
  height?: number
}

export const SlotItems = memo(function SlotItems(props: SlotItemsProps) {
  const { thread, slot, items, path, filter, isRepeated, isLast, turn, height = waitingHeight } = props
  const { head, spots } = useAround()
  const store = useStore()
  // What was asked for is shown, whatever the filters say.
  const marked = useSyncExternalStore(spots.subscribe, () => markedIn(spots.marked, `${path}${slot}.`))
  if (!items) return <div className="waiting" style={{ height }} aria-hidden="true" />
  const isLive = head?.isLive === true
  return keyed(items).map(({ key, value }, n) =>
    isShown(value, filter, isRepeated) || isAround(itemKey(path, slot, n), marked) ? (
      <Item
        key={key}
        item={value}
        itemKey={itemKey(path, slot, n)}
        slot={slot}
        n={n}
        isLive={isLive}
        isLast={isLast}
        before={callAbove(store, thread, slot, n)}
        turn={n === 0 ? turn : undefined}
        mediaFrom={mediaBefore(items, n)}
      />
    ) : null,
  )
})

/** Slots in which the call above is looked for. */
const mostAbove = 3

/** The call that a reader sees above an item. */
function callAbove(store: SessionStore, thread: string, slot: number, n: number): ViewItem | undefined {
  for (let at = slot; at > slot - mostAbove; at--) {
    const items = store.itemsOf(thread, at) ?? []
    const found = items.slice(0, at === slot ? n : undefined).findLast(item => item.kind !== 'thinking')
    if (found) return found.kind === 'call' ? found : undefined
  }
  return undefined
}

/** The marked item where it is in this slot. */
function markedIn(marked: string | undefined, start: string): string | undefined {
  return marked?.startsWith(start) ? marked : undefined
}

function isAround(key: string, marked: string | undefined): boolean {
  return marked === key || marked?.startsWith(`${key}/`) === true
}

/** Media are counted through an event, which may show several items. */
function mediaBefore(items: readonly ViewItem[], n: number): number {
  const id = items[n]?.id
  let count = 0
  for (const item of items.slice(0, n)) {
    if (item.id === id) count += item.body.filter(part => part.type === 'media').length
  }
  return count
}
