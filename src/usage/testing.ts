// Random logs and messages for the tests of usage. No test itself.

import fc from '../../test/property.ts'
import type { MessageUsage, UsageFile, UsageStatement } from '../model/usage.ts'
import { occurrence } from './report-testing.ts'

export const testFiles: readonly UsageFile[] = [
  { path: 'a.jsonl', number: 0, session: 'a' },
  { path: 'a.jsonl', number: 1, session: 'a' },
  { path: 'b.jsonl', number: 0, session: 'b' },
  { path: 'c.jsonl', number: 0, session: 'c' },
]

/** Few values of each kind, so that keys meet, times tie and requests are missing. */
export const someOccurrence: fc.Arbitrary<UsageStatement> = fc
  .record({
    key: fc.integer({ min: 1, max: 4 }),
    request: fc.constantFrom(0, 0, 7, 8),
    echo: fc.constantFrom(0, 0, 1, 2, 4, 6),
    at: fc.constantFrom(null, 1000, 2000, 900_000, 1_800_000),
    file: fc.nat({ max: testFiles.length - 1 }),
    offset: fc.nat({ max: 6 }),
    thread: fc.constantFrom('main', 'agent'),
    inputTokens: fc.nat({ max: 250_000 }),
    outputTokens: fc.nat({ max: 30 }),
    cacheCreationTokens: fc.nat({ max: 20 }),
    cacheCreation1hTokens: fc.nat({ max: 30 }),
    cacheReadTokens: fc.nat({ max: 50 }),
    webSearches: fc.nat({ max: 2 }),
    isFast: fc.boolean(),
    isUs: fc.boolean(),
    isFinal: fc.boolean(),
    statedNanos: fc.constantFrom(null, null, 5, 9),
    visibleTokens: fc.constantFrom(0, 0, 10, 25),
    tools: fc.array(fc.constantFrom('Bash', 'Read', 'Task'), { maxLength: 2 }),
  })
  .map(given => occurrence({ ...given, model: `model-${given.offset % 2}` }))

/** A log: at one place of a file there is one record. */
export const someLog: fc.Arbitrary<UsageStatement[]> = fc.uniqueArray(someOccurrence, {
  maxLength: 24,
  selector: ({ file, offset }) => file * 100 + offset,
})

const models = ['claude-opus-4-5-20251101', 'claude-sonnet-4-5', 'claude-haiku-4-5', 'no-such-model', '']
const month = 30 * 86_400_000

const someMessage: fc.Arbitrary<MessageUsage> = fc
  .record({
    session: fc.constantFrom('one', 'two', 'three'),
    at: fc.oneof(
      { weight: 1, arbitrary: fc.constant(null) },
      { weight: 9, arbitrary: fc.integer({ min: Date.UTC(2025, 8, 20), max: Date.UTC(2025, 8, 20) + 3 * month }) },
      { weight: 9, arbitrary: fc.integer({ min: Date.UTC(2025, 9, 25), max: Date.UTC(2025, 9, 27) }) },
    ),
    thread: fc.constantFrom('main', 'agent-1', 'agent-2'),
    model: fc.constantFrom(...models),
    inputTokens: fc.oneof(fc.nat({ max: 10_000 }), fc.nat({ max: 400_000 })),
    outputTokens: fc.nat({ max: 5000 }),
    cacheCreationTokens: fc.nat({ max: 100_000 }),
    hourShare: fc.double({ min: 0, max: 1, noNaN: true }),
    cacheReadTokens: fc.nat({ max: 1_000_000 }),
    webSearches: fc.nat({ max: 3 }),
    isFast: fc.boolean(),
    isUs: fc.boolean(),
    isFinal: fc.boolean(),
    kind: fc.constantFrom('', '', '', '', 'synthetic', 'error'),
    statedNanos: fc.oneof(fc.constant(null), fc.nat({ max: 2_000_000_000 })),
    visibleTokens: fc.nat({ max: 8000 }),
    tools: fc.array(fc.constantFrom('Bash', 'Read', 'Task', 'Edit'), { maxLength: 5 }),
  })
  .map(({ hourShare, kind, ...given }) => ({
    ...given,
    key: 1,
    request: 0,
    file: 0,
    offset: 0,
    cacheCreation1hTokens: Math.floor(given.cacheCreationTokens * hourShare),
    isSynthetic: kind !== '',
    isError: kind === 'error',
  }))

/** Messages of three months, many of them on days that are not 24 hours long in Berlin. */
export const someMessages: fc.Arbitrary<MessageUsage[]> = fc.array(someMessage, { maxLength: 40 })
