// Calls and results in pairs: a result without a call is softly deleted, off the chain; a call that nothing answers
// gets a result that says so. So does one at the end: a resume answers it itself, but older versions of Claude Code leave it out.

import { asArray, type JsonObject, jsonText } from '../../base/json.ts'
import { blocksOf, type ChainNode, callsIn, readTree } from './nodes.ts'
import type { RepairDraft } from './repair-draft.ts'
import { resumedLine } from './resumed-line.ts'

/** What a made-up result says. */
const lostResult =
  '[The result of this call is missing from the session log. It may or may not have run: check before relying on it.]'

/** Results whose call is gone, and further results of a call: what those say is added to the first one. */
export function deleteOrphanResults(draft: RepairDraft): void {
  const calls = new Set(draft.entries.flatMap(({ value }) => callsIn(blocksOf(value))))
  const answers = new Map<string, ChainNode>()
  const further = new Map<ChainNode, Set<ChainNode>>()
  for (const node of readTree(draft).nodes) {
    if (node.results.length === 0) continue
    const open = node.results.filter(id => calls.has(id) && !answers.has(id))
    for (const id of open) answers.set(id, node)
    const isOnlyResults = blocksOf(node.entry.value).every(({ type }) => type === 'tool_result')
    if (open.length > 0 || !isOnlyResults) continue
    const firsts = node.results.flatMap(id => answers.get(id) ?? [])
    for (const first of firsts) further.set(first, (further.get(first) ?? new Set()).add(node))
    deleteSoftly(draft, node, firsts.length > 0)
  }
  for (const [first, nodes] of further) addResults(draft, first, nodes)
}

const furtherResult = '[Another result was recorded for this call:]'

/** A call can be answered once: its first result says what the further ones say, each text once. */
function addResults(draft: RepairDraft, { entry }: ChainNode, further: ReadonlySet<ChainNode>): void {
  const others = new Map<unknown, { line: number; block: JsonObject }[]>()
  for (const { entry } of further) {
    for (const block of blocksOf(entry.value)) {
      const known = others.get(block['tool_use_id'])
      if (known === undefined) others.set(block['tool_use_id'], [{ line: entry.line, block }])
      else known.push({ line: entry.line, block })
    }
  }
  const lines = new Set<number>()
  const content = blocksOf(entry.value).map(block => {
    const contents = new Set([jsonText(block['content'])])
    const added: unknown[] = []
    for (const { line, block: other } of others.get(block['tool_use_id']) ?? []) {
      const text = jsonText(other['content'])
      if (contents.has(text)) continue
      contents.add(text)
      lines.add(line)
      added.push({ type: 'text', text: furtherResult }, ...partsOf(other))
    }
    return added.length === 0 ? block : { ...block, content: [...partsOf(block), ...added] }
  })
  const [line] = lines
  if (line === undefined) return
  const what =
    lines.size === 1
      ? `Line ${line} has another result of the call`
      : `Line ${line} and ${lines.size - 1} more have other results of the call`
  draft.change(entry, 'result', what, [['message.content', content]])
}

function partsOf({ content }: JsonObject): readonly unknown[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : asArray(content)
}

function deleteSoftly(draft: RepairDraft, { entry, children }: ChainNode, isSecond: boolean): void {
  const what = isSecond ? 'A second result of a call' : 'A result whose call is gone'
  draft.change(entry, 'result', `${what}; kept, softly deleted`, [['isDeleted', true]])
  draft.setAside++
  for (const child of children)
    draft.change(child.entry, 'parent', 'It hung on a record that is softly deleted now', [
      ['parentUuid', entry.value['parentUuid'] ?? null],
    ])
}

/** The record that answers a call that nothing answered. */
export function missingResult(call: ChainNode, ids: readonly string[], uuid: string): JsonObject {
  const { value } = call.entry
  const setting = ['userType', 'entrypoint', 'cwd', 'sessionId', 'version', 'gitBranch'] as const
  return {
    parentUuid: call.uuid,
    isSidechain: false,
    type: 'user',
    message: {
      role: 'user',
      content: ids.map(id => ({ type: 'tool_result', content: lostResult, is_error: true, tool_use_id: id })),
    },
    uuid,
    timestamp: value['timestamp'],
    sourceToolAssistantUUID: call.uuid,
    ...Object.fromEntries(setting.flatMap(name => (value[name] === undefined ? [] : [[name, value[name]]]))),
  }
}

/** Ids of its calls that no record answers. */
export function openCalls({ calls }: ChainNode, answered: ReadonlySet<string>): string[] {
  return calls.filter(id => !answered.has(id) && !id.startsWith('srvtoolu_'))
}

export function answeredIn(nodes: readonly ChainNode[]): Set<string> {
  return new Set(nodes.flatMap(({ results }) => results))
}

/** Calls that the resumed conversation goes on behind without a result. */
export function answerOpenCalls(draft: RepairDraft, newId: () => string): void {
  const tree = readTree(draft)
  const line = resumedLine(draft, tree)
  const answered = answeredIn(tree.nodes)
  const isOpen = (node: ChainNode): boolean => openCalls(node, answered).length > 0
  const before = new Set(line)
  const ids = new Set([...before].flatMap(({ messageId }) => messageId ?? []))
  // Lines of an answer may be outside of the conversation.
  for (const node of tree.nodes) {
    if (!isOpen(node) || !(before.has(node) || ids.has(node.messageId ?? ''))) continue
    const open = openCalls(node, answered)
    const uuid = newId()
    draft.insertBehind(
      node.entry,
      'call',
      'A call without a result; it gets one that says so',
      missingResult(node, open, uuid),
    )
    // A record that is there twice has its call twice.
    for (const id of open) answered.add(id)
    for (const child of node.children) {
      if (child.kind === 'result' || (child.messageId !== undefined && child.messageId === node.messageId)) continue
      draft.change(child.entry, 'parent', 'It follows the result', [['parentUuid', uuid]])
    }
  }
  draft.sweep()
}
