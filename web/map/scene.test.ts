import { describe, expect, it } from 'vitest'
import { type EventKind, eventKinds } from '../../src/model/event.ts'
import type { HeadThread, Outline, SessionHead } from '../../src/view/reading.ts'
import { agentHue } from '../parts/tool-kind.ts'
import { eventOf, hitAt } from './gestures.ts'
import { laneOrder, type MapScene } from './model.ts'
import { buildScene, contextColumns, contextTop, pointAt } from './scene.ts'
import { fitView, shapeMap, xOf } from './view.ts'
import { hitWords, longSpan, nextStop, sceneText, shortSpan, turnWords } from './words.ts'

const start = Date.parse('2026-03-02T08:00:00Z')
const instant = (seconds: number) => new Date(start + seconds * 1000).toISOString()

function outlineOf(thread: string, slots: { kind: EventKind; at: number | null }[]): Outline {
  return {
    thread,
    ids: slots.map((_, slot) => `${thread}-${slot}`),
    kinds: slots.map(({ kind }) => eventKinds.indexOf(kind)),
    at: slots.map(({ at }) => (at === null ? null : start + at * 1000)),
    turns: slots.map(() => -1),
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

function thread(id: string, from: number, to: number, more: Partial<HeadThread> = {}): HeadThread {
  return { id, kind: 'subagent', startedAt: instant(from), endedAt: instant(to), events: 1, calls: 1, ...more }
}

function headOf(threads: HeadThread[], more: Partial<SessionHead> = {}): SessionHead {
  return {
    id: 's',
    title: 't',
    titleFrom: 'id',
    project: { cwd: null, slug: '', key: '', name: '' },
    startedAt: instant(0),
    endedAt: instant(100),
    isLive: false,
    models: [],
    versions: [],
    threads,
    branches: [],
    compactions: [],
    lineage: [],
    counts: { events: 6, prompts: 2, calls: 2, errors: 1, subagents: threads.length - 1 },
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
    ...more,
  }
}

const main = thread('main', 0, 100, { kind: 'main' })

/** Two turns; a failed call of 20 s, a subagent, a compaction between them. */
function twoTurns(): { head: SessionHead; scene: MapScene } {
  const outline = outlineOf('main', [
    { kind: 'prompt', at: 0 },
    { kind: 'answer', at: 5 },
    { kind: 'answer', at: 30 },
    { kind: 'compaction', at: 60 },
    { kind: 'prompt', at: 70 },
    { kind: 'answer', at: 80 },
  ])
  outline.prompts = { 0: 'first', 4: 'second' }
  outline.calls = {
    1: [{ name: 'Bash', status: 'failed', durationMs: 20_000, target: 'npm test' }],
    2: [{ name: 'Task', status: 'done', durationMs: 10_000, thread: 'a' }],
  }
  outline.errors = [1]
  outline.context = { 1: 50_000, 2: 150_000, 5: 30_000 }
  const head = headOf(
    [main, thread('a', 30, 40, { parentThread: 'main', agentType: 'Explore', description: 'look' })],
    {
      compactions: [{ event: 'main-3', thread: 'main', at: instant(60), preTokens: 150_000, postTokens: 20_000 }],
      contextWindow: 200_000,
    },
  )
  return { head, scene: buildScene(head, new Map([['main', outline]])) }
}

describe('agentHue', () => {
  it('is the same in a first head, whose threads are in another order', () => {
    const [early, late] = [thread('z', 5, 60), thread('a', 50, 60)]
    for (const threads of [
      [main, early, late],
      [main, late, early],
    ])
      expect([early, late].map(({ id }) => agentHue(headOf(threads), id))).toEqual([1, 2])
  })
})

describe('laneOrder', () => {
  it('puts each subagent below the one that started it, the earlier first', () => {
    const order = laneOrder([
      main,
      thread('late', 50, 60, { parentThread: 'main' }),
      thread('early', 5, 60, { parentThread: 'main' }),
      thread('inner', 10, 20, { parentThread: 'early' }),
      thread('lost', 60, 70, { parentThread: 'nobody' }),
    ])
    expect(order.map(({ thread, depth, parent }) => [thread.id, depth, parent])).toEqual([
      ['main', 0, -1],
      ['early', 1, 0],
      ['inner', 2, 1],
      ['late', 1, 0],
      ['lost', 1, 0],
    ])
  })

  it('ends where threads name each other as their parents', () => {
    const order = laneOrder([main, thread('a', 1, 2, { parentThread: 'b' }), thread('b', 1, 2, { parentThread: 'a' })])
    expect(order.map(({ thread }) => thread.id)).toEqual(['main'])
  })
})

describe('buildScene', () => {
  it('lays turns from prompt to prompt and counts what was done in them', () => {
    const { scene } = twoTurns()
    expect(scene.turns).toMatchObject([
      { headline: 'first', from: 0, to: 70_000, calls: 2, failed: 1, subagents: 1, tokens: 150_000 },
      { headline: 'second', from: 70_000, to: 80_000, calls: 0 },
    ])
  })

  it('takes how long a turn was from the outline, as the transcript does', () => {
    const { head } = twoTurns()
    const outline = outlineOf('main', [
      { kind: 'prompt', at: 0 },
      { kind: 'answer', at: 5 },
    ])
    outline.prompts = { 0: 'x' }
    outline.calls = { 1: [{ name: 'Agent', status: 'done', durationMs: 90_000 }] }
    outline.turnFacts = { 0: { durationMs: 8000 } }
    const [turn] = buildScene(head, new Map([['main', outline]])).turns
    expect(turn?.durationMs).toBe(8000)
    expect(turn && turnWords(turn).more[0]).toContain('8.0 s · 1 call')
  })

  it('has a lane for a subagent before its outline has come', () => {
    const { scene } = twoTurns()
    expect(scene.lanes[1]).toMatchObject({ from: 30_000, to: 40_000, depth: 1, parent: 0, rows: [] })
  })

  it('lets the context drop at a compaction to what was left', () => {
    const { scene } = twoTurns()
    expect(pointAt(scene.context, 59_000)?.tokens).toBe(150_000)
    expect(pointAt(scene.context, 61_000)).toMatchObject({ tokens: 20_000, isCut: true })
    expect(scene.cuts).toMatchObject([{ at: 60_000, slot: 3, preTokens: 150_000 }])
  })

  it('lays events out in their order where the log has no times', () => {
    const outline = outlineOf('main', [
      { kind: 'prompt', at: null },
      { kind: 'answer', at: null },
      { kind: 'answer', at: null },
    ])
    outline.prompts = { 0: 'x' }
    const head = headOf([{ ...main, startedAt: null, endedAt: null }])
    const scene = buildScene(head, new Map([['main', outline]]))
    expect(scene.isOrdered).toBe(true)
    expect([...(scene.lanes[0]?.at ?? [])]).toEqual([0, 1000, 2000])
    expect(sceneText(head, scene)).toContain('no times in the log')
  })

  it('gives an event without a time that of the one before', () => {
    const outline = outlineOf('main', [
      { kind: 'prompt', at: 0 },
      { kind: 'answer', at: null },
      { kind: 'answer', at: 10 },
    ])
    const scene = buildScene(headOf([main]), new Map([['main', outline]]))
    expect([...(scene.lanes[0]?.at ?? [])]).toEqual([0, 0, 10_000])
  })
})

describe('contextColumns', () => {
  it('makes one column of what falls on one pixel and keeps its extremes', () => {
    const points = [10, 50, 20].map((tokens, at) => ({ at: 100 + at, tokens, slot: at }))
    expect(contextColumns(points, 0, 1000, 0.1)).toEqual([{ x: 10, least: 10, most: 50, last: 20 }])
  })

  it('shows the window where it is nearly reached and not where it is far off', () => {
    expect(contextTop(150_000, 200_000)).toBeGreaterThan(200_000)
    expect(contextTop(20_000, 1_000_000)).toBeLessThan(50_000)
  })
})

describe('hitAt', () => {
  const { head, scene } = twoTurns()
  const shape = shapeMap(scene, 1000, 700)
  const view = fitView(scene.time)
  const x = (at: number) => xOf(shape, view, at)
  const lane = shape.lanes[0]
  const lineY = shape.lanesTop + (lane?.line ?? 0)
  const barY = shape.lanesTop + (lane?.rowTop ?? 0) + 3

  it('finds a call by its bar and says that it failed', () => {
    const hit = hitAt(scene, shape, view, x(15_000), barY, 0)
    expect(hit).toMatchObject({ type: 'call', slot: 1, call: { name: 'Bash' } })
    expect(hit && hitWords(head, scene, hit)).toMatchObject({ what: 'Bash  npm test', isBad: true })
    expect(hit && eventOf(scene, hit)).toBe('main-1')
  })

  it('finds a knot on the thread', () => {
    expect(hitAt(scene, shape, view, x(70_000) + 2, lineY, 0)).toMatchObject({ type: 'slot', slot: 4 })
  })

  it('reports the context above and the turn elsewhere', () => {
    expect(hitAt(scene, shape, view, x(45_000), shape.contextTop + 5, 0)).toMatchObject({
      type: 'context',
      point: { tokens: 150_000 },
    })
    expect(hitAt(scene, shape, view, x(75_000), shape.lanesTop + shape.lanesHeight + 20, 0)).toMatchObject({
      type: 'turn',
      turn: { headline: 'second' },
    })
  })

  it('finds the lane that is scrolled under the pointer', () => {
    const second = shape.lanes[1]
    const y = shape.lanesTop + (second?.top ?? 0) + (second?.line ?? 0) - 30
    expect(hitAt(scene, shape, view, x(35_000), y, 30)).toMatchObject({ type: 'lane', lane: 1 })
  })
})

describe('nextStop', () => {
  const { scene } = twoTurns()
  const [lane] = scene.lanes
  const stop = (cursor: number | undefined, kind: 'prompt' | 'error' | 'any', step: 1 | -1) =>
    lane && nextStop(lane, fitView(scene.time), cursor, kind, step)

  it('goes from prompt to prompt and stays at the last one', () => {
    expect([stop(undefined, 'prompt', 1), stop(0, 'prompt', 1), stop(4, 'prompt', 1)]).toEqual([0, 4, undefined])
    expect([stop(undefined, 'prompt', -1), stop(4, 'prompt', -1)]).toEqual([4, 0])
  })

  it('goes to failures and over what has nothing to show', () => {
    expect(stop(0, 'error', 1)).toBe(1)
    expect(stop(2, 'any', 1)).toBe(4)
  })
})

describe('spans in words', () => {
  it('are long in cards and short in folds', () => {
    const hour = 3_600_000
    expect([longSpan(3.2 * hour), longSpan(52 * hour)]).toEqual(['3 h 12 min', '2 days 4 h'])
    expect([shortSpan(90_000), shortSpan(3.2 * hour), shortSpan(52 * hour)]).toEqual(['2 min', '3.2 h', '2 d'])
  })
})
