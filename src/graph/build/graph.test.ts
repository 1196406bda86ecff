import { expect, test } from 'vitest'
import fc from '../../../test/property.ts'
import { decodeText, EventDecoder } from '../../decode/events.ts'
import { RecordDecoder } from '../../decode/records.ts'
import type { SessionEvent } from '../../model/event.ts'
import { sessionId } from '../../model/ids.ts'
import { sessionDetail } from '../../session/detail.ts'
import { buildGraph, digestSession, linkSessions } from '../graph.ts'
import { graphOf, Sketch } from '../testing.ts'

const extra = { slug: '', files: [], live: false, lineage: [] }

const wild = () => {
  const id = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f')
  const block = fc.oneof(
    fc.record({ type: fc.constant('text'), text: fc.string() }),
    fc.record({
      type: fc.constant('tool_use'),
      id,
      name: fc.constantFrom('Task', 'Agent', 'Read'),
      input: fc.anything(),
    }),
    fc.record({ type: fc.constant('tool_result'), tool_use_id: id, content: fc.string(), is_error: fc.boolean() }),
  )
  return fc.record(
    {
      type: fc.constantFrom(
        'user',
        'assistant',
        'system',
        'progress',
        'human',
        'compact_system',
        'compact_prelude',
        'summary',
      ),
      uuid: fc.option(id),
      parentUuid: fc.option(id),
      logicalParentUuid: id,
      leafUuid: id,
      summary: fc.string(),
      agentId: fc.constantFrom('x', 'y'),
      isSidechain: fc.boolean(),
      is_active: fc.boolean(),
      isCompactSummary: fc.boolean(),
      subtype: fc.constantFrom('compact_boundary', 'turn_duration', 'tool_use'),
      toolName: fc.constantFrom('Task', 'Read'),
      toolUseResult: fc.oneof(fc.string(), fc.record({ agentId: fc.constantFrom('x', 'y'), isAsync: fc.boolean() })),
      compactMetadata: fc.anything(),
      timestamp: fc.oneof(fc.constant('2026-01-05T10:00:00.000Z'), fc.integer(), fc.string()),
      message: fc.oneof(fc.string(), fc.record({ role: fc.string(), id, content: fc.array(block, { maxLength: 3 }) })),
    },
    { requiredKeys: ['type'] },
  )
}

const every = (graph: ReturnType<typeof graphOf>) => {
  sessionDetail(graph, extra)
  linkSessions([digestSession(graph), { ...digestSession(graph), session: sessionId('t') }])
}

test('no records can make it throw, and every node is below exactly one root', () => {
  fc.assert(
    fc.property(fc.array(wild(), { maxLength: 25 }), records => {
      const graph = graphOf(records)
      every(graph)
      const reached = [...graph.roots]
      for (const id of reached) for (const child of graph.nodes.get(id)?.children ?? []) reached.push(child)
      expect(reached.length).toBe(graph.nodes.size)
      expect(new Set(reached).size).toBe(graph.nodes.size)
      const onThreads = graph.threads.flatMap(thread => thread.events)
      expect(onThreads.length).toBe(graph.events.filter(event => !event.flags.includes('copy')).length)
      expect(graph.branches.filter(branch => branch.isActive).length).toBe(graph.branches.length > 0 ? 1 : 0)
    }),
    { numRuns: 300 },
  )
})

test('the graph is the same whether lines came at once or one by one', () => {
  fc.assert(
    fc.property(fc.array(wild(), { maxLength: 15 }), fc.integer({ min: 1, max: 40 }), (records, size) => {
      const text = records.map(record => `${JSON.stringify(record)}\n`).join('')
      const bytes = new TextEncoder().encode(text)
      const reader = new RecordDecoder('s.jsonl')
      const decoder = new EventDecoder({ session: 's' })
      const events: SessionEvent[] = []
      const take = (found: ReturnType<RecordDecoder['end']>) => {
        for (const record of found) events.push(...decoder.decode(record))
      }
      for (let at = 0; at < bytes.length; at += size) take(reader.push(bytes.slice(at, at + size)))
      take(reader.end())
      const whole = decodeText(bytes, { session: 's', file: 's.jsonl' }).events
      const build = (from: readonly SessionEvent[]) =>
        buildGraph(sessionId('s'), [{ path: 's.jsonl', role: 'session', events: from }])
      expect(build(events)).toEqual(build(whole))
    }),
    { numRuns: 60 },
  )
})

test('a chain of 100,000 records is no deeper than a short one', () => {
  const records = Array.from({ length: 100_000 }, (_, at) => ({
    type: at % 2 ? 'assistant' : 'user',
    uuid: `n${at}`,
    parentUuid: at === 0 ? null : `n${at - 1}`,
    sessionId: 's',
    message: { role: 'user', content: 'x' },
  }))
  const graph = graphOf(records)
  expect(graph.branches).toMatchObject([{ leaf: 'n99999', eventCount: 100_000 }])
  expect(graph.turns).toHaveLength(50_000)
})

/** Prompts with calls, subagents with equal prompts, rewinds, compactions. */
function busySession(turns: number): readonly SessionEvent[] {
  const sketch = new Sketch()
  let last: string | null = null
  for (let at = 0; at < turns; at++) {
    sketch.user(`u${at}`, last, 'Go').call(`a${at}`, `u${at}`, `t${at}`, 'Task', { prompt: 'Same' })
    sketch.user(`s${at}`, null, 'Same', { isSidechain: true }).answer(`x${at}`, `s${at}`, 'Done', { isSidechain: true })
    sketch.result(`r${at}`, `a${at}`, `t${at}`).answer(`b${at}`, `r${at}`, 'Done')
    if (at % 50 === 0) sketch.system(`c${at}`, null, 'compact_boundary', { logicalParentUuid: `b${at}` })
    last = at % 50 === 0 ? `c${at}` : at % 5 === 0 ? `a${at}` : `b${at}`
  }
  return sketch.file().events
}

test('twice the records take about twice the time', { tags: 'deep', timeout: 60_000 }, () => {
  const time = (events: readonly SessionEvent[]) => {
    let best = Number.POSITIVE_INFINITY
    for (let run = 0; run < 4; run++) {
      const from = performance.now()
      buildGraph(sessionId('s'), [{ path: 's', role: 'session', events }])
      best = Math.min(best, performance.now() - from)
    }
    return best
  }
  const small = busySession(1_500)
  const large = busySession(6_000)
  time(small)
  // Four times the records: far from the sixteenfold of anything quadratic. Neighbours on the machine may spoil a try, not all.
  const ratios = Array.from({ length: 4 }, () => time(large) / time(small))
  expect(Math.min(...ratios)).toBeLessThan(9)
})
