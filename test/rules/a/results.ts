// Fixtures of the rules about `toolUseResult` and sourceToolAssistantUUID.

import type { JsonObject } from '../../../src/base/json.ts'
import type { Fixture } from '../fixture.ts'
import { answerLine, text, toolResult, userLine, uuid } from '../lines.ts'

const delivered = (fields: JsonObject) => userLine(1, [toolResult('toolu_1', 'ok')], fields)
const details = (toolUseResult: unknown) => delivered({ toolUseResult })
const todo = { content: 'cart', status: 'pending', priority: 'high', id: '1' }

export const fixtures: Fixture[] = [
  {
    code: 'source-tool-assistant-missing',
    follows: [delivered({ sourceToolAssistantUUID: uuid(1) }), userLine(2, 'hello')],
    breaks: [delivered({})],
  },
  {
    code: 'tool-use-result-missing',
    follows: [details({ stdout: '' }), userLine(2, 'hello')],
    breaks: [delivered({})],
  },
  {
    code: 'tool-use-result-type',
    follows: [details({}), userLine(2, 'hello')],
    breaks: [details('Error: no such file')],
  },
  {
    code: 'tool-use-result-type',
    follows: [details({})],
    breaks: [answerLine(1, [text('hi')], {}, { toolUseResult: {} })],
  },
  {
    code: 'tool-use-result-command',
    follows: [details({ stdout: 'a', stderr: '', interrupted: false, isImage: false, sandbox: false }), details({})],
    breaks: [details({ stdout: null })],
  },
  {
    code: 'tool-use-result-command',
    follows: [details('Error')],
    breaks: [details({ stdout: '', interrupted: 'no' })],
  },
  {
    code: 'tool-use-result-file',
    follows: [
      details({ type: 'text', file: { filePath: '/cart.ts', content: '' } }),
      details({ type: 'image', file: { filePath: '/cart.png', base64: 'iVBO' } }),
    ],
    breaks: [details({ type: 'text', file: { filePath: '/cart.ts' } })],
  },
  { code: 'tool-use-result-file', follows: [details({})], breaks: [details({ type: 'text', file: '/cart.ts' })] },
  {
    code: 'tool-use-result-todos',
    follows: [details({ oldTodos: [], newTodos: [] }), details({})],
    breaks: [details({ newTodos: [] })],
  },
  {
    code: 'tool-use-result-todos',
    follows: [details({})],
    breaks: [details({ oldTodos: null, newTodos: [] })],
  },
  {
    code: 'todo-item-fields',
    follows: [details({ oldTodos: [], newTodos: [todo] })],
    breaks: [details({ oldTodos: [todo], newTodos: [{ content: 'cart', status: 'done', activeForm: 'x' }] })],
  },
]
