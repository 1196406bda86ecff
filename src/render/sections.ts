// Divides a session's items into turns and counts them, for headings and the index. It changes no item.

import type { ViewItem } from '../view/view.ts'
import { isFailure } from './words.ts'

/** What belongs together under one heading: a turn, or what stands before the first. */
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

export interface Counts {
  turns: number
  calls: number
  failed: number
  subagents: number
  compactions: number
}

/** Counts everything, subagents' threads included. */
export function countItems(items: readonly ViewItem[], sections: readonly Section[]): Counts {
  const turns = sections.filter(section => section.turn !== undefined).length
  const counts: Counts = { turns, calls: 0, failed: 0, subagents: 0, compactions: 0 }
  const stack: (readonly ViewItem[])[] = [items]
  for (let level = stack.pop(); level !== undefined; level = stack.pop()) {
    for (const item of level) {
      if (item.kind === 'call') counts.calls++
      if (item.kind === 'call' && isFailure(item)) counts.failed++
      if (item.kind === 'compaction') counts.compactions++
      for (const part of item.body) {
        if (part.type !== 'thread') continue
        counts.subagents++
        stack.push(part.items)
      }
    }
  }
  return counts
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
