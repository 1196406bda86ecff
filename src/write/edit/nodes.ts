// The records of the main thread as a tree, for a repair: what each says, in which order they were written, and which one each
// hangs on. A repair asks again after each of its steps.

import { toMillis } from '../../base/instant.ts'
import { asArray, asObject, asString, isObject, type JsonObject } from '../../base/json.ts'
import { chainTypes } from '../../model/event.ts'
import type { Entry, RepairDraft } from './repair-draft.ts'

/** What a record says: `side` is what the model gets in addition to the conversation, or not at all. */
export type NodeKind = 'prompt' | 'answer' | 'result' | 'boundary' | 'side'

export interface ChainNode {
  readonly entry: Entry
  readonly kind: NodeKind
  readonly uuid: string
  readonly session: string | undefined
  /** Rank in the order in which they were written. */
  order: number
  /** Null for roots, and where the parent is missing. */
  parent: ChainNode | null
  /** The uuid of the missing record that it hangs on, past records that are not of the main thread. */
  missing: string | undefined
  children: ChainNode[]
  readonly messageId: string | undefined
  /** Ids of the calls that it makes, and of those that it answers. */
  readonly calls: readonly string[]
  readonly results: readonly string[]
}

export interface ChainTree {
  /** In the order in which they were written. */
  nodes: ChainNode[]
  byUuid: Map<string, ChainNode>
  /** Every uuid of the file, of whatever record. */
  known: Set<string>
  /** Call id → the record that makes it. */
  callers: Map<string, ChainNode>
}

/** Whether a record has a place in the conversation. */
export function isChainValue({ type }: JsonObject): boolean {
  return chainTypes.has(asString(type) ?? '')
}

/** On the main thread, and not softly deleted. */
export function isMainValue(value: JsonObject): boolean {
  return isChainValue(value) && value['isSidechain'] !== true && value['isDeleted'] !== true
}

export function isMessage({ kind }: ChainNode): boolean {
  return kind === 'prompt' || kind === 'answer' || kind === 'result'
}

export function readTree(draft: RepairDraft): ChainTree {
  const nodes = draft.entries.filter(({ value }) => isMainValue(value)).flatMap(nodeOf)
  const byUuid = new Map(nodes.map(node => [node.uuid, node]))
  const beyond = new Map<string, unknown>()
  for (const { value } of draft.entries) {
    const uuid = asString(value['uuid'])
    if (uuid !== undefined && !byUuid.has(uuid)) beyond.set(uuid, value['parentUuid'])
  }
  const callers = new Map<string, ChainNode>()
  const parents = new Parents(byUuid, beyond)
  for (const [order, node] of nodes.entries()) {
    node.order = order
    for (const call of node.calls) if (!callers.has(call)) callers.set(call, node)
    const parent = parents.of(node)
    if (typeof parent === 'string') node.missing = parent
    if (typeof parent !== 'object') continue
    node.parent = parent
    parent.children.push(node)
  }
  return { nodes, byUuid, known: new Set([...byUuid.keys(), ...beyond.keys()]), callers }
}

/** Parents, past records that are not of the main thread. */
class Parents {
  private readonly byUuid: ReadonlyMap<string, ChainNode>
  private readonly beyond: ReadonlyMap<string, unknown>
  /** Where the ways past such records end. */
  private readonly ends = new Map<string, ChainNode | string | undefined>()

  constructor(byUuid: ReadonlyMap<string, ChainNode>, beyond: ReadonlyMap<string, unknown>) {
    this.byUuid = byUuid
    this.beyond = beyond
  }

  /** Else the uuid of the record that is missing; undefined where none is named, or they name each other. */
  of({ entry }: ChainNode): ChainNode | string | undefined {
    const passed = new Set<string>()
    let at = asString(entry.value['parentUuid'])
    while (at !== undefined && this.beyond.has(at) && !this.ends.has(at) && !passed.has(at)) {
      passed.add(at)
      at = asString(this.beyond.get(at))
    }
    const end =
      at === undefined || passed.has(at)
        ? undefined
        : (this.byUuid.get(at) ?? (this.ends.has(at) ? this.ends.get(at) : at))
    for (const uuid of passed) this.ends.set(uuid, end)
    return end
  }
}

/** Puts the records in the order in which they were written, where the file is turned round: a compaction cuts what is before it. */
export function turnRound(draft: RepairDraft): void {
  if (!isReversed(draft.entries.filter(({ value }) => isChainValue(value)))) return
  draft.entries.reverse()
  draft.note({ line: 0, kind: 'order', what: 'The records were in reverse order' })
}

/** What most parents say; where they do not agree, what more of the times say. */
function isReversed(entries: readonly Entry[]): boolean {
  const places = new Map<unknown, number>(entries.map(({ value }, place) => [value['uuid'] ?? entries, place]))
  const parents = [0, 0]
  const times = [0, 0]
  let last: number | null = null
  for (const [place, { value }] of entries.entries()) {
    const parent = places.get(value['parentUuid'])
    if (parent !== undefined) count(parents, place - parent)
    const time = toMillis(value['timestamp'])
    if (time !== null && last !== null) count(times, time - last)
    last = time ?? last
  }
  const [byParents, byTimes] = [leaning(parents), leaning(times)]
  const isClear = Math.abs(byParents) >= Math.min(0.5, Math.abs(byTimes))
  return (isClear ? byParents : byTimes) < 0
}

/** From -1, all of them backward, to 1. */
function leaning([forward = 0, backward = 0]: readonly number[]): number {
  return (forward - backward) / Math.max(1, forward + backward)
}

function count(votes: number[], step: number): void {
  const side = step > 0 ? 0 : 1
  if (step !== 0) votes[side] = (votes[side] ?? 0) + 1
}

function nodeOf(entry: Entry): ChainNode[] {
  const { value } = entry
  const uuid = asString(value['uuid'])
  if (uuid === undefined) return []
  const said = blocksOf(value)
  const kind = kindOf(value, said)
  const [calls, results] = [callsIn(said), resultsIn(said)]
  const messageId = kind === 'answer' ? asString(asObject(value['message'])?.['id']) : undefined
  const session = asString(value['sessionId'])
  return [
    { entry, kind, uuid, session, order: 0, parent: null, missing: undefined, children: [], messageId, calls, results },
  ]
}

export function blocksOf(value: JsonObject): readonly JsonObject[] {
  return asArray(asObject(value['message'])?.['content']).flatMap(block => (isObject(block) ? [block] : []))
}

export function callsIn(blocks: readonly JsonObject[]): string[] {
  return blocks.flatMap(({ type, id }) => (type === 'tool_use' && typeof id === 'string' ? [id] : []))
}

export function resultsIn(blocks: readonly JsonObject[]): string[] {
  return blocks.flatMap(({ type, tool_use_id: id }) => (type === 'tool_result' && typeof id === 'string' ? [id] : []))
}

function kindOf(value: JsonObject, said: readonly JsonObject[]): NodeKind {
  switch (value['type']) {
    case 'assistant':
      return 'answer'
    case 'user':
      return said.some(({ type }) => type === 'tool_result') ? 'result' : 'prompt'
    case 'system':
      return value['subtype'] === 'compact_boundary' ? 'boundary' : 'side'
    default:
      return 'side'
  }
}

/** All nodes below one, and it. */
export function below(top: ChainNode): ChainNode[] {
  const found = new Set([top])
  for (const node of found) for (const child of node.children) found.add(child)
  return [...found]
}
