import { expect, test } from 'vitest'
import { decodeText } from '../../decode/decode.ts'
import { sessionId } from '../../model/ids.ts'
import { contextOfEvents } from './context.ts'
import { answer, call, chainRecord, type Rec, result, say, text, toLines } from './context-testing.ts'

function partialOf(lines: readonly Rec[]): string[] | undefined {
  return contextOfEvents(sessionId('S'), decodeText(toLines(lines), { session: 'S' }).events).partial
}

const started = [say('p', null, 'go'), answer('a', 'p', 'm', [call('x')])]

test('a context says what no log can know, each reason once', () => {
  const loaded = { type: 'tool_result', tool_use_id: 'x', content: [{ type: 'tool_reference', tool_name: 'LSP' }] }
  const found = chainRecord('user', 'r', 'a', { message: { role: 'user', content: [loaded] } })
  const memory = (uuid: string, parent: string, more: Rec = {}): Rec =>
    chainRecord('attachment', uuid, parent, { attachment: { type: 'memory_update' }, ...more })
  expect(
    partialOf([...started, found, memory('d', 'r'), memory('e', 'd'), answer('b', 'e', 'n', [text('ok')])]),
  ).toEqual([
    expect.stringMatching(/^Results of ToolSearch name tools/),
    expect.stringMatching(/of the kind memory_update is not known here/),
  ])
  const rendered = { rendered: [{ content: 'as it was worded' }] }
  expect(
    partialOf([...started, result('r', 'a', 'x'), memory('d', 'r', rendered), answer('b', 'd', 'n', [text('ok')])]),
  ).toBeUndefined()
})
