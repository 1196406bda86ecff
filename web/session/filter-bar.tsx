// What of the session is shown: sorts as switches, tools by name, quiet things. All of it is in the address.

import { useEffect, useMemo, useRef, useState } from 'react'
import { visibleLine } from '../../src/render/safe-text.ts'
import type { Outline } from '../../src/view/reading.ts'
import { Icon } from '../parts/icon.tsx'
import { tokensText } from '../shell/names.ts'
import { type Filter, isEverything, type Sort, sorts, type ToolCount, toolCounts } from './filter.ts'

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
  onChange(filter: Filter): void
  onFind(): void
  onInspect(): void
}

export function FilterBar({ filter, outline, shown, onChange, onFind, onInspect }: FilterBarProps) {
  const has = useMemo<Partial<Record<Sort, number>>>(() => (outline ? countsOf(outline) : {}), [outline])
  const toggle = (sort: Sort) => onChange({ ...filter, sorts: toggled(filter.sorts, sort) })
  return (
    <div className="filter-bar no-print" role="toolbar" aria-label="What is shown">
      {sorts.map(sort => (
        <button
          key={sort}
          type="button"
          className="chip"
          aria-pressed={filter.sorts.has(sort)}
          disabled={has[sort] === 0 && !filter.sorts.has(sort)}
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
        title="Hooks, notices, attachments, checkpoints"
        onClick={() => onChange({ ...filter, isQuiet: !filter.isQuiet })}
      >
        Quiet
      </button>
      {isEverything(filter) ? null : (
        <button
          type="button"
          className="chip chip-clear"
          onClick={() => onChange({ ...filter, sorts: new Set(), tools: new Set() })}
        >
          <Icon name="close" /> {shown.toLocaleString('en-US')} of {(outline?.ids.length ?? 0).toLocaleString('en-US')}
        </button>
      )}
      <span className="filter-gap" />
      <span className="filter-tools">
        <button type="button" className="tool-button" title="Find in this session (f)" onClick={onFind}>
          <Icon name="search" /> <span>Find</span>
        </button>
        <button type="button" className="tool-button inspect-button" title="About this event (i)" onClick={onInspect}>
          <Icon name="info" /> <span>Details</span>
        </button>
      </span>
    </div>
  )
}

function countsOf(outline: Outline): Partial<Record<Sort, number>> {
  let subagents = 0
  let tools = 0
  for (const calls of Object.values(outline.calls)) {
    tools += calls.length
    for (const call of calls) if (call.thread !== undefined) subagents++
  }
  return { prompts: Object.keys(outline.prompts).length, tools, errors: outline.errors.length, subagents }
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
  const [isOpen, setOpen] = useState(false)
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (!isOpen) return
    const close = (event: Event) => {
      if (!(event.target instanceof Node) || !place.current?.contains(event.target)) setOpen(false)
    }
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return
      event.stopPropagation()
      setOpen(false)
      place.current?.querySelector('button')?.focus()
    }
    const holder = place.current
    document.addEventListener('pointerdown', close)
    holder?.addEventListener('keydown', onKey)
    return () => {
      document.removeEventListener('pointerdown', close)
      holder?.removeEventListener('keydown', onKey)
    }
  }, [isOpen])
  const tools = useMemo<ToolCount[]>(() => (isOpen ? toolCounts(outline) : []), [isOpen, outline])
  return (
    <div className="tool-choice" ref={place}>
      <button
        type="button"
        className="chip"
        aria-expanded={isOpen}
        aria-pressed={filter.tools.size > 0}
        onClick={() => setOpen(!isOpen)}
      >
        {filter.tools.size === 0 ? 'Tool…' : [...filter.tools].map(visibleLine).join(', ').slice(0, 30)}
      </button>
      {isOpen ? (
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
              <span className="chip-count">{count.toLocaleString('en-US')}</span>
            </label>
          ))}
        </fieldset>
      ) : null}
    </div>
  )
}
