import { expect, test } from 'vitest'
import { decodeText } from '../../decode/decode.ts'
import { sessionId } from '../../model/ids.ts'
import { contextOfEvents } from './context.ts'
import { answer, call, chainRecord, outline, result, say, text, thought, toLines } from './context-testing.ts'

test('the example at the top of messages.ts is what is sent', () => {
  const log = toLines([
    say('p', null, 'paint the fence'),
    chainRecord('attachment', 'd', 'p', {
      attachment: { type: 'date_change' },
      rendered: [{ content: 'It is Friday' }],
    }),
    answer('a', 'd', 'm1', [thought('hm')]),
    answer('b', 'a', 'm1', [text('looking')]),
    answer('c', 'b', 'm1', [call('c1')]),
    result('r', 'c', 'c1'),
    answer('e', 'r', 'm1', [call('c2')]),
  ])
  expect(outline(contextOfEvents(sessionId('S'), decodeText(log, { session: 'S' }).events))).toEqual([
    'user: paint the fence',
    'system: It is Friday',
    'assistant: thinking, looking, call c1, call c2',
    'user: result c1, error c2',
    'assistant: No response requested.',
  ])
})
