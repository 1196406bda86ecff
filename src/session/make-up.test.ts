import { expect, test } from 'vitest'
import { decodeText } from '../decode/decode.ts'
import { contextOfEvents } from '../graph/context/context.ts'
import { answer, call, chainRecord, type Rec, result, say, text, toLines } from '../graph/context/context-testing.ts'
import { sessionId } from '../model/ids.ts'
import { type MakeUp, makeUpOf } from './make-up.ts'

function makeUp(records: readonly Rec[]): MakeUp {
  const { events } = decodeText(toLines(records), { session: 'S' })
  return makeUpOf(contextOfEvents(sessionId('S'), events), events)
}

const part = (found: MakeUp, kind: string, tool?: string) =>
  found.parts.find(row => row.kind === kind && row.tool === tool)

const counted = (uuid: string, parent: string, id: string, content: unknown[], output: number, input = 0): Rec =>
  chainRecord('assistant', uuid, parent, {
    message: {
      id,
      role: 'assistant',
      model: 'claude-opus-5-5',
      content,
      stop_reason: 'end_turn',
      usage: { input_tokens: input, output_tokens: output, cache_read_input_tokens: 10 * input },
    },
  })

test('a text without a number is a token for four characters, and marked as a guess', () => {
  const found = makeUp([say('p', null, 'x'.repeat(401)), counted('a', 'p', 'm1', [text('ok')], 7)])
  expect(part(found, 'prompts')).toEqual({
    kind: 'prompts',
    blocks: 1,
    characters: 401,
    tokens: 101,
    isEstimated: true,
  })
  expect(part(found, 'answers')).toMatchObject({ tokens: 7, isEstimated: false })
  expect(found).toMatchObject({ tokens: 108, isEstimated: true })
  expect(found.messages).toEqual([
    { tokens: 101, isEstimated: true },
    { tokens: 7, isEstimated: false },
  ])
})

test('outputs and calls are counted by the tool that was called', () => {
  const read = { type: 'tool_use', id: 'r', name: 'Read', input: { file_path: '/a' } }
  const found = makeUp([
    say('p', null, 'go'),
    answer('a', 'p', 'm1', [call('b')]),
    result('rb', 'a', 'b'),
    answer('c', 'rb', 'm2', [read]),
    result('rr', 'c', 'r'),
    answer('e', 'rr', 'm3', [text('done')]),
  ])
  expect(part(found, 'output', 'Bash')).toMatchObject({ blocks: 1, characters: 'output of b'.length })
  expect(part(found, 'output', 'Read')).toMatchObject({ blocks: 1 })
  expect(part(found, 'calls', 'Read')?.characters).toBe(4 + '{"file_path":"/a"}'.length)
})

test('thinking whose text was not logged gets what the rest of its answer leaves', () => {
  const silent = { type: 'thinking', thinking: '', signature: 's' }
  const found = makeUp([say('p', null, 'go'), counted('a', 'p', 'm1', [silent, text('x'.repeat(40))], 500)])
  expect(part(found, 'answers')?.tokens).toBe(10)
  expect(part(found, 'thinking')?.tokens).toBe(490)
  expect(found.messages[1]).toEqual({ tokens: 500, isEstimated: false })
})

test('the parts of an answer add up to its known tokens, whatever their lengths', () => {
  for (const lengths of [[0], [1, 1, 1], [3, 1000], [999, 1, 7, 40]]) {
    const blocks = lengths.map(length => text(`y${'x'.repeat(length)}`))
    const found = makeUp([say('p', null, 'go'), counted('a', 'p', 'm1', blocks, 101)])
    expect(part(found, 'answers')?.tokens).toBe(101)
  }
})

test('summaries, commands, attachments and stand-ins are distinguished from prompts', () => {
  const found = makeUp([
    say('s', null, 'in short', { isCompactSummary: true }),
    say('c', 's', '<command-name>/cost</command-name>'),
    chainRecord('attachment', 't', 'c', {
      attachment: { type: 'date' },
      rendered: [{ content: 'Today is a Thursday' }],
    }),
    say('m', 't', 'caveat', { isMeta: true }),
    say('p', 'm', 'go'),
    answer('a', 'p', 'm1', [call('x')]),
  ])
  const kinds = new Map(found.parts.map(({ kind, characters }) => [kind, characters]))
  // Texts of one message are parted by line ends.
  expect(kinds.get('summaries')).toBe(9)
  expect(kinds.get('commands')).toBe('<command-name>/cost</command-name>\n'.length)
  expect(kinds.get('attachments')).toBe('Today is a Thursday'.length + 'caveat\n'.length)
  expect(kinds.get('prompts')).toBe(2)
  expect(kinds.get('client')).toBeGreaterThan(20)
})

test('what the API counted last is known where an answer is still there', () => {
  expect(makeUp([say('p', null, 'go'), counted('a', 'p', 'm1', [text('ok')], 5, 100)]).lastRequestTokens).toBe(1105)
  expect(makeUp([say('p', null, 'go')]).lastRequestTokens).toBeUndefined()
})

const tokensOf = (found: MakeUp, kind: string) =>
  found.parts.filter(row => row.kind === kind).reduce((sum, row) => sum + row.tokens, 0)
const sumOf = (found: MakeUp) => found.parts.reduce((sum, row) => sum + row.tokens, 0)

test('parts add up to what the API counted, and the system prompt is as large as it was first', () => {
  const records = [
    say('p', null, 'x'.repeat(400)),
    counted('a', 'p', 'm1', [call('b')], 20, 1000),
    result('rb', 'a', 'b'),
    counted('c', 'rb', 'm2', [text('y'.repeat(40))], 10, 1004),
    say('q', 'c', 'x'.repeat(80)),
    counted('d', 'q', 'm3', [text('done')], 5, 1100),
  ]
  const [early, late] = [makeUp(records.slice(0, 4)), makeUp(records)]
  expect(sumOf(early)).toBe(11_054)
  expect(sumOf(late)).toBe(12_105)
  expect([sumOf(early), sumOf(late)]).toEqual([early.tokens, late.tokens])
  expect([tokensOf(early, 'system'), tokensOf(late, 'system')]).toEqual([10_894, 10_894])
  // A prompt of 80 characters is no 1,046 tokens.
  expect(tokensOf(late, 'not-itemised')).toBeGreaterThan(900)
  expect(late.isEstimated).toBe(false)
})

test('what was no longer sent is taken from all parts', () => {
  const found = makeUp([
    say('p', null, 'x'.repeat(4000)),
    counted('a', 'p', 'm1', [call('b')], 20, 1000),
    result('rb', 'a', 'b'),
    counted('c', 'rb', 'm2', [text('short')], 10, 500),
  ])
  expect(sumOf(found)).toBe(5_510)
  expect(found.parts.every(row => row.tokens >= 0)).toBe(true)
})

test('a prompt is as large as the request that sent it', () => {
  const records = [say('p', null, 'x'.repeat(400))]
  const { events } = decodeText(toLines([...records, counted('a', 'p', 'm1', [text('ok')], 7, 6400)]), { session: 'S' })
  const before = events.slice(0, 1)
  const found = makeUpOf(contextOfEvents(sessionId('S'), before), before, 70_400)
  expect([found.tokens, found.isEstimated]).toEqual([70_400, false])
})
