// Fixtures of the rules about the parameters of tools.

import type { JsonObject } from '../../../src/base/json.ts'
import type { Fixture } from '../fixture.ts'
import { answerLine, s3Line, toolUse } from '../lines.ts'

const call = (name: string, input: unknown) => answerLine(1, [toolUse('toolu_1', name, input)])

/** A call with all parameters is fine; without any one of them it is not, and neither is a call without an object. */
function tool(code: string, name: string, input: JsonObject): Fixture[] {
  const fixtures: Fixture[] = Object.keys(input).map(key => ({
    code,
    follows: [call(name, input), call(name, { ...input, more: 1 }), call('SomeOtherTool', {})],
    breaks: [call(name, { ...input, [key]: 7 })],
  }))
  fixtures.push({
    code,
    only: ['s3'],
    follows: [s3Line(1, 'assistant', { subtype: 'tool_use', toolName: name, toolArguments: input })],
    breaks: [s3Line(1, 'assistant', { subtype: 'tool_use', toolName: name, toolArguments: 'x' })],
  })
  return fixtures
}

export const fixtures: Fixture[] = [
  ...tool('tool-read', 'Read', { file_path: '/cart.ts' }),
  ...tool('tool-write', 'Write', { file_path: '/cart.ts', content: '' }),
  ...tool('tool-edit', 'Edit', { file_path: '/cart.ts', old_string: 'a', new_string: 'b' }),
  ...tool('tool-multiedit', 'MultiEdit', { file_path: '/cart.ts', edits: [] }),
  ...tool('tool-bash', 'Bash', { command: 'ls' }),
  ...tool('tool-todowrite', 'TodoWrite', { todos: [] }),
  ...tool('tool-task', 'Task', { prompt: 'look', subagent_type: 'explorer' }),
  ...tool('tool-grep', 'Grep', { pattern: 'cart' }),
  ...tool('tool-websearch', 'WebSearch', { query: 'cart' }),
  ...tool('tool-webfetch', 'WebFetch', { url: 'https://example.org', prompt: 'look' }),
  ...tool('tool-glob', 'Glob', { pattern: '*.ts' }),
  ...tool('tool-taskcreate', 'TaskCreate', { subject: 'cart' }),
  ...tool('tool-taskupdate', 'TaskUpdate', { taskId: '1' }),
  ...tool('tool-taskoutput', 'TaskOutput', { task_id: 'b1' }),
  ...tool('tool-askuserquestion', 'AskUserQuestion', { questions: [] }),
  ...tool('tool-skill', 'Skill', { skill: 'review' }),
  {
    code: 'tool-mcp-name',
    follows: [call('mcp__shop__find', {}), call('Bash', {}), call('mcp__plugin_a_b__go_to__x', {})],
    breaks: [call('mcp__shop', {})],
  },
  { code: 'tool-mcp-name', follows: [call('mcp_x', {})], breaks: [call('mcp__shop__', {})] },
  {
    code: 'tool-name-fields-s3',
    follows: [
      s3Line(1, 'assistant', { subtype: 'tool_use', toolName: 'Read' }),
      s3Line(2, 'assistant', { message: 'x' }),
    ],
    breaks: [s3Line(1, 'assistant', { subtype: 'tool_use', toolArguments: {} })],
  },
]
