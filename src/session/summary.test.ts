import { readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { clientHomes, publicHome } from '../../test/needs.ts'
import { decodeText } from '../decode/decode.ts'
import { discover } from '../disk/discover/discover.ts'
import { diskSource } from '../disk/read/read.ts'
import { Sketch } from '../graph/testing.ts'
import { hasFlag, isErrorMessage } from '../model/event.ts'
import { eventId, sessionId } from '../model/ids.ts'
import type { SessionGraph } from '../model/session.ts'
import type { SessionFiles } from '../model/source.ts'
import { addUsage, noUsage } from '../model/usage.ts'
import type { SessionDetail } from '../schema/contract-shapes.ts'
import { sessionDetail } from './detail.ts'
import { loadSession } from './load.ts'
import { SessionSummary, type SummaryRow } from './summary.ts'

const id = 'a0000000-0000-4000-8000-000000000001'
const base = { sessionId: id, timestamp: '2026-01-01T00:00:00.000Z', cwd: '/home/mira/shop', isSidechain: false }
const user = (uuid: string, content: unknown, more: object = {}) => ({
  ...base,
  type: 'user',
  uuid,
  parentUuid: null,
  message: { role: 'user', content },
  ...more,
})
const answer = (uuid: string, content: unknown[], message: object = {}, more: object = {}) => ({
  ...base,
  type: 'assistant',
  uuid,
  parentUuid: null,
  message: { role: 'assistant', id: 'm1', model: 'claude-test-1', content, ...message },
  ...more,
})

function summaryOf(records: readonly object[]): SessionSummary {
  const summary = new SessionSummary(sessionId(id))
  const text = records.map(record => `${JSON.stringify(record)}\n`).join('')
  for (const event of decodeText(text, { session: id }).events) summary.see(event)
  return summary
}
const rowOf = (records: readonly object[]) => summaryOf(records).row()

describe('a summary', () => {
  it('counts a message once, with the larger of every number', () => {
    const usage = (output: number) => ({
      usage: { input_tokens: 10, output_tokens: output, cache_read_input_tokens: 5 },
    })
    const row = rowOf([
      answer('a', [{ type: 'text', text: 'one' }], usage(1)),
      answer('b', [{ type: 'text', text: 'two' }], usage(70)),
      answer('b', [{ type: 'text', text: 'two' }], usage(70)),
      answer('c', [{ type: 'text', text: 'three' }], { ...usage(3), id: 'm2' }),
    ])
    expect(row.usage).toMatchObject({ inputTokens: 20, outputTokens: 73, cacheReadTokens: 10 })
    expect(row.models).toEqual(['claude-test-1'])
    expect(row.events).toBe(3)
  })

  it('has the last tag, and none once it was taken off', () => {
    const tag = (text: string) => ({ type: 'tag', tag: text, sessionId: id })
    expect(rowOf([tag('later'), user('u', 'Hi'), tag('blue thing')]).tag).toBe('blue thing')
    expect(rowOf([tag('later'), tag('')])).not.toHaveProperty('tag')
  })

  it('is programmatic where only programs sent prompts', () => {
    const sent = (more: object) => rowOf([user('u', 'Hi', more)]).isProgrammatic
    for (const entrypoint of ['sdk-cli', 'sdk-ts', 'sdk-py']) expect(sent({ entrypoint })).toBe(true)
    for (const entrypoint of ['cli', 'claude-vscode']) expect(sent({ entrypoint, promptSource: 'typed' })).toBe(false)
    expect(sent({ promptSource: 'sdk' })).toBe(true)
    expect(sent({})).toBe(false)
    // What a person types into the desktop app.
    expect(sent({ entrypoint: 'claude-desktop', promptSource: 'sdk' })).toBe(false)
    const program = user('v', 'go on', { entrypoint: 'sdk-cli', parentUuid: 'u' })
    expect(rowOf([user('u', 'Hi', { entrypoint: 'cli' }), program]).isProgrammatic).toBe(false)
    const blocked = {
      ...base,
      type: 'system',
      subtype: 'informational',
      uuid: 's',
      parentUuid: null,
      content: 'Blocked',
    }
    expect(rowOf([{ ...blocked, entrypoint: 'sdk-cli' }]).isProgrammatic).toBe(true)
  })

  it('counts what a fork copied apart, and begins with its first record of its own', () => {
    const forkedFrom = { sessionId: 'origin', messageUuid: 'o' }
    const row = rowOf([
      user('u', 'Hi', { forkedFrom }),
      answer('a', [{ type: 'text', text: 'one' }], {}, { forkedFrom, timestamp: '2026-01-01T00:00:01.000Z' }),
      user('v', 'go on', { timestamp: '2026-01-02T00:00:00.000Z' }),
      answer('b', [{ type: 'text', text: 'two' }], { id: 'm2' }, { timestamp: '2026-01-02T00:00:03.000Z' }),
    ])
    expect(row).toMatchObject({ events: 4, copiedEvents: 2, startedAt: '2026-01-02T00:00:00.000Z', durationMs: 3000 })
    expect(row.promptedAt).toBe('2026-01-02T00:00:00.000Z')
  })

  it('takes the title by its rule, the last line of a kind', () => {
    const prompt = user('a', 'Round the totals\nto cents')
    const last = { type: 'last-prompt', lastPrompt: 'And now the tax', sessionId: id }
    const ai = (aiTitle: string) => ({ type: 'ai-title', aiTitle, sessionId: id })
    const custom = { type: 'custom-title', customTitle: 'Cart', sessionId: id }
    expect(rowOf([])).toMatchObject({ title: id, titleFrom: 'id' })
    expect(rowOf([prompt])).toMatchObject({ title: 'Round the totals to cents', titleFrom: 'first-prompt' })
    expect(rowOf([prompt, last])).toMatchObject({ title: 'And now the tax', titleFrom: 'last-prompt' })
    expect(rowOf([prompt, ai('Old'), ai('New'), last])).toMatchObject({ title: 'New', titleFrom: 'ai' })
    expect(rowOf([custom, prompt, ai('New')])).toMatchObject({ title: 'Cart', titleFrom: 'custom' })
  })

  it('takes a summary that names one of its records, from its own file or from the folder', () => {
    const summary = (title: string, leafUuid: string) => ({ type: 'summary', summary: title, leafUuid })
    const prompt = user('leaf', 'Hello')
    expect(rowOf([summary('Elsewhere', 'other'), prompt])).toMatchObject({ title: 'Hello' })
    expect(rowOf([summary('Greeting', 'leaf'), prompt])).toMatchObject({ title: 'Greeting', titleFrom: 'summary' })
    const folder = [
      { leaf: eventId('nowhere'), title: 'Nothing' },
      { leaf: eventId('leaf'), title: 'A greeting' },
    ]
    expect(summaryOf([prompt]).row(folder)).toMatchObject({ title: 'A greeting', isTitleSure: true })
    const two = rowOf([summary('One', 'leaf'), summary('Two', 'b'), prompt, user('b', 'Again')])
    expect(two.isTitleSure).toBe(false)
  })

  it('counts a refused call as no error, and a failed one as one', () => {
    const call = (uuid: string, callId: string) =>
      answer(uuid, [{ type: 'tool_use', id: callId, name: 'Bash', input: {} }], { id: `m-${uuid}` })
    const result = (uuid: string, callId: string, content: string) =>
      user(uuid, [{ type: 'tool_result', tool_use_id: callId, is_error: true, content }])
    const row = rowOf([
      call('a', 't1'),
      result('b', 't1', 'Exit code 1'),
      call('c', 't2'),
      result('d', 't2', "The user doesn't want to proceed with this tool use."),
    ])
    expect(row).toMatchObject({ toolCalls: 2, errors: 1, tools: ['Bash'], prompts: 0 })
  })

  it('counts failures that a notification reports, and no try of the API that was made again', () => {
    const task = (status: string) =>
      `<task-notification><task-id>b1</task-id><tool-use-id>t1</tool-use-id><status>${status}</status></task-notification>`
    const session = (status: string) => {
      const sketch = new Sketch(id).user('u1', null, 'Build it.').call('a1', 'u1', 't1', 'Bash', { command: 'make' })
      sketch.result('r1', 'a1', 't1', 'started', { toolUseResult: { backgroundTaskId: 'b1' } })
      return sketch.user('n1', 'r1', task(status)).system('e1', 'n1', 'api_error', { retryAttempt: 1, maxRetries: 10 })
    }
    for (const [status, errors] of [
      ['failed', 1],
      ['completed', 0],
    ] as const) {
      expect(rowOf(session(status).records).errors).toBe(errors)
      expect(
        session(status)
          .graph()
          .toolCalls.filter(call => call.outcome === 'failed'),
      ).toHaveLength(errors)
    }
  })

  it('counts a message that its record marks as an error', () => {
    const line = (uuid: string, type: string, more: object) => ({
      uuid,
      sessionId: 's',
      type,
      timestamp: 1738160130123,
      message: { type: 'message', content: 'Oh' },
      ...more,
    })
    expect(rowOf([line('a', 'assistant', { isError: true }), line('b', 'assistant', {})])).toMatchObject({ errors: 1 })
  })

  it('sees images in prompts and in results', () => {
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } }
    expect(rowOf([user('a', [image])]).hasImage).toBe(true)
    expect(rowOf([user('a', [{ type: 'tool_result', tool_use_id: 't', content: [image] }])]).hasImage).toBe(true)
    expect(rowOf([user('a', 'no picture')]).hasImage).toBe(false)
  })
})

/** What both must say the same. */
function factsOf(detail: SessionDetail, graph: SessionGraph) {
  const usage = noUsage()
  for (const message of graph.messages) if (message.usage) addUsage(usage, message.usage)
  const events = graph.events.filter(event => !hasFlag(event, 'copy'))
  const failed = detail.toolCalls.filter(call => call.status === 'failed').length
  return {
    title: detail.title,
    titleFrom: detail.titleFrom,
    cwd: detail.project.cwd,
    startedAt: detail.startedAt,
    endedAt: detail.endedAt,
    models: detail.models,
    toolCalls: detail.toolCalls.length,
    subagents: detail.threads.filter(thread => thread.kind === 'subagent' && thread.internal !== true).length,
    compactions: detail.compactions.length,
    usage,
    events: events.length,
    prompts: events.filter(event => event.kind === 'prompt' && event.actor === 'human').length + queuedTurns(graph),
    errors: failed + events.filter(isErrorMessage).length,
  }
}

/** Turns that begin with a line of the queue: prompts that have no record of their own. */
function queuedTurns(graph: SessionGraph): number {
  return graph.turns.filter(turn => !graph.nodes.has(turn.prompt)).length
}

function factsOfRow(row: SummaryRow): ReturnType<typeof factsOf> {
  const { title, titleFrom, cwd, startedAt, endedAt, models, toolCalls, subagents, compactions, events, prompts } = row
  const { usage } = row
  const { errors } = row
  return {
    title,
    titleFrom,
    cwd,
    startedAt,
    endedAt,
    models,
    toolCalls,
    subagents,
    compactions,
    usage,
    events,
    prompts,
    errors,
  }
}

async function compare(session: SessionFiles): Promise<void> {
  const summary = new SessionSummary(session.id, new Set(session.logs.flatMap(({ nameAgent }) => nameAgent ?? [])))
  const graph = await loadSession(diskSource(), session, {}, (_file, _record, events) => {
    for (const event of events) summary.see(event)
  })
  const extra = { slug: session.slug, files: [], live: false, lineage: [] }
  const row = summary.row()
  const expected = factsOf(sessionDetail(graph, extra), graph)
  if (!row.isTitleSure) row.title = expected.title
  expect(factsOfRow(row), session.logs[0]?.path ?? session.id).toEqual(expected)
}

async function compareAll(root: string): Promise<number> {
  const { sessions } = await discover(root)
  for (const session of sessions) await compare(session)
  return sessions.length
}

describe('a summary agrees with the graph', () => {
  it('on every session of the sample history', async () => {
    expect(await compareAll(resolve('samples/home'))).toBeGreaterThan(10)
  })

  it('on every session of the corpus', { tags: ['corpus', 'deep'], timeout: 120_000 }, async () => {
    const roots = [...clientHomes, ...readdirSync(publicHome).map(name => join(publicHome, name))]
    let count = 0
    for (const root of roots) count += await compareAll(root)
    expect(count).toBeGreaterThan(50)
  })
})
