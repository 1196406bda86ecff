// What is under the pointer or the cursor of the map, in words, and the stops of that cursor.

import { countOf, countText, durationText } from '../../src/base/format.ts'
import type { SessionHead } from '../../src/view/reading.ts'
import { inheritedText } from '../../src/view/words.ts'
import { longWhen, tokensText } from '../shell/format.ts'
import { turnStarts } from '../thread/model.ts'
import { agentWords, callEnd, callsText, callText, instantOf, type PlaceWords, slotWords } from '../thread/words.ts'
import { toReal } from './fold.ts'
import type { Hit } from './gestures.ts'
import type { MapLane, MapScene, Turn } from './model.ts'
import { clockOf } from './ticks.tsx'
import type { View } from './view.ts'

export function hitWords(head: SessionHead, scene: MapScene, hit: Hit): PlaceWords {
  if (hit.type === 'fold') return foldWords(hit.fold)
  if (hit.type === 'turn') return turnWords(hit.turn)
  if (hit.type === 'context')
    return contextWords(scene, hit.point.tokens, hit.point.isCut === true, toReal(scene.time, hit.at))
  const lane = scene.lanes[hit.lane]
  if (!lane) return { what: '', more: [] }
  if (hit.type === 'lane')
    return lane.isMain ? { what: 'Main thread', more: [callsText(lane.thread)] } : agentWords(lane.thread)
  if (hit.type === 'slot' && lane.outline) return slotWords(head, lane.outline, hit.slot)
  if (hit.type !== 'call') return { what: '', more: [] }
  const when = scene.isOrdered ? '' : longWhen(instantOf(lane.outline?.at[hit.slot]))
  const started =
    hit.call.thread === undefined ? undefined : scene.lanes.find(({ thread }) => thread.id === hit.call.thread)
  const agent = started && agentWords(started.thread)
  const whose = lane.isMain ? '' : `by ${lane.thread.agentType ?? 'a subagent'}`
  return {
    what: agent?.what ?? callText(hit.call),
    more: [callEnd(hit.call), agent?.more[0] ?? '', whose, when].filter(
      (part, at, all) => part !== '' && all.indexOf(part) === at,
    ),
    isBad: hit.call.status === 'failed',
  }
}

function foldWords({ from, to, isBusy }: { from: number; to: number; isBusy: boolean }): PlaceWords {
  return {
    what: `${longSpan(to - from)} ${isBusy ? 'of waiting for one call' : 'idle'}`,
    more: [`${longWhen(instantOf(from))} to ${longWhen(instantOf(to))}`, 'folded'],
  }
}

export function turnWords(turn: Turn): PlaceWords {
  const failed = turn.failed > 0 ? `${turn.failed} failed` : ''
  const agents = turn.subagents > 0 ? countOf(turn.subagents, 'subagent') : ''
  const took = turn.durationMs === undefined ? '' : durationText(turn.durationMs)
  const work = [turn.isInherited ? 'inherited' : '', took, countOf(turn.calls, 'call'), failed, agents]
  return {
    what: turn.headline === '' ? `Turn ${turn.index + 1}` : turn.headline,
    more: [
      `turn ${turn.index + 1} · ${work.filter(part => part !== '').join(' · ')}`,
      longWhen(instantOf(turn.startedAt)),
    ],
  }
}

function contextWords(scene: MapScene, tokens: number, isCut: boolean, real: number): PlaceWords {
  const window = scene.window
  const share = window === undefined ? '' : ` of ${tokensText(window)} (${Math.round((100 * tokens) / window)} %)`
  return {
    what: `${tokensText(tokens)} tokens${share}`,
    more: [isCut ? 'in context after a compaction' : 'in context', clockOf(real)],
  }
}

/** `3 h 12 min`, `2 days 4 h`. */
export function longSpan(millis: number): string {
  const hours = millis / 3_600_000
  if (hours < 48) return durationText(millis)
  const days = Math.floor(hours / 24)
  const rest = Math.round(hours - days * 24)
  return rest === 0 ? `${days} days` : `${days} days ${rest} h`
}

/** `3 h`, `2 d`: where there is little space. */
export function shortSpan(millis: number): string {
  const minutes = Math.round(millis / 60_000)
  if (minutes < 1) return `${Math.round(millis / 1000)} s`
  if (minutes < 60) return `${minutes} min`
  const hours = minutes / 60
  if (hours < 48) return `${hours < 10 ? Math.round(hours * 10) / 10 : Math.round(hours)} h`
  return `${Math.round(hours / 24)} d`
}

/** The whole session in a sentence. */
export function sceneText(head: SessionHead, scene: MapScene): string {
  const folded = scene.time.folds.reduce((sum, { from, to }) => sum + to - from, 0)
  const whole = scene.time.end - scene.time.start
  const turns = scene.turns.filter(({ isInherited }) => !isInherited).length
  const parts = [
    scene.turns.length > 0 ? countOf(turns, 'turn') : '',
    countOf(head.counts.calls, 'call'),
    inheritedText(head.inherited),
    scene.lanes.length > 1 ? countOf(scene.lanes.length - 1, 'subagent') : '',
    scene.cuts.length > 0 ? countOf(scene.cuts.length, 'compaction') : '',
    head.counts.errors > 0 ? `${countText(head.counts.errors)} failed` : '',
    scene.isOrdered ? 'no times in the log: shown in order' : `${longSpan(whole - folded)} of work`,
    folded > 0 && !scene.isOrdered ? `over ${longSpan(whole)}` : '',
  ]
  return parts.filter(part => part !== '').join(' · ')
}

export type StopKind = 'prompt' | 'error' | 'any'

type StopLane = Pick<MapLane, 'outline' | 'at' | 'order'>

const errorsKnown = new WeakMap<object, Set<number>>()

/** The next slot of a kind after the cursor, or from the edge of the view where there is none. */
export function nextStop(
  lane: StopLane,
  view: View,
  cursor: number | undefined,
  kind: StopKind,
  step: 1 | -1,
): number | undefined {
  const { order, at } = lane
  const start = cursor === undefined ? -1 : order.indexOf(cursor)
  let place = start + step
  if (start < 0) {
    const isInside = (slot: number) => (step > 0 ? (at[slot] ?? 0) >= view.from : (at[slot] ?? 0) <= view.to)
    place = step > 0 ? order.findIndex(isInside) : order.findLastIndex(isInside)
  }
  for (; place >= 0 && place < order.length; place += step) {
    const slot = order[place]
    if (slot !== undefined && isStop(lane, slot, kind)) return slot
  }
  return
}

function isStop({ outline }: StopLane, slot: number, kind: StopKind): boolean {
  if (!outline) return false
  const isStart = turnStarts(outline).has(slot)
  if (kind === 'prompt') return isStart
  const errors = errorsKnown.get(outline) ?? new Set(outline.errors)
  errorsKnown.set(outline, errors)
  if (kind === 'error') return errors.has(slot)
  return isStart || outline.calls[slot] !== undefined || errors.has(slot)
}
