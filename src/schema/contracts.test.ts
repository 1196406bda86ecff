import { describe, expect, expectTypeOf, it } from 'vitest'
import type { z } from 'zod'
import type { Brand } from '../base/brand.ts'
import type { CheckReport } from '../model/check.ts'
import type { Block, EventLine, Usage } from '../model/event.ts'
import type { Finding } from '../model/finding.ts'
import type { RecordLine } from '../model/record.ts'
import type { Context, SessionDetail } from '../model/session.ts'
import type * as shapes from './contract-shapes.ts'
import type { usage } from './contract-words.ts'
import { contracts } from './contracts.ts'
import { lint } from './schema.ts'

/** A model type as it is printed: ids are plain strings, lists are plain arrays. */
type Printed<T> =
  T extends Brand<string, string>
    ? string
    : T extends readonly (infer Item)[]
      ? Printed<Item>[]
      : T extends object
        ? { -readonly [Key in keyof T]: Printed<T[Key]> }
        : T

/** What is printed must be accepted, and what is accepted must be readable as the model's type. */
type Agrees<Model, Shape extends () => z.ZodType> = [Printed<Model>] extends [z.input<ReturnType<Shape>>]
  ? z.output<ReturnType<Shape>> extends Printed<Model>
    ? true
    : 'the schema accepts what the model does not have'
  : 'the schema rejects what the model has'

const tokens = { inputTokens: 4, outputTokens: 88, cacheCreationTokens: 310, cacheReadTokens: 18220 }
const finding = { code: 'orphan', severity: 'info', file: 'a.jsonl', line: 3, message: 'Its parent is nowhere.' }
const usageExample = { ...tokens, outputFinal: true }
const at = '2026-05-04T09:12:44.120Z'
const source = { file: 'a.jsonl', line: 1, offset: 0, bytes: 120 }
const toolResult = { type: 'tool-result', callId: 'c', isError: false, content: [{ type: 'text', text: 'done' }] }

const examples: Record<string, object> = {
  'record-line': { ...source, dialect: 'client', type: 'user', status: 'known' },
  event: {
    id: 'a1',
    kind: 'tool-results',
    actor: 'tool',
    wireType: 'user',
    session: 's',
    thread: 's',
    parent: null,
    at,
    dialect: 'client',
    source,
    blocks: [toolResult],
    message: { id: 'msg_1', usage: usageExample },
    flags: ['inferred'],
    detail: { hookName: 'Stop' },
  },
  block: toolResult,
  usage: usageExample,
  context: {
    session: 's',
    reference: '2.1.325',
    resumable: true,
    leaf: 'a1',
    messages: [{ role: 'user', events: ['a1'], blocks: [toolResult] }],
  },
  'session-detail': {
    id: 's',
    title: 'Jasmine tea',
    titleFrom: 'custom',
    project: { cwd: '/home/ada/tea-shop', slug: '-home-ada-tea-shop' },
    files: ['a.jsonl'],
    startedAt: at,
    endedAt: null,
    live: false,
    models: [],
    versions: [],
    dialects: ['client'],
    threads: [{ id: 's', kind: 'main', eventCount: 2 }],
    turns: [{ index: 0, prompt: 'a1', thread: 's', startedAt: at, endedAt: at, events: 2, toolCalls: 1 }],
    toolCalls: [{ id: 'c', name: 'Read', status: 'done', thread: 's', requestEvent: 'a2', pairing: 'id' }],
    branches: [{ leaf: 'a2', active: true, eventCount: 2 }],
    compactions: [{ event: 'a3', thread: 's', at, trigger: 'auto' }],
    lineage: [{ relation: 'forked-from', session: 't', how: 'same uuids' }],
    usage: { ...usageExample, costUSD: 0.2 },
    diagnostics: [finding],
  },
  finding,
  'check-report': {
    profile: 'real',
    files: 1,
    bytes: 120,
    lines: 1,
    records: 1,
    byType: { user: 1 },
    byDialect: { client: 1 },
    counts: {
      known: 1,
      unknown: 0,
      malformed: 0,
      torn: 0,
      oversized: 0,
      blank: 0,
      glued: 0,
      orphans: 0,
      orphansWithLogicalParent: 0,
      loops: 0,
      duplicates: 0,
      callsWithoutResult: 0,
      resultsWithoutCall: 0,
      duplicateCallIds: 0,
      resultsBeforeCall: 0,
      backwardTimestamps: 0,
      compactions: 0,
    },
    findings: [finding],
  },
  'session-row': {
    id: 's',
    title: 'Jasmine tea',
    project: { cwd: null, slug: '' },
    startedAt: at,
    endedAt: at,
    live: false,
    events: 2,
    prompts: 1,
    toolCalls: 1,
    subagents: 0,
    compactions: 0,
    errors: 0,
    models: ['claude-opus-4-8'],
    usage: usageExample,
    bytes: 120,
    files: 1,
    archived: true,
    onDisk: true,
    deletedOn: null,
  },
  hit: { session: 's', thread: 's', event: 'a1', kind: 'prompt', at, snippet: 'jasmine', score: 1.5 },
  'usage-row': {
    date: '2026-05-04',
    ...tokens,
    totalTokens: 18622,
    totalCost: 0.2,
    modelsUsed: ['claude-opus-4-8'],
    modelBreakdowns: [{ modelName: 'claude-opus-4-8', ...tokens, cost: 0.2 }],
  },
  'usage-bounds': { messages: 3, messagesWithPartialOutput: 1, unknownModels: [], pricesDate: '2026-05-01' },
  'index-status': { sessions: 1, events: 2, files: 1, bytes: 120, indexedBytes: 120, pendingBytes: 0, dbBytes: 4096 },
  'index-verify': { equal: false, differences: [{ table: 'event', key: 'a1', index: 1, rebuilt: 2 }] },
  'archive-status': {
    files: 1,
    generations: 1,
    bytes: 120,
    storedBytes: 40,
    unarchivedBytes: 0,
    expiring: [{ session: 's', file: 'a.jsonl', deletedOn: at, archived: true }],
  },
}

describe('contract schemas', () => {
  it('agree with the types of the model', () => {
    expectTypeOf<Agrees<RecordLine, typeof shapes.recordLine>>().toEqualTypeOf<true>()
    expectTypeOf<Agrees<EventLine, typeof shapes.event>>().toEqualTypeOf<true>()
    expectTypeOf<Agrees<Block, typeof shapes.block>>().toEqualTypeOf<true>()
    expectTypeOf<Agrees<Usage, typeof usage>>().toEqualTypeOf<true>()
    expectTypeOf<Agrees<Context, typeof shapes.context>>().toEqualTypeOf<true>()
    expectTypeOf<Agrees<SessionDetail, typeof shapes.sessionDetail>>().toEqualTypeOf<true>()
    expectTypeOf<Agrees<Finding, typeof shapes.finding>>().toEqualTypeOf<true>()
    expectTypeOf<Agrees<CheckReport, typeof shapes.checkReport>>().toEqualTypeOf<true>()
  })

  it('each accept an example, with keys of later versions too', () => {
    expect(Object.keys(examples).sort()).toEqual(Object.keys(contracts).sort())
    for (const [name, example] of Object.entries(examples)) {
      expect(lint(name, example), name).toEqual([])
      expect(lint(name, { ...example, addedLater: 1 }), name).toEqual([])
    }
  })

  it('each reject an example that lacks a key which is always there', () => {
    for (const [name, example] of Object.entries(examples)) {
      const [first = ''] = Object.keys(example).filter(key => key !== 'date')
      expect(lint(name, { ...example, [first]: undefined }), name).not.toEqual([])
    }
  })

  it('reject words that are not in the contract', () => {
    expect(lint('event', { ...examples.event, kind: 'chat' })).toEqual([expect.stringMatching(/^kind: /)])
    expect(lint('record-line', { ...examples['record-line'], status: 'fine' })).toEqual([
      expect.stringMatching(/^status: /),
    ])
    expect(lint('block', { type: 'hologram' })).toHaveLength(1)
  })
})
