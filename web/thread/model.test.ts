import { describe, expect, it } from 'vitest'
import { type EventKind, eventKinds } from '../../src/model/event.ts'
import type { HeadThread, Outline, SessionHead } from '../../src/view/reading.ts'
import { buildRail, failed, left, lengthOf } from './model.ts'

const start = Date.parse('2026-03-02T08:00:00Z')

/** An outline from kinds, a second apart. */
function sketch(kinds: EventKind[]): Outline {
  return {
    thread: 'main',
    ids: kinds.map((_, slot) => `e${slot}`),
    kinds: kinds.map(kind => eventKinds.indexOf(kind)),
    at: kinds.map((_, slot) => start + slot * 1000),
    turns: kinds.map(() => -1),
    calls: {},
    context: {},
    errors: [],
    branches: {},
    prompts: {},
    quiet: [],
    unlogged: [],
    turnFacts: {},
  }
}

function agent(id: string, from: number, to: number, more: Partial<HeadThread> = {}): HeadThread {
  const instant = (seconds: number) => new Date(start + seconds * 1000).toISOString()
  return { id, kind: 'subagent', startedAt: instant(from), endedAt: instant(to), events: 4, calls: 3, ...more }
}

function headOf(...agents: HeadThread[]): SessionHead {
  const main: HeadThread = { id: 'main', kind: 'main', startedAt: null, endedAt: null, events: 0, calls: 0 }
  return {
    id: 's',
    title: '',
    titleFrom: 'id',
    project: { cwd: null, slug: '', key: '', name: '' },
    startedAt: null,
    endedAt: null,
    isLive: false,
    models: [],
    versions: [],
    threads: [main, ...agents],
    branches: [],
    compactions: [],
    lineage: [],
    counts: { events: 0, prompts: 0, calls: 0, errors: 0, subagents: 0 },
    usage: {
      inputTokens: 0,
      outputTokens: 0,
      cacheCreationTokens: 0,
      cacheReadTokens: 0,
      isOutputFinal: true,
      unknownModels: [],
    },
    onDisk: true,
    isArchived: false,
  }
}

describe('lengthOf', () => {
  it('grows with the logarithm of the duration and stays between 0 and 1', () => {
    const lengths = [undefined, 50, 1000, 10_000, 60_000, 900_000, 9_000_000].map(lengthOf)
    expect(lengths).toEqual([...lengths].sort((one, other) => one - other))
    expect(lengths[0]).toBeGreaterThan(0)
    expect(lengths.at(-1)).toBe(1)
  })
})

describe('buildRail', () => {
  it('gives quiet slots little room and prompts more than answers', () => {
    const outline = sketch(['prompt', 'answer', 'hook', 'answer'])
    outline.quiet = [2]
    const { starts } = buildRail(headOf(), outline)
    const rooms = [0, 1, 2, 3].map(slot => (starts[slot + 1] ?? 0) - (starts[slot] ?? 0))
    expect(rooms[0]).toBeGreaterThan(rooms[1] ?? 0)
    expect(rooms[2]).toBeLessThan((rooms[1] ?? 0) / 2)
  })

  it('shows the longest call of a slot, and that one of them failed', () => {
    const outline = sketch(['prompt', 'answer'])
    outline.calls[1] = [
      { name: 'Read', status: 'failed', durationMs: 100 },
      { name: 'Bash', status: 'done', durationMs: 60_000 },
    ]
    const model = buildRail(headOf(), outline)
    expect(model.lengths[1]).toBeCloseTo(lengthOf(60_000))
    expect((model.flags[1] ?? 0) & failed).toBe(failed)
    expect(model.failures).toEqual([1])
  })

  it('counts the records of one compaction as one cut', () => {
    const outline = sketch(['prompt', 'compaction', 'compaction', 'answer', 'answer', 'answer', 'compaction'])
    expect(buildRail(headOf(), outline).cuts).toEqual([1, 6])
  })

  it('lets a loop come back where its subagent ended, and nests the loops of its own subagents', () => {
    const outline = sketch(['prompt', 'answer', 'answer', 'answer', 'answer', 'answer'])
    outline.calls[1] = [{ name: 'Task', status: 'done', thread: 'a' }]
    const inner = agent('b', 2, 3, { parentThread: 'a' })
    const model = buildRail(headOf(agent('a', 1, 4, { parentThread: 'main' }), inner), outline)
    const [outer, nested] = model.loops
    expect(outer).toMatchObject({ thread: 'a', slot: 1, depth: 0, from: model.starts[1], to: model.starts[4] })
    expect(nested).toMatchObject({ thread: 'b', depth: 1, parent: 0 })
    expect(nested?.from).toBeGreaterThan(outer?.from ?? 0)
    expect(nested?.to).toBeLessThan(outer?.to ?? 0)
  })

  it('finds where a subagent left by its start event when no call names it', () => {
    const outline = sketch(['prompt', 'answer', 'answer'])
    const model = buildRail(headOf(agent('a', 2, 2, { startEvent: 'e2' })), outline)
    expect(model.loops.map(({ slot }) => slot)).toEqual([2])
  })

  it('marks slots of a path that was left, as one fork', () => {
    const outline = sketch(['prompt', 'prompt', 'answer', 'prompt'])
    outline.branches = { 1: 'e2', 2: 'e2' }
    const model = buildRail(headOf(), outline)
    expect(model.forks).toEqual([{ leaf: 'e2', from: 1, to: 2 }])
    expect([...model.flags].map(flags => (flags & left) !== 0)).toEqual([false, true, true, false])
  })

  it('ties a knot where a turn begins with a command', () => {
    const outline = sketch(['hook', 'command', 'answer', 'prompt', 'command'])
    outline.turns = [-1, 0, 0, 1, 0]
    outline.prompts = { 3: 'go on' }
    expect(buildRail(headOf(), outline).prompts).toEqual([1, 3])
  })

  it('has nothing to draw for an empty thread', () => {
    expect(buildRail(headOf(), sketch([]))).toMatchObject({ size: 0, prompts: [], loops: [] })
  })
})
