import { describe, expect, it } from 'vitest'
import type { z } from 'zod'
import type { Block, EventLine, Usage } from '../model/event.ts'
import type { Finding } from '../model/finding.ts'
import type { RecordLine } from '../model/record.ts'
import type { Context } from '../model/session.ts'
import type * as shapes from './contract-shapes.ts'
import type { Plain } from './contract-shapes.ts'
import { contracts } from './contracts.ts'
import { lint } from './schema.ts'

/** What is printed must be accepted, and what is accepted must be readable as the model's type. */
type Agrees<Model, Shape extends () => z.ZodType> = [Plain<Model>] extends [z.input<ReturnType<Shape>>]
  ? z.output<ReturnType<Shape>> extends Plain<Model>
    ? true
    : 'the schema accepts what the model does not have'
  : 'the schema rejects what the model has'

const tokens = { inputTokens: 4, outputTokens: 88, cacheCreationTokens: 310, cacheReadTokens: 18220 }
const finding = { code: 'orphan', severity: 'info', file: 'a.jsonl', line: 3, message: 'Its parent is nowhere.' }
const usageExample = { ...tokens, outputFinal: true }
const at = '2026-05-04T09:12:44.120Z'
const source = { file: 'a.jsonl', line: 1, offset: 0, bytes: 120 }
const toolResult = { type: 'tool-result', callId: 'c', isError: false, content: [{ type: 'text', text: 'done' }] }

const amounts = {
  ...tokens,
  totalTokens: 18622,
  totalCost: 0.2,
  modelsUsed: ['claude-opus-4-8'],
  modelBreakdowns: [{ modelName: 'claude-opus-4-8', ...tokens, cost: 0.2 }],
  messages: 3,
  partialMessages: 1,
  firstAt: at,
  lastAt: at,
}
const spread = { count: 1, sum: 2, min: 2, p50: 2, p90: 2, max: 2, mean: 2 }
const share = { count: 1, of: 4, share: 0.25 }
const sessionRow = {
  id: 's',
  title: 'Jasmine tea',
  project: { cwd: null, slug: '', name: '' },
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
  titleFrom: 'custom',
  tools: ['Read'],
  programmatic: false,
  tag: 'cakes',
  setAside: { at: '2026-01-02T00:00:00.000Z', by: 'sdk' },
}

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
    turns: [
      { index: 0, prompt: 'a1', lastEvent: 'a2', thread: 's', startedAt: at, endedAt: at, events: 2, toolCalls: 1 },
    ],
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
    groups: [],
  },
  'session-row': sessionRow,
  'session-talk': {
    id: 's',
    title: 'Jasmine tea',
    project: { cwd: null, slug: '' },
    startedAt: at,
    endedAt: at,
    messages: [{ event: 'e', kind: 'prompt', at, text: 'Tea?' }],
  },
  'export-report': {
    out: '/tmp/tea',
    index: '/tmp/tea/index.html',
    format: 'html',
    detail: 'normal',
    sessions: 1,
    written: 1,
    unchanged: 0,
    bytes: 120,
    failed: [],
  },
  overview: {
    roots: ['/home/ada/.claude'],
    isSample: false,
    counts: { projects: 1, sessions: 1, bytes: 120, deletedWithinWeek: 0, lostWithinWeek: 0, gone: 0 },
    sessions: [sessionRow],
  },
  'project-row': {
    cwd: null,
    slug: '-home-ada-tea-shop',
    name: 'tea-shop',
    sessions: 1,
    gone: 0,
    bytes: 120,
    lastUsed: at,
  },
  tree: {
    session: 's',
    title: 'Jasmine tea',
    rows: [
      { depth: 0, kind: 'turn', text: 'Hello', turn: 0, calls: 2, failed: 1, subagents: 0, id: 'a1' },
      { depth: 1, kind: 'calls', text: '', calls: 2, failed: 1, tools: [{ name: 'Read', calls: 2, failed: 1 }] },
    ],
    folded: { subagents: 0, calls: 0, turns: 0, rows: 0 },
  },
  stats: {
    sessions: 1,
    events: 2,
    bytes: 120,
    startedAt: at,
    endedAt: at,
    sessionBytes: spread,
    sessionEvents: spread,
    sessionMessages: spread,
    sessionMs: spread,
    turns: { count: 1, perSession: spread, durationMs: spread, calls: spread },
    tools: [{ name: 'Read', calls: 1, failed: 0, interrupted: 0, missing: 0, durationMs: spread, resultBytes: 80 }],
    servers: [{ server: 'kettle', tools: 1, calls: 1, failed: 0, resultBytes: 80 }],
    files: [{ path: '/home/ada/tea-shop/a.ts', reads: 1, writes: 0, edits: 0 }],
    models: [{ model: 'claude-opus-4-8', messages: 1, usage: usageExample }],
    tokens: { ...usageExample, messages: 1, messagesWithPartialOutput: 0 },
    versions: [{ version: '2.1.9', sessions: 1, records: 2, types: { user: 1 } }],
    types: { user: 1 },
    kinds: { prompt: 1 },
    compactions: { count: 0, sessions: 0, perSession: spread, perLongSession: spread, triggers: { auto: 1 } },
    orphans: {
      all: share,
      inCompacted: { ...share, sessions: 1 },
      withLogicalParent: share,
      afterCompaction: share,
      inSubagents: share,
    },
    order: { parentIsPrevious: share, backwardTimestamps: share, earlierThanParent: share },
    chain: { depth: spread, deepest: 's' },
    delegations: { count: 0, exchanges: spread, answers: spread, calls: spread },
    results: { text: 1, blocks: 0, structured: { object: 1 } },
  },
  'history-row': { at, project: null, text: 'Hello', pasted: [{ type: 'text', bytes: 4 }], onDisk: false },
  'repair-report': {
    session: 's',
    inPlace: true,
    dryRun: false,
    changes: [{ file: '/home/ada/s.jsonl', line: 3, kind: 'torn', what: 'cut record', before: '{"ty', after: '{}' }],
    setAside: 1,
    before: { resumable: false, reason: 'No conversation found', messages: 0, texts: 0, calls: 0, results: 0 },
    after: { resumable: true, messages: 4, texts: 3, calls: 1, results: 1 },
    undo: 'clew archive restore s@1 --overwrite',
  },
  'changed-session': {
    session: 's',
    path: '/home/ada/.claude/projects/-home-ada-tea-shop/s.jsonl',
    dryRun: false,
    bytes: 120,
    events: ['e'],
    losses: [{ event: 'e', path: 'blocks[0]', why: '003 has texts and calls only' }],
    undo: 'truncate -s 900 /home/ada/.claude/projects/-home-ada-tea-shop/s.jsonl',
  },
  'convert-report': {
    to: 's4',
    out: '/tmp/old',
    dryRun: false,
    sessions: [
      {
        session: 's',
        origin: 's',
        files: ['/tmp/old/projects/-home-ada-tea-shop/s.jsonl'],
        bytes: 900,
        records: 6,
        losses: [{ event: 'e', path: 'gitBranch', why: '004 has no branch of git' }],
      },
    ],
    failed: [{ session: 'u', why: 'It cannot be read.' }],
    left: ['/home/ada/.claude/history.jsonl'],
    findings: [],
    undo: 'rm -r /tmp/old',
  },
  'parts-report': {
    session: 's',
    path: '/home/ada/.claude/projects/-home-ada-tea-shop/s.jsonl',
    dryRun: false,
    parts: [{ path: '/tmp/parts/s.001-of-001.jsonl', bytes: 900 }],
    files: ['/tmp/parts/s/subagents/agent-a1.jsonl'],
    bytes: 900,
    undo: 'rm -r /tmp/parts',
  },
  'new-session': {
    session: 't',
    origin: 's',
    dryRun: false,
    files: ['/home/ada/.claude/projects/-home-ada-tea-shop/t.jsonl'],
    bytes: 900,
    messages: 4,
    command: 'claude --resume t',
    undo: 'rm -r /home/ada/.claude/projects/-home-ada-tea-shop/t.jsonl',
    title: 'Tea (fork)',
    leaf: 'e',
    records: 6,
    subagents: 0,
    damaged: 0,
    openCalls: 0,
    tokensBefore: 5000,
    tokensAfter: 900,
    cuts: [{ event: 'e', call: 'toolu_1', tool: 'Bash', tokens: 4100, characters: 16_400 }],
  },
  resume: {
    session: 's',
    cwd: '/home/ada/tea-shop',
    hasFolder: true,
    onDisk: true,
    shell: 'posix',
    command: 'cd /home/ada/tea-shop && claude --resume s',
    resumable: true,
  },
  'doctor-report': {
    environment: { node: '20.20.2', columns: null, isTerminal: false },
    homes: [{ path: '/home/ada/.claude', isThere: true, sessions: 1, files: 1, bytes: 120 }],
    own: { path: '/home/ada/.local/share/clew', isThere: false, index: null, archive: null },
    archive: { path: null, mode: 'auto', sessions: 0, gone: 0, lastRun: null, damage: [], atRisk: 1 },
    index: {
      path: null,
      bytes: 0,
      format: null,
      sessions: 0,
      pendingBytes: 0,
      refreshed: null,
      isDamaged: false,
      isOnNetwork: false,
      leftovers: [],
    },
    retention: {
      homes: [{ path: '/home/ada/.claude', days: 30, isDefault: true }],
      overdue: 0,
      withinWeek: 1,
      withinMonth: 1,
      next: [{ session: 's', deletedOn: at, archived: false }],
    },
    problems: [{ code: 'no-home', severity: 'warning', losesData: false, message: 'No home.', remedy: 'Name one.' }],
  },
  hit: { session: 's', thread: 's', event: 'a1', kind: 'prompt', at, snippet: 'jasmine', score: 1.5 },
  'usage-row': {
    date: '2026-05-04',
    ...amounts,
    title: 'Jasmine tea',
    groups: [{ model: 'claude-opus-4-8', ...amounts }],
  },
  'usage-bounds': {
    messages: 3,
    messagesWithPartialOutput: 1,
    unknownModels: [],
    pricesDate: '2026-05-01',
    syntheticMessages: 1,
    apiErrors: 1,
    messagesWithoutTime: 0,
    from: at,
    to: at,
  },
  'usage-totals': amounts,
  'usage-block': {
    kind: 'block',
    start: at,
    end: at,
    isActive: true,
    ...amounts,
    burnRate: { tokensPerMinute: 10, freshTokensPerMinute: 1, costPerHour: 0.5 },
    projection: { totalTokens: 30000, totalCost: 1, remainingMinutes: 90 },
    limit: { limit: 50000, remaining: 20000, share: 0.6, projectedShare: 0.9 },
  },
  'usage-budget': {
    usd: 1,
    per: 'day',
    periods: [{ period: '2026-05-04', cost: 2, isOver: true }],
    isExceeded: true,
  },
  'usage-reconcile': {
    rows: [
      {
        session: 's',
        calculated: 0.2,
        stated: { ours: 0.2, client: 0.2, difference: 0, messages: 1 },
        totals: {
          ...{ ours: 0.2, client: 0.3, difference: -0.1, processes: 1, unexplained: -0.02 },
          causes: [
            {
              cause: 'calls-not-in-log',
              usd: -0.08,
              model: 'claude-opus-4-5',
              calls: [{ kind: 'compaction', count: 1 }],
            },
          ],
        },
      },
    ],
    totals: { ours: 0.2, client: 0.3, difference: -0.1, processes: 1 },
    sessions: { equal: 0, explained: 0, partly: 1, unexplained: 0 },
  },
  'index-status': {
    sessions: 1,
    events: 2,
    files: 1,
    bytes: 120,
    indexedBytes: 120,
    pendingBytes: 0,
    dbBytes: 4096,
    refreshed: at,
    missing: [],
  },
  'index-refresh': {
    isUnchanged: false,
    isRebuilt: false,
    files: 1,
    dropped: 0,
    bytes: 120,
    sessions: 1,
    isStopped: false,
    findings: [],
    keptBytes: 120,
    keptFiles: 1,
    tookMs: 20,
  },
  'index-verify': { equal: false, differences: [{ table: 'event', key: 'a1', index: 1, rebuilt: 2 }] },
  'archive-status': {
    folder: '/home/ada/.local/share/clew/archive',
    exists: true,
    mode: 'auto',
    schedule: ['hook'],
    homes: ['/home/ada/.claude'],
    sessions: 1,
    packs: 1,
    segments: 1,
    sharedBytes: 0,
    goneSessions: 0,
    earlierGenerations: 0,
    leftOut: 0,
    lastRun: at,
    notKept: [{ file: 'b.jsonl', bytes: 12, reason: 'new' }],
    damage: [],
    brokenGenerations: 0,
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
    // Checked by the compiler: each says what is wrong where it is not true.
    const agree: [
      Agrees<RecordLine, typeof shapes.recordLine>,
      Agrees<EventLine, typeof shapes.event>,
      Agrees<Block, typeof shapes.block>,
      Agrees<Usage, typeof shapes.usage>,
      Agrees<Context, typeof shapes.context>,
      Agrees<Finding, typeof shapes.finding>,
    ] = [true, true, true, true, true, true]
    expect(agree).not.toContain(false)
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
