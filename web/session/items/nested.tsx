// A subagent's thread inside the call that started it: its first slots, more on request, and the way to it as a thread of
// its own. Nested ones nest further when they are opened.

import { type CSSProperties, useEffect, useMemo, useState } from 'react'
import { visibleLine } from '../../../src/render/safe-text.ts'
import type { ThreadPart } from '../../../src/view/view.ts'
import { countOf, durationText } from '../../../src/view/words.ts'
import { agentHue } from '../../parts/agent-hue.ts'
import { Icon } from '../../parts/icon.tsx'
import { useItems, useOutline, useStore } from '../../reader.ts'
import { Link } from '../../route.ts'
import { readFilter, visibleSlots } from '../filter.ts'
import { type NestedProps, useAround } from '../state.ts'
import { SlotItems } from './slot.tsx'

const firstSlots = 24
const step = 60
const everything = readFilter('')

export function NestedThread({ part, path }: NestedProps) {
  const { head } = useAround()
  const { value: outline, error } = useOutline(part.thread)
  const items = useItems(part.thread)
  const store = useStore()
  const [count, setCount] = useState(firstSlots)
  const slots = useMemo(() => (outline ? visibleSlots(outline, everything) : []), [outline])
  const shown = slots.length <= count * 1.2 ? slots : slots.slice(0, count)
  const last = shown.at(-1)
  useEffect(() => {
    if (last !== undefined) store.want(part.thread, 0, last + 1)
  }, [store, part.thread, last])
  const hue = agentHue(head, part.thread)
  const style = { '--hue': hue === 0 ? 'var(--agent)' : `var(--agent-${hue})` } as CSSProperties
  return (
    <section className="nested" style={style} data-inferred={isInferred(part.linkedBy)} aria-label={nameOf(part)}>
      <NestedHead part={part} />
      {error ? <p className="text-note">This thread could not be read: {error.message}</p> : null}
      {shown.map(slot => (
        <SlotItems
          key={slot}
          thread={part.thread}
          slot={slot}
          items={items.get(slot)}
          path={path}
          filter={everything}
        />
      ))}
      {shown.length < slots.length ? (
        <button type="button" className="more" onClick={() => setCount(shown.length + step)}>
          Show {countOf(Math.min(step, slots.length - shown.length), 'more step')} of{' '}
          {slots.length.toLocaleString('en-US')}
        </button>
      ) : null}
    </section>
  )
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
      {thread ? <span>{countOf(thread.calls, 'call')}</span> : null}
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
