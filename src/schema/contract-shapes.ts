// Shapes of what commands print about records, events and one session. Each is a function, so that nothing is built
// before it is asked for; all are loose, since later versions may print more keys.

import { z } from 'zod'
import { eventFlags } from '../model/event.ts'
import {
  callStatus,
  count,
  dialect,
  eventKind,
  instant,
  maybe,
  project,
  relation,
  text,
  texts,
  titleSource,
  usage,
} from './contract-words.ts'

export const recordLine = () =>
  z.looseObject({
    file: text(),
    line: count().describe('1-based'),
    offset: count().describe('first byte'),
    bytes: count().describe('with line end, BOM and NULs: the bytes of all records of a file add up to its size'),
    part: maybe(count()).describe('1, 2, … when one line holds several glued records'),
    dialect: dialect(),
    type: text().nullable(),
    subtype: maybe(text()),
    status: z.enum(['known', 'unknown', 'malformed', 'torn', 'oversized', 'blank']),
    foreign: maybe(text()).describe('which tool wrote it, when the dialect is foreign'),
  })

type BlockShape =
  | { type: 'text'; text: string }
  | { type: 'thinking'; text: string; logged: boolean; redacted?: boolean }
  | { type: 'tool-call'; callId: string; name: string; input: unknown; inferredId?: boolean; caller?: unknown }
  | {
      type: 'tool-result'
      callId: string
      isError: boolean
      content: BlockShape[]
      structured?: unknown
      spillFile?: string
    }
  | { type: 'image' | 'document'; mediaType: string; bytes: number; data?: string }
  | { type: 'other'; wireType: string; raw: unknown }

let oneBlock: z.ZodType<BlockShape> | undefined

/** Made once: it refers to itself, since the content of a tool result is blocks again. */
export const block = (): z.ZodType<BlockShape> => {
  oneBlock ??= z.discriminatedUnion('type', [
    z.looseObject({ type: z.literal('text'), text: text() }),
    z.looseObject({
      type: z.literal('thinking'),
      text: text(),
      logged: z.boolean().describe('false where this version kept only a signature'),
      redacted: maybe(z.boolean()),
    }),
    z.looseObject({
      type: z.literal('tool-call'),
      callId: text(),
      name: text(),
      input: z.unknown(),
      inferredId: maybe(z.boolean()),
      caller: maybe(z.unknown()),
    }),
    z.looseObject({
      type: z.literal('tool-result'),
      callId: text(),
      isError: z.boolean(),
      content: z.array(z.lazy(block)),
      structured: maybe(z.unknown()),
      spillFile: maybe(text()),
    }),
    z.looseObject({
      type: z.enum(['image', 'document']),
      mediaType: text(),
      bytes: count(),
      data: maybe(text()).describe('base64, only with --data'),
    }),
    z.looseObject({ type: z.literal('other'), wireType: text(), raw: z.unknown() }),
  ])
  return oneBlock
}

export const event = () =>
  z.looseObject({
    id: text(),
    kind: eventKind(),
    actor: z.enum(['human', 'agent', 'tool', 'client']),
    wireType: text(),
    session: text(),
    thread: text(),
    parent: text().nullable(),
    logicalParent: maybe(text()),
    at: instant(),
    dialect: dialect(),
    version: maybe(text()),
    cwd: maybe(text()),
    gitBranch: maybe(text()),
    source: z.looseObject({ file: text(), line: count(), offset: count(), bytes: count(), part: maybe(count()) }),
    blocks: z.array(block()),
    message: maybe(
      z.looseObject({
        id: text(),
        requestId: maybe(text()),
        model: maybe(text()),
        stopReason: maybe(text()),
        usage: maybe(usage()),
        costUSD: maybe(count()),
        durationMs: maybe(count()),
      }),
    ),
    flags: z.array(z.enum(eventFlags)),
    detail: maybe(z.record(z.string(), z.unknown())).describe('facts that depend on the kind'),
  })

export const context = () =>
  z.looseObject({
    session: text(),
    reference: text().describe('the client version whose behaviour this follows'),
    resumable: z.boolean(),
    reason: maybe(text()),
    leaf: text().nullable(),
    messages: z.array(
      z.looseObject({
        role: z.enum(['user', 'assistant']),
        messageId: maybe(text()),
        events: texts(),
        blocks: z.array(block()),
        synthetic: maybe(z.boolean()),
        tokens: maybe(count()),
      }),
    ),
  })

export const finding = () =>
  z.looseObject({
    code: text(),
    severity: z.enum(['error', 'warning', 'info']),
    file: maybe(text()),
    line: maybe(count()),
    offset: maybe(count()),
    event: maybe(text()),
    message: text(),
  })

export const sessionDetail = () =>
  z.looseObject({
    id: text(),
    title: text(),
    titleFrom: titleSource(),
    project: project(),
    files: texts(),
    startedAt: instant(),
    endedAt: instant(),
    live: z.boolean(),
    models: texts(),
    versions: texts(),
    dialects: z.array(dialect()),
    threads: z.array(thread()),
    turns: z.array(turn()),
    toolCalls: z.array(toolCall()),
    branches: z.array(
      z.looseObject({
        leaf: text(),
        active: z.boolean(),
        title: maybe(text()),
        forkedAt: maybe(text()),
        eventCount: count(),
      }),
    ),
    compactions: z.array(compaction()),
    lineage: z.array(
      z.looseObject({
        relation: relation(),
        session: text(),
        how: text(),
      }),
    ),
    usage: usage().extend({ costUSD: maybe(count()) }),
    diagnostics: z.array(finding()),
  })

const thread = () =>
  z.looseObject({
    id: text(),
    kind: z.enum(['main', 'subagent']),
    agentType: maybe(text()),
    parentThread: maybe(text()),
    call: maybe(text()),
    linkedBy: maybe(z.enum(['meta', 'result', 'progress', 'queue', 'parent', 'prompt'])),
    async: maybe(z.boolean()),
    internal: maybe(z.boolean()),
    description: maybe(text()),
    eventCount: count(),
  })

const turn = () =>
  z.looseObject({
    index: count(),
    prompt: text(),
    thread: text(),
    startedAt: instant(),
    endedAt: instant(),
    durationMs: maybe(count()),
    events: count(),
    toolCalls: count(),
  })

const toolCall = () =>
  z.looseObject({
    id: text(),
    name: text(),
    status: callStatus(),
    thread: text(),
    requestEvent: text(),
    resultEvent: maybe(text()),
    durationMs: maybe(count()),
    pairing: z.enum(['id', 'inferred']),
    messageId: maybe(text()),
    subagent: maybe(text()),
    notification: maybe(text()),
    spillFile: maybe(text()),
    progress: maybe(count()),
    removed: maybe(z.boolean()),
  })

const compaction = () =>
  z.looseObject({
    event: text(),
    thread: text(),
    at: instant(),
    trigger: maybe(text()),
    preTokens: maybe(count()),
    summaryEvent: maybe(text()),
    preservedEvents: maybe(texts()),
    preservedMessages: maybe(count()),
    totalMessages: maybe(count()),
  })

export const checkReport = () =>
  z.looseObject({
    profile: text(),
    files: count(),
    bytes: count(),
    lines: count(),
    records: count(),
    byType: z.record(z.string(), count()),
    byDialect: z.partialRecord(dialect(), count()),
    counts: z.looseObject({
      known: count(),
      unknown: count(),
      malformed: count(),
      torn: count(),
      oversized: count(),
      blank: count(),
      glued: count(),
      orphans: count(),
      orphansWithLogicalParent: count(),
      loops: count(),
      duplicates: count(),
      callsWithoutResult: count(),
      resultsWithoutCall: count(),
      duplicateCallIds: count(),
      resultsBeforeCall: count(),
      backwardTimestamps: count(),
      compactions: count(),
    }),
    findings: z.array(finding()),
  })
