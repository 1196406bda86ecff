import { describe, expect, it } from 'vitest'
import fc from '../../test/property.ts'
import { calledTool, type MessageUsage, type UsageFile, type UsageStatement } from '../model/usage.ts'
import { rollUp } from './cell.ts'
import { UsageMerge } from './message.ts'
import { occurrence } from './report-testing.ts'
import { someLog, testFiles } from './testing.ts'

function merged(occurrences: readonly UsageStatement[], files: readonly UsageFile[] = testFiles): MessageUsage[] {
  const merge = new UsageMerge()
  for (const one of occurrences) merge.add(one)
  return merge.messages(files)
}

/** Without the order of messages and the numbering of files. */
function plain(messages: readonly MessageUsage[], files: readonly UsageFile[] = testFiles): string[] {
  return messages.map(({ file, ...rest }) => JSON.stringify({ ...rest, file: files[file] }, sorted)).sort()
}

function sorted(_: string, value: unknown): unknown {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value
}

const shuffledLog = someLog.chain(log =>
  fc.tuple(fc.constant(log), fc.shuffledSubarray(log, { minLength: log.length })),
)

describe('what makes a message', () => {
  it('takes field by field the largest value and the place of the first original', () => {
    const messages = merged([
      occurrence({ at: 3000, offset: 9, inputTokens: 5, outputTokens: 40, isFinal: true }),
      occurrence({ at: 2000, offset: 5, inputTokens: 5, outputTokens: 2, isFinal: false, visibleTokens: 30 }),
      occurrence({ at: 1000, offset: 0, file: 2, echo: 1, inputTokens: 6, thread: 'copy' }),
    ])
    expect(messages).toHaveLength(1)
    expect(messages[0]).toMatchObject({ session: 'a', at: 2000, offset: 5, inputTokens: 6, outputTokens: 40 })
    expect(messages[0]).toMatchObject({ isFinal: true, visibleTokens: 0, thread: 'main' })
  })

  it('parts one id by request and gives records without a request to the one that began first', () => {
    const messages = merged([
      occurrence({ request: 8, at: 500, outputTokens: 1 }),
      occurrence({ request: 7, at: 400, outputTokens: 2, offset: 1 }),
      occurrence({ request: 0, at: 100, outputTokens: 3, offset: 2 }),
    ])
    expect(messages.map(message => [message.at, message.outputTokens]).sort()).toEqual([
      [100, 3],
      [500, 1],
    ])
  })

  it('keeps the part that is written for an hour within the whole', () => {
    const [message] = merged([occurrence({ cacheCreationTokens: 10, cacheCreation1hTokens: 12 })])
    expect(message).toMatchObject({ cacheCreationTokens: 10, cacheCreation1hTokens: 10 })
  })

  it('lets path, content and offset decide between equal times', () => {
    const tie = [
      occurrence({ file: 2, offset: 0 }),
      occurrence({ file: 1, offset: 3 }),
      occurrence({ file: 0, offset: 8 }),
    ]
    expect(merged(tie)[0]).toMatchObject({ file: 0, offset: 8 })
    expect(merged(tie.slice(0, 2))[0]).toMatchObject({ file: 1, offset: 3 })
  })

  it('gives a message to a session rather than to a file that belongs to none, whatever the paths', () => {
    const files = [
      { path: '/a/history.jsonl', number: 1, session: '' },
      { path: '/b.jsonl', number: 1, session: 's' },
    ]
    const tie = [occurrence({ file: 0, offset: 0 }), occurrence({ file: 1, offset: 3 })]
    expect(merged(tie, files)[0]).toMatchObject({ session: 's', file: 1 })
    expect(merged(tie.toReversed(), files)[0]).toMatchObject({ session: 's', file: 1 })
  })

  it('puts a record without a time behind those with one', () => {
    expect(merged([occurrence({ at: null, offset: 0 }), occurrence({ at: 7, offset: 5 })])[0]).toMatchObject({ at: 7 })
  })

  it('sums what is visible over the records of a file and takes the fullest file', () => {
    const partial = { isFinal: false, outputTokens: 1 }
    const messages = merged([
      occurrence({ ...partial, offset: 0, visibleTokens: 10 }),
      occurrence({ ...partial, offset: 4, visibleTokens: 30 }),
      occurrence({ ...partial, offset: 4, visibleTokens: 30 }),
      occurrence({ ...partial, file: 2, offset: 0, visibleTokens: 35 }),
    ])
    expect(messages[0]).toMatchObject({ visibleTokens: 40 })
  })

  it('names a tool as often as it is called, whatever repeats a call', () => {
    const [read, bash, again] = [calledTool('Read', 't1'), calledTool('Bash', 't2'), calledTool('Read', 't3')]
    const messages = merged([
      occurrence({ offset: 0, tools: [read] }),
      occurrence({ offset: 1, tools: [bash, again] }),
      occurrence({ offset: 2, echo: 2, tools: [read] }),
      occurrence({ offset: 0, file: 2, tools: [bash] }),
    ])
    expect(messages[0]?.tools).toEqual(['Bash', 'Read', 'Read'])
  })
})

describe('the join', () => {
  it('gives the same messages in whatever order records come', () => {
    fc.assert(
      fc.property(shuffledLog, ([log, shuffled]) => {
        expect(plain(merged(shuffled))).toEqual(plain(merged(log)))
      }),
      { numRuns: 300 },
    )
  })

  it('gives the same messages however files are numbered', () => {
    const numbering = fc.shuffledSubarray([0, 1, 2, 3], { minLength: 4 })
    fc.assert(
      fc.property(someLog, numbering, (log, numbers) => {
        const files: UsageFile[] = []
        for (const [from, to] of numbers.entries()) files[to] = testFiles[from] as UsageFile
        const renumbered = log.map(one => ({ ...one, file: numbers[one.file] as number }))
        expect(plain(merged(renumbered, files), files)).toEqual(plain(merged(log)))
      }),
    )
  })

  it('gives the same messages where parts were joined before, and where records come twice', () => {
    fc.assert(
      fc.property(shuffledLog, fc.nat({ max: 24 }), ([log, shuffled], cut) => {
        const files = (one: UsageStatement) => one.file * 10 + one.offset < cut
        const parts = [log.filter(files), log.filter(one => !files(one))].flatMap(part => {
          const merge = new UsageMerge()
          for (const one of part) merge.add(one)
          return merge.parts(testFiles)
        })
        const expected = plain(merged(log))
        expect(plain(merged(parts))).toEqual(expected)
        expect(plain(merged(parts.toReversed()))).toEqual(expected)
        expect(plain(merged([...log, ...shuffled]))).toEqual(expected)
      }),
      { numRuns: 300 },
    )
  })

  it('does not keep the objects it is given', () => {
    const merge = new UsageMerge()
    const reused = occurrence({ outputTokens: 4 })
    merge.add(reused)
    Object.assign(reused, { key: 2, outputTokens: 9 })
    merge.add(reused)
    expect(merge.messages(testFiles).map(message => message.outputTokens)).toEqual([4, 9])
  })

  it('takes hundreds of thousands of records in about a second', { tags: 'deep' }, () => {
    const merge = new UsageMerge()
    const one = occurrence()
    const start = performance.now()
    for (let i = 0; i < 300_000; i++) {
      one.key = Math.floor(i / 3) * 77_777_777_777
      one.at = i * 1000
      one.offset = i
      one.outputTokens = i % 100
      merge.add(one)
    }
    const messages = merge.messages(testFiles)
    const cells = rollUp(messages, { promptSteps: [], withTools: false })
    expect(messages).toHaveLength(100_000)
    expect(cells.reduce((sum, cell) => sum + cell.messages, 0)).toBe(100_000)
    const elapsed = performance.now() - start
    console.log(`merged and rolled up in ${Math.round(elapsed)} ms`)
    expect(elapsed).toBeLessThan(5000)
  })
})

describe('cells', () => {
  it('hold the same amounts as the messages, whatever parts them', () => {
    fc.assert(
      fc.property(someLog, fc.boolean(), fc.subarray([100_000, 200_000]), (log, withTools, promptSteps) => {
        const messages = merged(log)
        const cells = rollUp(messages, { promptSteps, withTools })
        for (const field of ['inputTokens', 'outputTokens', 'cacheCreationTokens', 'cacheReadTokens'] as const) {
          const sum = (things: readonly Record<typeof field, number>[]) =>
            things.reduce((all, one) => all + one[field], 0)
          expect(sum(cells)).toBe(sum(messages))
        }
        expect(cells.reduce((all, one) => all + one.messages, 0)).toBe(messages.length)
        expect(cells.reduce((all, one) => all + one.partial, 0)).toBe(messages.filter(one => !one.isFinal).length)
      }),
    )
  })

  it('are parted where the whole prompt is above a step, not at it', () => {
    const prompts = [100_000, 100_001, 200_000, 200_001]
    const messages = merged(
      prompts.map((size, key) =>
        occurrence({ key, inputTokens: size - 3, cacheReadTokens: 2, cacheCreationTokens: 1, offset: key }),
      ),
    )
    const cells = rollUp(messages, { promptSteps: [200_000, 100_000], withTools: false })
    expect(cells.map(cell => [cell.abovePrompt, cell.messages])).toEqual([
      [0, 1],
      [100_000, 2],
      [200_000, 1],
    ])
  })

  it('count what Claude Code wrote itself, without tokens', () => {
    const messages = merged([occurrence({ isSynthetic: true, isError: true, outputTokens: 9, statedNanos: 5 })])
    const [cell] = rollUp(messages, { promptSteps: [], withTools: false })
    expect(cell).toMatchObject({ isSynthetic: true, isError: true, messages: 1, outputTokens: 0, statedNanos: 0 })
  })

  it('estimate only what is missing from the logged output of partial messages', () => {
    const messages = merged([
      occurrence({ key: 1, isFinal: false, outputTokens: 3, visibleTokens: 50 }),
      occurrence({ key: 2, isFinal: false, outputTokens: 60, visibleTokens: 50 }),
      occurrence({ key: 3, isFinal: true, outputTokens: 1, visibleTokens: 50 }),
    ])
    const [cell] = rollUp(messages, { promptSteps: [], withTools: false })
    expect(cell).toMatchObject({ partial: 2, estimatedMore: 47, outputTokens: 64 })
  })

  it('begin and end with their first and last message, within a quarter of an hour', () => {
    const messages = merged([-1, 0, 899_999, 900_000].map((at, key) => occurrence({ key, at, offset: key })))
    const cells = rollUp(messages, { promptSteps: [], withTools: false })
    expect(cells.map(({ quarter, firstAt, lastAt }) => [quarter, firstAt, lastAt])).toEqual([
      [-1, -1, -1],
      [0, 0, 899_999],
      [1, 900_000, 900_000],
    ])
  })

  it('are parted by the tools called, in whatever order, only where asked', () => {
    const calls = [['Read', 'Bash'], ['Bash', 'Read'], ['Bash'], []]
    const messages = merged(calls.map((tools, key) => occurrence({ key, offset: key, tools })))
    expect(rollUp(messages, { promptSteps: [], withTools: false })).toHaveLength(1)
    const cells = rollUp(messages, { promptSteps: [], withTools: true })
    expect(cells.map(cell => [cell.tools, cell.messages])).toEqual([
      [['Bash', 'Read'], 2],
      [['Bash'], 1],
      [[], 1],
    ])
  })
})
