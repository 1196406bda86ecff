// Rules about the parameters of the tools that the specifications list. A tool that no specification lists is always fine.

import type { JsonObject } from '../../base/json.ts'
import { asObject } from '../../base/json.ts'
import type { Rule } from '../rule.ts'
import { callsOf, quote, recordRule } from '../wire.ts'

type Need = 'text' | 'array'

/** What a call of the tool cannot do without: parameter → its form. */
const needs: Readonly<Record<string, { code: string; parameters: Readonly<Record<string, Need>> }>> = {
  Read: { code: 'tool-read', parameters: { file_path: 'text' } },
  Write: { code: 'tool-write', parameters: { file_path: 'text', content: 'text' } },
  Edit: { code: 'tool-edit', parameters: { file_path: 'text', old_string: 'text', new_string: 'text' } },
  MultiEdit: { code: 'tool-multiedit', parameters: { file_path: 'text', edits: 'array' } },
  Bash: { code: 'tool-bash', parameters: { command: 'text' } },
  TodoWrite: { code: 'tool-todowrite', parameters: { todos: 'array' } },
  Task: { code: 'tool-task', parameters: { prompt: 'text', subagent_type: 'text' } },
  Grep: { code: 'tool-grep', parameters: { pattern: 'text' } },
  WebSearch: { code: 'tool-websearch', parameters: { query: 'text' } },
  WebFetch: { code: 'tool-webfetch', parameters: { url: 'text', prompt: 'text' } },
  Glob: { code: 'tool-glob', parameters: { pattern: 'text' } },
  TaskCreate: { code: 'tool-taskcreate', parameters: { subject: 'text' } },
  TaskUpdate: { code: 'tool-taskupdate', parameters: { taskId: 'text' } },
  TaskOutput: { code: 'tool-taskoutput', parameters: { task_id: 'text' } },
  AskUserQuestion: { code: 'tool-askuserquestion', parameters: { questions: 'array' } },
  Skill: { code: 'tool-skill', parameters: { skill: 'text' } },
}

export const toolRules: readonly Rule[] = [
  ...Object.entries(needs).map(([name, { code, parameters }]) =>
    recordRule(code, value => {
      for (const call of callsOf(value)) {
        const absent = call.name === name ? missing(asObject(call.input), parameters) : []
        if (absent.length > 0) return `A ${name} call has no ${absent.join(' and no ')}.`
      }
      return undefined
    }),
  ),
  recordRule('tool-mcp-name', value => {
    const call = callsOf(value).find(({ name }) => name.startsWith('mcp__') && !namesServerAndTool(name))
    return call === undefined ? undefined : `The tool name ${quote(call.name)} does not name server and tool.`
  }),
  recordRule('tool-name-fields-s3', value =>
    value['subtype'] === 'tool_use' && typeof value['toolName'] !== 'string'
      ? `The toolName of a tool_use message is ${quote(value['toolName'])}.`
      : undefined,
  ),
]

function missing(input: JsonObject | undefined, parameters: Readonly<Record<string, Need>>): string[] {
  return Object.entries(parameters)
    .filter(([key, need]) => !(need === 'array' ? Array.isArray(input?.[key]) : typeof input?.[key] === 'string'))
    .map(([key, need]) => (need === 'array' ? `array ${key}` : key))
}

/** `mcp__`, the server, two underscores, the tool. */
function namesServerAndTool(name: string): boolean {
  const divider = name.indexOf('__', 'mcp__'.length + 1)
  return divider > 0 && divider + 2 < name.length
}
