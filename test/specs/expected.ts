// The examples of the five specifications, written with lines of our own, and what a test says about one: facts about each
// event, and about the session's graph where the meaning needs it. It contains no expectation.

import { readFileSync } from 'node:fs'
import { type JsonObject, jsonText } from '../../src/base/json.ts'
import { decodeText } from '../../src/decode/decode.ts'
import { buildGraph } from '../../src/graph/graph.ts'
import type { Actor, Block, EventKind, Flag, MessageFacts, SessionEvent } from '../../src/model/event.ts'
import { sessionId } from '../../src/model/ids.ts'
import type { Dialect } from '../../src/model/record.ts'
import type { SessionGraph, Thread, ToolCall } from '../../src/model/session.ts'

/** Facts are compared as far as they are given, but lists (blocks, flags) as a whole. */
export interface Facts {
  kind?: EventKind
  actor?: Actor
  dialect?: Dialect
  wireType?: string
  id?: string
  session?: string
  thread?: string
  parent?: string | null
  logicalParent?: string
  at?: string | null
  version?: string
  cwd?: string
  gitBranch?: string
  flags?: readonly Flag[]
  blocks?: readonly object[]
  message?: Partial<MessageFacts>
  detail?: object
}

export interface Expected {
  /** Every event of the example, all variants one after the other. */
  events: Facts[]
  /** About the graph of its first variant. */
  graph?: (graph: SessionGraph) => void
}

/** Example, named by the specification, its headings and a number → what it means. */
export type ExpectedByPlace = Readonly<Record<string, Expected>>

/** The call that an example of a lone `toolUseResult` belongs to. */
export const wrappedCall = 'toolu_wrapped'

/** Our own lines in the form of each example, all variants of one after the other. */
const variants = readFileSync(new URL('./examples.jsonl', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line): { example: string; lines: JsonObject[] } => JSON.parse(line))

export const exampleNames: ReadonlySet<string> = new Set(variants.map(({ example }) => example))

export function variantsAt(example: string): JsonObject[][] {
  return variants.filter(variant => variant.example === example).map(({ lines }) => lines)
}

/** The first variants of several examples as the lines of one file. */
export function linesAt(...examples: string[]): JsonObject[] {
  return examples.flatMap(example => variantsAt(example)[0] ?? [])
}

export const text = (words: string): object => ({ type: 'text', text: words })
export const call = (callId: string, name: string, input?: unknown): object => ({
  type: 'tool-call',
  callId,
  name,
  ...(input === undefined ? {} : { input }),
})
export const result = (callId: string, words: string, more: object = {}): object => ({
  type: 'tool-result',
  callId,
  isError: false,
  content: [text(words)],
  ...more,
})

const s0 = { dialect: 's0' } as const
const s3 = { dialect: 's3' } as const
const client = { dialect: 'client' } as const
/** Beginnings of facts, by dialect and kind. */
export const is = {
  s0: {
    prompt: { ...s0, kind: 'prompt', actor: 'human', flags: [] },
    answer: { ...s0, kind: 'answer', actor: 'agent', flags: [] },
    results: { ...s0, kind: 'tool-results', actor: 'tool', flags: [] },
  },
  s3: {
    prompt: { ...s3, kind: 'prompt', actor: 'human' },
    answer: { ...s3, kind: 'answer', actor: 'agent' },
    delegation: { ...s3, kind: 'delegation', actor: 'agent' },
    results: { ...s3, kind: 'tool-results', actor: 'tool' },
    compaction: { ...s3, kind: 'compaction', actor: 'client' },
  },
  client: {
    prompt: { ...client, kind: 'prompt', actor: 'human', flags: [] },
    answer: { ...client, kind: 'answer', actor: 'agent', flags: [] },
    results: { ...client, kind: 'tool-results', actor: 'tool', flags: [] },
    by: (kind: EventKind) => ({ ...client, kind, actor: 'client' as const }),
  },
} as const

export interface Read {
  events: SessionEvent[]
  graph: SessionGraph
}

/** Lines as a session file would have them, decoded and built. */
export function readLines(lines: readonly object[], file = 'session.jsonl'): Read {
  const { events } = decodeText(lines.map(line => `${jsonText(line)}\n`).join(''), { file })
  const session = events.find(event => event.session !== '')?.session ?? sessionId('session')
  return { events, graph: buildGraph(session, [{ path: file, role: 'session', events }]) }
}

export function subagents(graph: SessionGraph): Thread[] {
  return graph.threads.filter(thread => thread.kind === 'subagent')
}

export function mainThread(graph: SessionGraph): Thread | undefined {
  return graph.threads.find(thread => thread.kind === 'main')
}

/** The named facts of every call, in the order in which they were asked for. */
export function callFacts(graph: SessionGraph, ...keys: (keyof ToolCall)[]): unknown[][] {
  return graph.toolCalls.map(toolCall => keys.map(key => toolCall[key]))
}

/** How a node came to its parent, as `parent ← id (link)`; a root has no parent. */
export function links(graph: SessionGraph): string[] {
  return [...graph.nodes.values()].map(node => `${node.parent ?? '-'} ← ${node.event.id} (${node.link})`)
}

/** A block's or event's words, to compare order briefly. */
export function words(events: readonly SessionEvent[]): string[] {
  return events.map(event => event.blocks.map(blockWords).join(' '))
}

function blockWords(block: Block): string {
  if (block.type === 'text' || block.type === 'thinking') return block.text
  if (block.type === 'tool-call') return block.name
  return block.type === 'tool-result' ? block.content.map(blockWords).join(' ') : block.type
}
