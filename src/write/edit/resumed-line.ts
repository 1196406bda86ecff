// Which records Claude Code would continue from, and whether that is the end of the conversation: asks the same function as
// `clew context`, and goes on down to the end where a stale `last-prompt` stopped it.

import { textToBytes } from '../../base/bytes.ts'
import { toInstant, toMillis } from '../../base/instant.ts'
import { asObject, asString, jsonText } from '../../base/json.ts'
import { decodeText } from '../../decode/decode.ts'
import { chooseTip, isDated, readLinks } from '../../graph/context/links.ts'
import { sessionId } from '../../model/ids.ts'
import { below, blocksOf, type ChainNode, type ChainTree, isChainValue, isMessage, readTree } from './nodes.ts'
import type { Entry, RepairDraft } from './repair-draft.ts'

/** From the root to where the conversation ends; a compaction counts as a root. */
export function resumedLine(draft: RepairDraft, tree: ChainTree): ChainNode[] {
  return lineTo(endOf(draft, tree, clientTip(draft)))
}

function lineTo(end: ChainNode | undefined): ChainNode[] {
  const line = new Set<ChainNode>()
  for (let at = end; at !== undefined && !line.has(at); at = at.parent ?? undefined) line.add(at)
  return [...line].reverse()
}

/** Where the conversation ends, a resume has to continue. */
export function mendEnd(draft: RepairDraft): void {
  const tree = readTree(draft)
  const tip = clientTip(draft)
  const end = endOf(draft, tree, tip)
  if (end === undefined) return
  if (end.uuid !== tip) nameLeaf(draft, end, tip)
  mendLastTime(draft, end)
}

function nameLeaf(draft: RepairDraft, end: ChainNode, tip: string | undefined): void {
  const { session } = draft
  const value = {
    type: 'last-prompt',
    lastPrompt: promptAbove(end),
    leafUuid: end.uuid,
    ...(session !== undefined && { sessionId: session }),
  }
  const line = draft.entries.at(-1)?.line ?? 0
  draft.entries.push({ line, text: jsonText(value), value })
  const what = 'A resume would have continued from another record than the last'
  const before = tip === undefined ? 'no record' : `record ${tip}`
  draft.note({ line, kind: 'leaf', what, before, after: `record ${end.uuid}` })
}

/** Older versions of Claude Code continue from the newest record: the last message gets a time behind that of all others. */
function mendLastTime(draft: RepairDraft, end: ChainNode): void {
  const line = lineTo(end)
  const last = line.findLast(isMessage)
  if (last === undefined) return
  const isDamaged = draft.changes.length > 0
  const others = isDamaged ? othersThan(last, draft) : line.slice(0, line.indexOf(last)).filter(isMessage)
  const newest = others.reduce((most, { entry }) => Math.max(most, timeOf({ entry })), 0)
  if (newest < timeOf(last) + (isDamaged ? 0 : usualSkewMs)) return
  const what = 'Older versions of Claude Code would have continued from a newer record'
  draft.change(last.entry, 'time', what, [['timestamp', toInstant(newest + 1)]])
}

/** Times of an undamaged session go back by so much, at most. */
const usualSkewMs = 60_000

function timeOf({ entry }: Pick<ChainNode, 'entry'>): number {
  return toMillis(entry.value['timestamp']) ?? 0
}

function othersThan(last: ChainNode, { entries }: RepairDraft): { entry: Entry }[] {
  const own = new Set(below(last).map(({ entry }) => entry))
  return entries
    .filter(entry => isChainValue(entry.value) && entry.value['isSidechain'] !== true && !own.has(entry))
    .map(entry => ({ entry }))
}

/** The uuid of the record that Claude Code would continue from. */
function clientTip({ entries, session }: RepairDraft): string | undefined {
  const bytes = textToBytes(entries.map(({ text }) => `${text}\n`).join(''))
  const { events } = decodeText(bytes, session === undefined ? {} : { session })
  const tip = chooseTip(readLinks(sessionId(session ?? ''), events))
  return tip !== null && isDated(tip) ? tip.key : undefined
}

/** Below the tip, or of all records where there is none: the last record of the session’s own conversation. */
function endOf(draft: RepairDraft, tree: ChainTree, tip: string | undefined): ChainNode | undefined {
  const named = tree.byUuid.get(tip ?? '')
  const isOwn = (node: ChainNode): boolean => !draft.isForeign(node.session)
  if (named === undefined || !isOwn(named) || isSummarised(named, tree))
    return lastOf(tree.nodes.filter(node => isOwn(node)))
  const last = lastMessageBelow(named)
  return last === undefined ? named : lastOf([last])
}

/** Whether a compaction put its summary in place of it, and the conversation went on. */
function isSummarised(node: ChainNode, { nodes }: ChainTree): boolean {
  const border = nodes.findLast(({ kind }) => kind === 'boundary')
  if (border === undefined || node.order > border.order) return false
  return !border.entry.text.includes(node.uuid) && nodes.some(one => one.order > border.order && one.kind === 'answer')
}

/** The last message, with what hangs on it and says nothing. */
function lastOf(nodes: readonly ChainNode[]): ChainNode | undefined {
  let at = nodes.findLast(isMessage)
  for (let next = at; next !== undefined; next = at?.children.findLast(({ kind }) => kind === 'side')) at = next
  return at
}

/** The message below a record that was written last; undefined where none is. */
function lastMessageBelow(top: ChainNode): ChainNode | undefined {
  let last: ChainNode | undefined
  const seen = new Set([top])
  for (const node of seen) {
    for (const child of node.children) seen.add(child)
    if (node !== top && isMessage(node) && node.order > (last?.order ?? -1)) last = node
  }
  return last
}

function promptAbove(end: ChainNode): string {
  const prompt = lineTo(end).findLast(({ kind, entry }) => kind === 'prompt' && entry.value['isMeta'] !== true)
  if (prompt === undefined) return ''
  const { value } = prompt.entry
  const text =
    asString(asObject(value['message'])?.['content']) ??
    blocksOf(value)
      .map(({ text }) => asString(text) ?? '')
      .join(' ')
  const plain = text.replace(/\s+/g, ' ').trim()
  return plain.length > 200 ? `${plain.slice(0, 200).trimEnd()}…` : plain
}
