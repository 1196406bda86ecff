// Shapes of everything that commands print with `--json`. Each is a function, so that nothing is built before it is needed;
// all are loose, since later versions may print more keys.

import { z } from 'zod'
import { eventFlags, eventKinds } from '../model/event.ts'

/**
 * The type of what is printed, from its schema: without the index signatures that let later keys pass, so that a misspelt key
 * is still an error where the value is made.
 */
export type Printed<Shape extends () => z.ZodType> = Closed<z.output<ReturnType<Shape>>>
type Closed<T> = unknown extends T
  ? T
  : T extends readonly (infer Item)[]
    ? Closed<Item>[]
    : T extends object
      ? { [Key in keyof T as IsOpen<T, Key> extends true ? never : Key]: Closed<T[Key]> }
      : T
/** Whether a key is only the index signature of an object that names its other keys; a plain map keeps it. */
type IsOpen<T, Key> = string extends Key ? (NamedKeys<T> extends never ? false : true) : false
type NamedKeys<T> = keyof { [Key in keyof T as string extends Key ? never : Key]: true }

/** `clew show SESSION --json`. */
export type SessionDetail = Printed<typeof sessionDetail>
/** `clew check PATH… --json`. */
export type CheckReport = Printed<typeof checkReport>
/** How often each thing worth counting occurs in what was checked. */
export type CheckCounts = CheckReport['counts']

export const text = () => z.string()
export const count = () => z.number()
export const texts = () => z.array(z.string())
export const maybe = <T extends z.ZodType>(type: T) => type.exactOptional()
export const instant = () => z.string().nullable().describe('ISO 8601, UTC, milliseconds; null without a usable time')
export const dialect = () => z.enum(['client', 's0', 's3', 'history', 'journal', 'foreign', 'unknown'])
export const eventKind = () => z.enum(eventKinds)

export const usage = () =>
  z.looseObject({
    inputTokens: count(),
    outputTokens: count(),
    cacheCreationTokens: count(),
    cacheReadTokens: count(),
    cacheCreation5mTokens: maybe(count()),
    cacheCreation1hTokens: maybe(count()),
    serviceTier: maybe(z.string()),
    inferenceGeo: maybe(z.string()),
    webSearches: maybe(count()),
    outputFinal: z.boolean().describe('false where the log holds only a placeholder for the output: a lower bound'),
  })

export const project = () => z.looseObject({ cwd: text().nullable(), slug: text() })
export const callStatus = () => z.enum(['done', 'failed', 'interrupted', 'missing', 'running'])
export const relation = () => z.enum(['resumed-from', 'forked-from', 'continued-in', 'copied-from'])
export const titleSource = () => z.enum(['custom', 'ai', 'agent-name', 'last-prompt', 'summary', 'first-prompt', 'id'])

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
    internal: maybe(z.boolean()).describe('started by Claude Code itself, such as a prompt suggestion'),
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
    messageId: maybe(text()).describe('calls that share it were made in one answer'),
    subagent: maybe(text()).describe('the thread that it started'),
    notification: maybe(text()).describe('the event that ended it, when it ran in the background'),
    spillFile: maybe(text()),
    progress: maybe(count()).describe('how many progress and hook events belong to it'),
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
      glued: count().describe('lines with more than one record'),
      orphans: count(),
      orphansWithLogicalParent: count(),
      loops: count(),
      duplicates: count().describe('records whose uuid occurs earlier in the same file'),
      callsWithoutResult: count(),
      resultsWithoutCall: count(),
      duplicateCallIds: count(),
      resultsBeforeCall: count(),
      backwardTimestamps: count(),
      compactions: count(),
    }),
    findings: z.array(finding()),
  })

export const sessionRow = () =>
  z.looseObject({
    id: text(),
    title: text(),
    project: project(),
    gitBranch: maybe(text()),
    startedAt: instant(),
    endedAt: instant(),
    live: z.boolean(),
    events: count(),
    prompts: count(),
    toolCalls: count(),
    subagents: count(),
    compactions: count(),
    errors: count(),
    models: texts(),
    usage: usage(),
    costUSD: maybe(count()),
    bytes: count(),
    files: count(),
    archived: z.boolean(),
    onDisk: z.boolean(),
    deletedOn: maybe(instant()),
    titleFrom: titleSource(),
    durationMs: maybe(count()).describe('from the first to the last event'),
    tools: texts().describe('names of the tools that were called'),
  })

export const hit = () =>
  z.looseObject({
    session: text(),
    thread: text(),
    event: text(),
    kind: eventKind(),
    at: instant(),
    snippet: text(),
    score: maybe(count()).describe('absent from `clew grep`'),
    generation: maybe(count()).describe('where it stands only in an earlier content of the file'),
    highlights: maybe(z.array(z.tuple([count(), count()]))).describe('from `clew search`, as all that follow'),
    field: maybe(text()),
    title: maybe(text()),
    project: maybe(z.looseObject({ cwd: z.nullable(text()), slug: text() })),
    file: maybe(text()),
    copies: maybe(count()),
    isArchived: maybe(z.literal(true)),
    isUnreadable: maybe(z.literal(true)),
  })

export const indexStatus = () =>
  z.looseObject({
    sessions: count(),
    events: count(),
    files: count(),
    bytes: count(),
    indexedBytes: count(),
    pendingBytes: count(),
    dbBytes: count(),
    refreshed: instant().describe('when it was last brought up to date; null where it never was'),
  })

export const indexRefresh = () =>
  z.looseObject({
    isUnchanged: z.boolean().describe('nothing had changed since the last time'),
    isRebuilt: z.boolean().describe('it was rebuilt: on request, or because it was damaged or of another version'),
    files: count().describe('files that were read'),
    dropped: count().describe('files whose rows were taken out'),
    bytes: count(),
    sessions: count().describe('sessions whose rows were recomputed'),
    isStopped: z.boolean().describe('it was stopped before the end; the next run goes on'),
    findings: z.array(finding()),
    keptBytes: maybe(count()).describe('what was kept first; absent where nothing is to be kept'),
    keptFiles: maybe(count()),
    tookMs: count(),
  })

export const indexVerify = () =>
  z.looseObject({
    equal: z.boolean(),
    differences: z.array(z.looseObject({ table: text(), key: text(), index: z.unknown(), rebuilt: z.unknown() })),
  })

export const archiveStatus = () =>
  z.looseObject({
    files: count(),
    generations: count(),
    bytes: count(),
    storedBytes: count(),
    unarchivedBytes: count(),
    expiring: z.array(z.looseObject({ session: text(), file: text(), deletedOn: instant(), archived: z.boolean() })),
  })

export const overview = () =>
  z.looseObject({
    roots: texts().describe('what was read'),
    isSample: z.boolean().describe('true where there are no sessions yet: this is the bundled sample history'),
    counts: z.looseObject({
      projects: count(),
      sessions: count(),
      bytes: count(),
      deletedWithinWeek: count().describe('sessions that the client will delete within seven days'),
    }),
    sessions: z.array(sessionRow()).describe('the latest ten, the latest first'),
  })

export const projectRow = () =>
  z.looseObject({
    cwd: text().nullable().describe('as the records name it; null where none does'),
    slug: text().describe('name of its folder, the first one where there are several'),
    sessions: count(),
    gone: count().describe('how many of them are only in the archive'),
    bytes: count(),
    lastUsed: instant(),
    models: maybe(texts()),
    prompts: maybe(count()),
    tokens: maybe(count()).describe('input, output and cache together'),
  })

export const tree = () =>
  z.looseObject({
    session: text(),
    title: text(),
    rows: z.array(shapeRow()).describe('from top to bottom, as they are drawn'),
    folded: z
      .looseObject({ subagents: count(), calls: count(), turns: count(), rows: count() })
      .describe('what was left out; all zero with --full'),
  })

const shapeRow = () =>
  z.looseObject({
    depth: count().describe('a row belongs to the nearest one above it that is less deep'),
    kind: z.enum(['lineage', 'start', 'turn', 'calls', 'subagent', 'compaction', 'branch', 'note', 'folded']),
    id: maybe(text()).describe('the event, thread, leaf or session that it stands for, by kind'),
    text: text(),
    turn: maybe(count()).describe('number of the turn in its session, from 0'),
    times: maybe(count()).describe('how often a note came in a row; absent for once'),
    calls: maybe(count()),
    failed: maybe(count()),
    subagents: maybe(count()),
    durationMs: maybe(count()),
    tools: maybe(z.array(z.looseObject({ name: text(), calls: count(), failed: count() }))),
    isActive: maybe(z.boolean()).describe('whether the branch that ends here is the active one; absent if only one'),
    status: maybe(callStatus()),
    relation: maybe(relation()),
    isDescendant: maybe(z.boolean()).describe('true where the other session comes from this one'),
    preTokens: maybe(count()),
    postTokens: maybe(count()),
  })

const spread = () =>
  z.looseObject({
    count: count().describe('number of values; all others are 0 where there are none'),
    sum: count(),
    min: count(),
    p50: count().describe('half of the values are no larger'),
    p90: count(),
    max: count(),
    mean: count(),
  })

const share = () => z.looseObject({ count: count(), of: count(), share: count().describe('0 to 1') })
const counts = () => z.record(z.string(), count())

export const stats = () =>
  z.looseObject({
    sessions: count(),
    events: count(),
    bytes: count(),
    startedAt: instant(),
    endedAt: instant(),
    sessionBytes: spread(),
    sessionEvents: spread(),
    sessionMessages: spread(),
    sessionMs: spread(),
    turns: z.looseObject({ count: count(), perSession: spread(), durationMs: spread(), calls: spread() }),
    tools: z.array(toolStats()),
    servers: z.array(
      z.looseObject({ server: text(), tools: count(), calls: count(), failed: count(), resultBytes: count() }),
    ),
    files: z.array(z.looseObject({ path: text(), reads: count(), writes: count(), edits: count() })),
    models: z.array(z.looseObject({ model: text(), messages: count(), usage: usage() })),
    tokens: usage().extend({ messages: count(), messagesWithPartialOutput: count() }),
    versions: z.array(z.looseObject({ version: text(), sessions: count(), records: count(), types: counts() })),
    types: counts(),
    kinds: counts(),
    compactions: z.looseObject({
      count: count(),
      sessions: count(),
      perSession: spread(),
      perLongSession: spread().describe('sessions with more than 1,000 events'),
      triggers: counts(),
    }),
    orphans: z.looseObject({
      all: share(),
      inCompacted: share().extend({ sessions: count() }),
      withLogicalParent: share(),
      afterCompaction: share(),
      inSubagents: share(),
    }),
    order: z.looseObject({ parentIsPrevious: share(), backwardTimestamps: share(), earlierThanParent: share() }),
    chain: z.looseObject({ depth: spread(), deepest: maybe(text()) }),
    delegations: z.looseObject({ count: count(), exchanges: spread(), answers: spread(), calls: spread() }),
    results: z.looseObject({ text: count(), blocks: count(), structured: counts() }),
  })

const toolStats = () =>
  z.looseObject({
    name: text(),
    server: maybe(text()).describe('of an MCP tool'),
    calls: count(),
    failed: count(),
    interrupted: count(),
    missing: count(),
    durationMs: spread(),
    resultBytes: count(),
  })

export const historyRow = () =>
  z.looseObject({
    at: instant(),
    project: text().nullable().describe('the working directory'),
    text: text(),
    pasted: z.array(
      z.looseObject({
        type: text(),
        bytes: count(),
        text: maybe(text()).describe('absent where the content is gone, or is no text'),
      }),
    ),
    session: maybe(text()),
    linkedBy: maybe(z.enum(['id', 'text', 'time'])),
    onDisk: z.boolean().describe('false where the file of the session is gone, or no session fits'),
    inArchive: maybe(z.literal(true)).describe('the file is gone, but the archive has the session'),
  })

export const resume = () =>
  z.looseObject({
    session: text().describe('as the client looks for it: by the name of its file'),
    cwd: text().nullable().describe('null where the records name no working directory'),
    hasFolder: z.boolean().describe('whether that directory is here'),
    shell: z.enum(['posix', 'fish', 'powershell', 'cmd']),
    command: text(),
    resumable: z.boolean(),
    reason: maybe(text()),
    onDisk: z.boolean().describe('false where its files are only in the archive: the client needs them back first'),
  })

const archiveReport = () =>
  z.looseObject({
    path: text().nullable().describe('null where nothing was ever kept'),
    mode: text().nullable().describe('auto, manual or off'),
    sessions: count(),
    gone: count().describe('sessions that are only in the archive'),
    lastRun: text().nullable(),
    damage: z
      .array(z.looseObject({ segment: text(), problem: text() }))
      .describe('of the manifest; packs are not read'),
    atRisk: count().describe('sessions that the client deletes within a week and that are not kept'),
  })

const indexReport = () =>
  z.looseObject({
    path: text().nullable().describe('the database in use; null where there is none'),
    bytes: count(),
    format: count().nullable().describe('of its tables; null where it cannot be read'),
    sessions: count(),
    pendingBytes: count().describe('bytes of logs on disk that are not indexed yet'),
    refreshed: text().nullable(),
    isDamaged: z.boolean(),
    isOnNetwork: z.boolean(),
    leftovers: texts().describe('files that runs left which were killed'),
  })

export const doctorReport = () =>
  z.looseObject({
    environment: z.record(z.string(), z.union([text(), count(), z.boolean(), z.null()])),
    homes: z.array(
      z.looseObject({ path: text(), isThere: z.boolean(), sessions: count(), files: count(), bytes: count() }),
    ),
    own: z.looseObject({ path: text(), isThere: z.boolean(), index: text().nullable(), archive: text().nullable() }),
    archive: archiveReport(),
    index: indexReport(),
    retention: z.looseObject({
      homes: z.array(z.looseObject({ path: text(), days: count(), isDefault: z.boolean() })),
      overdue: count().describe('sessions that the client deletes when it is started next'),
      withinWeek: count(),
      withinMonth: count(),
      next: z
        .array(z.looseObject({ session: text(), deletedOn: text(), archived: z.boolean() }))
        .describe('those that go first'),
    }),
    problems: z.array(
      z.looseObject({
        code: text(),
        severity: z.enum(['error', 'warning']),
        losesData: z.boolean(),
        message: text(),
        remedy: text(),
      }),
    ),
  })

const tokens = () => ({
  inputTokens: count(),
  outputTokens: count().describe('a lower bound where `partialMessages` is there and nothing was estimated'),
  cacheCreationTokens: count(),
  cacheReadTokens: count(),
})

const amounts = () => ({
  ...tokens(),
  totalTokens: count(),
  totalCost: count().describe('USD'),
  modelsUsed: texts(),
  modelBreakdowns: z.array(z.looseObject({ modelName: text(), ...tokens(), cost: count() })),
  messages: count().describe('API messages, each once'),
  partialMessages: maybe(count()).describe('those whose output is a lower bound'),
  estimatedOutputTokens: maybe(count()).describe('how many of `outputTokens` are an estimate'),
  webSearches: maybe(count()),
  firstAt: instant(),
  lastAt: instant(),
})

/** One of these names the row; `groups` have two. */
const keys = () => ({
  date: maybe(text()),
  period: maybe(text()),
  session: maybe(text()),
  project: maybe(text()),
  model: maybe(text()),
  tool: maybe(text()),
  subagent: maybe(text()),
  branch: maybe(text()),
  gitBranch: maybe(text()),
})

const rowKeys = () => ({
  ...keys(),
  ...amounts(),
  calls: maybe(count()).describe('of the tool'),
  title: maybe(text()).describe('of the session'),
  isActive: maybe(z.boolean()).describe('of a branch: whether the session goes on with it'),
  label: maybe(text()).describe('of a branch: how its first prompt begins'),
  threads: maybe(count()).describe('of a type of subagent'),
})

export const usageRow = () =>
  z.looseObject({ ...rowKeys(), groups: maybe(z.array(z.looseObject(rowKeys()))).describe('with `--group`') })

export const usageTotals = () => z.looseObject(amounts())

export const usageBounds = () =>
  z.looseObject({
    messages: count(),
    messagesWithPartialOutput: count(),
    estimatedOutputTokens: maybe(count()),
    unknownModels: texts(),
    pricesDate: text(),
    syntheticMessages: count(),
    apiErrors: count(),
    messagesWithoutTime: count(),
    from: instant(),
    to: instant(),
  })

export const usageBlock = () =>
  z.looseObject({
    kind: z.enum(['block', 'gap', 'undated']),
    start: instant(),
    end: instant(),
    isActive: z.boolean(),
    ...amounts(),
    burnRate: maybe(z.looseObject({ tokensPerMinute: count(), freshTokensPerMinute: count(), costPerHour: count() })),
    projection: maybe(z.looseObject({ totalTokens: count(), totalCost: count(), remainingMinutes: count() })),
    limit: maybe(z.looseObject({ limit: count(), remaining: count(), share: count(), projectedShare: maybe(count()) })),
  })

const comparison = () => ({ ours: count(), client: count(), difference: count() })
const stated = () => maybe(z.looseObject({ ...comparison(), messages: count() }))
const totals = () => maybe(z.looseObject({ ...comparison(), processes: count() }))

export const usageReconcile = () =>
  z.looseObject({
    rows: z.array(z.looseObject({ session: text(), calculated: count(), stated: stated(), totals: totals() })),
    stated: stated(),
    totals: totals(),
  })

export const usageBudget = () =>
  z.looseObject({
    usd: count(),
    per: z.enum(['report', 'day', 'week', 'month']),
    periods: z.array(z.looseObject({ period: text(), cost: count(), isOver: z.boolean() })),
    isExceeded: z.boolean(),
  })
