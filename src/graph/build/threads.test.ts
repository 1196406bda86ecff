import { expect, test } from 'vitest'
import type { AgentMeta } from '../../model/source.ts'
import { graphOf, Sketch } from '../testing.ts'

const side = { isSidechain: true }
const links = (graph: ReturnType<Sketch['graph']>) =>
  graph.threads.slice(1).map(({ id, call, linkedBy, parentThread }) => [id, call, linkedBy, parentThread])

function agentFile(agent: string, prompt: string, meta?: AgentMeta, more?: (sketch: Sketch) => void) {
  const sketch = new Sketch().user(`${agent}1`, null, prompt, { ...side, agentId: agent })
  sketch.answer(`${agent}2`, `${agent}1`, 'Done', { ...side, agentId: agent })
  more?.(sketch)
  const path = `s/subagents/agent-${agent}.jsonl`
  return sketch.file({ path, role: 'agent', agent, ...(meta ? { meta } : {}) })
}

/** Two delegations whose prompts do not match any agent's. */
const twoCalls = () =>
  new Sketch()
    .user('u', null, 'Go')
    .call('a1', 'u', 't1', 'Task', { prompt: 'x', description: 'One', subagent_type: 'Explore' }, { message: 'm' })
    .call('a2', 'a1', 't2', 'Task', { prompt: 'y', description: 'Two' }, { message: 'm' })

test('an agent file is linked by its meta file before anything else', () => {
  const graph = twoCalls()
    .result('r1', 'a1', 't1', 'ok', { toolUseResult: { agentId: 'ag' } })
    .graph(agentFile('ag', 'x', { toolUseId: 't2', agentType: 'reviewer' }))
  expect(links(graph)).toEqual([['ag', 't2', 'meta', 's']])
  expect(graph.threads[1]?.agentType).toBe('reviewer')
  expect(graph.toolCalls.map(call => call.subagent)).toEqual([undefined, 'ag'])
})

test('an agent file is linked by the agent id in the result, structured or as text', () => {
  const structured = twoCalls()
    .result('r2', 'a2', 't2', 'ok', { toolUseResult: { agentId: 'ag', agentType: 'general-purpose' } })
    .graph(agentFile('ag', 'x'))
  expect(links(structured)).toEqual([['ag', 't2', 'result', 's']])
  expect(structured.threads[1]).toMatchObject({ agentType: 'general-purpose', description: 'Two' })
  const text = [{ type: 'text', text: 'agentId: ag (for resuming)' }]
  expect(links(twoCalls().result('r2', 'a2', 't2', text).graph(agentFile('ag', 'x')))).toEqual([
    ['ag', 't2', 'result', 's'],
  ])
})

test('an agent file is linked by its progress lines', () => {
  const graph = twoCalls()
    .chain('progress', 'p', 'a2', {
      data: { type: 'agent_progress', agentId: 'ag' },
      toolUseID: 'z',
      parentToolUseID: 't2',
    })
    .graph(agentFile('ag', 'x'))
  expect(links(graph)).toEqual([['ag', 't2', 'progress', 's']])
})

test('an agent file is linked by its task in the queue and the call’s description', () => {
  const content = JSON.stringify({ task_id: 'ag', description: 'Two', task_type: 'local_agent' })
  const graph = twoCalls().side({ type: 'queue-operation', operation: 'enqueue', content }).graph(agentFile('ag', 'x'))
  expect(links(graph)).toEqual([['ag', 't2', 'queue', 's']])
})

test('an inline sidechain is linked by the delegating record it hangs on', () => {
  const graph = twoCalls().user('s1', 'a2', 'Do it', side).answer('s2', 's1', 'Done', side).graph()
  expect(links(graph)).toEqual([['s1', 't2', 'parent', 's']])
})

test('sidechains with roots of their own are linked by equal prompts, equal ones in order, each call once', () => {
  const graph = new Sketch()
    .call('a1', null, 't1', 'Task', { prompt: 'Count' }, { message: 'm' })
    .call('a2', 'a1', 't2', 'Task', { prompt: 'Proofread' }, { message: 'm' })
    .call('a3', 'a2', 't3', 'Task', { prompt: 'Count' }, { message: 'm' })
    .user('p1', null, 'Proofread', side)
    .user('c1', null, 'Count', side)
    .user('c2', null, 'Count', side)
    .user('c3', null, 'Count', side)
    .graph()
  expect(links(graph)).toEqual([
    ['p1', 't2', 'prompt', 's'],
    ['c1', 't1', 'prompt', 's'],
    ['c2', 't3', 'prompt', 's'],
    ['c3', undefined, 'place', 's'],
  ])
})

test('a guess does not take a call that a statement needs', () => {
  const graph = new Sketch()
    .call('a1', null, 't1', 'Task', { prompt: 'Count' })
    .result('r1', 'a1', 't1', 'ok', { toolUseResult: { agentId: 'later' } })
    .graph(agentFile('early', 'Count'), agentFile('later', 'Count'))
  expect(links(graph)).toEqual([
    ['early', undefined, undefined, 's'],
    ['later', 't1', 'result', 's'],
  ])
})

test('subagents start subagents, at any depth', () => {
  const nested = agentFile('one', 'x', undefined, sketch =>
    sketch
      .call('n1', 'one2', 't9', 'Agent', { prompt: 'deep' }, { ...side, agentId: 'one', message: 'n' })
      .result('n2', 'n1', 't9', 'ok', { ...side, agentId: 'one', toolUseResult: { agentId: 'two' } }),
  )
  const graph = twoCalls()
    .result('r1', 'a1', 't1', 'ok', { toolUseResult: { agentId: 'one' } })
    .graph(nested, agentFile('two', 'deep'), agentFile('three', 'deeper', { parentAgentId: 'two' }))
  expect(links(graph)).toEqual([
    ['one', 't1', 'result', 's'],
    ['two', 't9', 'result', 'one'],
    ['three', undefined, undefined, 'two'],
  ])
  expect(graph.toolCalls.find(call => call.id === 't9')?.thread).toBe('one')
})

test('agents of a workflow are linked by the folder of its run', () => {
  const file = agentFile('w', 'step')
  const graph = new Sketch()
    .call('a', null, 't1', 'Workflow', {})
    .result('r', 'a', 't1', 'ok', { toolUseResult: { runId: 'run7', taskId: 'k' } })
    .graph({ ...file, path: 's/subagents/workflows/run7/agent-w.jsonl' })
  expect(links(graph)).toEqual([['w', 't1', 'result', 's']])
})

test('an agent that was launched in the background is async', () => {
  const launched = { toolUseResult: { isAsync: true, status: 'async_launched', agentId: 'ag' } }
  const graph = twoCalls().result('r1', 'a1', 't1', 'started', launched).graph(agentFile('ag', 'x'))
  expect(graph.threads[1]).toMatchObject({ async: true, call: 't1' })
})

test('the client’s own agents are internal, unlinked ones of the user’s are not', () => {
  const graph = twoCalls().graph(
    agentFile('aprompt_suggestion-1f', 'Suggest'),
    agentFile('acompact-2c', 'Summarise'),
    agentFile('a0293ce', 'Warmup'),
    agentFile('a77', 'Somebody asked for this'),
  )
  expect(graph.threads.slice(1).map(thread => thread.isInternal)).toEqual([true, true, true, undefined])
})

test('calls that a stopped subagent left open were interrupted with it', () => {
  const nested = agentFile('ag', 'x', undefined, sketch =>
    sketch.call('n1', 'ag2', 't9', 'Bash', {}, { ...side, agentId: 'ag', message: 'n' }),
  )
  const graph = twoCalls()
    .result('r1', 'a1', 't1', '[Request interrupted by user for tool use]', {
      is_error: true,
      toolUseResult: { agentId: 'ag' },
    })
    .graph(nested)
  expect(graph.toolCalls.find(call => call.id === 't9')?.outcome).toBe('interrupted')
})

test('000: a sidechain hangs on the line that calls Task, and its result comes back to the main thread', () => {
  const line = (uuid: string, parentUuid: string | null, type: string, content: unknown, more = {}) => ({
    uuid,
    parentUuid,
    sessionId: 's',
    type,
    timestamp: 1738160140000,
    message: { type: 'message', content },
    ...more,
  })
  const agent = { isSidechain: true, userType: 'external' }
  const task = { type: 'tool_use', id: 't1', name: 'Task', input: { subagent_type: 'bug-hunter', prompt: 'Find bugs' } }
  const graph = graphOf([
    line('a', null, 'assistant', [{ type: 'text', text: 'Delegating' }, task]),
    line('h', 'a', 'human', 'Find bugs', agent),
    line('b', 'h', 'assistant', [{ type: 'tool_use', id: 't2', name: 'Read', input: {} }], agent),
    line('r', 'b', 'tool_result', [{ type: 'tool_result', tool_use_id: 't2', content: 'x' }], agent),
    line('c', 'r', 'assistant', 'Found 3 issues', agent),
    line('d', 'c', 'tool_result', [{ type: 'tool_result', tool_use_id: 't1', content: 'Found 3 issues' }]),
  ])
  expect(links(graph)).toEqual([['h', 't1', 'parent', 's']])
  expect(graph.threads.map(thread => thread.events)).toEqual([
    ['a', 'd'],
    ['h', 'b', 'r', 'c'],
  ])
  expect(graph.threads[1]?.agentType).toBe('bug-hunter')
  expect(graph.toolCalls.map(({ id, thread, outcome: status }) => [id, thread, status])).toEqual([
    ['t1', 's', 'done'],
    ['t2', 'h', 'done'],
  ])
  expect(graph.nodes.get('d' as never)?.parent).toBe('a')
  expect(graph.events.find(event => event.id === 'h')).toMatchObject({ kind: 'delegation', actor: 'agent' })
})

test('an inline subagent that delegates in turn has a thread inside its own', () => {
  const graph = new Sketch()
    .user('u', null, 'Go')
    .call('a1', 'u', 't1', 'Task', { prompt: 'Outer' })
    .user('s1', 'a1', 'Outer', side)
    .call('s2', 's1', 't2', 'Task', { prompt: 'Inner' }, side)
    .user('n1', 's2', 'Inner', side)
    .answer('n2', 'n1', 'Inner done', side)
    .result('s3', 's2', 't2', 'Inner done', side)
    .answer('s4', 's3', 'Outer done', side)
    .result('r1', 'a1', 't1', 'Outer done')
    .graph()
  expect(links(graph)).toEqual([
    ['s1', 't1', 'parent', 's'],
    ['n1', 't2', 'parent', 's1'],
  ])
  expect(graph.threads.map(thread => thread.events)).toEqual([
    ['u', 'a1', 'r1'],
    ['s1', 's2', 's3', 's4'],
    ['n1', 'n2'],
  ])
})

test('a teammate is linked by its name and team, whatever its thread’s id', () => {
  const spawned = { status: 'teammate_spawned', teammate_id: 'bob@crew', name: 'bob', team_name: 'crew' }
  const of = (first: Record<string, unknown>) => {
    const text = '<teammate-message teammate_id="team-lead">Watch the tests</teammate-message>'
    const mate = new Sketch().user('m1', null, text, { ...side, agentId: 'abob-1', ...first })
    mate.answer('m2', 'm1', 'Watching', { ...side, agentId: 'abob-1' })
    return new Sketch()
      .user('u', null, 'Go')
      .call('a', 'u', 't1', 'Agent', { prompt: 'Watch the tests', name: 'bob', team_name: 'crew' })
      .result('r', 'a', 't1', 'Spawned', { toolUseResult: spawned })
      .graph(mate.file({ path: 'agent-abob-1.jsonl', role: 'agent', agent: 'abob-1' }))
  }
  const named = of({ agentName: 'bob', teamName: 'crew' })
  expect(links(named)).toEqual([['abob-1', 't1', 'result', 's']])
  expect(named.threads[1]?.async).toBe(true)
  expect(links(of({}))).toEqual([['abob-1', 't1', 'prompt', 's']])
})

test('agents that Claude Code names by a purpose of its own are internal', () => {
  const graph = new Sketch()
    .user('u', null, 'Go')
    .graph(agentFile('asession_memory-1a2b3c', 'Note what happened'), agentFile('areviewer-1a2b3c', 'Review'))
  expect(graph.threads.slice(1).map(thread => thread.isInternal ?? false)).toEqual([true, false])
})

test('reminders before a task do not hide whose it is', () => {
  const own = { ...side, agentId: 'b1' }
  const texts = ['<system-reminder>Be brief</system-reminder>', 'Look around'].map(text => ({ type: 'text', text }))
  const agent = new Sketch().user('x1', null, texts, own).answer('x2', 'x1', 'Looking', own)
  const graph = new Sketch()
    .user('u', null, 'Go')
    .call('a', 'u', 't1', 'Agent', { prompt: 'Look around' })
    .graph(agent.file({ path: 'agent-b1.jsonl', role: 'agent', agent: 'b1' }))
  expect(links(graph)).toEqual([['b1', 't1', 'prompt', 's']])
})

test('of calls with one description, a queued task belongs to the one whose prompt its agent got', () => {
  const content = JSON.stringify({ task_id: 'bb', description: 'Same', task_type: 'local_agent' })
  const graph = new Sketch()
    .user('u', null, 'Go')
    .call('a1', 'u', 't1', 'Task', { prompt: 'job one', description: 'Same' }, { message: 'm' })
    .call('a2', 'a1', 't2', 'Task', { prompt: 'job two', description: 'Same' }, { message: 'm' })
    .side({ type: 'queue-operation', operation: 'enqueue', content })
    .graph(agentFile('aa', 'job one'), agentFile('bb', 'job two'))
  expect(links(graph)).toEqual([
    ['aa', 't1', 'prompt', 's'],
    ['bb', 't2', 'queue', 's'],
  ])
})
