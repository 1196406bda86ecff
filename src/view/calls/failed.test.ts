import { expect, test } from 'vitest'
import { graphOf, Sketch } from '../../graph/testing.ts'
import { allText, badgeTexts, viewCallOf } from '../testing.ts'
import { viewSession } from '../thread.ts'

/** What a success would have written: the mark of an error counts before all of it. */
const success = {
  stdout: 'fine',
  exitCode: 0,
  code: 200,
  codeText: 'OK',
  status: 'completed',
  filePath: '/a.ts',
  structuredPatch: [{ oldStart: 1, newStart: 1, oldLines: 1, newLines: 1, lines: ['-a', '+b'] }],
  newTodos: [{ content: 'one', status: 'completed' }],
  answers: { 'Which?': 'This' },
  filenames: ['/a.ts'],
  numFiles: 1,
  task: { id: '1', subject: 'one', status: 'completed', exitCode: 0 },
  content: [{ type: 'text', text: 'fine' }],
}
const input = {
  command: 'ls',
  file_path: '/a.ts',
  old_string: 'a',
  new_string: 'b',
  content: 'b',
  pattern: 'x',
  url: 'https://a.example',
  query: 'x',
  prompt: 'look',
  plan: 'do it',
  todos: [{ content: 'one', status: 'completed' }],
  questions: [{ question: 'Which?', options: [{ label: 'This' }] }],
  taskId: '1',
  task_id: '1',
  skill: 'x',
}
const tools =
  'Bash BashOutput KillShell Read Edit MultiEdit Write NotebookEdit Glob Grep LS TodoWrite TodoRead TaskCreate TaskUpdate TaskList TaskGet TaskOutput TaskStop Task Agent SendMessage Skill AskUserQuestion ExitPlanMode EnterPlanMode WebFetch WebSearch mcp__a__b Unheard'

test.each(tools.split(' '))('a result of %s that is marked as an error is shown as one, with what it says', name => {
  for (const structured of [undefined, success]) {
    const item = viewCallOf(name, input, { content: 'It went wrong', isError: true, structured })
    expect(item.status).toBe('failed')
    expect(item.badges.filter(({ tone }) => tone === 'bad' || tone === 'warn')).not.toEqual([])
    expect(allText(item)).toContain('It went wrong')
  }
})

test('isError on the record of any message is marked, once', () => {
  const line = (uuid: string, parentUuid: string | null, type: string, content: unknown, more = {}) => ({
    ...{ uuid, parentUuid, sessionId: 's', type, timestamp: 1738160130123, version: '1.0.128' },
    ...{ message: { type: 'message', content }, ...more },
  })
  const call = { type: 'tool_use', id: 'c1', name: 'Read', input: { file_path: '/a' } }
  const result = { type: 'tool_result', tool_use_id: 'c1', content: 'no such file' }
  const items = viewSession(
    graphOf([
      line('u1', null, 'human', 'Go', { isError: true }),
      line('a1', 'u1', 'assistant', [{ type: 'text', text: 'Oh no' }], { isError: true }),
      line('a2', 'a1', 'assistant', [call]),
      line('r2', 'a2', 'tool_result', [result], { isError: true }),
    ]),
  )
  expect(items.map(item => [item.kind, badgeTexts(item)])).toEqual([
    ['prompt', ['error']],
    ['answer', ['error']],
    ['call', ['failed']],
  ])
})

test('an interrupted call says that, not that it failed', () => {
  const graph = new Sketch()
    .user('u1', null, 'Go')
    .call('a1', 'u1', 'c1', 'Bash', { command: 'sleep 9' })
    .result('r1', 'a1', 'c1', "The user doesn't want to proceed with this tool use.", { is_error: true })
    .graph()
  expect(badgeTexts(viewSession(graph)[1])).toContain('interrupted')
  expect(badgeTexts(viewSession(graph)[1])).not.toContain('failed')
})
