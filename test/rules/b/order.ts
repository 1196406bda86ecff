// Fixtures of the rules of kind order: neighbours in a file, times, and what is first.

import type { Fixture } from '../fixture.ts'
import { answer, at, boundary, call, compactSummary, id, progress, result, s3, user } from './make.ts'

const calling = [user(1, null), answer(2, 1, [call('toolu_1')])]
const summary = { type: 'summary', summary: 'Cart', leafUuid: id(1) }
const start = [user(1, null), answer(2, 1)]
const side = { isSidechain: true, userType: 'external' }

export const fixtures: Fixture[] = [
  {
    code: 'parent-not-previous',
    follows: [...calling, progress(3, 2, 'toolu_1'), user(4, 2, [result('toolu_1')]), answer(5, 4)],
    breaks: [...start, user(3, 1, 'Another prompt')],
  },
  {
    code: 'parent-not-previous',
    follows: [...start, boundary(3, 2), compactSummary(4, 3), answer(5, 4)],
    breaks: [...start, user(3, null, 'A second root')],
  },
  {
    code: 'timestamp-backward-in-file',
    follows: start,
    breaks: [user(1, null), answer(2, 1, undefined, { timestamp: at(0) })],
  },
  {
    code: 'timestamp-before-parent',
    follows: start,
    breaks: [user(1, null), answer(2, 1, undefined, { timestamp: at(0) })],
    in: { s3: { breaks: [s3(1, null, 'user', 'Hi'), s3(2, 1, 'assistant', 'Hello', { timestamp: at(0) })] } },
  },
  {
    code: 'assistant-one-block-per-line',
    follows: start,
    breaks: [user(1, null), answer(2, 1, [{ type: 'text', text: 'Let me look.' }, call('toolu_1')])],
    in: { real: { breaks: [user(1, null), answer(2, 1, [])] } },
  },
  {
    code: 'block-lines-chained',
    follows: [...start, answer(3, 2, [call('toolu_1')], {}, { id: 'msg_2' })],
    breaks: [...start, answer(3, 1, [call('toolu_1')], {}, { id: 'msg_2' })],
  },
  {
    code: 'tool-result-before-call',
    follows: [...calling, user(3, 2, [result('toolu_1')])],
    breaks: [user(1, null), user(3, 2, [result('toolu_1')]), answer(2, 1, [call('toolu_1')])],
  },
  {
    code: 'sidechain-alternates-roles',
    follows: [
      s3(1, null, 'assistant', 'Delegating'),
      s3(2, 1, 'user', 'Look', side),
      s3(3, 2, 'assistant', 'Looking', { isSidechain: true }),
      s3(4, 3, 'user', 'Closer', side),
    ],
    breaks: [s3(1, null, 'assistant', 'Delegating'), s3(2, 1, 'user', 'Look', side), s3(3, 2, 'user', 'Closer', side)],
  },
  { code: 'summary-first-lines', follows: [summary, summary, ...start], breaks: [...start, summary] },
  { code: 'summary-first-lines', follows: [summary, ...start], breaks: [summary, summary, summary, ...start] },
  {
    code: 'command-output-after-command',
    follows: [
      user(1, null, '<command-name>login</command-name>'),
      user(2, 1, '<local-command-stdout>Login successful</local-command-stdout>'),
    ],
    breaks: [user(1, null, '<local-command-stdout>Login successful</local-command-stdout>')],
  },
]
