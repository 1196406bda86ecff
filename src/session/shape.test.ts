import { describe, expect, test } from 'vitest'
import { graphFile, graphOf, Sketch, type Wire } from '../graph/testing.ts'
import { sessionId } from '../model/ids.ts'
import type { SessionGraph } from '../model/session.ts'
import { foldShape, type ShapeRow, shapeOf } from './shape.ts'

/** One line per row, indented by its depth: what a reader sees, without widths. */
function drawn(rows: readonly ShapeRow[]): string[] {
  return rows.map(row => {
    const tools = row.tools?.map(tool => `${tool.name} ${tool.calls}`).join(', ')
    const mark = row.isActive === undefined ? '' : row.isActive ? ' *' : ' .'
    return `${'  '.repeat(row.depth)}${row.kind} ${tools ?? row.text}`.trimEnd() + mark
  })
}

const shape = (graph: SessionGraph) => drawn(shapeOf(graph))
const call = (id: string, name = 'Bash', input: Wire = {}) => [{ type: 'tool_use', id, name, input }]

/** A turn with a prompt, calls of the named tools, and an answer; everything hangs on what was before. */
function turn(sketch: Sketch, id: string, parent: string | null, tools: readonly string[] = []): string {
  sketch.user(`${id}p`, parent, `ask ${id}`)
  let last = `${id}p`
  tools.forEach((name, i) => {
    sketch.call(`${id}c${i}`, last, `${id}t${i}`, name)
    sketch.result(`${id}r${i}`, `${id}c${i}`, `${id}t${i}`, 'ok')
    last = `${id}r${i}`
  })
  sketch.answer(`${id}a`, last, 'done')
  return `${id}a`
}

describe('rows', () => {
  test('are turns, with calls in a row folded to one', () => {
    const sketch = new Sketch()
    const first = turn(sketch, 'a', null, ['Bash', 'Bash', 'Read', 'Bash'])
    turn(sketch, 'b', first)
    const rows = shapeOf(sketch.graph())
    expect(drawn(rows)).toEqual(['turn ask a', '  calls Bash 3, Read 1', 'turn ask b'])
    expect(rows[0]).toMatchObject({ turn: 0, calls: 4, failed: 0 })
  })

  test('put a branch that was left under the turn it parted from, and continue with the active one', () => {
    const sketch = new Sketch()
    const first = turn(sketch, 'a', null)
    const left = turn(sketch, 'b', first)
    turn(sketch, 'c', left, ['Read'])
    turn(sketch, 'd', first)
    expect(shape(sketch.graph())).toEqual([
      'turn ask a',
      '  branch',
      '    turn ask b',
      '    turn ask c .',
      '      calls Read 1',
      'turn ask d *',
    ])
  })

  test('put another answer to the same prompt under its turn', () => {
    const sketch = new Sketch().user('p', null, 'a poem').answer('a', 'p', 'Roses').answer('b', 'p', 'Violets')
    expect(shape(sketch.graph())).toEqual(['turn a poem *', '  branch Roses'])
  })

  test('put an answer that was left under its turn, also where the other one continues', () => {
    const sketch = new Sketch().user('p', null, 'a poem').answer('a', 'p', 'Roses').answer('b', 'p', 'Violets')
    sketch.user('q', 'b', 'more').answer('c', 'q', 'Tulips')
    expect(shape(sketch.graph())).toEqual(['turn a poem', '  branch Roses', 'turn more *'])
  })

  test('draw a prompt without a uuid on the way, not as a branch', () => {
    const sketch = new Sketch()
    const first = turn(sketch, 'a', null)
    sketch.records.push({ type: 'user', sessionId: 's', message: { role: 'user', content: 'no name' } })
    turn(sketch, 'b', first)
    expect(shape(sketch.graph())).toEqual(['turn ask a', 'turn no name', 'turn ask b'])
  })

  test('draw a sidechain that no call started where it begins, named by its task', () => {
    const side = { isSidechain: true, userType: 'external' }
    const line = (uuid: string, parentUuid: string | undefined, type: string, message: string, more = {}) => ({
      ...{ type, uuid, parentUuid, timestamp: '2025-01-27T10:00:00.000Z', sessionId: 's', message },
      ...more,
    })
    const graph = graphOf([
      line('m1', undefined, 'user', 'Look', { userType: 'human' }),
      line('m2', 'm1', 'assistant', 'I delegate'),
      line('m3', 'm2', 'user', 'Analyze it', side),
      line('m4', 'm3', 'assistant', 'Done', side),
      line('m5', 'm2', 'user', 'Next', { userType: 'human' }),
    ])
    expect(shape(graph)).toEqual(['turn Look', '  subagent Analyze it', 'turn Next'])
  })

  test('draw a compaction between turns as a border, and inside a turn where it happened', () => {
    const between = new Sketch()
    turn(between, 'a', null)
    between.system('k', null, 'compact_boundary', { compactMetadata: { trigger: 'manual', preTokens: 900 } })
    turn(between, 'b', 'k')
    expect(shape(between.graph())).toEqual(['turn ask a', 'compaction manual', 'turn ask b'])
    const inside = new Sketch().user('p', null, 'go').call('a', 'p', 't1', 'Bash').result('r', 'a', 't1', 'ok')
    inside.system('k', null, 'compact_boundary', { compactMetadata: { trigger: 'auto' } })
    inside.user('s', 'k', 'in short', { isCompactSummary: true })
    inside.call('b', 's', 't2', 'Read').result('r2', 'b', 't2', 'ok')
    expect(shape(inside.graph())).toEqual(['turn go', '  calls Bash 1', '  compaction auto', '  calls Read 1'])
  })

  test('put a subagent inside the turn that started it, and unlinked ones at the end', () => {
    const sketch = new Sketch().user('p', null, 'go')
    sketch.call('a', 'p', 'task', 'Task', { description: 'look', prompt: 'look around' })
    sketch.result('r', 'a', 'task', 'seen')
    const agent = (id: string, prompt: string): Wire[] => [
      {
        type: 'user',
        uuid: `${id}1`,
        parentUuid: null,
        agentId: id,
        isSidechain: true,
        sessionId: 's',
        timestamp: '2026-01-05T10:01:00Z',
        message: { role: 'user', content: prompt },
      },
      {
        type: 'assistant',
        uuid: `${id}2`,
        parentUuid: `${id}1`,
        agentId: id,
        isSidechain: true,
        sessionId: 's',
        timestamp: '2026-01-05T10:01:01Z',
        message: { id: `m-${id}`, role: 'assistant', content: call(`${id}t`, 'Grep') },
      },
    ]
    const file = (id: string, prompt: string, toolUseId?: string) =>
      graphFile(
        agent(id, prompt)
          .map(line => `${JSON.stringify(line)}\n`)
          .join(''),
        {
          session: 's',
          path: `agent-${id}.jsonl`,
          role: 'agent',
          agent: id,
          ...(toolUseId === undefined ? {} : { meta: { toolUseId, agentType: 'Explore' } }),
        },
      )
    const graph = sketch.graph(file('x', 'look around', 'task'), file('y', 'nobody asked'))
    expect(shape(graph)).toEqual([
      'turn go',
      '  subagent Explore: look',
      '    calls Grep 1',
      'subagent not linked to a call',
      '  calls Grep 1',
    ])
  })

  test('name the sessions that this one comes from first, and those that come from it last', () => {
    const sketch = new Sketch()
    turn(sketch, 'a', null)
    const link = (relation: 'forked-from' | 'continued-in', id: string) => ({
      relation,
      session: sessionId(id),
      how: 'so it says',
    })
    const rows = shapeOf(sketch.graph(), {
      links: [link('continued-in', 'next'), link('forked-from', 'origin')],
      descendants: [link('forked-from', 'child')],
    })
    expect(rows.map(row => [row.kind, row.id, row.isDescendant])).toEqual([
      ['lineage', 'origin', false],
      ['turn', 'ap', undefined],
      ['lineage', 'next', false],
      ['lineage', 'child', true],
    ])
  })

  test('never loop, whatever hangs on what', () => {
    const line = (type: string, uuid: string, parentUuid: string | null, content: unknown): Wire => ({
      type,
      uuid,
      parentUuid,
      sessionId: 's',
      timestamp: '2026-01-05T10:00:00Z',
      message: { role: type, content, id: `m-${uuid}` },
    })
    const graph = graphOf([
      line('user', 'x', 'b1', 'first'),
      line('system', 'e', null, ''),
      line('user', 'b', 'e', 'second'),
      line('assistant', 'b1', 'b', [{ type: 'text', text: 'ok' }]),
      line('user', 'self', 'self', 'third'),
    ])
    const turns = shapeOf(graph).filter(row => row.kind === 'turn')
    expect(turns.map(row => row.text).sort()).toEqual(['first', 'second', 'third'])
  })
})

describe('folding', () => {
  const turnRow = (depth = 0): ShapeRow => ({ depth, kind: 'turn', text: 'x', calls: 2, failed: 1, subagents: 0 })
  const callsRow = (depth: number): ShapeRow => ({ depth, kind: 'calls', text: '', calls: 2 })

  test('leaves what fits as it is', () => {
    const rows = [turnRow(), callsRow(1)]
    expect(foldShape(rows, 2)).toEqual({ rows, folded: { subagents: 0, calls: 0, turns: 0, rows: 0 } })
  })

  test('hides the inside of subagents first, then calls, then turns in the middle of runs', () => {
    const agent: ShapeRow = { depth: 1, kind: 'subagent', text: 'agent' }
    const rows = Array.from({ length: 10 }, () => [turnRow(), agent, callsRow(2)]).flat()
    expect(foldShape(rows, 20)).toMatchObject({ folded: { subagents: 10, calls: 0, turns: 0, rows: 10 } })
    expect(foldShape(rows, 10)).toMatchObject({ folded: { subagents: 10, calls: 10, turns: 0, rows: 20 } })
    const short = foldShape(rows, 5)
    expect(short.rows.map(row => row.kind)).toEqual(['turn', 'turn', 'folded', 'turn', 'turn'])
    expect(short.rows[2]).toMatchObject({ text: '6 turns', calls: 12, failed: 6 })
    expect(short.folded).toMatchObject({ turns: 6, rows: 26 })
  })

  test('keeps borders and branches longer than turns', () => {
    const border: ShapeRow = { depth: 0, kind: 'compaction', text: 'auto' }
    const rows = [
      ...Array.from({ length: 500 }, () => turnRow()),
      border,
      ...Array.from({ length: 500 }, () => turnRow()),
    ]
    const { rows: kept } = foldShape(rows, 40)
    expect(kept.length).toBeLessThanOrEqual(40)
    expect(kept.filter(row => row.kind === 'compaction')).toHaveLength(1)
    expect(kept.filter(row => row.kind === 'folded')).toHaveLength(2)
  })

  test('never gives more rows than asked for, whatever there is', () => {
    const borders = Array.from(
      { length: 3000 },
      (_, i): ShapeRow => ({ depth: i % 7, kind: i % 2 ? 'compaction' : 'branch', text: '' }),
    )
    expect(foldShape(borders, 195).rows).toHaveLength(195)
    const mixed = Array.from({ length: 3000 }, (_, i) =>
      i % 3 ? turnRow(i % 5) : ({ depth: 1, kind: 'compaction', text: '' } as ShapeRow),
    )
    expect(foldShape(mixed, 195).rows.length).toBeLessThanOrEqual(195)
  })
})

test('subagents that start subagents, thousands deep, are drawn', () => {
  const lines: Wire[] = []
  const depth = 3000
  for (let i = 0; i < depth; i++) {
    const own = i === 0 ? { isSidechain: false } : { isSidechain: true, agentId: `g${i}` }
    const base = { sessionId: 's', timestamp: '2026-01-05T10:00:00Z', ...own }
    lines.push({
      ...base,
      type: 'user',
      uuid: `u${i}`,
      parentUuid: null,
      message: { role: 'user', content: `do ${i}` },
    })
    const input = { prompt: `do ${i + 1}`, description: `level ${i + 1}` }
    lines.push({
      ...base,
      type: 'assistant',
      uuid: `a${i}`,
      parentUuid: `u${i}`,
      message: { id: `m${i}`, role: 'assistant', content: call(`t${i}`, 'Task', input) },
    })
    lines.push({
      ...base,
      type: 'user',
      uuid: `r${i}`,
      parentUuid: `a${i}`,
      toolUseResult: { agentId: `g${i + 1}` },
      message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: `t${i}`, content: 'ok' }] },
    })
  }
  const rows = shapeOf(graphOf(lines))
  expect(rows.filter(row => row.kind === 'subagent')).toHaveLength(depth - 1)
  expect(Math.max(...rows.map(row => row.depth))).toBeGreaterThanOrEqual(depth - 1)
  expect(foldShape(rows, 195).rows.length).toBeLessThanOrEqual(195)
})

test('a prompt that only the queue has is a turn on the way, not a new beginning or a branch', () => {
  const queue = (operation: string, content?: string) => ({ type: 'queue-operation', operation, content })
  const graph = new Sketch()
    .user('u', null, 'take a nap')
    .call('c', 'u', 't1', 'Bash')
    .side(queue('enqueue', 'check the weather'))
    .side(queue('enqueue', 'and the tide'))
    .side(queue('remove'))
    .side(queue('remove'))
    .result('r', 'c', 't1')
    .call('d', 'r', 't2', 'WebFetch')
    .result('s', 'd', 't2')
    .side(queue('enqueue', 'stop'))
    .side(queue('remove'))
    .user('v', 's', 'thanks')
    .graph()
  expect(shape(graph)).toEqual([
    'turn take a nap',
    '  calls Bash 1',
    'turn check the weather',
    'turn and the tide',
    '  calls WebFetch 1',
    'turn stop',
    'turn thanks',
  ])
})
