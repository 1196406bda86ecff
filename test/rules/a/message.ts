// Fixtures of the rules about `message` and the fields of answers.

import type { Fixture } from '../fixture.ts'
import { answerLine, clientLine, s0Line, s3Line, text, toolResult, userLine, without } from '../lines.ts'

const hello = userLine(1, 'hello')
const hi = answerLine(2, [text('hi')])
/** An answer whose API message has no such field. */
const answerWithout = (key: string) => answerLine(2, [text('hi')], { [key]: undefined })

const shape: Fixture[] = [
  {
    code: 'message-missing',
    follows: [hello, hi, clientLine(3, 'system', { subtype: 'turn_duration' })],
    breaks: [without(hello, 'message')],
    in: {
      s0: { follows: [s0Line(1, 'human', 'hello')], breaks: [without(s0Line(1, 'compact_prelude', 'x'), 'message')] },
    },
  },
  {
    code: 'message-not-object',
    follows: [hello, hi, clientLine(3, 'progress')],
    breaks: [userLine(1, 'hello', { message: ['hello'] })],
  },
  { code: 'message-not-object', follows: [hello], breaks: [s3Line(1, 'user', { message: 'hello' })] },
  {
    code: 'message-not-string',
    follows: [s3Line(1, 'user', { message: 'hello' }), s3Line(2, 'assistant', { toolName: 'Read' })],
    breaks: [hello],
  },
  {
    code: 'message-type-literal',
    follows: [hi],
    breaks: [answerWithout('type')],
    in: {
      s0: { follows: [s0Line(1, 'human', 'hello')], breaks: [s0Line(1, 'human', '', { message: { content: 'x' } })] },
    },
  },
  {
    code: 'message-type-literal',
    only: ['s1', 's2', 's4', 'real'],
    follows: [hello, hi],
    breaks: [answerLine(1, [], { type: 'x' })],
  },
  { code: 'message-role', follows: [hello, hi], breaks: [userLine(1, '', { message: { content: 'hello' } })] },
  { code: 'message-role', follows: [hello, hi], breaks: [answerLine(2, [text('hi')], { role: 'user' })] },
  { code: 'assistant-content-array', follows: [hello, hi], breaks: [answerLine(2, 'hi')] },
  {
    code: 'user-content-blocks-s4',
    follows: [hello, userLine(2, [toolResult('toolu_1', 'ok')]), hi],
    breaks: [userLine(1, [toolResult('toolu_1', 'ok'), text('and more')])],
  },
  { code: 'user-content-blocks-s4', follows: [hello, hi], breaks: [userLine(1, [text('hello'), text('you')])] },
]

const answers: Fixture[] = [
  { code: 'assistant-model-missing', follows: [hello, hi], breaks: [answerWithout('model')] },
  { code: 'assistant-message-id-missing', follows: [hello, hi], breaks: [answerLine(2, [text('hi')], { id: 7 })] },
  { code: 'assistant-request-id', follows: [hello, hi], breaks: [without(hi, 'requestId')] },
  {
    code: 'assistant-request-id',
    only: ['real'],
    follows: [without(answerLine(2, [text('No response requested.')], { model: '<synthetic>' }), 'requestId')],
    breaks: [answerLine(2, [text('hi')], {}, { requestId: 'abc' })],
  },
  { code: 'stop-reason-not-null', follows: [hi, hello], breaks: [answerLine(2, [], { stop_reason: 'end_turn' })] },
  {
    code: 'stop-reason-missing',
    follows: [hello, answerLine(2, [text('hi')], { stop_reason: 'end_turn' })],
    breaks: [hi],
  },
  { code: 'stop-reason-missing', follows: [hello], breaks: [answerWithout('stop_reason')] },
  { code: 'stop-sequence-not-null', follows: [hello, hi], breaks: [answerWithout('stop_sequence')] },
  {
    code: 'stop-sequence-not-null',
    only: ['s2'],
    follows: [hi],
    breaks: [answerLine(2, [], { stop_sequence: 'END' })],
  },
  {
    code: 'stop-sequence-not-null',
    only: ['s4'],
    follows: [answerLine(2, [], { stop_sequence: 'END' })],
    breaks: [answerLine(2, [], { stop_sequence: 3 })],
  },
  { code: 'model-identifiers', follows: [hello, hi], breaks: [answerLine(2, [], { model: 'claude-opus-4-6' })] },
]

export const fixtures: Fixture[] = [...shape, ...answers]
