import { describe, expect, it } from 'vitest'
import { eventKinds } from '../../src/model/event.ts'
import type { Outline } from '../../src/view/reading.ts'
import type { ViewItem } from '../../src/view/view.ts'
import {
  chipCounts,
  failedThreads,
  isShown,
  lowerBound,
  readFilter,
  repeatedSlots,
  toolCounts,
  visibleSlots,
  writeFilter,
} from './filter.tsx'
import { type Fork, pathTest, splitsOf } from './paths.tsx'
import { asOfNow, hasSlot, makeRows, neighbour, rowOf, slotOf } from './state.ts'

type Kind = (typeof eventKinds)[number]

/** An outline whose slots have these kinds. */
function outlineOf(kinds: Kind[], more: Partial<Outline> = {}): Outline {
  return {
    thread: 't',
    ids: kinds.map((_, at) => `e${at}`),
    kinds: kinds.map(kind => eventKinds.indexOf(kind)),
    at: kinds.map(() => null),
    turns: kinds.map(() => 0),
    calls: {},
    context: {},
    errors: [],
    branches: {},
    prompts: Object.fromEntries(kinds.flatMap((kind, at) => (kind === 'prompt' ? [[at, `prompt ${at}`]] : []))),
    quiet: [],
    unlogged: [],
    turnFacts: {},
    ...more,
  }
}

const kinds: Kind[] = ['prompt', 'answer', 'hook', 'answer', 'answer', 'compaction', 'api-error']
const outline = outlineOf(kinds, {
  quiet: [2, 3],
  errors: [4, 6],
  calls: { 4: [{ name: 'Bash', status: 'failed' }], 1: [{ name: 'Task', status: 'done', thread: 'a' }] },
})
const shown = (show: string) => visibleSlots(outline, readFilter(show))

describe('the counts on the chips', () => {
  it('are those of the head on the main thread, and those of its own on another', () => {
    const counts = { events: 90, prompts: 3, calls: 25, errors: 4, subagents: 7 }
    expect(chipCounts(outline, counts)).toEqual({ prompts: 3, tools: 25, errors: 4, subagents: 7 })
    expect(chipCounts(outline)).toEqual({ prompts: 1, tools: 2, errors: 2, subagents: 1 })
  })

  it('leave inherited calls to be shown that another session counts', () => {
    const counts = { events: 9, prompts: 1, calls: 0, errors: 0, subagents: 0 }
    expect(chipCounts(outlineOf(['prompt', 'answer'], { calls: { 1: [call('Read')] } }), counts)).toEqual({
      prompts: 1,
      errors: 0,
      subagents: 0,
    })
  })

  it('leave commands to be shown where there is no prompt', () => {
    const counts = { events: 9, prompts: 0, calls: 0, errors: 0, subagents: 0 }
    expect(chipCounts(outlineOf(['command', 'answer']), counts).prompts).toBeUndefined()
    expect(chipCounts(outlineOf(['answer']), counts).prompts).toBe(0)
  })
})

describe('filters', () => {
  it('hide hooks and notices, but not thinking, which is one folded line', () => {
    expect(shown('')).toEqual([0, 1, 3, 4, 5, 6])
    expect(shown('quiet')).toEqual([0, 1, 2, 3, 4, 5, 6])
  })

  it('show sorts and tools together, and borders between windows always', () => {
    expect(shown('prompts')).toEqual([0, 5])
    expect(shown('prompts,errors')).toEqual([0, 4, 5, 6])
    expect(shown('tool:Bash')).toEqual([4, 5])
    expect(shown('subagents')).toEqual([1, 5])
  })

  it('say once a turn that thinking is not in the log', () => {
    const silent = outlineOf(['prompt', 'answer', 'answer', 'answer', 'prompt', 'answer'], {
      turns: [0, 0, 0, 0, 1, 1],
      quiet: [1, 2, 5],
      unlogged: [1, 2, 3, 5],
    })
    expect(visibleSlots(silent, readFilter(''))).toEqual([0, 1, 3, 4, 5])
    expect([...repeatedSlots(silent)]).toEqual([2, 3])
    expect(visibleSlots(silent, { ...readFilter(''), hidesThinking: true })).toEqual([0, 3, 4])
  })

  it('show the calls whose subagents met an error', () => {
    const inside = outlineOf(['answer', 'answer'], { calls: { 1: [{ ...call('Task'), thread: 'a', errors: 2 }] } })
    expect(visibleSlots(inside, readFilter('errors'))).toEqual([1])
  })

  it('show of several subagents in one place those that met an error', () => {
    const started = (thread: string) => ({ kind: 'call', body: [{ type: 'thread', thread }] }) as unknown as ViewItem
    const thread = { kind: 'subagent' as const, startedAt: null, endedAt: null, events: 1, calls: 1 }
    const threads = [
      { ...thread, id: 'a' },
      { ...thread, id: 'b' },
      { ...thread, id: 'inner', parentThread: 'a', errors: 1 },
    ]
    const filter = { ...readFilter('errors'), failedThreads: failedThreads(threads) }
    expect([started('a'), started('b')].map(item => isShown(item, filter))).toEqual([true, false])
  })

  it('come back from the address as they were written', () => {
    expect(writeFilter(readFilter('errors,prompts,tool:mcp__a__b,quiet,nonsense'))).toBe(
      'prompts,errors,tool:mcp__a__b,quiet',
    )
  })

  it('count tools by name, those of servers under the name of the server', () => {
    const tools = outlineOf(['answer'], { calls: { 0: [call('mcp__db__find'), call('Read'), call('Read')] } })
    expect(toolCounts(tools).map(({ title, count }) => [title, count])).toEqual([
      ['Read', 2],
      ['db › find', 1],
    ])
  })
})

function call(name: string) {
  return { name, status: 'done' as const }
}

describe('paths of a conversation that split', () => {
  // 0 1 ┬ 2 3 (leaf L) ┬ 4 (leaf M, from 2)
  //     └ 5 6
  const split = outlineOf(['prompt', 'answer', 'prompt', 'answer', 'prompt', 'prompt', 'answer'], {
    branches: { 2: 'L', 3: 'L', 4: 'M' },
  })
  const forks: Fork[] = [
    { leaf: 'A', isActive: true, eventCount: 4, slot: 1 },
    { leaf: 'L', isActive: false, eventCount: 4, slot: 1 },
    { leaf: 'M', isActive: false, eventCount: 4, slot: 2 },
  ]
  const path = (leaf?: string) => visibleSlots(split, readFilter(''), pathTest(split, forks, leaf))

  it('show the one that was gone on with', () => {
    expect(path()).toEqual([0, 1, 5, 6])
    expect(path('A')).toEqual([0, 1, 5, 6])
  })

  it('show a path that was left up to its end, and not what came after the split', () => {
    expect(path('L')).toEqual([0, 1, 2, 3])
  })

  it('follow a path that left another one', () => {
    expect(path('M')).toEqual([0, 1, 2, 4])
  })

  it('have a switch where each begins', () => {
    expect([...splitsOf(forks)].map(([slot, list]) => [slot, list.map(fork => fork.leaf)])).toEqual([
      [1, ['L']],
      [2, ['M']],
    ])
  })
})

describe('a call without a result', () => {
  const item = (status: 'missing' | 'running') => {
    const text = status === 'missing' ? 'no result' : 'running'
    return { status, badges: [{ text, tone: 'warn' }] } as unknown as ViewItem
  }
  const said = (shown: ViewItem) => [shown.status, ...shown.badges.map(({ text }) => text)]

  it('is running at the end of a session that is being written', () => {
    expect(said(asOfNow(item('missing'), true, true))).toEqual(['running', 'running'])
    expect(said(asOfNow(item('missing'), true, false))).toEqual(['missing', 'no result'])
    expect(said(asOfNow(item('missing'), false, true))).toEqual(['missing', 'no result'])
  })

  it('does not run in a session that ended', () => {
    expect(said(asOfNow(item('running'), false, true))).toEqual(['missing', 'no end in the log'])
    expect(said(asOfNow(item('running'), true, false))).toEqual(['running', 'running'])
  })
})

describe('rows', () => {
  const rows = makeRows(outline, [0, 1, 4, 6])

  it('have a head and an end besides the slots', () => {
    expect(rows.count).toBe(6)
    expect([0, 1, 3, 5].map(index => slotOf(rows, index))).toEqual([undefined, 0, 4, undefined])
  })

  it('find the row of a slot, or of the next one that is shown', () => {
    expect([0, 2, 4, 5, 99].map(slot => rowOf(rows, slot))).toEqual([1, 3, 3, 4, 4])
    expect([hasSlot(rows, 4), hasSlot(rows, 5)]).toEqual([true, false])
  })

  it('know what comes after a slot and before', () => {
    expect([neighbour([4, 6], 4, 1), neighbour([4, 6], 4, -1), neighbour([4, 6], 5, -1)]).toEqual([6, undefined, 4])
  })

  it('are quickly found among a hundred thousand', () => {
    const many = Array.from({ length: 100_000 }, (_, at) => at * 3)
    expect(lowerBound(many, 299_997)).toBe(99_999)
    expect(lowerBound(many, 1)).toBe(1)
  })
})
