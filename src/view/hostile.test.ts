// Whatever JSON a log has, it is shown: no shape, size or depth makes the view fail or slow.

import { expect, test } from 'vitest'
import fc from '../../test/property.ts'
import { graphOf, Sketch, type Wire } from '../graph/testing.ts'
import { callSketch } from './testing.ts'
import { viewSession } from './thread.ts'

const tools = [
  'Bash',
  'PowerShell',
  'BashOutput',
  'KillShell',
  'Read',
  'Edit',
  'MultiEdit',
  'Write',
  'NotebookEdit',
  'TodoWrite',
  'TaskCreate',
  'TaskUpdate',
  'TaskList',
  'TaskGet',
  'Grep',
  'Glob',
  'LS',
  'LSP',
  'ToolSearch',
  'WebFetch',
  'WebSearch',
  'Task',
  'Agent',
  'SendMessage',
  'TeamCreate',
  'Workflow',
  'AskUserQuestion',
  'ExitPlanMode',
  'EnterPlanMode',
  'Skill',
  'ReportFindings',
  'TaskOutput',
  'TaskStop',
  'Monitor',
  'ScheduleWakeup',
  'mcp__a__b',
  'toString',
  '__proto__',
]
const fields = [
  'command',
  'description',
  'file_path',
  'old_string',
  'new_string',
  'edits',
  'todos',
  'questions',
  'answers',
  'options',
  'file',
  'content',
  'type',
  'structuredPatch',
  'lines',
  'task',
  'tasks',
  'results',
  'stdout',
  'stderr',
  'plan',
  'prompt',
  'filenames',
  'matches',
  'findings',
  'message',
  'newTodos',
  'oldTodos',
  'originalFile',
  'cells',
  'annotations',
]

/** Objects with the names that forms look for and values that they do not expect. */
const wild = fc.letrec<{ value: unknown }>(tie => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom<unknown>(null, true, -1, 1e21, '', 'text', 'a\nb', '<tool_use_error>x'),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...fields), tie('value'), { maxKeys: 4 }),
  ),
})).value

test('any input and any result of any tool is shown as one call', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...tools),
      wild,
      wild,
      wild,
      fc.boolean(),
      (name, input, content, structured, isError) => {
        const items = viewSession(callSketch(name, input, { content, structured, isError }).graph())
        expect(items.filter(item => item.kind === 'call')).toHaveLength(1)
      },
    ),
    { numRuns: 400 },
  )
})

test('any record is shown', () => {
  const types = [
    'user',
    'assistant',
    'system',
    'attachment',
    'progress',
    'queue-operation',
    'summary',
    'pr-link',
    'x',
    'human',
    'tool_result',
  ]
  const record = fc.record(
    {
      type: fc.constantFrom<unknown>(...types, 7, null),
      uuid: fc.constantFrom('a', 'b', 'c'),
      parentUuid: fc.constantFrom('a', 'b', null),
      message: wild,
      content: wild,
      subtype: fc.constantFrom(
        'compact_boundary',
        'api_error',
        'turn_duration',
        'stop_hook_summary',
        'local_command',
        'other',
      ),
      attachment: wild,
      data: wild,
      detail: wild,
      error: wild,
      compactMetadata: wild,
      hookInfos: wild,
      isDeleted: fc.boolean(),
    },
    { requiredKeys: ['type'] },
  )
  fc.assert(
    fc.property(fc.array(record, { maxLength: 8 }), records => {
      expect(Array.isArray(viewSession(graphOf(records as Wire[])))).toBe(true)
    }),
    { numRuns: 400 },
  )
})

test('JSON nested a hundred thousand deep is shown', () => {
  const depth = 100_000
  const deep = JSON.parse(`${'[{"a":'.repeat(depth)}1${'}]'.repeat(depth)}`)
  const graph = callSketch('Read', {}).graph()
  const [call] = graph.toolCalls
  if (call === undefined) throw new Error('no call')
  for (const name of ['AskUserQuestion', 'mcp__a__b']) {
    call.name = name
    call.input = { questions: deep, answers: { q: deep }, todos: [{ content: deep }], edits: deep, odd: deep }
    expect(viewSession(graph)).toHaveLength(2)
  }
})

test('a session of 30,000 records is shown in linear time', { tags: 'deep', timeout: 60_000 }, () => {
  const sketch = new Sketch().user('u0', null, 'Go')
  const build = (count: number) => {
    for (let at = 0; at < count; at++) {
      sketch.call(`a${at}`, at === 0 ? 'u0' : `r${at - 1}`, `c${at}`, 'Bash', { command: 'ls' })
      sketch.result(`r${at}`, `a${at}`, `c${at}`, 'ok', { toolUseResult: { stdout: 'ok', stderr: '' } })
    }
    return sketch.graph()
  }
  const graph = build(15_000)
  const started = performance.now()
  expect(viewSession(graph)).toHaveLength(15_001)
  expect(performance.now() - started).toBeLessThan(4_000)
})

test('thousands of results with one id, and thousands of requests, stay fast', {
  tags: 'deep',
  timeout: 60_000,
}, () => {
  const sketch = new Sketch().user('u0', null, 'Go')
  for (let at = 0; at < 4_000; at++) sketch.call(`a${at}`, 'u0', 'same', 'Bash', { command: 'ls' })
  for (let at = 0; at < 4_000; at++) sketch.result(`r${at}`, 'u0', 'same', 'ok')
  const graph = sketch.graph()
  const started = performance.now()
  expect(viewSession(graph).filter(item => item.kind === 'call')).toHaveLength(4_000)
  expect(performance.now() - started).toBeLessThan(3_000)
})
