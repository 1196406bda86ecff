// The judge is judged first: small homes whose numbers were worked out by hand.

import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { withFolder } from '../home.ts'
import { type Count, judge, rowsOf, sumOf } from './judge.ts'
import { costOf } from './judge-prices.ts'
import { blocksOf, dayOf, millisOf, weekOf } from './judge-time.ts'

type Fields = Record<string, unknown>

function answer(usage: Fields | undefined, message: Fields = {}, fields: Fields = {}): Fields {
  const said = { id: 'm1', role: 'assistant', model: 'claude-opus-4-1', content: [], stop_reason: null, ...message }
  return {
    type: 'assistant',
    uuid: 'u1',
    parentUuid: null,
    sessionId: 'one',
    version: '2.1.50',
    requestId: 'r1',
    timestamp: '2026-01-02T10:00:00.000Z',
    message: { ...said, ...(usage !== undefined && { usage }) },
    ...fields,
  }
}

const tokens = (input: number, output: number, written = 0, read = 0) => ({
  input_tokens: input,
  output_tokens: output,
  cache_creation_input_tokens: written,
  cache_read_input_tokens: read,
})

function countOf(files: Record<string, (Fields | string)[]>): Promise<Count> {
  return withFolder(folder => {
    for (const [name, records] of Object.entries(files)) {
      const path = join(folder, 'projects', '-p', name)
      mkdirSync(dirname(path), { recursive: true })
      const lines = records.map(record => (typeof record === 'string' ? record : JSON.stringify(record)))
      writeFileSync(path, `${lines.join('\n')}\n`)
    }
    return judge(folder)
  })
}

describe('the independent count', () => {
  it('takes lines of one message once, the largest of each number, and knows a placeholder', async () => {
    const { messages, bounds } = await countOf({
      'one.jsonl': [
        answer(tokens(10, 1, 5, 7)),
        answer(tokens(10, 40, 5, 7), {}, { uuid: 'u2', timestamp: '2026-01-02T10:00:03.000Z' }),
        answer(tokens(1, 2), { id: 'm2', stop_reason: 'end_turn' }, { uuid: 'u3', requestId: 'r2' }),
      ],
    })
    // 11 x 15 + 42 x 75 + 5 x 18.75 + 7 x 1.5 = 3419.25 millionths.
    expect(sumOf(messages)).toEqual({
      inputTokens: 11,
      outputTokens: 42,
      cacheCreationTokens: 5,
      cacheReadTokens: 7,
      totalTokens: 65,
      totalCost: expect.closeTo(0.00341925, 12),
    })
    expect(bounds).toMatchObject({ messages: 2, partial: 1, synthetic: 0, errors: 0, unknownModels: [] })
  })

  it('gives a message to its original, not to forks, agents that replay it, or progress', async () => {
    const early = '2025-12-31T10:00:00.000Z'
    const { messages } = await countOf({
      'one.jsonl': [answer(tokens(10, 40))],
      'a-fork.jsonl': [answer(tokens(10, 44), {}, { sessionId: 'one', timestamp: early })],
      'one/subagents/agent-acompact-1.jsonl': [answer(tokens(12, 4), {}, { isSidechain: true, timestamp: early })],
      'agent-b.jsonl': [
        {
          type: 'progress',
          sessionId: 'one',
          timestamp: early,
          uuid: 'p1',
          data: { type: 'agent_progress', message: answer(tokens(1, 1), {}, { timestamp: early }) },
        },
      ],
    })
    expect([...rowsOf(messages, 'daily', 'UTC')]).toEqual([
      ['2026-01-02', expect.objectContaining({ inputTokens: 12, outputTokens: 44, totalTokens: 56 })],
    ])
    expect(messages[0]).toMatchObject({ session: 'one', isMain: true })
  })

  it('parts one id by request ids, and puts lines without one to the first of them', async () => {
    const at = (second: number) => `2026-01-02T10:00:0${second}.000Z`
    const { messages, bounds } = await countOf({
      'one.jsonl': [
        answer(tokens(1, 1), {}, { uuid: 'a', requestId: undefined, timestamp: at(0) }),
        answer(tokens(2, 2), {}, { uuid: 'b', requestId: 'late', timestamp: at(5) }),
        answer(tokens(3, 1), {}, { uuid: 'c', requestId: 'early', timestamp: at(2) }),
        answer(tokens(5, 5), { id: null }, { uuid: 'd' }),
        answer(tokens(5, 5), { id: null }, { uuid: 'e' }),
      ],
      'two.jsonl': [answer(tokens(5, 5), { id: null }, { uuid: 'e', sessionId: 'two' })],
    })
    expect(bounds.messages).toBe(4)
    expect(sumOf(messages)).toMatchObject({ inputTokens: 15, outputTokens: 13 })
    expect(messages.map(message => message.at)).toContain(Date.UTC(2026, 0, 2, 10))
  })

  it('keeps errors and synthetic messages apart, and names models without a price', async () => {
    const { messages, bounds } = await countOf({
      'one.jsonl': [
        answer(tokens(9, 9), { model: '<synthetic>' }),
        answer(tokens(9, 9), { id: 'm2' }, { uuid: 'u2', isApiErrorMessage: true }),
        answer(tokens(4, 6), { id: 'm3', model: 'mystery-1' }, { uuid: 'u3' }),
        answer(undefined, { id: 'm4' }, { uuid: 'u4' }),
      ],
    })
    expect(bounds).toEqual({ messages: 1, partial: 1, synthetic: 2, errors: 1, unknownModels: ['mystery-1'] })
    expect(sumOf(messages)).toMatchObject({ totalTokens: 10, totalCost: 0 })
  })

  it('reads odd lines: glued, torn, spaced, float, parts without a total, a stated cost', async () => {
    const one = JSON.stringify(answer({ input_tokens: 3.9, output_tokens: -4 }))
    const parts = { ephemeral_5m_input_tokens: 100, ephemeral_1h_input_tokens: 200 }
    const two = answer({ ...tokens(1, 1), cache_creation: parts }, { id: 'm2' }, { uuid: 'u2', costUSD: 0.25 })
    const three = JSON.stringify(answer(tokens(7, 0), { id: 'm3' }, { uuid: 'u3' }), null, 1).replace(/\n */g, ' ')
    const { messages, bounds } = await countOf({
      'one.jsonl': [`${one}${JSON.stringify(two)}`, '', three, one.slice(0, 200)],
    })
    // 10 x 15 millionths next to what is stated; 3.9 tokens are 3.
    expect(sumOf(messages)).toEqual({
      inputTokens: 11,
      outputTokens: 1,
      cacheCreationTokens: 300,
      cacheReadTokens: 0,
      totalTokens: 312,
      totalCost: expect.closeTo(0.25015, 12),
    })
    expect(bounds).toMatchObject({ messages: 3, partial: 2 })
    const second = messages.find(message => message.stated !== null)
    // 1 x 15 + 1 x 75 + 100 x 18.75 + 200 x 30 millionths, were it not stated.
    expect(second && costOf(second, 'calculate')).toBeCloseTo(0.007965, 12)
  })
})

describe('the judge’s calendar', () => {
  it('reads times as they are written', () => {
    const noon = Date.UTC(2026, 2, 29, 12)
    expect(
      ['2026-03-29T12:00:00Z', '2026-03-29T14:00:00.000999+02:00', '2026-03-29 12:00', noon / 1000, noon * 1000].map(
        millisOf,
      ),
    ).toEqual([noon, noon, noon, noon, noon])
    expect(['soon', '2026-02-30T00:00:00Z', null].map(millisOf)).toEqual([null, null, null])
  })

  it('knows days of zones, weeks and blocks', () => {
    const at = Date.UTC(2026, 2, 29, 23, 30)
    expect([dayOf(at, 'UTC'), dayOf(at, 'Europe/Berlin'), dayOf(at, 'America/Los_Angeles')]).toEqual([
      '2026-03-29',
      '2026-03-30',
      '2026-03-29',
    ])
    expect([weekOf('2026-03-29'), weekOf('2026-03-30'), weekOf('2026-03-29', 0)]).toEqual([
      '2026-03-23',
      '2026-03-30',
      '2026-03-29',
    ])
    const hour = 3_600_000
    expect([...blocksOf([1.5 * hour, 5.9 * hour, 6 * hour, 20 * hour]).values()]).toEqual([
      hour,
      hour,
      6 * hour,
      20 * hour,
    ])
  })
})
