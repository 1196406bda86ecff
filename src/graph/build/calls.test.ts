import { expect, test } from 'vitest'
import { graphOf, Sketch } from '../testing.ts'

const only = (graph: ReturnType<Sketch['graph']>) => graph.toolCalls[0]

test('a call is paired with its result by id, with the time between', () => {
  const graph = new Sketch().call('a', null, 't1', 'Bash', { command: 'ls' }).result('r', 'a', 't1').graph()
  expect(graph.toolCalls).toMatchObject([
    {
      id: 't1',
      name: 'Bash',
      input: { command: 'ls' },
      outcome: 'done',
      thread: 's',
      requestEvent: 'a',
      resultEvent: 'r',
      durationMs: 60_000,
      pairing: 'id',
      messageId: 'msg_a',
      progress: [],
    },
  ])
})

test('a result before its request, or in another file, is found', () => {
  const before = new Sketch().result('r', 'a', 't1').call('a', null, 't1').graph()
  expect(only(before)).toMatchObject({ outcome: 'done', resultEvent: 'r' })
  expect(only(before)).not.toHaveProperty('durationMs')
  const other = new Sketch().call('a', null, 't1').graph(new Sketch().result('r', 'a', 't1').file({ path: '2' }))
  expect(only(other)).toMatchObject({ outcome: 'done', resultEvent: 'r' })
})

test('a call without a result is missing, a result without a call is a finding', () => {
  const graph = new Sketch().call('a', null, 't1').result('r', 'a', 't2').graph()
  expect(only(graph)?.outcome).toBe('missing')
  expect(graph.findings.map(({ code, event }) => [code, event])).toEqual([['tool-result-without-call', 'r']])
})

test.each([
  ['is_error', { is_error: true }, 'failed'],
  ['000 and 003: isError', { isError: true }, 'failed'],
  ['isAborted', { isAborted: true }, 'interrupted'],
  ['toolUseResult.interrupted', { toolUseResult: { stdout: 'so far', interrupted: true } }, 'interrupted'],
  ['toolDenialKind', { is_error: true, toolDenialKind: 'user-rejected' }, 'interrupted'],
  ['another toolDenialKind', { is_error: true, toolDenialKind: 'rule' }, 'failed'],
  ['a structured word', { is_error: true, toolUseResult: 'User rejected tool use' }, 'interrupted'],
])('the result says how it ended: %s', (_name, fields, status) => {
  const graph = new Sketch().call('a', null, 't1').result('r', 'a', 't1', 'text', fields).graph()
  expect(only(graph)?.outcome).toBe(status)
})

test('a refusal in the result’s text counts, the same words in a file that was read do not', () => {
  const words = "The user doesn't want to proceed with this tool use."
  const refused = new Sketch().call('a', null, 't1').result('r', 'a', 't1', words, { is_error: true })
  const killed = new Sketch()
    .call('a', null, 't1')
    .result('r', 'a', 't1', 'Exit code 137\n[Request interrupted by user for tool use]', { is_error: true })
  const read = new Sketch().call('a', null, 't1').result('r', 'a', 't1', `1  ${words}`)
  expect([refused, killed, read].map(sketch => only(sketch.graph())?.outcome)).toEqual([
    'interrupted',
    'interrupted',
    'done',
  ])
})

test('an error at which the user stopped the turn is an interruption', () => {
  const graph = new Sketch()
    .call('a', null, 't1')
    .result('r', 'a', 't1', 'Error', { is_error: true })
    .user('i', 'r', [{ type: 'text', text: '[Request interrupted by user for tool use]' }])
    .graph()
  expect(only(graph)?.outcome).toBe('interrupted')
})

test('an interruption ends the calls that its thread waits for, a prompt leaves them missing', () => {
  const graph = new Sketch()
    .user('u', null, 'Go')
    .call('a', 'u', 't1')
    .user('v', 'a', 'Something else')
    .call('b', 'v', 't2')
    .user('i', 'b', '[Request interrupted by user]')
    .graph()
  expect(graph.toolCalls.map(call => call.outcome)).toEqual(['missing', 'interrupted'])
})

test('an aborted request without a result is interrupted', () => {
  const graph = new Sketch().call('a', null, 't1', 'Bash', {}, { isAborted: true }).graph()
  expect(only(graph)?.outcome).toBe('interrupted')
})

test('a softly deleted request or result is shown as removed', () => {
  const request = new Sketch().call('a', null, 't1', 'Bash', {}, { isDeleted: true }).result('r', 'a', 't1')
  const result = new Sketch().call('a', null, 't1').result('r', 'a', 't1', 'x', { isDeleted: true })
  expect([request, result].map(sketch => only(sketch.graph())?.isRemoved)).toEqual([true, true])
})

test('parallel calls share their message and keep their own results', () => {
  const graph = new Sketch()
    .call('a1', null, 't1', 'Read', {}, { message: 'm' })
    .call('a2', 'a1', 't2', 'Read', {}, { message: 'm' })
    .result('r2', 'a2', 't2')
    .result('r1', 'a1', 't1')
    .graph()
  expect(graph.toolCalls.map(({ id, messageId, resultEvent }) => [id, messageId, resultEvent])).toEqual([
    ['t1', 'm', 'r1'],
    ['t2', 'm', 'r2'],
  ])
})

test('a replayed request is one call, the same id in another message is another', () => {
  const replay = new Sketch()
    .call('a', null, 't1', 'Read', {}, { message: 'm' })
    .call('b', 'a', 't1', 'Read', {}, { message: 'm' })
  expect(replay.graph().toolCalls).toHaveLength(1)
  const twice = new Sketch()
    .call('a', null, 't1')
    .call('b', 'a', 't1')
    .result('rb', 'b', 't1')
    .result('ra', 'a', 't1')
    .graph()
  expect(twice.toolCalls.map(call => [call.requestEvent, call.resultEvent])).toEqual([
    ['a', 'ra'],
    ['b', 'rb'],
  ])
  expect(twice.findings.map(({ code }) => code)).toEqual(['duplicate-tool-use-id'])
})

test('progress lines and hooks hang on their call', () => {
  const graph = new Sketch()
    .call('a', null, 't1', 'Bash')
    .chain('progress', 'p', 'a', {
      data: { type: 'bash_progress' },
      toolUseID: 'bash-progress-0',
      parentToolUseID: 't1',
    })
    .chain('attachment', 'h', 'p', { attachment: { type: 'hook_success', toolUseID: 't1', hookName: 'PreToolUse' } })
    .chain('progress', 'q', 'h', { data: { type: 'hook_progress' }, toolUseID: 'else', parentToolUseID: 'else' })
    .result('r', 'a', 't1')
    .graph()
  expect(only(graph)?.progress).toEqual(['p', 'h'])
})

test('a background agent runs until its notification says how it ended', () => {
  const launch = { toolUseResult: { isAsync: true, status: 'async_launched', agentId: 'a1b2' } }
  const sketch = () =>
    new Sketch().call('a', null, 't1', 'Agent', { prompt: 'x' }).result('r', 'a', 't1', 'started', launch)
  const notice = (status: string) =>
    `<task-notification>\n<task-id>a1b2</task-id>\n<status>${status}</status>\n</task-notification>`
  expect(only(sketch().graph())?.outcome).toBe('running')
  expect(only(sketch().user('n', 'r', notice('completed')).graph())).toMatchObject({
    outcome: 'done',
    notification: 'n',
  })
  expect(only(sketch().user('n', 'r', notice('failed')).graph())?.outcome).toBe('failed')
  expect(only(sketch().user('n', 'r', notice('killed')).graph())?.outcome).toBe('interrupted')
})

test('a notification names its call by id, and what is in the conversation counts before the queue', () => {
  const notice =
    '<task-notification>\n<task-id>b9</task-id>\n<tool-use-id>t1</tool-use-id>\n<status>completed</status>\n</task-notification>'
  const graph = new Sketch()
    .call('a', null, 't1', 'Bash')
    .result('r', 'a', 't1', 'running', { toolUseResult: { stdout: '', backgroundTaskId: 'b9' } })
    .side({ type: 'queue-operation', operation: 'enqueue', content: notice })
    .user('n', 'r', notice)
    .graph()
  expect(only(graph)).toMatchObject({ outcome: 'done', notification: 'n' })
})

test('an agent whose output was fetched has ended without a notification', () => {
  const graph = new Sketch()
    .call('a', null, 't1', 'Task', { prompt: 'x' })
    .result('r', 'a', 't1', 'started', { toolUseResult: { isAsync: true, agentId: 'a1b2' } })
    .call('b', 'r', 't2', 'TaskOutput', { task_id: 'a1b2' })
    .result('q', 'b', 't2', 'out', { toolUseResult: { task: { task_id: 'a1b2', status: 'completed' } } })
    .graph()
  expect(graph.toolCalls.map(call => call.outcome)).toEqual(['done', 'done'])
})

test('003: a result is known by its parent, even when it is before its call', () => {
  const line = (uuid: string, parentUuid: string, type: string, fields: Record<string, unknown>) => ({
    type,
    uuid,
    parentUuid,
    sessionId: 's',
    timestamp: '2025-01-27T10:00:00Z',
    ...fields,
  })
  const graph = graphOf([
    line('m0', 'none', 'user', { message: 'Go', userType: 'human' }),
    line('m2', 'm1', 'system', { message: 'File read successfully' }),
    line('m1', 'm0', 'assistant', { subtype: 'tool_use', toolName: 'Read', toolArguments: { file_path: '/a' } }),
    line('m3', 'm2', 'assistant', { subtype: 'tool_use', toolName: 'Bash', isAborted: true, message: 'Cancelled' }),
  ])
  expect(graph.toolCalls).toMatchObject([
    { id: 's3:m1', name: 'Read', outcome: 'done', resultEvent: 'm2', pairing: 'inferred' },
    { id: 's3:m3', name: 'Bash', outcome: 'interrupted', pairing: 'inferred' },
  ])
})
