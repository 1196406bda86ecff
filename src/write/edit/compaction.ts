// Compactions that a resume could trip over: a border without its summary would drop all that was before it, and a list of kept
// messages that names a lost one would drop them all.

import { asArray, asObject, asString, type JsonObject } from '../../base/json.ts'
import { type ChainNode, type ChainTree, readTree } from './nodes.ts'
import type { RepairDraft } from './repair-draft.ts'

export function repairCompaction(draft: RepairDraft): void {
  const tree = readTree(draft)
  // Behind a boundary that is none, the one before it counts.
  for (const border of tree.nodes.filter(({ kind }) => kind === 'boundary').reverse()) {
    const summary = summaryOf(border, tree)
    if (summary !== undefined && !summary.entry.isTorn) {
      mendKept(draft, border, tree)
      return
    }
    openBorder(draft, border, tree)
    if (summary !== undefined)
      draft.set(summary.entry, [
        ['isVisibleInTranscriptOnly', true],
        ['isCompactSummary', true],
      ])
  }
}

function summaryOf(border: ChainNode, { nodes }: ChainTree): ChainNode | undefined {
  const isSummary = ({ entry }: ChainNode): boolean => entry.value['isCompactSummary'] === true || entry.isTorn === true
  const child = border.children.find(one => one.kind === 'prompt' && isSummary(one))
  if (child !== undefined) return child
  let at = border.order + 1
  while (nodes[at] !== undefined && nodes[at]?.kind !== 'prompt' && nodes[at]?.kind !== 'answer') at++
  const next = nodes[at]
  return next?.entry.value['isCompactSummary'] === true ? next : undefined
}

/** Without its summary nothing stands for what was before it: it becomes a note, and the conversation goes on through it. */
function openBorder(draft: RepairDraft, { entry, order }: ChainNode, { nodes, byUuid }: ChainTree): void {
  const logical = byUuid.get(asString(entry.value['logicalParentUuid']) ?? '')
  const before = logical !== undefined && logical.order < order ? logical : nodes[order - 1]
  draft.change(entry, 'compaction', 'A compaction whose summary is not whole; what was before it counts again', [
    ['subtype', 'informational'],
    ['parentUuid', before?.uuid ?? null],
  ])
}

/** Kept messages that are lost are taken off the list. */
function mendKept(draft: RepairDraft, { entry }: ChainNode, { byUuid }: ChainTree): void {
  const metadata = asObject(entry.value['compactMetadata'])
  const messages = asObject(metadata?.['preservedMessages'])
  const named = asArray(messages?.['uuids'])
  const isThere = (uuid: unknown): boolean => byUuid.has(asString(uuid) ?? '')
  const kept = named.filter(isThere)
  // Where all of it is gone, a resume finds nothing either way.
  if (kept.length === 0 || kept.length === named.length) return
  const all = asArray(messages?.['allUuids']).filter(isThere)
  const segment: JsonObject = { ...asObject(metadata?.['preservedSegment']), headUuid: kept[0], tailUuid: kept.at(-1) }
  draft.change(entry, 'compaction', 'The compaction kept messages that are lost', [
    ['compactMetadata.preservedMessages', { ...messages, uuids: kept, allUuids: all.length > 0 ? all : kept }],
    ['compactMetadata.preservedSegment', segment],
  ])
}
