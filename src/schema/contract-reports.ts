// Shapes of what commands print about many sessions or about the machine: overview, projects, tree, statistics, typed
// prompts, resume, doctor. Loose like all others.

import { z } from 'zod'
import { sessionRow } from './contract-rows.ts'
import { callStatus, count, instant, maybe, relation, text, texts, usage } from './contract-words.ts'

export const overview = () =>
  z.looseObject({
    roots: texts().describe('what was read'),
    isSample: z.boolean().describe('true where nobody has sessions here yet: this is the bundled sample history'),
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
