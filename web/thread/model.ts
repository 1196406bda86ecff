// A thread as the rail draws it: how much space each slot takes along the line, what mark it makes, and where subagents
// leave and come back. Column by column, made once for an outline; pixels come later.

import { eventKinds } from '../../src/model/event.ts'
import type { HeadThread, Outline, OutlineCall, SessionHead } from '../../src/view/reading.ts'
import { agentHue } from '../parts/tool-kind.ts'
import { toneOf } from './palette.ts'

export const failed = 1
export const left = 2
export const quiet = 4
export const running = 8
export const prompt = 16

/** A subagent's way out and back, in units along the thread. */
export interface Loop {
  thread: string
  /** The slot that it leaves from. */
  slot: number
  from: number
  to: number
  /** 0: leaves the thread itself; 1: leaves a loop that does. */
  depth: number
  /** The place of the loop it leaves, among the loops. */
  parent: number
  hue: number
  isInferred: boolean
}

/** Slots on an abandoned path: from the first to the last of them. */
export interface Fork {
  leaf: string
  from: number
  to: number
}

export interface RailModel {
  size: number
  /** Where each slot begins, in units; one more than there are slots. */
  starts: Float64Array
  flags: Uint8Array
  /** The kind of a slot's longest call; 0 without one. */
  tones: Uint8Array
  /** How long that call took, 0 to 1 on a log scale. */
  lengths: Float32Array
  prompts: number[]
  failures: number[]
  cuts: number[]
  forks: Fork[]
  loops: Loop[]
}

const promptKind = eventKinds.indexOf('prompt')
const compactionKind = eventKinds.indexOf('compaction')
const quietSize = 0.2
const longestMs = 900_000
/** More loops than these would be a tangle. */
const mostLoops = 300

/** 0 to 1: each ten times as long adds the same length; what has no duration is the shortest. */
export function lengthOf(durationMs: number | undefined): number {
  if (durationMs === undefined || !(durationMs > 0)) return 0.04
  return Math.max(0.04, Math.min(1, Math.log10(1 + durationMs / 100) / Math.log10(1 + longestMs / 100)))
}

export function buildRail(head: SessionHead, outline: Outline): RailModel {
  const size = outline.ids.length
  const model: RailModel = {
    size,
    starts: new Float64Array(size + 1),
    flags: new Uint8Array(size),
    tones: new Uint8Array(size),
    lengths: new Float32Array(size),
    prompts: [],
    failures: [],
    cuts: [],
    forks: forksOf(outline),
    loops: [],
  }
  const threads = new Map(head.threads.map(thread => [thread.id, thread]))
  for (const slot of outline.quiet) flag(model, slot, quiet)
  for (const slot of outline.errors) flag(model, slot, failed)
  for (const slot of slotsIn(outline.branches, outline.ids.length)) flag(model, slot, left)
  const sizes = new Float32Array(size)
  const starts = turnStarts(outline)
  for (let slot = 0; slot < size; slot++) {
    const calls = outline.calls[slot]
    if (calls) sizes[slot] = addCalls(model, slot, calls, threads)
  }
  let at = 0
  for (let slot = 0; slot < size; slot++) {
    const kind = outline.kinds[slot]
    if (kind === promptKind || starts.has(slot)) {
      flag(model, slot, prompt)
      model.prompts.push(slot)
    }
    if (kind === compactionKind) addCut(model, slot)
    if ((model.flags[slot] ?? 0) & failed) model.failures.push(slot)
    model.starts[slot] = at
    at += sizeOf(model.flags[slot] ?? 0, kind === compactionKind, sizes[slot] ?? 0)
  }
  model.starts[size] = at
  model.loops = loopsOf(head, outline, model)
  return model
}

function flag(model: RailModel, slot: number, bit: number): void {
  if (slot < model.size) model.flags[slot] = (model.flags[slot] ?? 0) | bit
}

function sizeOf(flags: number, isCut: boolean, more: number): number {
  if (isCut) return 2
  if (flags & prompt) return 1.6
  return (flags & quiet && more === 0 ? quietSize : 1) + more
}

/** Adds a slot's calls; returns the space they need beyond the slot's own. */
function addCalls(model: RailModel, slot: number, calls: OutlineCall[], threads: Map<string, HeadThread>): number {
  let size = Math.min(calls.length - 1, 8) * 0.35
  for (const call of calls) {
    const length = lengthOf(call.durationMs)
    if (length >= (model.lengths[slot] ?? 0)) {
      model.lengths[slot] = length
      model.tones[slot] = toneOf(call.name)
    }
    if (call.status === 'running') flag(model, slot, running)
    if (call.status === 'failed') flag(model, slot, failed)
    const agent = call.thread === undefined ? undefined : threads.get(call.thread)
    if (agent) size = Math.max(size, 1.5 + Math.log2(1 + (agent.calls ?? 0)))
  }
  return size
}

/** Claude Code writes more than one record for one compaction. */
function addCut(model: RailModel, slot: number): void {
  const last = model.cuts.at(-1)
  if (last === undefined || slot - last > 3) model.cuts.push(slot)
}

export function forksOf(outline: Outline): Fork[] {
  const forks = new Map<string, Fork>()
  for (const slot of slotsIn(outline.branches, outline.ids.length)) {
    const leaf = outline.branches[slot]
    if (leaf === undefined) continue
    const fork = forks.get(leaf)
    if (!fork) forks.set(leaf, { leaf, from: slot, to: slot })
    else fork.to = Math.max(fork.to, slot)
  }
  return [...forks.values()]
}

function loopsOf(head: SessionHead, outline: Outline, model: RailModel): Loop[] {
  const slots = startSlots(head, outline)
  const agents = head.threads.filter(({ kind, isInternal }) => kind === 'subagent' && !isInternal)
  const children = new Map<string, HeadThread[]>()
  for (const agent of agents) {
    if (agent.parentThread === undefined || slots.has(agent.id)) continue
    const siblings = children.get(agent.parentThread) ?? []
    siblings.push(agent)
    children.set(agent.parentThread, siblings)
  }
  const direct = agents.filter(({ id }) => slots.has(id) && id !== outline.thread)
  const loops: Loop[] = direct
    .sort((one, other) => (other.calls ?? 0) - (one.calls ?? 0))
    .slice(0, mostLoops)
    .map(agent => ({ ...loopFrom(head, outline, model, agent, slots.get(agent.id) ?? 0) }))
    .sort((one, other) => one.from - other.from || other.to - one.to)
  for (let at = 0; at < loops.length && loops.length < mostLoops * 2; at++) {
    const loop = loops[at]
    if (loop && loop.depth < 3) loops.push(...nestedLoops(head, loop, at, children.get(loop.thread) ?? []))
  }
  return loops
}

/** The slot that each subagent leaves from. */
function startSlots(head: SessionHead, outline: Outline): Map<string, number> {
  const slots = new Map<string, number>()
  for (let slot = 0; slot < outline.ids.length; slot++) {
    const calls = outline.calls[slot]
    if (calls) for (const { thread } of calls) if (thread !== undefined) slots.set(thread, slot)
  }
  const wanted = new Map<string, string>()
  for (const { id, startEvent } of head.threads) {
    if (startEvent !== undefined && !slots.has(id)) wanted.set(startEvent, id)
  }
  if (wanted.size === 0) return slots
  outline.ids.forEach((id, slot) => {
    const thread = wanted.get(id)
    if (thread !== undefined) slots.set(thread, slot)
  })
  return slots
}

function loopFrom(head: SessionHead, outline: Outline, model: RailModel, agent: HeadThread, slot: number): Loop {
  const from = model.starts[slot] ?? 0
  const own = model.starts[slot + 1] ?? from
  const back = lastSlotBefore(outline.at, slot, timeOf(agent.endedAt))
  const to = back === slot ? from + (own - from) * 0.9 : (model.starts[back] ?? own)
  const hue = agentHue(head, agent.id)
  return { thread: agent.id, slot, from, to, depth: 0, parent: -1, hue, isInferred: isGuessed(agent) }
}

/** By their times within the time of the loop that they leave. */
function nestedLoops(head: SessionHead, loop: Loop, parent: number, agents: HeadThread[]): Loop[] {
  const outer = head.threads.find(({ id }) => id === loop.thread)
  const start = timeOf(outer?.startedAt ?? null)
  const span = timeOf(outer?.endedAt ?? null) - start
  const share = (at: number, otherwise: number) =>
    span > 0 ? Math.max(0, Math.min(1, (at - start) / span)) : otherwise
  return agents.map(agent => ({
    thread: agent.id,
    slot: loop.slot,
    from: loop.from + (loop.to - loop.from) * share(timeOf(agent.startedAt), 0.3),
    to: loop.from + (loop.to - loop.from) * share(timeOf(agent.endedAt), 0.7),
    depth: loop.depth + 1,
    parent,
    hue: agentHue(head, agent.id),
    isInferred: isGuessed(agent),
  }))
}

function timeOf(instant: string | null): number {
  return instant === null ? Number.NaN : Date.parse(instant)
}

/** The last slot, from `slot` on, that was written by then. */
function lastSlotBefore(times: readonly (number | null)[], slot: number, until: number): number {
  let found = slot
  for (let at = slot + 1; at < times.length; at++) {
    const time = times[at]
    if (time === null || time === undefined) continue
    if (!(time <= until)) break
    found = at
  }
  return found
}

/** The slots that a sparse column knows, in order. Looking at each is quicker than listing keys as text. */
export function slotsIn(column: { [slot: number]: unknown }, size: number): number[] {
  const slots: number[] = []
  for (let slot = 0; slot < size; slot++) if (column[slot] !== undefined) slots.push(slot)
  return slots
}

/** The first place in sorted numbers whose number is at least `least`. */
export function firstFrom(sorted: { [at: number]: number; length: number }, least: number): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle] ?? 0) < least) low = middle + 1
    else high = middle
  }
  return low
}

/** Marks that would cover each other, gathered: where, and how many there are compared to the fullest place. */
export interface Gathered {
  x: number
  /** 0 to 1. */
  share: number
  count: number
}

/** Sorted times between two others, by strips of `apart` pixels. */
export function gatherMarks(times: Float64Array, from: number, to: number, scale: number, apart: number): Gathered[] {
  const strips: (Gathered & { strip: number })[] = []
  let most = 1
  for (let at = firstFrom(times, from); at < times.length; at++) {
    const time = times[at] ?? 0
    if (time > to) break
    const x = (time - from) * scale
    const strip = Math.floor(x / apart)
    const last = strips.at(-1)
    if (last && (last.strip === strip || x - last.x < apart * 0.7)) {
      last.count++
      most = Math.max(most, last.count)
    } else strips.push({ x, strip, share: 1, count: 1 })
  }
  return strips.map(({ x, count }) => ({ x, count, share: Math.sqrt(count / most) }))
}

const command = eventKinds.indexOf('command')
const known = new WeakMap<Outline, Set<number>>()

/** The slots that begin a turn, in order. */
export function turnStarts(outline: Outline): ReadonlySet<number> {
  let starts = known.get(outline)
  if (!starts) {
    starts = findStarts(outline)
    known.set(outline, starts)
  }
  return starts
}

function findStarts({ ids, turns, prompts, kinds }: Outline): Set<number> {
  const starts = new Set<number>()
  const begun = new Set<number>()
  for (let slot = 0; slot < ids.length; slot++) if (prompts[slot] !== undefined) begun.add(turns[slot] ?? -1)
  for (let slot = 0; slot < ids.length; slot++) {
    const turn = turns[slot] ?? -1
    const isFirstCommand = kinds[slot] === command && turn >= 0 && !begun.has(turn)
    if (isFirstCommand) begun.add(turn)
    if (isFirstCommand || prompts[slot] !== undefined) starts.add(slot)
  }
  return starts
}

/** The log does not say who started it. */
export function isGuessed({ linkedBy }: HeadThread): boolean {
  return linkedBy === undefined || linkedBy === 'prompt'
}
