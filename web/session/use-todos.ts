// The list of things to do as it stood at a place of the thread: the last one that was written as a whole, or the single
// tasks up to there put together.

import { useEffect, useMemo } from 'react'
import type { Outline } from '../../src/view/reading.ts'
import type { CheckListPart, ViewItem } from '../../src/view/view.ts'
import { useItems, useOutline, useStore } from '../reader.ts'

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
