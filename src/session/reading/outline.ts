// A thread as an outline: what each of its slots is, column by column, without what it says.

import { toMillis } from '../../base/instant.ts'
import { blocksText, type EventKind, eventKinds, hasFlag, type SessionEvent } from '../../model/event.ts'
import type { EventId, ThreadId } from '../../model/ids.ts'
import type { SessionGraph } from '../../model/session.ts'
import { emptyOutline, type Outline, type OutlineCall } from '../../view/reading.ts'
import type { EventGroup } from '../../view/thread.ts'
import { callTarget } from '../call-target.ts'
import type { Slots } from './slots.ts'

const quietKinds: ReadonlySet<EventKind> = new Set<EventKind>([
  'hook',
  'notice',
  'progress',
  'queue',
  'snapshot',
  'meta',
  'attachment',
  'link',
  'other',
])
const longestPrompt = 160
const longestTarget = 120

export function outlineOf(slots: Slots, thread: ThreadId): Outline {
  const outline = emptyOutline(thread)
  const left = leftPaths(slots.plan.graph)
  let turn = -1
  for (const [slot, group] of slots.of(thread).entries()) {
    const first = group.events[0] as SessionEvent
    turn = slots.plan.turnOf.get(first.id) ?? turn
    outline.ids.push(first.id)
    outline.kinds.push(eventKinds.indexOf(group.loose === undefined ? first.kind : 'notice'))
    outline.at.push(toMillis(first.at))
    outline.turns.push(turn)
    const leaf = left.get(first.id)
    if (leaf !== undefined) outline.branches[slot] = leaf
    if (group.loose === undefined) addFacts(outline, slots, slot, group)
    else outline.calls[slot] = [{ name: 'Agent', status: 'done', thread: group.loose.id }]
  }
  return outline
}

function addFacts(outline: Outline, slots: Slots, slot: number, { events }: EventGroup): void {
  const first = events[0] as SessionEvent
  const calls = events.flatMap(event => callsOf(slots, event))
  if (calls.length > 0) outline.calls[slot] = calls
  if (first.kind === 'api-error' || calls.some(({ status }) => status === 'failed')) outline.errors.push(slot)
  if (first.kind === 'prompt' || slots.beginsTurn(first.id)) {
    outline.prompts[slot] = firstLine(blocksText(first.blocks), longestPrompt)
  }
  if (isQuiet(events, calls.length)) outline.quiet.push(slot)
  const usage = events.findLast(({ message }) => message?.usage !== undefined)?.message?.usage
  if (first.kind === 'answer' && usage !== undefined) {
    const tokens = usage.inputTokens + usage.cacheReadTokens + usage.cacheCreationTokens
    if (tokens > 0) outline.context[slot] = tokens + usage.outputTokens
  }
}

/** An answer that is nothing but thinking is quiet, too. */
function isQuiet(events: readonly SessionEvent[], calls: number): boolean {
  const first = events[0] as SessionEvent
  if (first.kind !== 'answer') return (quietKinds.has(first.kind) && !hasFlag(first, 'error')) || hasFlag(first, 'copy')
  if (calls > 0) return false
  const blocks = events.flatMap(event => event.blocks)
  return blocks.length > 0 && blocks.every(block => block.type === 'thinking')
}

function callsOf({ plan }: Slots, event: SessionEvent): OutlineCall[] {
  const found: OutlineCall[] = []
  for (const block of event.blocks) {
    if (block.type !== 'tool-call') continue
    const call = plan.callOf(event.id, block.callId)
    const { path, command } = callTarget(block)
    const target = path ?? command
    const thread = call?.subagent ?? (call && plan.placement.inCall.get(call)?.[0]?.id)
    found.push({
      name: block.name,
      status: call?.status ?? 'missing',
      ...(call?.durationMs !== undefined && { durationMs: call.durationMs }),
      ...(thread !== undefined && { thread }),
      ...(target !== undefined && { target: firstLine(target, longestTarget) }),
    })
  }
  return found
}

export function firstLine(text: string, longest: number): string {
  const line = text.trimStart().split('\n', 1)[0]?.trimEnd() ?? ''
  return line.length <= longest ? line : `${line.slice(0, longest - 1)}…`
}

/** Events on a path that the user left, with that path's leaf; the shared beginning is not left. */
function leftPaths({ branches, nodes }: SessionGraph): Map<EventId, EventId> {
  const left = new Map<EventId, EventId>()
  if (branches.length < 2) return left
  const active = new Set<EventId>()
  const walk = (leaf: EventId, visit: (id: EventId) => boolean) => {
    for (let id: EventId | null = leaf; id !== null && visit(id); id = nodes.get(id)?.parent ?? null);
  }
  for (const { leaf, isActive } of branches) {
    if (isActive) walk(leaf, id => !active.has(id) && active.add(id) !== undefined)
  }
  for (const { leaf, isActive } of branches) {
    if (isActive) continue
    walk(leaf, id => {
      if (active.has(id) || left.has(id)) return false
      left.set(id, leaf)
      return true
    })
  }
  return left
}
