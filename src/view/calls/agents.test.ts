import { expect, test } from 'vitest'
import { graphFile, Sketch } from '../../graph/testing.ts'
import { allText, badgeTexts, itemsOf, partsOf, viewCallOf } from '../testing.ts'
import { viewSession } from '../thread.ts'

const input = { description: 'Review the cart', subagent_type: 'reviewer', prompt: 'Read **all** of it' }

function agentFile(agent: string, sketch: Sketch, toolUseId?: string) {
  const meta = toolUseId === undefined ? {} : { meta: { toolUseId, agentType: 'reviewer' } }
  return graphFile(sketch.text(), { session: 's', path: `agent-${agent}.jsonl`, role: 'agent', agent, ...meta })
}

function agentSketch(agent: string, prompt: string): Sketch {
  const side = { isSidechain: true, agentId: agent }
  return new Sketch()
    .user(`${agent}-u`, null, prompt, side)
    .answer(`${agent}-a`, `${agent}-u`, `Answer of ${agent}`, side)
}

test('a subagent shows its prompt, its thread and its answer, each once', () => {
  const structured = {
    status: 'completed',
    prompt: input.prompt,
    agentId: 'x1',
    content: [{ type: 'text', text: 'All fine' }],
    totalTokens: 13_276,
    totalToolUseCount: 3,
  }
  const content = [
    { type: 'text', text: 'All fine' },
    { type: 'text', text: 'agentId: x1 (for resuming)' },
  ]
  const main = new Sketch()
    .user('u1', null, 'Go')
    .call('a1', 'u1', 'c1', 'Agent', input)
    .result('r1', 'a1', 'c1', content, { toolUseResult: structured })
  const graph = main.graph(agentFile('x1', agentSketch('x1', input.prompt), 'c1'))
  const items = viewSession(graph)
  expect(items.map(item => item.kind)).toEqual(['prompt', 'call'])
  const [, call] = items
  expect(call?.headline).toBe('Agent  Review the cart')
  expect(badgeTexts(call)).toEqual(expect.arrayContaining(['reviewer', '3 tool calls', '13,276 tokens']))
  expect(call?.body.map(part => part.type)).toEqual(['markdown', 'thread', 'markdown', 'facts'])
  const [thread] = partsOf(call, 'thread')
  expect(thread).toMatchObject({ thread: 'x1', agentType: 'reviewer', linkedBy: 'meta' })
  expect(thread?.items.map(item => [item.kind, item.isQuiet])).toEqual([
    ['delegation', true],
    ['answer', false],
  ])
  expect(allText(call).split('Read **all** of it')).toHaveLength(2)
  expect(allText(call)).not.toContain('for resuming')
})

test('a subagent linked by its prompt alone says so', () => {
  const side = { isSidechain: true }
  const graph = new Sketch()
    .user('u1', null, 'Go')
    .call('a1', 'u1', 'c1', 'Task', input)
    .user('s1', null, input.prompt, side)
    .answer('s2', 's1', 'Inside', side)
    .result('r1', 'a1', 'c1', 'Done')
    .graph()
  const [call] = itemsOf(graph, 'call')
  expect(badgeTexts(call)).toContain('subagent linked by prompt')
  expect(partsOf(call, 'thread')[0]?.items.at(-1)?.kind).toBe('answer')
})

test('a background agent runs until its notification', () => {
  const structured = { isAsync: true, status: 'async_launched', agentId: 'x1', outputFile: '/t/x1.output', prompt: 'p' }
  const sketch = new Sketch()
    .user('u1', null, 'Go')
    .call('a1', 'u1', 'c1', 'Agent', { ...input, run_in_background: true })
    .result('r1', 'a1', 'c1', 'Async agent launched successfully.\nagentId: x1', { toolUseResult: structured })
  const [running] = itemsOf(sketch.graph(), 'call')
  expect(running?.status).toBe('running')
  expect(badgeTexts(running)).toEqual(expect.arrayContaining(['background', 'running']))
  expect(allText(running)).toContain('output file: /t/x1.output')
  const text =
    '<task-notification><task-id>x1</task-id><tool-use-id>c1</tool-use-id><status>completed</status>' +
    '<summary>Agent "Review" finished</summary><result>It is **fine**</result></task-notification>'
  const items = itemsOf(sketch.user('n1', 'r1', text).graph())
  const ended = items.find(item => item.kind === 'call')
  expect(ended?.status).toBe('done')
  expect(badgeTexts(ended)).toContain('ended by a notification')
  const notification = items.find(item => item.kind === 'notification')
  expect(notification?.headline).toBe('Task  Agent "Review" finished')
  expect(notification?.badges).toEqual([{ text: 'completed', tone: 'good' }])
  expect(partsOf(notification, 'markdown')[0]?.text).toBe('It is **fine**')
})

test('a subagent whose call is not known comes last, in a notice', () => {
  const graph = new Sketch().user('u1', null, 'Go').graph(agentFile('lost', agentSketch('lost', 'Who asked?')))
  const items = viewSession(graph)
  expect(items.at(-1)?.headline).toBe('Subagent  Who asked?')
  expect(badgeTexts(items.at(-1))).toContain('call not known')
  expect(partsOf(items.at(-1), 'thread')[0]?.items).toHaveLength(2)
  const [, lost] = graph.threads
  expect(viewSession(graph, lost ? { thread: lost.id } : {}).map(item => item.kind)).toEqual(['delegation', 'answer'])
})

test('subagents inside subagents are cut at a depth that a stack can bear', () => {
  const depth = 60
  const files = []
  for (let at = 1; at <= depth; at++) {
    const side = { isSidechain: true, agentId: `x${at}` }
    const sketch = new Sketch().user(`u${at}`, null, `level ${at}`, side)
    if (at < depth) sketch.call(`a${at}`, `u${at}`, `c${at + 1}`, 'Agent', { prompt: `level ${at + 1}` }, side)
    files.push(agentFile(`x${at}`, sketch, `c${at}`))
  }
  const main = new Sketch().user('u0', null, 'Go').call('a0', 'u0', 'c1', 'Agent', { prompt: 'level 1' })
  const items = viewSession(main.graph(...files))
  expect(items).toHaveLength(2)
  let levels = 0
  let item = items[1]
  for (let part = partsOf(item, 'thread')[0]; part !== undefined; part = partsOf(item, 'thread')[0]) {
    levels++
    item = part.items.at(-1)
  }
  expect(levels).toBe(51)
  expect(item?.headline).toMatch(/^Nested deeper than 50/)
})

test('messages, teams and workflows say who and what', () => {
  const sent = viewCallOf(
    'SendMessage',
    { to: 'alice', summary: 'round 2', message: 'Go **on**' },
    { structured: { success: true, message: 'Message sent', routing: {} } },
  )
  expect(sent.headline).toBe('SendMessage  to alice  round 2')
  expect(allText(sent)).toBe('Go **on**\nMessage sent')
  const team = viewCallOf(
    'TeamCreate',
    { team_name: 'shop' },
    { structured: { team_name: 'shop', lead_agent_id: 'l1' } },
  )
  expect([team.headline, allText(team)]).toEqual(['TeamCreate  shop', 'lead_agent_id: l1'])
  const flow = viewCallOf(
    'Workflow',
    { script: 'export const a = 1' },
    { structured: { status: 'async_launched', summary: 'Review all', runId: 'wf1' } },
  )
  expect(flow.headline).toBe('Workflow  Review all')
  expect(flow.body[0]).toEqual({ type: 'code', text: 'export const a = 1', language: 'js' })
  expect(allText(flow)).toContain('runId: wf1')
})
