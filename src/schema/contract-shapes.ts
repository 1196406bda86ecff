// Shapes of everything that commands print with `--json`. Each is a function, so that nothing is built before it is needed;
// all are loose, since later versions may print more keys.

import { z } from 'zod'
import type { Brand } from '../base/brand.ts'
import { type Block, eventFlags, eventKinds } from '../model/event.ts'

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

// What commands print; `contracts.ts` says which. No other file declares these types again.
/** What `clew show --json` prints. */
export type SessionDetail = Printed<typeof sessionDetail>
/** `clew check PATH… --json`. */
export type CheckReport = Printed<typeof checkReport>
/** How often each thing worth counting occurs in what was checked. */
export type CheckCounts = CheckReport['counts']
/** What `clew ls --json` prints of one session. */
export type SessionRow = Printed<typeof sessionRow>
export type ProjectRow = Printed<typeof projectRow>
export type Overview = Printed<typeof overview>
export type Tree = Printed<typeof tree>
export type Stats = Printed<typeof stats>
export type HistoryPrompt = Printed<typeof historyRow>
export type Resume = Printed<typeof resume>
export type NewSession = Printed<typeof newSession>
export type RepairReport = Printed<typeof repairReport>
export type ChangedSession = Printed<typeof changedSession>
export type PartsReport = Printed<typeof partsReport>
export type ConvertReport = Printed<typeof convertReport>
export type DoctorReport = Printed<typeof doctorReport>
export type Hit = Printed<typeof hit>
export type UsageRow = Printed<typeof usageRow>
export type UsageKeys = Pick<UsageRow, keyof ReturnType<typeof keys>>
export type UsageAmounts = Printed<typeof usageTotals>
export type UsageBounds = Printed<typeof usageBounds>
export type UsageBlock = Printed<typeof usageBlock>
export type UsageBudget = Printed<typeof usageBudget>
export type Reconciliation = Printed<typeof usageReconcile>
export type IndexStatus = Printed<typeof indexStatus>
export type IndexRefresh = Printed<typeof indexRefresh>
export type IndexVerify = Printed<typeof indexVerify>
export type ArchiveStatus = Printed<typeof archiveStatus>
export type SessionTalk = Printed<typeof sessionTalk>
export type ExportReport = Printed<typeof exportReport>

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
    speed: maybe(z.string()),
    webSearches: maybe(count()),
    outputFinal: z.boolean().describe('false where the log has only a placeholder for the output: a lower bound'),
  })

const pricedUsage = () => usage().extend({ costUSD: maybe(count()) })

const projectName = () =>
  text().describe('what the project is called: its last folder, with those above where two are equal')

export const project = () => z.looseObject({ cwd: text().nullable(), slug: text() })

const namedProject = () => project().extend({ name: projectName() })
export const callStatus = () => z.enum(['done', 'failed', 'interrupted', 'missing', 'running'])
export const relation = () => z.enum(['resumed-from', 'forked-from', 'continued-in', 'copied-from'])
export const titleSource = () => z.enum(['custom', 'ai', 'agent-name', 'last-prompt', 'summary', 'first-prompt', 'id'])

export const recordLine = () =>
  z.looseObject({
    file: text(),
    line: count().describe('1-based'),
    offset: count().describe('first byte'),
    bytes: count().describe('with line end, BOM and NULs: the bytes of all records of a file add up to its size'),
    part: maybe(count()).describe('1, 2, … when one line has several glued records'),
    dialect: dialect(),
    type: text().nullable(),
    subtype: maybe(text()),
    status: z.enum(['known', 'unknown', 'malformed', 'torn', 'oversized', 'blank']),
    foreign: maybe(text()).describe('which tool wrote it, when the dialect is foreign'),
    value: maybe(z.record(text(), z.unknown())).describe('the whole record, with --values'),
  })

/** A type of the model as it is printed: ids are plain strings. */
export type Plain<T> =
  T extends Brand<string, string>
    ? string
    : T extends readonly (infer Item)[]
      ? Plain<Item>[]
      : T extends object
        ? { -readonly [Key in keyof T]: Plain<T[Key]> }
        : T

let oneBlock: z.ZodType<Plain<Block>> | undefined

/** Made once: it refers to itself, since the content of a tool result is blocks again. */
export const block = (): z.ZodType<Plain<Block>> => {
  oneBlock ??= z.discriminatedUnion('type', [
    z.looseObject({ type: z.literal('text'), text: text() }),
    z.looseObject({
      type: z.literal('thinking'),
      text: text(),
      logged: z.boolean().describe('false where this version wrote only a signature'),
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
    reference: text().describe('the version of Claude Code whose behaviour this follows'),
    resumable: z.boolean(),
    reason: maybe(text()),
    partial: maybe(texts().describe('why what is sent may differ from this: what no log can know')),
    leaf: text().nullable(),
    messages: z.array(
      z.looseObject({
        role: z.enum(['user', 'assistant', 'system']).describe('system: reminders that follow what the user says'),
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

const findingGroup = () =>
  z.looseObject({
    code: text(),
    severity: z.enum(['error', 'warning', 'info']),
    says: text().describe('what the rule says, or the finding means'),
    count: count().describe('how many findings'),
    files: count().describe('in how many files'),
    example: finding().describe('the first of them'),
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
    selected: maybe(
      z.looseObject({
        thread: maybe(text()),
        turns: maybe(z.array(count())).describe('indexes of the first and the last one'),
        branch: maybe(text()).describe('the event that it ends in'),
        since: maybe(text()),
        event: maybe(text()),
        events: count().describe('how many events are selected'),
      }),
    ).describe('what was asked for: threads, turns, toolCalls, compactions and events have that alone; else absent'),
    events: maybe(z.array(z.looseObject({ id: text() }))).describe(
      'with --full: all, or those that are selected; each as `clew schema event` says',
    ),
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
    usage: pricedUsage().describe('of the messages that it sent itself'),
    withInherited: maybe(pricedUsage()).describe(
      'with the history that it has copies of; absent where that is the same',
    ),
    diagnostics: z.array(finding()),
  })

const thread = () =>
  z.looseObject({
    id: text(),
    kind: z.enum(['main', 'subagent']),
    agentType: maybe(text()),
    parentThread: maybe(text()),
    call: maybe(text()),
    linkedBy: maybe(z.enum(['meta', 'result', 'progress', 'queue', 'parent', 'prompt', 'place'])),
    async: maybe(z.boolean()),
    internal: maybe(z.boolean()).describe('started by Claude Code itself, such as a prompt suggestion'),
    description: maybe(text()),
    eventCount: count(),
    inherited: maybe(z.boolean()).describe('true where the session has it from another one, for which it counts'),
  })

const turn = () =>
  z.looseObject({
    index: count(),
    prompt: text(),
    thread: text(),
    startedAt: instant(),
    endedAt: instant(),
    durationMs: maybe(count()),
    lastEvent: text().describe('where a fork of all until its end ends'),
    events: count(),
    toolCalls: count(),
    inherited: maybe(z.boolean()).describe('true where the session has it from another one, for which it counts'),
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
    inherited: maybe(z.boolean()).describe('true where the session has it from another one, for which it counts'),
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
    inherited: maybe(z.boolean()).describe('true where the session has it from another one, for which it counts'),
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
    groups: z.array(findingGroup()).describe('the findings by rule, the worst first'),
  })

export const sessionRow = () =>
  z.looseObject({
    id: text(),
    title: text(),
    project: namedProject(),
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
    usage: usage().describe('of the messages that it sent itself'),
    withInherited: maybe(usage()).describe('with the history that it has copies of; absent where that is the same'),
    costUSD: maybe(count()).describe('of the messages that it sent itself; absent where no model has a price'),
    bytes: count(),
    files: count(),
    archived: z.boolean(),
    onDisk: z.boolean(),
    deletedOn: maybe(instant()),
    titleFrom: titleSource(),
    durationMs: maybe(count()).describe('from the first to the last event; without what a fork copied'),
    tools: texts().describe('names of the tools that were called'),
    programmatic: z.boolean().describe('only programs sent prompts: `claude -p`, the agent SDK'),
    tag: maybe(text()).describe('set by /tag or the agent SDK'),
    setAside: maybe(z.looseObject({ at: instant(), by: maybe(text()) })).describe(
      'archived in Claude Code; `archived` is about copies in the archive of Clew',
    ),
    background: maybe(z.looseObject({ state: text(), at: instant(), detail: maybe(text()) })).describe(
      'a session in the background, as Claude Code last wrote how far it is',
    ),
    copiedEvents: maybe(count()).describe('how many of its events a fork copied'),
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
    generation: maybe(count()).describe('where only an earlier content of the file has it'),
    line: maybe(count()).describe('from `clew grep`: number of the line in its text'),
    label: maybe(text()).describe('what the text is called: what `kind:` and `--kind` take'),
    highlights: maybe(z.array(z.tuple([count(), count()]))).describe('from `clew search`, as all that follow'),
    field: maybe(text()),
    title: maybe(text()),
    project: maybe(z.looseObject({ cwd: z.nullable(text()), slug: text() })),
    file: maybe(text()),
    storedIn: maybe(text()).describe('where Claude Code stored the text outside of the log'),
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
    missing: z.array(z.string()).describe('homes that are not there, of which files are indexed'),
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
    keptBytes: maybe(count()).describe('what was archived first; absent where nothing is archived'),
    keptFiles: maybe(count()),
    tookMs: count(),
  })

export const indexVerify = () =>
  z.looseObject({
    equal: z.boolean(),
    differences: z.array(z.looseObject({ table: text(), key: text(), index: z.unknown(), rebuilt: z.unknown() })),
  })

export const sessionTalk = () =>
  z.looseObject({
    id: text(),
    title: text(),
    project: project(),
    startedAt: instant(),
    endedAt: instant(),
    messages: z.array(
      z.looseObject({
        event: text(),
        kind: z.enum(['prompt', 'answer']),
        at: instant(),
        text: text(),
        branch: maybe(text()).describe('the leaf of the abandoned branch that it is on'),
      }),
    ),
  })

export const exportReport = () =>
  z.looseObject({
    out: text().describe('the folder'),
    index: text().describe('the page that links to the others'),
    format: z.enum(['html', 'md', 'json']),
    detail: z.enum(['prompts', 'normal', 'full']),
    sessions: count(),
    written: count().describe('files that were made or replaced'),
    unchanged: count().describe('files that were up to date'),
    bytes: count().describe('of the files that were written'),
    failed: texts().describe('ids of sessions whose files could not be read'),
  })

export const archiveStatus = () =>
  z.looseObject({
    folder: text(),
    exists: z.boolean(),
    mode: z.enum(['auto', 'manual', 'off']).describe('what counts now, chosen in the config or not'),
    schedule: z.array(z.enum(['hook'])).describe('what runs clew archive run by itself'),
    files: count().describe('of which something is archived'),
    generations: count(),
    bytes: count().describe('raw bytes of all generations'),
    storedBytes: count().describe('what the folder of the archive takes on the disk'),
    unarchivedBytes: count().describe('bytes on disk that the next run would archive'),
    expiring: z
      .array(
        z.looseObject({
          session: text(),
          file: text().describe('its main file'),
          deletedOn: instant(),
          archived: z.boolean().describe('whether every byte of its files is archived'),
        }),
      )
      .describe('live sessions that Claude Code will delete, the soonest first'),
    homes: texts(),
    sessions: count(),
    packs: count(),
    segments: count(),
    sharedBytes: count().describe('raw bytes that are not stored, since the same frames are stored already'),
    goneSessions: count().describe('archived sessions that are no longer on disk'),
    earlierGenerations: count(),
    leftOut: count().describe('live files that rules leave out'),
    lastRun: instant().describe('when something was last archived; null where nothing was'),
    notKept: z.array(pendingFile()),
    damage: z.array(z.looseObject({ segment: text(), problem: text() })),
    brokenGenerations: count().describe('generations that damage of the manifest made incomplete'),
  })

const pendingFile = () =>
  z.looseObject({
    session: maybe(text()),
    file: text(),
    bytes: count().describe('that are not archived for sure; 0 where only a comparison can tell'),
    reason: z
      .enum(['new', 'grown', 'changed', 'excluded', 'forgotten'])
      .describe(
        'grown: only its end is not archived; changed: it is shorter or was touched; excluded, forgotten: by a rule',
      ),
  })

export const overview = () =>
  z.looseObject({
    roots: texts().describe('what was read'),
    isSample: z.boolean().describe('false: programs never get the bundled sample history'),
    counts: z.looseObject({
      projects: count(),
      sessions: count(),
      bytes: count(),
      deletedWithinWeek: count().describe('sessions that Claude Code will delete within seven days'),
      lostWithinWeek: count().describe('those of them that are neither archived nor excluded from the archive'),
      gone: count().describe('sessions that are only in the archive'),
    }),
    sessions: z.array(sessionRow()).describe('the latest ten, the latest first'),
  })

export const projectRow = () =>
  z.looseObject({
    cwd: text().nullable().describe('its directory, as the records name it; null where none does'),
    slug: text().describe('name of its folder, the first one where there are several'),
    name: projectName(),
    sessions: count(),
    gone: count().describe('how many of them are only in the archive'),
    bytes: count(),
    lastUsed: instant(),
    models: maybe(texts()),
    prompts: maybe(count()),
    tokens: maybe(count()).describe('input, output and cache together; every message once over all sessions'),
    costUSD: maybe(count()).describe('of what has a price'),
  })

export const tree = () =>
  z.looseObject({
    session: text(),
    title: text(),
    rows: z.array(shapeRow()).describe('from top to bottom, as they are drawn'),
    folded: z
      .looseObject({
        subagents: count().describe('whose inside is not drawn'),
        calls: count().describe('turns whose calls are only counted'),
        turns: count(),
        rows: count().describe('all that are left out'),
      })
      .describe('what was left out; all zero with --full'),
  })

const shapeRow = () =>
  z.looseObject({
    depth: count().describe('a row belongs to the nearest one above it that is less deep'),
    kind: z
      .enum(['lineage', 'start', 'turn', 'calls', 'subagent', 'compaction', 'branch', 'note', 'folded'])
      .describe('start: before the first prompt; branch: one that was left; folded: rows that were left out'),
    id: maybe(text()).describe('the event, thread, leaf or session that it represents, by kind'),
    text: text(),
    turn: maybe(count()).describe('number of the turn in its session, from 0'),
    inherited: maybe(z.boolean()).describe('true where the session has the turn from another one'),
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
    p50: count().describe('the median'),
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
    sessionMessages: spread().describe('prompts, answers, results and all else that is said on a thread'),
    sessionMs: spread().describe('from the first to the last time of each session'),
    turns: z.looseObject({ count: count(), perSession: spread(), durationMs: spread(), calls: spread() }),
    tools: z.array(toolStats()),
    servers: z.array(
      z.looseObject({ server: text(), tools: count(), calls: count(), failed: count(), resultBytes: count() }),
    ),
    files: z.array(
      z.looseObject({ path: text(), reads: count(), writes: count().describe('written whole'), edits: count() }),
    ),
    models: z.array(z.looseObject({ model: text(), messages: count(), usage: usage() })),
    tokens: usage()
      .extend({ messages: count(), messagesWithPartialOutput: count() })
      .describe('every API message once, whatever the number of its records and copies'),
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
      all: share().describe('records that name a parent which is nowhere in their session, of all of the chain'),
      inCompacted: share().extend({ sessions: count() }).describe('the same in sessions with a compaction'),
      withLogicalParent: share(),
      afterCompaction: share().describe('orphans that directly follow a compaction on their thread'),
      inSubagents: share().describe("orphans on a subagent's thread"),
    }),
    order: z.looseObject({
      parentIsPrevious: share().describe(
        'stated parents that are the record of the chain just before, in the same file',
      ),
      backwardTimestamps: share().describe('records with an earlier time than the one before them in their file'),
      earlierThanParent: share().describe('records with an earlier time than their parent'),
    }),
    chain: z.looseObject({
      depth: spread().describe('records from the root to the deepest leaf, of each session'),
      deepest: maybe(text()).describe('the session with the deepest chain'),
    }),
    delegations: z.looseObject({
      count: count(),
      exchanges: spread().describe('messages of the delegating agent that were answered, by subagent'),
      answers: spread(),
      calls: spread(),
    }),
    results: z
      .looseObject({ text: count(), blocks: count(), structured: counts() })
      .describe('how the content of results is written, and the `toolUseResult` next to it'),
  })

const toolStats = () =>
  z.looseObject({
    name: text().describe('as the log names it, `mcp__server__tool` included'),
    server: maybe(text()).describe('of an MCP tool'),
    calls: count(),
    failed: count(),
    interrupted: count(),
    missing: count().describe('calls whose result is not in the log'),
    durationMs: spread().describe('from request to result, of the calls that have both times'),
    resultBytes: count().describe('of the records that contain its results'),
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
        text: maybe(text()).describe('absent where the content is gone, or is not text'),
      }),
    ),
    session: maybe(text()),
    linkedBy: maybe(z.enum(['id', 'text', 'time'])).describe(
      'id: the log names the session; text: it has this prompt; time: only it was in use in the project then',
    ),
    onDisk: z.boolean().describe('false where the file of the session is gone, or no session fits'),
    inArchive: maybe(z.literal(true)).describe('the file is gone, but the archive has the session'),
    event: maybe(text()).describe('where it is in its session; absent where only the prompt history has it'),
  })

export const resume = () =>
  z.looseObject({
    session: text().describe('as Claude Code looks for it: by the name of its file'),
    cwd: text().nullable().describe('null where the records name no working directory'),
    hasFolder: z.boolean().describe('whether that directory is here'),
    shell: z.enum(['posix', 'fish', 'powershell', 'cmd']),
    command: text(),
    resumable: z.boolean(),
    reason: maybe(text()),
    onDisk: z.boolean().describe('false where its files are only in the archive: Claude Code needs them back first'),
  })

export const newSession = () =>
  z.looseObject({
    session: text().describe('the id of the new session'),
    origin: text().describe('the session that it was made of'),
    dryRun: z.boolean().describe('true where nothing was written'),
    files: texts().describe('paths of its files, the log first'),
    bytes: count().describe('of its files'),
    messages: count().describe('that a resume sends'),
    command: text().describe('resumes it'),
    undo: text().describe('removes its files'),
    title: maybe(text()),
    leaf: maybe(text().nullable().describe('the event of the origin that it resumes at')),
    records: maybe(count().describe('that were copied, those of subagents included')),
    subagents: maybe(count()),
    damaged: maybe(count().describe('lines of the origin that have no record to copy')),
    openCalls: maybe(count().describe('calls without a result')),
    tokensBefore: maybe(count().describe('of `clew trim`: what a resume of the origin sends, about')),
    tokensAfter: maybe(count().describe('what a resume of the new session sends, about')),
    cuts: maybe(
      z
        .array(z.looseObject({ event: text(), call: text(), tool: text(), tokens: count(), characters: count() }))
        .describe('outputs that were replaced by a note'),
    ),
  })

const sent = () =>
  z.looseObject({
    resumable: z.boolean(),
    reason: maybe(text().describe('why not')),
    messages: count(),
    texts: count(),
    calls: count(),
    results: count(),
  })

export const repairReport = () =>
  z.looseObject({
    session: text(),
    inPlace: z.boolean(),
    dryRun: z.boolean().describe('true where nothing was written'),
    changes: z.array(
      z.looseObject({
        file: text(),
        line: count().describe('of the damaged file, from 1; 0 for all of it'),
        kind: text(),
        what: text(),
        before: maybe(text()),
        after: maybe(text()),
      }),
    ),
    setAside: count().describe('records that are softly deleted: stored, but not sent'),
    before: sent().describe('what a resume sends of the damaged session'),
    after: sent().describe('what a resume sends of the repaired one'),
    written: maybe(newSession()),
    undo: maybe(text().describe('of a repair in place')),
  })

export const loss = () =>
  z.looseObject({
    event: text(),
    path: text().describe('of what was lost, such as `blocks[1].text`; empty for all of the event'),
    why: text(),
  })

export const changedSession = () =>
  z.looseObject({
    session: text(),
    path: text().describe('the log that was appended to'),
    dryRun: z.boolean().describe('true where nothing was written'),
    bytes: count().describe('that were appended'),
    events: texts().describe('ids of the records that were appended, where they have one'),
    losses: z.array(loss()).describe('what the dialect of the session cannot say'),
    undo: text().describe('gives the log its former size'),
  })

export const convertReport = () =>
  z.looseObject({
    to: z.enum(['real', 's0', 's1', 's2', 's3', 's4']),
    out: text().describe('the file or home that was written to'),
    dryRun: z.boolean().describe('true where nothing was written'),
    sessions: z.array(
      z.looseObject({
        session: text().describe('its id in the new dialect'),
        origin: text(),
        files: texts().describe('paths of its files, the log first'),
        bytes: count().describe('of the files that were written; of a dry run, without copied outputs'),
        records: count().describe('that were written, those of subagents included'),
        losses: z.array(loss()).describe('what the dialect cannot say'),
      }),
    ),
    failed: z.array(z.looseObject({ session: text(), why: text() })).describe('sessions that were not converted'),
    left: texts().describe('paths of files that belong to no session, which are not converted'),
    findings: maybe(z.array(finding()).describe('with `--check`: what the profile of the dialect finds, notes too')),
    undo: text().describe('removes all that was written'),
  })

export const partsReport = () =>
  z.looseObject({
    session: text(),
    path: text().describe('the whole log'),
    dryRun: z.boolean().describe('true where nothing was written'),
    parts: z.array(z.looseObject({ path: text(), bytes: count() })).describe('in the order of the log'),
    files: texts().describe('paths of the files next to the log that were copied: subagents, stored outputs'),
    bytes: count().describe('of the log'),
    undo: text().describe('removes all that was written'),
  })

const archiveReport = () =>
  z.looseObject({
    path: text().nullable().describe('null where nothing was ever archived'),
    mode: z.enum(['auto', 'manual', 'off']).nullable().describe('null where the config cannot be read'),
    sessions: count(),
    gone: count().describe('sessions that are only in the archive'),
    lastRun: text().nullable().describe('when homes were last looked through for what is new'),
    damage: z
      .array(z.looseObject({ segment: text(), problem: text() }))
      .describe('of the manifest; packs are not read'),
    atRisk: count().describe('sessions that Claude Code deletes within a week and that are not archived'),
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
      overdue: count().describe('sessions that Claude Code deletes when it is started next'),
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
        losesData: z.boolean().describe('left alone, something that is there now will be gone or cannot be read'),
        message: text(),
        remedy: text().describe('a command or a setting'),
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
  modelsUsed: texts().describe('sorted'),
  modelBreakdowns: z
    .array(z.looseObject({ modelName: text(), ...tokens(), cost: count() }))
    .describe('the most expensive first'),
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
  period: maybe(text()).describe('a week by its first day, or a month as `2026-02`'),
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
    pricesFault: maybe(text()).describe('why nothing has a price; absent where prices could be read'),
    syntheticMessages: count().describe('written by Claude Code in the name of the model, API errors too: in no row'),
    apiErrors: count(),
    messagesWithoutTime: count().describe('those of `messages` whose record has no time'),
    from: instant(),
    to: instant(),
  })

export const usageBlock = () =>
  z.looseObject({
    kind: z
      .enum(['block', 'gap', 'undated'])
      .describe('gap: more than five hours without a message; undated: all messages without a time, the last one'),
    start: instant(),
    end: instant(),
    isActive: z.boolean(),
    ...amounts(),
    burnRate: maybe(
      z.looseObject({
        tokensPerMinute: count(),
        freshTokensPerMinute: count().describe('without what is written to and read from the cache'),
        costPerHour: count(),
      }),
    ).describe('from the first message of the block to its last'),
    projection: maybe(z.looseObject({ totalTokens: count(), totalCost: count(), remainingMinutes: count() })).describe(
      'what the active block comes to if it goes on as it did',
    ),
    limit: maybe(
      z.looseObject({
        limit: count(),
        remaining: count().describe('below 0 where more was used'),
        share: count().describe('1 where all of it is used'),
        projectedShare: maybe(count()).describe('at the end of the active block'),
      }),
    ),
  })

const comparison = () => ({
  ours: count().describe('USD, by the price table'),
  client: count().describe('USD, as Claude Code wrote it down'),
  difference: count().describe('ours less that of Claude Code'),
})
const stated = () => maybe(z.looseObject({ ...comparison(), messages: count() }))
const totals = () => maybe(z.looseObject({ ...comparison(), processes: count() }))

const differenceCause = () =>
  z.looseObject({
    cause: z
      .enum([
        'calls-not-in-log',
        'shared-history',
        'interrupted-answer',
        'after-total',
        'before-total',
        'price',
        'not-chosen',
      ])
      .describe('see docs/usage.md'),
    usd: count().describe('its part of the difference, with the same sign'),
    model: maybe(text()),
    calls: maybe(
      z.array(
        z.looseObject({
          kind: z.enum(['compaction', 'title', 'web-search', 'web-fetch', 'side-question', 'lost-answer']),
          count: count().describe('what the log gives a reason for; Claude Code may send one more than once'),
        }),
      ),
    ),
  })

const explainedTotals = () =>
  maybe(
    z.looseObject({
      ...comparison(),
      processes: count(),
      causes: maybe(z.array(differenceCause())).describe('where the difference is not 0'),
      unexplained: maybe(count()).describe('USD of the difference that no cause explains'),
    }),
  )

export const usageReconcile = () =>
  z.looseObject({
    rows: z
      .array(
        z.looseObject({
          session: text(),
          calculated: count().describe('all messages of the session, by the price table'),
          stated: stated().describe('the messages that state their cost'),
          totals: explainedTotals().describe('the whole session, and the sum of the totals of Claude Code'),
        }),
      )
      .describe('sessions of which Claude Code wrote something down, in order of their ids'),
    stated: stated(),
    totals: totals(),
    sessions: maybe(
      z.looseObject({ equal: count(), explained: count(), partly: count(), unexplained: count() }),
    ).describe('sessions with a total of Claude Code, by how far causes explain their difference'),
  })

export const usageBudget = () =>
  z.looseObject({
    usd: count(),
    per: z.enum(['report', 'day', 'week', 'month']),
    periods: z.array(
      z.looseObject({
        period: text().describe('a day, the first day of a week, a month as `2026-02`; `all`'),
        cost: count(),
        isOver: z.boolean(),
      }),
    ),
    isExceeded: z.boolean(),
  })
