import { expect, test } from 'vitest'
import { Sketch } from '../testing.ts'

const usage = (output: number, input = 10) => ({
  input_tokens: input,
  output_tokens: output,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
})
const part = (text: string, tokens: unknown, stop: string | null = null) => ({
  message: {
    id: 'm1',
    role: 'assistant',
    model: 'x',
    content: [{ type: 'text', text }],
    stop_reason: stop,
    usage: tokens,
  },
})

test('records with one message id are one message, its usage counted once and field by field the largest', () => {
  const graph = new Sketch()
    .chain('assistant', 'a1', null, { ...part('one', usage(1)), requestId: 'r' })
    .user('u', 'a1', 'between')
    .chain('assistant', 'a2', 'a1', { ...part('two', usage(70), 'end_turn'), requestId: 'r' })
    .chain('assistant', 'a3', 'a2', { ...part('three', usage(3, 12)), requestId: 'r' })
    .graph()
  expect(graph.messages).toHaveLength(1)
  expect(graph.messages[0]).toMatchObject({
    id: 'm1',
    requestId: 'r',
    events: ['a1', 'a2', 'a3'],
    stopReason: 'end_turn',
    usage: { inputTokens: 12, outputTokens: 70, outputFinal: true },
  })
  expect(graph.messages[0]?.blocks.map(block => block.type === 'text' && block.text)).toEqual(['one', 'two', 'three'])
})

test('the same id under another request is another message; a record without request id joins the first', () => {
  const graph = new Sketch()
    .chain('assistant', 'a1', null, { ...part('one', usage(1)), requestId: 'r1' })
    .chain('assistant', 'a2', 'a1', { ...part('two', usage(2)), requestId: 'r2' })
    .chain('assistant', 'a3', 'a2', part('three', usage(3)))
    .graph()
  expect(graph.messages.map(message => message.events)).toEqual([['a1', 'a3'], ['a2']])
})

test('what Claude Code wrote in the model’s name is never joined', () => {
  const synthetic = { message: { id: 'm1', role: 'assistant', model: '<synthetic>', content: [], usage: usage(0) } }
  const graph = new Sketch().chain('assistant', 'a1', null, synthetic).chain('assistant', 'a2', 'a1', synthetic).graph()
  expect(graph.messages.map(message => message.events)).toEqual([['a1'], ['a2']])
})

test('copied records add nothing', () => {
  const file = () => new Sketch().chain('assistant', 'a1', null, part('one', usage(7), 'end_turn'))
  const graph = file().graph(file().file({ path: '2' }))
  expect(graph.messages).toMatchObject([{ events: ['a1'], blocks: [{ text: 'one' }] }])
})
