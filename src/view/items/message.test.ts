import { expect, test } from 'vitest'
import { graphOf, Sketch } from '../../graph/testing.ts'
import { allText, badgeTexts, itemsOf, partsOf } from '../testing.ts'

const png = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGVsbG8=' } }

test('a prompt is Markdown, with its pictures and without what Claude Code put before it', () => {
  const content = [
    { type: 'text', text: '<ide_opened_file>The user opened a.ts</ide_opened_file>\nFix **this**' },
    png,
    { type: 'text', text: '<system-reminder>Be kind</system-reminder>' },
  ]
  const [item] = itemsOf(new Sketch().user('u1', null, content).graph(), 'prompt')
  expect(item).toMatchObject({ headline: 'Prompt', actor: 'human', isQuiet: false, turn: 0, id: 'u1' })
  expect(badgeTexts(item)).toEqual(['1 image'])
  expect(item?.body.map(part => part.type)).toEqual(['markdown', 'media', 'text', 'text'])
  expect(partsOf(item, 'markdown')[0]?.text).toBe('Fix **this**')
  expect(partsOf(item, 'text').every(part => part.isFolded)).toBe(true)
})

test('a prompt typed while the model worked is marked as queued', () => {
  const attachment = { type: 'queued_command', prompt: 'also the README', commandMode: 'prompt' }
  const graph = new Sketch().user('u1', null, 'Go').chain('attachment', 'q1', 'u1', { attachment }).graph()
  const [, item] = itemsOf(graph, 'prompt')
  expect(badgeTexts(item)).toEqual(['queued'])
  expect(allText(item)).toBe('also the README')
})

test('a queued prompt that was never written otherwise is shown; one that was is not shown twice', () => {
  const enqueue = (content: string) => ({
    type: 'queue-operation',
    operation: 'enqueue',
    timestamp: '2026-01-05T10:00:30Z',
    content,
  })
  const graph = new Sketch()
    .side(enqueue('Go'))
    .side({ type: 'queue-operation', operation: 'dequeue' })
    .user('u1', null, 'Go')
    .side(enqueue('and the tests'))
    .side({ type: 'queue-operation', operation: 'remove' })
    .side(enqueue('{"task_id":"t1","description":"Serve","task_type":"local_bash"}'))
    .graph()
  const items = itemsOf(graph)
  expect(items.map(item => [item.kind, item.actor, allText(item)])).toEqual([
    ['prompt', 'human', 'Go'],
    ['prompt', 'human', 'and the tests'],
    ['notification', 'client', 'task: t1\ntype: local_bash'],
  ])
  expect(badgeTexts(items[1])).toEqual(['queued'])
})

test('words next to a result are those of the human who wrote them', () => {
  const graph = new Sketch()
    .user('u1', null, 'Go')
    .call('a1', 'u1', 'c1', 'Read', { file_path: '/a' })
    .user('r1', 'a1', [
      { type: 'tool_result', tool_use_id: 'c1', content: 'no', is_error: true },
      { type: 'text', text: 'use the other file' },
    ])
    .graph()
  const items = itemsOf(graph)
  expect(items.map(item => [item.kind, item.actor])).toEqual([
    ['prompt', 'human'],
    ['call', 'agent'],
    ['prompt', 'human'],
  ])
  expect(badgeTexts(items[2])).toEqual(['next to a result'])
})

test('an answer is Markdown; its model is named when it changes', () => {
  const answer = (model: string, text: string) => ({
    message: { id: text, role: 'assistant', model, content: [{ type: 'text', text }] },
  })
  const graph = new Sketch()
    .user('u1', null, 'Go')
    .chain('assistant', 'a1', 'u1', answer('m1', 'one'))
    .chain('assistant', 'a2', 'a1', answer('m1', 'two'))
    .chain('assistant', 'a3', 'a2', answer('m2', 'three'))
    .chain('assistant', 'a4', 'a3', answer('<synthetic>', 'No response requested.'))
    .graph()
  const items = itemsOf(graph, 'answer')
  expect(items.map(badgeTexts)).toEqual([['m1'], [], ['m2'], ['written by Claude Code']])
  expect(items.map(item => item.isQuiet)).toEqual([false, false, false, true])
  expect(partsOf(items[0], 'markdown')[0]?.text).toBe('one')
})

test('an answer that was cut or refused says so, an empty one too', () => {
  const graph = new Sketch()
    .user('u1', null, 'Go')
    .chain('assistant', 'a1', 'u1', {
      message: { id: 'm1', role: 'assistant', content: [{ type: 'text', text: 'Once' }], stop_reason: 'max_tokens' },
    })
    .blocks('a2', 'a1', [], 'm2')
    .graph()
  expect(itemsOf(graph, 'answer').map(badgeTexts)).toEqual([['cut at the token limit'], ['empty']])
})

test('thinking is quiet and says when its text is not there', () => {
  const graph = new Sketch()
    .user('u1', null, 'Go')
    .blocks('a1', 'u1', [{ type: 'thinking', thinking: 'Hm', signature: 's' }], 'm1')
    .blocks('a2', 'a1', [{ type: 'thinking', thinking: '', signature: 's' }], 'm2')
    .blocks('a3', 'a2', [{ type: 'redacted_thinking', data: 'x' }], 'm3')
    .graph()
  const items = itemsOf(graph, 'thinking')
  expect(items.every(item => item.isQuiet)).toBe(true)
  expect(items.map(allText)).toEqual([
    'Hm',
    'thinking was not logged by this version',
    'thinking was redacted by the API',
  ])
})

test('a command is joined with what it printed', () => {
  const graph = new Sketch()
    .user('u1', null, '<command-name>/report</command-name><command-args>cups</command-args>')
    .side({ type: 'mode', mode: 'normal' })
    .user('u2', 'u1', '<local-command-stdout>42 cups</local-command-stdout>')
    .user('u3', 'u2', '<bash-input>ls\npwd</bash-input>')
    .user('u4', 'u3', '<bash-stdout>a.ts</bash-stdout><bash-stderr>odd</bash-stderr>')
    .user('u5', 'u4', 'Go')
    .user('u6', 'u5', '<local-command-stdout>late</local-command-stdout>')
    .graph()
  const items = itemsOf(graph, 'command')
  expect(items.map(item => [item.headline, item.actor])).toEqual([
    ['/report cups', 'human'],
    ['! ls …', 'human'],
    ['Command output', 'client'],
  ])
  expect(items[0]?.body).toEqual([{ type: 'text', text: '42 cups', tone: 'plain', label: 'stdout' }])
  expect(items[1]?.body).toEqual([
    { type: 'code', text: 'ls\npwd', language: 'bash' },
    { type: 'text', text: 'a.ts', tone: 'plain', label: 'stdout' },
    { type: 'text', text: 'odd', tone: 'bad', label: 'stderr' },
  ])
})

test('a model that took over is named; an unknown block is kept quietly', () => {
  const graph = new Sketch()
    .user('u1', null, 'Go')
    .blocks(
      'a1',
      'u1',
      [
        { type: 'fallback', from: { model: 'big' }, to: { model: 'small' } },
        { type: 'song', notes: 3 },
      ],
      'm1',
    )
    .graph()
  const items = itemsOf(graph).slice(1)
  expect(items.map(item => [item.kind, item.headline])).toEqual([
    ['notice', 'Model changed  big → small'],
    ['unknown', 'Unknown block  song'],
  ])
  expect(partsOf(items[1], 'code')[0]).toMatchObject({ language: 'json', isFolded: true })
})

test('removed and aborted records are shown as such', () => {
  const graph = graphOf([
    {
      type: 'human',
      uuid: 'h1',
      parentUuid: null,
      sessionId: 's',
      timestamp: 1738160130123,
      message: { type: 'message', content: 'Old' },
      isDeleted: true,
    },
    {
      type: 'assistant',
      uuid: 'a1',
      parentUuid: 'h1',
      sessionId: 's',
      timestamp: 1738160130124,
      message: { type: 'message', content: 'Half' },
      isAborted: true,
    },
  ])
  const [prompt, answer] = itemsOf(graph)
  expect(prompt).toMatchObject({ kind: 'prompt', isRemoved: true })
  expect(badgeTexts(prompt)).toContain('removed')
  expect(answer).toMatchObject({ kind: 'answer', isAborted: true })
  expect(badgeTexts(answer)).toContain('aborted')
})

test('a queued prompt that began a turn is shown although the same words were typed before', () => {
  const sketch = new Sketch()
    .user('u', null, 'go on')
    .answer('a', 'u', 'Working')
    .side({ type: 'queue-operation', operation: 'enqueue', content: 'go on' })
    .side({ type: 'queue-operation', operation: 'remove' })
    .answer('b', 'a', 'Going')
  const prompts = itemsOf(sketch.graph(), 'prompt')
  expect(prompts.map(item => item.turn)).toEqual([0, 1])
})
