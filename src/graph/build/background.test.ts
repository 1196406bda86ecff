import { expect, test } from 'vitest'
import { sessionId } from '../../model/ids.ts'
import { buildGraph } from '../graph.ts'
import { Sketch } from '../testing.ts'

const launched = (agentId: string) => ({
  toolUseResult: { isAsync: true, status: 'async_launched', agentId, prompt: 'Look', outputFile: '/tmp/out' },
})
const note = (task: string, call: string | null, status: string) =>
  `<task-notification>\n<task-id>${task}</task-id>\n${call ? `<tool-use-id>${call}</tool-use-id>\n` : ''}<status>${status}</status>\n</task-notification>`
const background = () =>
  new Sketch()
    .user('u', null, 'Go')
    .call('a', 'u', 't1', 'Agent', { prompt: 'Look' })
    .result('r', 'a', 't1', 'Async agent launched successfully.', launched('ag1'))
const statuses = (sketch: Sketch) => sketch.graph().toolCalls.map(({ id, outcome: status }) => [id, status])

test('an agent that a tool stopped was interrupted, even where nothing notified', () => {
  const stopped = { message: 'Successfully stopped task: ag1', task_id: 'ag1', task_type: 'local_agent' }
  const sketch = background().call('k', 'r', 't2', 'TaskStop', { task_id: 'ag1' })
  expect(statuses(sketch)).toEqual([
    ['t1', 'running'],
    ['t2', 'missing'],
  ])
  sketch.result('kr', 'k', 't2', 'Stopped', { toolUseResult: stopped })
  expect(statuses(sketch)).toEqual([
    ['t1', 'interrupted'],
    ['t2', 'done'],
  ])
})

test('a stop that failed stops nothing, and what notified counts before what was reported', () => {
  const failed = background()
    .call('k', 'r', 't2', 'TaskStop', { task_id: 'ag1' })
    .result('kr', 'k', 't2', 'No such task', { is_error: true, toolUseResult: { task_id: 'ag1' } })
  expect(statuses(failed)[0]).toEqual(['t1', 'running'])
  expect(statuses(failed.user('n', 'kr', note('ag1', null, 'completed')))[0]).toEqual(['t1', 'done'])
})

test('the notice that all agents were stopped ends those that were running', () => {
  const sketch = background()
    .call('b', 'r', 't2', 'Agent', { prompt: 'Search' })
    .result('s', 'b', 't2', 'Started', launched('ag2'))
    .user('n', 's', note('ag1', 't1', 'completed'))
    .system('k', 'n', 'agents_killed')
    .call('c', 'k', 't3', 'Agent', { prompt: 'Again' })
    .result('v', 'c', 't3', 'Started', launched('ag3'))
  expect(statuses(sketch)).toEqual([
    ['t1', 'done'],
    ['t2', 'interrupted'],
    ['t3', 'running'],
  ])
})

test('a command in the background runs until something reports its end', () => {
  const started = { stdout: '', stderr: '', interrupted: false, backgroundTaskId: 'bash_1' }
  const shell = (name: string, facts: Record<string, unknown>) =>
    new Sketch()
      .user('u', null, 'Serve')
      .call('a', 'u', 't1', 'Bash', { command: 'npm run dev', run_in_background: true })
      .result('r', 'a', 't1', 'Command running in background', { toolUseResult: started })
      .call('b', 'r', 't2', name)
      .result('s', 'b', 't2', 'ok', { toolUseResult: facts })
  expect(statuses(shell('Read', {}))[0]).toEqual(['t1', 'running'])
  expect(statuses(shell('BashOutput', { shellId: 'bash_1', status: 'running' }))[0]).toEqual(['t1', 'running'])
  expect(statuses(shell('BashOutput', { shellId: 'bash_1', status: 'completed' }))[0]).toEqual(['t1', 'done'])
  expect(statuses(shell('KillShell', { message: 'Killed', shell_id: 'bash_1' }))[0]).toEqual(['t1', 'interrupted'])
})

test('what runs in the background takes until it reports its end, and no time before that', () => {
  const sketch = background()
  expect(sketch.graph().toolCalls[0]?.durationMs).toBeUndefined()
  const graph = sketch.user('n', 'r', note('ag1', 't1', 'completed')).graph()
  const at = (id: string) => Date.parse(graph.events.find(event => (event.id as string) === id)?.at ?? '')
  expect(at('n') - at('a')).toBeGreaterThan(at('r') - at('a'))
  expect(graph.toolCalls[0]?.durationMs).toBe(at('n') - at('a'))
})

test('a queued prompt does not end the wait for a result, an interruption after it does', () => {
  const queued = { attachment: { type: 'queued_command', prompt: 'Also this', commandMode: 'prompt' } }
  const sketch = new Sketch()
    .user('u', null, 'Go')
    .call('a', 'u', 't1', 'Bash')
    .chain('attachment', 'q', 'a', queued)
    .user('i', 'q', [{ type: 'text', text: '[Request interrupted by user for tool use]' }])
  expect(statuses(sketch)).toEqual([['t1', 'interrupted']])
})

test('what never reported its end runs only while the session is live', () => {
  const file = background().file()
  const status = (isLive: boolean) => buildGraph(sessionId('s'), [file], [], isLive).toolCalls[0]?.outcome
  expect([status(true), status(false)]).toEqual(['running', 'missing'])
})
