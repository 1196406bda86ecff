import { resolve } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { discover } from '../../disk/discover/discover.ts'
import { diskSource } from '../../disk/read/read.ts'
import { graphFile, Sketch } from '../../graph/testing.ts'
import { eventKinds } from '../../model/event.ts'
import type { SessionGraph } from '../../model/session.ts'
import { bundledPrices, contextWindow } from '../../usage/prices.ts'
import { planView } from '../../view/plan.ts'
import { compareWays, wayTo } from '../../view/reading.ts'
import { ThreadViewer } from '../../view/thread.ts'
import { loadSession } from '../load.ts'
import { graphReader } from './graph-reader.ts'

const graphs: SessionGraph[] = []

beforeAll(async () => {
  const { sessions } = await discover(resolve('samples/home'))
  for (const session of sessions) graphs.push(await loadSession(diskSource(), session))
})

describe('slots of a session', () => {
  it('show every thread as it is shown as a whole, in whatever pieces', async () => {
    let shown = 0
    for (const graph of graphs) {
      const reader = graphReader(graph)
      for (const { id } of graph.threads) {
        const whole = [...new ThreadViewer(planView(graph), { isShallow: true, isUnfolded: true }).items(id)]
        const { ids } = await reader.outline(id)
        const first = await reader.items(0, 3, id)
        const rest = await reader.items(3, ids.length, id)
        const items = [...first.slots, ...rest.slots].flat()
        // The prompt of a subagent is compared with its call where it is shown inside of it.
        const kinds = (list: typeof whole) => list.map(item => [item.id, item.kind, item.turn ?? null])
        expect(kinds(items)).toEqual(kinds(whole))
        shown += items.length
      }
    }
    expect(shown).toBeGreaterThan(300)
  })

  it('have a place for every event that the graph has', async () => {
    for (const graph of graphs) {
      const reader = graphReader(graph)
      const counts = reader.slotCounts()
      for (const { kind, id } of graph.events) {
        const place = await reader.placeOf(id)
        if (kind === 'title' || kind === 'state' || place === null) continue
        expect(place.slot).toBeLessThan(counts[place.thread] ?? 0)
      }
      for (const { requestEvent, resultEvent } of graph.toolCalls) {
        if (resultEvent === undefined) continue
        const asked = await reader.placeOf(requestEvent)
        expect(await reader.placeOf(resultEvent)).toMatchObject({ thread: asked?.thread, slot: asked?.slot })
      }
    }
  })
})

describe('the outline', () => {
  it('contains prompts, calls with their ends, failures and the size of the context', async () => {
    const outlines = await Promise.all(graphs.map(graph => graphReader(graph).outline()))
    const all = <Value>(pick: (outline: (typeof outlines)[number]) => Value[]) => outlines.flatMap(pick)
    expect(all(({ prompts }) => Object.values(prompts)).every(text => text.length > 0 && !text.includes('\n'))).toBe(
      true,
    )
    const calls = all(outline => Object.values(outline.calls).flat())
    expect(calls.some(({ status }) => status === 'failed')).toBe(true)
    expect(calls.some(({ thread }) => thread !== undefined)).toBe(true)
    expect(all(({ errors }) => errors).length).toBeGreaterThan(0)
    expect(all(({ context }) => Object.values(context)).every(tokens => tokens > 0)).toBe(true)
    for (const { kinds, turns, ids } of outlines) {
      expect(kinds.every(kind => eventKinds[kind] !== undefined)).toBe(true)
      expect(turns.length).toBe(ids.length)
    }
  })

  it('says what turns took and cost: together not more than the session', async () => {
    let priced = 0
    for (const graph of graphs) {
      const reader = graphReader(graph)
      const { turnFacts } = await reader.outline()
      const { usage } = await reader.head()
      const sum = Object.values(turnFacts).reduce((all, { costUSD = 0 }) => all + costUSD, 0)
      expect(sum).toBeLessThanOrEqual((usage.costUSD ?? 0) + 1e-6)
      priced += sum
    }
    expect(priced).toBeGreaterThan(0)
  })

  it('names a command as it was typed', async () => {
    const prompts = await Promise.all(
      graphs.map(async graph => Object.values((await graphReader(graph).outline()).prompts)),
    )
    expect(prompts.flat().some(text => text.includes('<command-'))).toBe(false)
  })

  it('counts the agents of Claude Code itself as quiet', async () => {
    const side = { isSidechain: true, agentId: 'w' }
    const agent = new Sketch().user('w-u', null, 'Warmup', side).answer('w-a', 'w-u', 'Ready', side)
    const file = graphFile(agent.text(), { session: 's', path: 'agent-w.jsonl', role: 'agent', agent: 'w' })
    const { ids, quiet } = await graphReader(new Sketch().graph(file)).outline()
    expect(ids).toHaveLength(1)
    expect(quiet).toEqual([0])
  })

  it('marks what is on an abandoned path, and nothing without one', async () => {
    for (const graph of graphs) {
      const { branches } = await graphReader(graph).outline()
      expect(Object.keys(branches).length > 0).toBe(graph.branches.length > 1)
    }
    expect(graphs.some(graph => graph.branches.length > 1)).toBe(true)
  })
})

describe('questions about a session', () => {
  it('finds a text in any case, with its place', async () => {
    for (const graph of graphs) {
      const reader = graphReader(graph)
      const outline = await reader.outline()
      const [slot, prompt] = Object.entries(outline.prompts)[0] ?? []
      if (slot === undefined || prompt === undefined || prompt.length < 8) continue
      const word = prompt.slice(0, 8).toUpperCase()
      const places = await reader.find(word)
      expect(places.some(place => place.slot === Number(slot))).toBe(true)
      for (const { snippet, highlights } of places) {
        expect(snippet.slice(...(highlights[0] as [number, number])).toLowerCase()).toBe(word.toLowerCase())
      }
    }
  })

  it('names every error, with its place, as often as the head counts them', async () => {
    let inside = 0
    for (const graph of graphs) {
      const reader = graphReader(graph)
      const errors = await reader.errors()
      const counts = reader.slotCounts()
      const { counts: listed, threads } = await reader.head()
      expect(errors.length).toBe(listed.errors)
      // Each at the thread that it happened in, as calls are.
      expect(threads.reduce((sum, thread) => sum + (thread.errors ?? 0), 0)).toBe(listed.errors)
      expect(new Set(errors.map(({ thread, slot, n }) => `${thread} ${slot} ${n}`)).size).toBe(errors.length)
      for (const { thread, slot, inside: around } of errors) {
        expect(slot).toBeLessThan(counts[thread] ?? 0)
        if (around.length > 0) expect(around[0]?.thread).toBe(reader.slots.main)
        inside += around.length
      }
    }
    expect(inside).toBeGreaterThan(0)
  })

  it('finds texts in reading order: what a subagent did is inside of the call that started it', async () => {
    let nested = 0
    for (const graph of graphs) {
      const places = await graphReader(graph).find('e')
      const ways = places.map(wayTo)
      expect(ways).toEqual([...ways].sort(compareWays))
      nested += places.filter(({ inside }) => inside.length > 0).length
    }
    expect(nested).toBeGreaterThan(0)
  })

  it('lists files that were read and changed, with lines where the log has them', async () => {
    const files = (await Promise.all(graphs.map(graph => graphReader(graph).files()))).flat()
    expect(files.some(({ reads }) => reads > 0)).toBe(true)
    expect(files.some(({ added, removed }) => added + removed > 0)).toBe(true)
    for (const { steps, reads } of files)
      expect(reads).toBe(steps.filter(({ kind, status }) => kind === 'read' && status === 'done').length)
  })

  it('says what fills the context, at the end and before', async () => {
    for (const graph of graphs) {
      const reader = graphReader(graph)
      const end = await reader.contextAt(null)
      const sum = end.parts.reduce((all, { tokens }) => all + tokens, 0)
      expect(Math.abs(sum - end.tokens)).toBeLessThanOrEqual(Math.max(2, end.tokens * 0.02))
      const first = graph.turns[0]?.prompt
      if (first === undefined || graph.compactions.length > 0 || graph.branches.length > 1) continue
      expect((await reader.contextAt(first)).tokens).toBeLessThanOrEqual(end.tokens)
    }
  })

  it('takes the window from the model of the main thread, whatever its subagents use', async () => {
    const side = { isSidechain: true, agentId: 'x1' }
    const usage = { input_tokens: 10, output_tokens: 5 }
    const message = { id: 'm9', role: 'assistant', model: 'claude-haiku-4-5', content: [], usage }
    const agent = new Sketch().user('x1-u', null, 'Look', side).chain('assistant', 'x1-a', 'x1-u', { message, ...side })
    const main = new Sketch().user('u1', null, 'Go').answer('a1', 'u1', 'Done')
    const file = graphFile(agent.text(), { session: 's', path: 'agent-x1.jsonl', role: 'agent', agent: 'x1' })
    const reader = graphReader(main.graph(file))
    expect((await reader.head()).models).toContain('claude-haiku-4-5')
    const window = contextWindow(bundledPrices, 'claude-opus-4-6')
    expect(window).not.toBe(contextWindow(bundledPrices, 'claude-haiku-4-5'))
    expect((await reader.head()).contextWindow).toBe(window)
    expect((await reader.contextAt(null)).window).toBe(window)
  })

  it('says what filled the window of the subagent that an event is of', async () => {
    const side = { isSidechain: true, agentId: 'x1' }
    const message = (id: string, input: number) => ({
      id,
      role: 'assistant',
      model: 'claude-haiku-4-5',
      content: [{ type: 'text', text: 'Found' }],
      usage: { input_tokens: input, output_tokens: 40 },
    })
    const agent = new Sketch()
      .user('x1-u', null, 'Look', side)
      .chain('assistant', 'x1-a', 'x1-u', { message: message('m1', 21_000), ...side })
    const main = new Sketch().user('u1', null, 'Go').answer('a1', 'u1', 'Done')
    const file = graphFile(agent.text(), { session: 's', path: 'agent-x1.jsonl', role: 'agent', agent: 'x1' })
    const reader = graphReader(main.graph(file))
    const window = contextWindow(bundledPrices, 'claude-haiku-4-5')
    expect(await reader.contextAt('x1-a')).toMatchObject({ event: 'x1-a', tokens: 21_040, counted: 21_040, window })
    expect(await reader.contextAt('x1-u')).toMatchObject({ tokens: 21_000, counted: 21_000, window })
    expect(await reader.contextAt('a1')).toMatchObject({ tokens: 15 })
  })

  it('takes what was sent with a prompt from its answer, also behind attachments', async () => {
    const attachment = { type: 'hook_success', content: 'ok' }
    const sketch = new Sketch()
      .user('u1', null, 'Go')
      .chain('attachment', 't1', 'u1', { attachment })
      .answer('a1', 't1', 'Done')
    expect(await graphReader(sketch.graph()).contextAt('u1')).toMatchObject({ tokens: 10, counted: 10 })
  })

  it('names a subagent without a name by its task, and counts what failed in it', async () => {
    const side = { isSidechain: true, agentId: 'x1' }
    const agent = new Sketch()
      .user('x1-u', null, 'Look for sums', side)
      .call('x1-a', 'x1-u', 'c9', 'Read', {}, side)
      .result('x1-r', 'x1-a', 'c9', 'no such file', { is_error: true, ...side })
    const file = graphFile(agent.text(), { session: 's', path: 'agent-x1.jsonl', role: 'agent', agent: 'x1' })
    const { threads } = await graphReader(new Sketch().user('u1', null, 'Go').graph(file)).head()
    expect(threads[1]).toMatchObject({ id: 'x1', description: 'Look for sums', calls: 1, errors: 1 })
    expect(threads[0]?.description).toBeUndefined()
  })

  it('says how much of what is shown is inherited', async () => {
    const forkedFrom = { sessionId: 'o', messageUuid: 'u1' }
    const sketch = new Sketch()
      .user('u1', null, 'Go', { forkedFrom })
      .call('a1', 'u1', 'c1', 'Read', {}, { forkedFrom })
      .result('r1', 'a1', 'c1', 'ok', { forkedFrom })
      .user('u2', 'r1', 'More')
      .answer('a2', 'u2', 'Done')
    const reader = graphReader(sketch.graph())
    expect(await reader.head()).toMatchObject({ counts: { prompts: 1, calls: 0 }, inherited: { turns: 1, calls: 1 } })
    const { turnFacts } = await reader.outline()
    expect(Object.values(turnFacts).map(({ isInherited }) => isInherited)).toEqual([true, undefined])
  })

  it('sums up the session: threads, counts, cost', async () => {
    for (const graph of graphs) {
      const head = await graphReader(graph).head()
      expect(head.threads.length).toBe(graph.threads.length)
      expect(head.counts.calls).toBe(graph.toolCalls.length)
      expect(head.usage.subagentsUSD ?? 0).toBeLessThanOrEqual((head.usage.costUSD ?? 0) + 1e-9)
    }
  })
})
