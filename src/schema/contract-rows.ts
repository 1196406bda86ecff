// Shapes of what listing commands print: sessions, hits, the state of index and archive. Loose like all others.

import { z } from 'zod'
import { finding } from './contract-shapes.ts'
import { count, eventKind, instant, maybe, project, text, texts, titleSource, usage } from './contract-words.ts'

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
    isRebuilt: z.boolean().describe('it was made anew: asked for, or since it was damaged or of another form'),
    files: count().describe('files that were read'),
    dropped: count().describe('files whose rows were taken out'),
    bytes: count(),
    sessions: count().describe('sessions whose rows were made anew'),
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
