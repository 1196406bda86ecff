import { describe, expect, it } from 'vitest'
import { events } from '../decode/testing.ts'
import { rollUp } from './cell.ts'
import { EvidenceReader } from './evidence.ts'
import { bundledPrices } from './prices.ts'
import { type ClientTotal, clientTotal, explain } from './reconcile.ts'

const session = '5eb0a5f2-7f6f-4f0b-8a3c-0d2c7c1c9a01'
const opus = 'claude-opus-4-5'
const haiku = 'claude-haiku-4-5'
const start = Date.UTC(2026, 4, 4, 9)
const at = (second: number) => new Date(start + second * 1000).toISOString()

interface AnswerOptions {
  input?: number
  more?: object
  stop?: string | null
}

/** 1,000 tokens of input and 1,000 of output cost $0.03 with Opus 4.5. */
const answer = (id: string, second: number, options: AnswerOptions = {}) => ({
  ...{ type: 'assistant', uuid: `u-${id}`, sessionId: session, timestamp: at(second), version: '2.1.325' },
  requestId: `req-${id}`,
  message: {
    id,
    role: 'assistant',
    model: opus,
    content: [{ type: 'text', text: id }],
    stop_reason: options.stop === undefined ? 'end_turn' : options.stop,
    usage: { input_tokens: options.input ?? 1000, output_tokens: 1000 },
  },
  ...options.more,
})

const prompt = (content: string, second: number) => ({
  ...{ type: 'user', uuid: `p-${second}`, sessionId: session, timestamp: at(second), version: '2.1.325' },
  message: { role: 'user', content },
})

interface Counted {
  input: number
  output: number
  usd: number
}

const total = (models: Record<string, Counted>, startTime = start) => ({
  type: 'cost-state',
  sessionId: session,
  startTime,
  totalCostUSD: Object.values(models).reduce((sum, { usd }) => sum + usd, 0),
  modelUsage: Object.fromEntries(
    Object.entries(models).map(([model, { input, output, usd }]) => [
      model,
      { inputTokens: input, outputTokens: output, costUSD: usd },
    ]),
  ),
})
const answers = (count: number): Counted => ({ input: 1000 * count, output: 1000 * count, usd: 0.03 * count })

interface ExplainedOptions {
  /** Answers that another session counts. */
  countedElsewhere?: readonly string[]
  /** Answers that we count from earlier contents of the file. */
  earlier?: readonly object[]
  sideQuestions?: number
  /** Of `ours`, what the report's dates leave out. */
  leftOut?: number
}

function explained(lines: readonly object[], options: ExplainedOptions = {}) {
  const { countedElsewhere = [], earlier = [], sideQuestions = 0, leftOut = 0 } = options
  const file = { place: 0, nameSession: session, isAgentFile: false }
  const files = [{ path: 'a.jsonl', number: 0, session }]
  const reader = new EvidenceReader()
  const own = new EvidenceReader()
  const clientTotals: ClientTotal[] = []
  for (const event of events(lines, { session })) {
    reader.see(event, file)
    if (!countedElsewhere.some(id => event.message?.id === id)) own.see(event, file)
    const stated =
      event.kind === 'state' && event.detail?.type === 'cost-state' ? clientTotal(session, event.detail) : null
    if (stated !== null) clientTotals.push(stated)
  }
  for (const event of events(earlier, { session })) own.see(event, file)
  for (let count = 0; count < sideQuestions; count++) reader.seeSideQuestion()
  const pricing = { prices: bundledPrices }
  const cells = rollUp(own.result(files).messages, { promptSteps: bundledPrices.promptSteps, withTools: false })
  const ours = cells.reduce((sum, cell) => sum + (cell.inputTokens * 5 + cell.outputTokens * 25) / 1e6, 0) - leftOut
  const client = clientTotals.at(-1)?.usd ?? 0
  const totals = { ours, client, difference: ours - client, processes: 1 }
  const result: Parameters<typeof explain>[0] = totals
  explain(result, { cells, clientTotals, evidence: reader.result(files), pricing })
  const causes = result.causes?.map(cause => ({ ...cause, usd: Number(cause.usd.toFixed(6)) }))
  return { causes, unexplained: Number((result.unexplained ?? 0).toFixed(6)) }
}

const calls = (usd: number, ...known: [kind: string, count: number][]) => ({
  cause: 'calls-not-in-log',
  usd,
  model: opus,
  calls: known.map(([kind, count]) => ({ kind, count })),
})

describe('calls whose answers are not in the log', () => {
  const boundary = {
    ...{ type: 'system', subtype: 'compact_boundary', uuid: 'c', sessionId: session, timestamp: at(2) },
    compactMetadata: { trigger: 'manual', preTokens: 1000 },
  }
  const result = (second: number, toolUseResult: object) => ({
    ...{ type: 'user', uuid: `r-${second}`, sessionId: session, timestamp: at(second), version: '2.1.325' },
    message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu', content: 'x' }] },
    toolUseResult,
  })
  const request = (id: string, second: number) => ({
    type: 'api-request',
    sessionId: session,
    id,
    timestamp: at(second),
  })

  it.each([
    ['compaction', [boundary]],
    ['title', [{ type: 'ai-title', aiTitle: 'Pears', sessionId: session }]],
    ['web-search', [result(3, { query: 'pears', results: [], durationSeconds: 1 })]],
    ['web-fetch', [result(3, { url: 'https://example.com', code: 200, codeText: 'OK', bytes: 1, result: 'x' })]],
    ['lost-answer', [request('one', 3)]],
  ])('names a %s', (kind, lines) => {
    const log = [request('first', 0), answer('a', 1, { more: { requestRef: 'first' } }), ...lines]
    expect(explained([...log, total({ [opus]: answers(2) })])).toEqual({
      causes: [calls(-0.03, [kind, 1])],
      unexplained: 0,
    })
  })

  it('names a side question, which only the history of prompts has', () => {
    const log = [answer('a', 1), total({ [opus]: answers(2) })]
    expect(explained(log, { sideQuestions: 1 }).causes).toEqual([calls(-0.03, ['side-question', 1])])
  })

  it('does not guess without a reason in the log', () => {
    expect(explained([answer('a', 1), total({ [opus]: answers(2) })])).toEqual({ causes: [], unexplained: -0.03 })
  })

  it('names several reasons together, since the total does not part them', () => {
    const title = { type: 'ai-title', aiTitle: 'Pears', sessionId: session }
    const log = [answer('a', 1), boundary, title, total({ [opus]: answers(3) })]
    expect(explained(log).causes).toEqual([calls(-0.06, ['compaction', 1], ['title', 1])])
  })

  it('needs no request without an answer where other reasons suffice: it may have failed', () => {
    const log = [request('failed', 1), answer('a', 1), boundary, total({ [opus]: answers(2) })]
    expect(explained(log).causes).toEqual([calls(-0.03, ['compaction', 1])])
  })

  it('explains no more than such calls can have used', () => {
    const title = { type: 'ai-title', aiTitle: 'Pears', sessionId: session }
    expect(explained([answer('a', 1), title, total({ [opus]: answers(6) })])).toEqual({
      causes: [calls(-0.0375, ['title', 1])],
      unexplained: -0.1125,
    })
  })

  it('knows that a compaction may be sent twice', () => {
    const log = [answer('a', 1), boundary, total({ [opus]: answers(3) })]
    expect(explained(log)).toEqual({ causes: [calls(-0.06, ['compaction', 1])], unexplained: 0 })
  })

  it('does not believe in long prompts of titles', () => {
    const title = { type: 'ai-title', aiTitle: 'Pears', sessionId: session }
    const log = [answer('a', 1, { input: 90_000 }), title]
    expect(explained([...log, total({ [opus]: { input: 140_000, output: 1000, usd: 0.725 } })])).toEqual({
      causes: [calls(-0.05, ['title', 1])],
      unexplained: -0.2,
    })
  })

  it('does not take what a fork copied for calls of its own', () => {
    const copied = { ...boundary, forkedFrom: { sessionId: 'origin', messageUuid: 'c' } }
    const log = [answer('a', 1), copied, total({ [opus]: answers(2) })]
    expect(explained(log)).toEqual({ causes: [], unexplained: -0.03 })
  })

  it('explains no more than the tokens of such calls can have cost', () => {
    const title = { type: 'ai-title', aiTitle: 'Pears', sessionId: session }
    const dear = { input: 2000, output: 2000, usd: 1.03 }
    expect(explained([answer('a', 1), title, total({ [opus]: dear })])).toEqual({
      causes: [calls(-0.06, ['title', 1])],
      unexplained: -0.94,
    })
  })

  it('takes a model without any answer in the log for side calls', () => {
    const side = { input: 500, output: 10, usd: 0.00055 }
    const log = [answer('a', 1), total({ [opus]: answers(1), [haiku]: side })]
    expect(explained(log)).toEqual({
      causes: [{ cause: 'calls-not-in-log', usd: -0.00055, model: haiku }],
      unexplained: 0,
    })
  })

  it('gives titles to the small model where it was used, and compactions to the other', () => {
    const title = { type: 'ai-title', aiTitle: 'Pears', sessionId: session }
    const side = { input: 500, output: 10, usd: 0.00055 }
    const log = [answer('a', 1), boundary, title, total({ [opus]: answers(2), [`${haiku}-20251001`]: side })]
    expect(explained(log).causes).toEqual([
      calls(-0.03, ['compaction', 1]),
      { ...calls(-0.00055, ['title', 1]), model: haiku },
    ])
  })

  it('does not take the name of a background session for a title that its own process made', () => {
    const names = [
      { type: 'ai-title', aiTitle: 'pears', sessionId: session },
      { type: 'agent-name', agentName: 'pears', sessionId: session },
    ]
    expect(explained([answer('a', 1), ...names, total({ [opus]: answers(2) })]).causes).toEqual([])
  })
})

describe('answers that only one of the two counts', () => {
  it('names history that another session counts, where the total went on at the fork', () => {
    const log = [answer('a', -9), answer('b', 1), total({ [opus]: answers(2) }, start - 10_000)]
    expect(explained(log, { countedElsewhere: ['a'] })).toEqual({
      causes: [{ cause: 'shared-history', usd: -0.03 }],
      unexplained: 0,
    })
  })

  it('does not name it where the total began again', () => {
    const title = { type: 'ai-title', aiTitle: 'Pears', sessionId: session }
    const small = { input: 1100, output: 1010, usd: 0.03075 }
    const log = [answer('a', -9), answer('b', 1), title, total({ [opus]: small })]
    expect(explained(log, { countedElsewhere: ['a'] })).toEqual({
      causes: [calls(-0.00075, ['title', 1])],
      unexplained: 0,
    })
  })

  it('does not take a model for a small one whose answers another session counts', () => {
    const log = [answer('a', -9), total({ [opus]: answers(2) }, start - 10_000)]
    expect(explained(log, { countedElsewhere: ['a'] })).toEqual({
      causes: [{ cause: 'shared-history', usd: -0.03 }],
      unexplained: -0.03,
    })
  })

  it('does not explain what only earlier contents of the file have', () => {
    const log = [answer('a', 1), total({ [opus]: answers(1) })]
    expect(explained(log, { earlier: [answer('b', 1)] })).toEqual({ causes: [], unexplained: 0.03 })
  })

  it('names an interrupted answer', () => {
    const stopped = prompt('[Request interrupted by user]', 3)
    const log = [answer('a', 1), answer('b', 2, { stop: null }), stopped, answer('c', 4), total({ [opus]: answers(2) })]
    expect(explained(log)).toEqual({ causes: [{ cause: 'interrupted-answer', usd: 0.03 }], unexplained: 0 })
  })

  it('names answers after the last total, as of a session that runs', () => {
    const log = [answer('a', 1), total({ [opus]: answers(1) }), prompt('go on', 2), answer('b', 3)]
    expect(explained(log)).toEqual({ causes: [{ cause: 'after-total', usd: 0.03 }], unexplained: 0 })
  })

  it('names answers before the total began, as of a version that wrote none', () => {
    const log = [answer('a', -9), answer('b', 1), total({ [opus]: answers(1) })]
    expect(explained(log)).toEqual({ causes: [{ cause: 'before-total', usd: 0.03 }], unexplained: 0 })
  })

  it('names what the report leaves out', () => {
    const log = [answer('a', 1), answer('b', 2), total({ [opus]: answers(2) })]
    expect(explained(log, { leftOut: 0.03 })).toEqual({ causes: [{ cause: 'not-chosen', usd: -0.03 }], unexplained: 0 })
  })
})

it('names another price where the tokens are equal', () => {
  const log = [answer('a', 1), total({ [opus]: { input: 1000, output: 1000, usd: 0.05 } })]
  expect(explained(log)).toEqual({ causes: [{ cause: 'price', usd: -0.02, model: opus }], unexplained: 0 })
})

it('leaves unexplained what we count beyond the total without a reason', () => {
  const log = [answer('a', 1), answer('b', 2), total({ [opus]: answers(1) })]
  expect(explained(log)).toEqual({ causes: [], unexplained: 0.03 })
})
