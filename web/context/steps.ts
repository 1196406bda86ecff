// The answers of a session with the size of the context at each: what one moves along on the Context screen.

import type { Outline, SessionHead } from '../../src/view/reading.ts'

export interface Step {
  slot: number
  event: string
  tokens: number
  turn: number
  at: number | null
  /** The context was made smaller between the answer before and this one. */
  isAfterCompaction: boolean
}

/** Answers of the path that is current; those of a path that was left had another window. */
export function stepsOf(outline: Outline, compactions: SessionHead['compactions']): Step[] {
  const cut = new Set(compactions.filter(({ thread }) => thread === outline.thread).map(({ event }) => event))
  const steps: Step[] = []
  let isCut = false
  outline.ids.forEach((event, slot) => {
    isCut ||= cut.has(event)
    const tokens = outline.context[slot]
    if (tokens === undefined || outline.branches[slot] !== undefined) return
    const { [slot]: turn = -1 } = outline.turns
    steps.push({ slot, event, tokens, turn, at: outline.at[slot] ?? null, isAfterCompaction: isCut })
    isCut = false
  })
  return steps
}

/** The last step that is not after a slot; the first one where all are. */
export function stepAtSlot(steps: readonly Step[], slot: number): number {
  let from = 0
  let to = steps.length
  while (from < to) {
    const middle = (from + to) >> 1
    if ((steps[middle] as Step).slot <= slot) from = middle + 1
    else to = middle
  }
  return Math.max(0, from - 1)
}

/** The first step of the turn after or before that of step `at`. */
export function stepOfTurn(steps: readonly Step[], at: number, direction: 1 | -1): number {
  const turn = steps[at]?.turn
  if (direction > 0) {
    const next = steps.findIndex((step, place) => place > at && step.turn !== turn)
    return next < 0 ? steps.length - 1 : next
  }
  const isFirst = at === 0 || steps[at - 1]?.turn !== turn
  const wanted = isFirst ? steps[at - 1]?.turn : turn
  const found = steps.findIndex(step => step.turn === wanted)
  return Math.max(0, found)
}

/** The prompt that a step answers. */
export function promptOf(outline: Outline, step: Step): string | undefined {
  for (let slot = step.slot; slot >= 0; slot--) {
    const prompt = outline.prompts[slot]
    if (prompt !== undefined) return prompt
  }
  return undefined
}
