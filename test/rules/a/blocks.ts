// Fixtures of the rules about blocks.

import type { Fixture } from '../fixture.ts'
import { answerLine, s0Line, text, toolResult, toolUse, userLine } from '../lines.ts'

const bash = toolUse('toolu_1', 'Bash', { command: 'ls' })
const thinking = { type: 'thinking', thinking: 'hm', signature: 'c2ln' }
const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } }
const asked = answerLine(1, [bash])
const result = (content: unknown, fields = {}) => userLine(2, [toolResult('toolu_1', content, fields)])
const answered = [asked, result('ok')]

const words: Fixture[] = [
  { code: 'block-text', follows: [answerLine(1, [text('hi')])], breaks: [answerLine(1, [{ type: 'text' }])] },
  { code: 'block-text', follows: answered, breaks: [asked, result([{ type: 'text', text: 5 }])] },
  {
    code: 'block-thinking',
    follows: [answerLine(1, [thinking])],
    breaks: [answerLine(1, [{ ...thinking, thinking: null }])],
  },
  {
    code: 'block-thinking-signature',
    follows: [answerLine(1, [thinking])],
    breaks: [answerLine(1, [{ ...thinking, signature: 5 }])],
  },
  {
    code: 'block-thinking-signature',
    only: ['s1', 'real'],
    follows: [answerLine(1, [{ type: 'thinking', thinking: 'hm' }])],
    breaks: [answerLine(1, [{ ...thinking, signature: null }])],
  },
  {
    code: 'block-thinking-signature',
    only: ['s2'],
    follows: [answerLine(1, [thinking])],
    breaks: [answerLine(1, [{ type: 'thinking', thinking: 'hm' }])],
  },
  { code: 'block-thinking-place', follows: [answerLine(1, [thinking])], breaks: [userLine(1, [thinking])] },
]

const calls: Fixture[] = [
  { code: 'block-tool-use', follows: answered, breaks: [answerLine(1, [{ ...bash, id: undefined }])] },
  { code: 'block-tool-use', follows: answered, breaks: [answerLine(1, [{ ...bash, name: 4 }])] },
  { code: 'block-tool-use', follows: answered, breaks: [answerLine(1, [{ ...bash, input: undefined }])] },
  {
    code: 'block-tool-use-place',
    follows: answered,
    breaks: [userLine(1, [bash])],
    in: { s0: { follows: [s0Line(1, 'assistant', [bash])], breaks: [s0Line(1, 'human', [bash])] } },
  },
  { code: 'tool-input-not-object', follows: answered, breaks: [answerLine(1, [{ ...bash, input: 'ls' }])] },
  { code: 'tool-input-not-object', follows: answered, breaks: [answerLine(1, [{ ...bash, input: null }])] },
  { code: 'tool-use-caller', follows: answered, breaks: [answerLine(1, [{ ...bash, caller: { type: 'code' } }])] },
  {
    code: 'tool-use-caller',
    only: ['s2'],
    follows: answered,
    breaks: [answerLine(1, [{ ...bash, caller: undefined }])],
  },
  {
    code: 'tool-use-caller',
    only: ['real'],
    follows: [answerLine(1, [{ ...bash, caller: undefined }])],
    breaks: [answerLine(1, [{ ...bash, caller: 'direct' }])],
  },
  { code: 'tool-use-id-form', follows: answered, breaks: [answerLine(1, [{ ...bash, id: 'call_1' }])] },
]

const results: Fixture[] = [
  { code: 'block-tool-result', follows: answered, breaks: [asked, result('ok', { tool_use_id: undefined })] },
  { code: 'block-tool-result', follows: answered, breaks: [asked, result(undefined)] },
  {
    code: 'tool-result-is-error',
    follows: [...answered, result('x', { is_error: undefined })],
    breaks: [asked, result('ok', { is_error: 'no' })],
  },
  {
    code: 'tool-result-is-error',
    only: ['s2', 'real'],
    follows: [asked, result('ok', { is_error: null })],
    breaks: [asked, result('ok', { is_error: 0 })],
  },
  {
    code: 'tool-result-is-error',
    only: ['s0', 's1', 's4'],
    follows: [asked, result('ok', { is_error: true })],
    breaks: [asked, result('ok', { is_error: null })],
  },
  { code: 'tool-result-content-form', follows: answered, breaks: [asked, result(42)] },
  {
    code: 'tool-result-content-form',
    only: ['s0'],
    follows: answered,
    breaks: [asked, result([text('ok')])],
  },
  {
    code: 'tool-result-content-form',
    only: ['s1'],
    follows: [asked, result({ lines: 3 }), result([image])],
    breaks: [asked, result(true)],
  },
  {
    code: 'tool-result-content-form',
    only: ['s2', 's4'],
    follows: [asked, result([text('ok')])],
    breaks: [asked, result([image])],
  },
  {
    code: 'tool-result-content-form',
    only: ['real'],
    follows: [asked, result([text('ok'), image, { type: 'tool_reference', tool_name: 'Bash' }])],
    breaks: [asked, result([{ type: 'hologram' }])],
  },
  { code: 'tool-result-array-origin', follows: answered, breaks: [asked, result([text('ok')])] },
  {
    code: 'tool-result-array-origin',
    follows: [
      answerLine(1, [toolUse('toolu_1', 'Task', {}), toolUse('toolu_2', 'mcp__shop__find', {})]),
      userLine(2, [toolResult('toolu_1', [text('done')])]),
      userLine(3, [toolResult('toolu_2', [text('found')])]),
      userLine(4, [toolResult('toolu_nowhere', [text('found')])]),
    ],
    breaks: [asked, result([])],
  },
  { code: 'tool-result-place', follows: answered, breaks: [answerLine(1, [toolResult('toolu_1', 'ok')])] },
]

const others: Fixture[] = [
  { code: 'block-image', follows: [userLine(1, [image])], breaks: [userLine(1, [{ type: 'image' }])] },
  {
    code: 'block-image',
    follows: [userLine(1, [image])],
    breaks: [asked, result([{ type: 'image', source: { type: 'base64', data: 'iVBO' } }])],
  },
  { code: 'block-set-s2', follows: [answerLine(1, [text('hi')]), ...answered], breaks: [userLine(1, [image])] },
  {
    code: 'block-set-s4-assistant',
    follows: [answerLine(1, [text('hi'), bash]), userLine(2, [image])],
    breaks: [answerLine(1, [thinking])],
  },
]

export const fixtures: Fixture[] = [...words, ...calls, ...results, ...others]
