// What a session did with files: which calls read and changed each, in order. The changes themselves are shown by the calls.

import type { ToolCall } from '../../model/session.ts'
import type { FileStep, FileTouched } from '../../view/reading.ts'
import type { ViewItem } from '../../view/view.ts'
import { callTarget } from '../call-target.ts'
import type { Slots } from './slots.ts'

const kinds: ReadonlyMap<string, FileStep['kind']> = new Map([
  ['Read', 'read'],
  ['NotebookRead', 'read'],
  ['View', 'read'],
  ['Write', 'write'],
  ['Edit', 'edit'],
  ['MultiEdit', 'edit'],
  ['NotebookEdit', 'edit'],
  ['Replace', 'edit'],
])

/** Files in the order in which they were first touched; those that were changed come before those that were only read. */
export function filesOf(slots: Slots): FileTouched[] {
  const files = new Map<string, FileTouched>()
  for (const call of slots.plan.graph.toolCalls) {
    const kind = kinds.get(call.name)
    const { path } = callTarget({ type: 'tool-call', callId: call.id, name: call.name, input: call.input })
    if (kind === undefined || path === undefined) continue
    const step = stepOf(slots, call, kind, path)
    if (step === null) continue
    const file = files.get(path) ?? { path, reads: 0, added: 0, removed: 0, steps: [] }
    files.set(path, file)
    file.steps.push(step)
    if (kind === 'read') file.reads++
    file.added += step.added ?? 0
    file.removed += step.removed ?? 0
  }
  const isChanged = ({ steps }: FileTouched) => steps.some(step => step.kind !== 'read')
  const all = [...files.values()]
  return [...all.filter(isChanged), ...all.filter(file => !isChanged(file))]
}

function stepOf(slots: Slots, call: ToolCall, kind: FileStep['kind'], path: string): FileStep | null {
  const place = slots.placeOf(call.requestEvent)
  if (place === undefined) return null
  const step: FileStep = {
    event: call.requestEvent,
    thread: place.thread,
    slot: place.slot,
    at: slots.plan.eventOf(call.requestEvent)?.at ?? null,
    tool: call.name,
    status: call.status,
    kind,
  }
  if (kind === 'read' || call.status !== 'done') return step
  const [items = []] = slots.items(place.thread, place.slot, place.slot + 1)
  return { ...step, ...changesIn(items, call, path) }
}

/** Lines that the call added and removed, as far as what it shows allows. */
function changesIn(items: readonly ViewItem[], call: ToolCall, path: string): { added?: number; removed?: number } {
  let added = 0
  let removed = 0
  let isTold = false
  for (const item of items) {
    if (item.kind !== 'call' || (item.id as string) !== (call.requestEvent as string)) continue
    for (const part of item.body) {
      if (part.type !== 'diff' || (part.path !== path && !path.endsWith(part.path))) continue
      isTold = true
      added += part.added
      removed += part.removed
    }
  }
  return isTold ? { added, removed } : {}
}
