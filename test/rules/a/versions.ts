// Fixtures of the rules that check features against the version history of 001.

import type { Fixture } from '../fixture.ts'
import { answerLine, clientLine, text, userLine } from '../lines.ts'

const thinking = (version: string) => answerLine(1, [{ type: 'thinking', thinking: 'hm' }], {}, { version })

export const fixtures: Fixture[] = [
  {
    code: 'version-feature-basic',
    follows: [answerLine(1, [text('hi')], {}, { version: '2.0.14' }), thinking('2.1.20'), thinking('1.0.24')],
    breaks: [thinking('2.0.14')],
  },
  {
    code: 'version-feature-basic',
    follows: [userLine(1, 'hello', { version: '2.1.0', agentId: 'a1' })],
    breaks: [userLine(1, 'hello', { version: '2.0.28', agentId: 'a1' })],
  },
  {
    code: 'version-feature-progress',
    follows: [clientLine(1, 'progress', { version: '2.1.0' })],
    breaks: [clientLine(1, 'progress', { version: '2.0.77' })],
  },
  {
    code: 'version-feature-agentid',
    follows: [userLine(1, 'hello', { version: '2.1.17', agentId: 'a1' })],
    breaks: [userLine(1, 'hello', { version: '2.1.9', agentId: 'a1' })],
  },
  {
    code: 'version-feature-thinking',
    follows: [thinking('2.1.20'), userLine(2, 'x', { permissionMode: 'default', todos: [] })],
    breaks: [thinking('2.1.19')],
  },
  {
    code: 'version-feature-thinking',
    follows: [userLine(1, 'hello', { version: '2.1.9' })],
    breaks: [userLine(1, 'hello', { version: '2.1.9', todos: [] })],
  },
]
