// Statements of the specifications about what sessions usually are like: `clew stats` shows the numbers of one's own logs,
// whatever they are. Which statement is shown by which test is listed in shown.ts.

import { expect, test } from 'vitest'
import type { JsonObject } from '../../src/base/json.ts'
import { decodeText } from '../../src/decode/decode.ts'
import { buildGraph } from '../../src/graph/graph.ts'
import { sessionId } from '../../src/model/ids.ts'
import type { Stats } from '../../src/schema/contract-shapes.ts'
import { StatsTally } from '../../src/session/stats.ts'
import { defaultPath } from './fixture.ts'
import { answerLine, clientLine, s3Line, text, toolResult, toolUse, userLine, uuid } from './lines.ts'

/** The numbers of sessions given as lines; the size of each is that of its lines. */
function statsOf(...sessions: (readonly JsonObject[])[]): Stats {
  const tally = new StatsTally()
  sessions.forEach((lines, i) => {
    const session = `session-${i}`
    const own = lines.map(line => ({ ...line, sessionId: session }))
    const log = own.map(line => `${JSON.stringify(line)}\n`).join('')
    const { events } = decodeText(log, { file: defaultPath, session })
    tally.add(buildGraph(sessionId(session), [{ path: defaultPath, role: 'session', events }]), log.length)
  })
  return tally.report([])
}

const prompts = (from: number, count: number): JsonObject[] =>
  Array.from({ length: count }, (_, i) =>
    userLine(from + i, `say ${i}`, { uuid: `${from}-${i}`, parentUuid: i === 0 ? null : `${from}-${i - 1}` }),
  )

const border = (n: number): JsonObject =>
  clientLine(n, 'system', {
    subtype: 'compact_boundary',
    parentUuid: null,
    content: '',
    compactMetadata: { trigger: 'auto', preTokens: 9 },
  })

test('stats reports the sizes of sessions: least, median and most', () => {
  const { sessionBytes, bytes } = statsOf(prompts(1, 1), prompts(100, 10), prompts(200, 100))
  expect(sessionBytes.count).toBe(3)
  expect(sessionBytes.min).toBeLessThan(sessionBytes.p50)
  expect(sessionBytes.p50).toBeLessThan(sessionBytes.max)
  expect(sessionBytes.sum).toBe(bytes)
})

test('stats counts records of each type, in all and by version of Claude Code', () => {
  const progress = (n: number) => clientLine(n, 'progress', { data: { type: 'bash_progress' }, version: '2.1.20' })
  const { types, versions } = statsOf([
    userLine(1, 'go'),
    answerLine(2, [text('ok')]),
    progress(3),
    progress(4),
    progress(5),
    { type: 'queue-operation', operation: 'enqueue', timestamp: '2026-01-01T00:00:00Z', content: 'x' },
  ])
  expect(types).toEqual({ progress: 3, assistant: 1, 'queue-operation': 1, user: 1 })
  expect(Object.keys(types)[0]).toBe('progress')
  expect(versions.map(({ version, records }) => [version, records])).toEqual([
    ['2.1.20', 4],
    ['2.1.45', 2],
  ])
  expect(versions[0]?.types).toEqual({ progress: 3, 'queue-operation': 1 })
})

test('stats reports which share of the orphans directly follows a compaction', () => {
  const { orphans } = statsOf([
    s3Line(1, 'user', { message: 'one' }),
    s3Line(2, 'assistant', { message: 'two' }),
    s3Line(3, 'compact_system', { message: 'conversation_compacting' }),
    s3Line(4, 'compact_system', { message: 'conversation_compacted' }),
    s3Line(5, 'user', { message: 'five', parentUuid: 'gone-1', logicalParentUuid: 'msg-2' }),
    s3Line(6, 'assistant', { message: 'six' }),
    s3Line(7, 'user', { message: 'seven', parentUuid: 'gone-2' }),
  ])
  expect(orphans.afterCompaction).toEqual({ count: 1, of: 2, share: 0.5 })
  expect(orphans.withLogicalParent).toEqual({ count: 1, of: 2, share: 0.5 })
})

test('stats reports the orphan rate, of all sessions and of compacted ones', () => {
  const compacted = [
    ...prompts(1, 6),
    border(90),
    userLine(91, 'on', { parentUuid: uuid(90) }),
    userLine(92, 'lost', { parentUuid: 'gone' }),
  ]
  const { orphans } = statsOf(prompts(200, 11), compacted)
  expect(orphans.all).toEqual({ count: 1, of: 20, share: 0.05 })
  expect(orphans.inCompacted).toEqual({ sessions: 1, count: 1, of: 9, share: 1 / 9 })
})

test('stats counts calls of each tool, with failures, time, bytes and MCP servers', () => {
  const names = ['Read', 'Read', 'Edit', 'mcp__shop__find', 'mcp__shop__sell']
  const lines = names.flatMap((name, i) => {
    const id = `toolu_${i}`
    const fields = name === 'Edit' ? { is_error: true } : {}
    return [
      answerLine(2 * i + 2, [toolUse(id, name, { file_path: `/src/${name}.ts` })]),
      userLine(2 * i + 3, [toolResult(id, 'x', fields)]),
    ]
  })
  const { tools, servers, files } = statsOf([userLine(1, 'go'), ...lines])
  expect(tools.map(({ name, calls, failed }) => [name, calls, failed])).toEqual([
    ['Read', 2, 0],
    ['Edit', 1, 1],
    ['mcp__shop__find', 1, 0],
    ['mcp__shop__sell', 1, 0],
  ])
  expect(tools[0]?.durationMs).toMatchObject({ count: 2, p50: 1000, sum: 2000 })
  expect(tools[0]?.resultBytes).toBeGreaterThan(100)
  expect(servers).toMatchObject([{ server: 'shop', tools: 2, calls: 2, failed: 0 }])
  expect(files).toEqual([{ path: '/src/Read.ts', reads: 2, writes: 0, edits: 0 }])
})

test('stats reports how many exchanges a delegation has', () => {
  const side = (n: number, type: string, message: string) =>
    s3Line(n, type, { message, isSidechain: true, userType: 'external' })
  const { delegations } = statsOf([
    s3Line(1, 'user', { message: 'ask them', userType: 'human' }),
    s3Line(2, 'assistant', { message: 'I will' }),
    side(3, 'user', 'what do you see?'),
    side(4, 'assistant', 'a tree'),
    side(5, 'user', 'and behind it?'),
    side(6, 'assistant', 'a barn'),
    side(7, 'user', 'go in'),
    side(8, 'assistant', 'it is dark'),
    s3Line(9, 'assistant', { message: 'they see a barn' }),
  ])
  expect(delegations).toMatchObject({ count: 1, exchanges: { p50: 3, max: 3 } })
})

test('stats counts compactions per session, of all sessions and of long ones', () => {
  const long = [...prompts(1, 1000), border(1101), border(1102)]
  const { compactions } = statsOf(prompts(2000, 3), [...prompts(3000, 3), border(3101)], long)
  expect(compactions).toMatchObject({ count: 3, sessions: 2, triggers: { auto: 3 } })
  expect(compactions.perSession).toMatchObject({ count: 3, min: 0, p50: 1, max: 2, mean: 1 })
  expect(compactions.perLongSession).toMatchObject({ count: 1, mean: 2 })
})

test('stats reports how many messages sessions have, without what is not a message', () => {
  const snapshot = { type: 'file-history-snapshot', messageId: 'x', snapshot: {}, isSnapshotUpdate: false }
  const { sessionMessages, sessionEvents } = statsOf([...prompts(1, 7), snapshot], prompts(100, 3))
  expect(sessionMessages).toMatchObject({ count: 2, min: 3, max: 7, sum: 10 })
  expect(sessionEvents.sum).toBe(11)
})

test('stats reports the longest parent chain of a session, however deep', () => {
  const { chain } = statsOf(prompts(1, 20_000), prompts(100_000, 3))
  expect(chain).toMatchObject({ depth: { min: 3, max: 20_000 }, deepest: 'session-0' })
})
