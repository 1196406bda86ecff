// Turns as stretches of time, each with what was done in it: bands of the map, and rows of the table that says the same in
// words.

import type { Outline } from '../../src/view/reading.ts'
import { turnStarts } from '../thread/turn-starts.ts'
import type { MapLane, Turn } from './model.ts'

type TurnLane = Pick<MapLane, 'outline' | 'at' | 'to'>

export function turnsOf({ outline, at, to }: TurnLane, times: Float64Array | undefined): Turn[] {
  if (!outline || !times) return []
  const turns: Turn[] = []
  const starts = turnStarts(outline)
  let turn: Turn | undefined
  for (let slot = 0; slot < outline.ids.length; slot++) {
    const here = at[slot] ?? 0
    if (starts.has(slot)) {
      turn = newTurn(outline, slot, here, turns.length, times[slot] ?? 0)
      turns.push(turn)
    }
    if (turn) addSlot(turn, outline, slot, times[slot] ?? 0)
  }
  turns.forEach((one, place) => {
    const next = turns[place + 1]
    one.to = Math.max(one.from, next?.from ?? to)
  })
  return turns
}

function newTurn(outline: Outline, slot: number, from: number, place: number, startedAt: number): Turn {
  return {
    index: (outline.turns[slot] ?? -1) < 0 ? place : (outline.turns[slot] ?? place),
    slot,
    event: outline.ids[slot] ?? '',
    headline: outline.prompts[slot] ?? '',
    from,
    to: from,
    startedAt,
    endedAt: startedAt,
    calls: 0,
    failed: 0,
    subagents: 0,
    isLeft: outline.branches[slot] !== undefined,
  }
}

function addSlot(turn: Turn, outline: Outline, slot: number, at: number): void {
  turn.endedAt = Math.max(turn.endedAt, at)
  const tokens = outline.context[slot]
  if (tokens !== undefined) turn.tokens = Math.max(turn.tokens ?? 0, tokens)
  const calls = outline.calls[slot]
  if (!calls) return
  for (const call of calls) {
    turn.calls++
    if (call.status === 'failed') turn.failed++
    if (call.thread !== undefined) turn.subagents++
    turn.endedAt = Math.max(turn.endedAt, at + (call.durationMs ?? 0))
  }
}
