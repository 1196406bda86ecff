// Fixtures of the rules about names of types and subtypes.

import type { Fixture } from '../fixture.ts'
import { answerLine, clientLine, s0Line, s3Line, text, toolResult, userLine, without } from '../lines.ts'

const progress = (type: string) =>
  clientLine(2, 'progress', { toolUseID: 'toolu_1', parentToolUseID: 'toolu_1', data: { type } })

export const fixtures: Fixture[] = [
  {
    code: 'type-missing',
    follows: [userLine(1, 'hello')],
    breaks: [without(userLine(1, 'hello'), 'type')],
  },
  {
    code: 'type-missing',
    follows: [userLine(1, 'hello')],
    breaks: [userLine(1, 'hello', { type: 7 })],
  },
  {
    code: 'type-missing',
    // Lines of the prompt history have no type.
    follows: {
      files: [{ name: '/home/ada/.claude/history.jsonl', lines: [{ display: 'x', project: '/w', timestamp: 1 }] }],
    },
    breaks: [{ sessionId: 's', uuid: 'u', parentUuid: null }],
  },
  {
    code: 'type-set-s0',
    follows: [
      s0Line(1, 'human', 'hello'),
      s0Line(2, 'assistant', [text('hi')]),
      s0Line(3, 'tool_result', [toolResult('toolu_1', 'ok')]),
      s0Line(4, 'compact_prelude', 'kept', { parentUuid: null }),
      s0Line(5, 'compact_recap', 'summary'),
    ],
    breaks: [userLine(1, 'hello')],
  },
  {
    code: 'type-set-s1',
    follows: [
      userLine(1, 'hello'),
      answerLine(2, [text('hi')]),
      progress('bash_progress'),
      clientLine(4, 'system', { subtype: 'informational' }),
      { type: 'summary', summary: 'Cart', leafUuid: 'x' },
      { type: 'file-history-snapshot', messageId: 'x', snapshot: {} },
    ],
    breaks: [clientLine(1, 'queue-operation', { operation: 'dequeue' })],
  },
  {
    code: 'type-set-s2',
    follows: [
      userLine(1, 'hello'),
      answerLine(2, [text('hi')]),
      progress('bash_progress'),
      clientLine(4, 'system', { subtype: 'turn_duration' }),
      { type: 'queue-operation', operation: 'dequeue' },
      { type: 'file-history-snapshot', messageId: 'x', snapshot: {} },
    ],
    breaks: [{ type: 'summary', summary: 'Cart', leafUuid: 'x' }],
  },
  {
    code: 'type-set-s3',
    follows: [
      s3Line(1, 'user', { message: 'hello' }),
      s3Line(2, 'assistant', { message: 'hi' }),
      s3Line(3, 'system', { message: 'note' }),
      s3Line(4, 'compact_system', { message: 'conversation_compacted' }),
    ],
    breaks: [s3Line(1, 'human', { message: 'hello' })],
  },
  {
    code: 'type-set-s4',
    follows: [{ type: 'summary', summary: 'Cart', leafUuid: 'x' }, userLine(1, 'hello'), answerLine(2, [text('hi')])],
    breaks: [clientLine(1, 'system', { subtype: 'informational' })],
  },
  {
    code: 'type-tool-result-line',
    follows: [s0Line(1, 'tool_result', [toolResult('toolu_1', 'ok')]), s0Line(2, 'assistant', [text('hi')])],
    breaks: [userLine(1, [toolResult('toolu_1', 'ok')])],
  },
  {
    code: 'type-tool-result-line',
    follows: [s0Line(1, 'human', 'hello')],
    breaks: [s0Line(1, 'tool_result', [text('ok')])],
  },
  {
    code: 'subtype-values-s3',
    follows: ['tool_use', 'command', 'response', 'thinking'].map((subtype, i) =>
      s3Line(i + 1, 'assistant', { subtype, message: 'x', toolName: 'Read' }),
    ),
    breaks: [s3Line(1, 'assistant', { subtype: 'daydream', message: 'x' })],
  },
  {
    code: 'progress-data-types',
    follows: ['agent_progress', 'hook_progress', 'bash_progress', 'waiting_for_task'].map(progress),
    breaks: [progress('mcp_progress')],
  },
]
