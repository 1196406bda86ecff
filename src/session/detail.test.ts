import { expect, test } from 'vitest'
import { Sketch } from '../graph/testing.ts'
import { sessionDetail } from './detail.ts'

const extra = { slug: '-home-dev-shop', files: ['s.jsonl'], live: false, lineage: [] }
const detail = (sketch: Sketch, more = {}) => sessionDetail(sketch.graph(), { ...extra, ...more })
const title = (sketch: Sketch, more = {}) => {
  const { title: text, titleFrom } = detail(sketch, more)
  return [text, titleFrom]
}
const hello = () => new Sketch().user('u', null, 'Say hello').answer('a', 'u', 'Hi')

test('a session is shown by ids and counts', () => {
  const shown = detail(hello().call('b', 'a', 't1').result('r', 'b', 't1'))
  expect(shown).toMatchObject({
    id: 's',
    project: { cwd: '/home/dev/shop', slug: '-home-dev-shop' },
    files: ['s.jsonl'],
    startedAt: '2026-01-05T10:00:00.000Z',
    endedAt: '2026-01-05T10:03:00.000Z',
    live: false,
    models: ['claude-opus-4-6'],
    versions: ['2.1.100'],
    dialects: ['client'],
    threads: [{ id: 's', kind: 'main', eventCount: 4 }],
    turns: [{ index: 0, prompt: 'u', events: 4, toolCalls: 1 }],
    toolCalls: [{ id: 't1', name: 'Read', status: 'done', requestEvent: 'b', resultEvent: 'r', pairing: 'id' }],
    branches: [{ leaf: 'r', active: true, eventCount: 4 }],
    usage: { inputTokens: 20, outputTokens: 10, outputFinal: true },
    diagnostics: [],
  })
  expect(Object.keys(shown.toolCalls[0] ?? {}).sort()).toEqual(
    ['durationMs', 'id', 'messageId', 'name', 'pairing', 'requestEvent', 'resultEvent', 'status', 'thread'].sort(),
  )
})

test('titles are taken in the client’s order', () => {
  const sketch = hello()
  expect(title(sketch)).toEqual(['Say hello', 'first-prompt'])
  expect(title(sketch.side({ type: 'summary', summary: 'Greeting', leafUuid: 'a' }))).toEqual(['Greeting', 'summary'])
  expect(title(sketch.side({ type: 'last-prompt', lastPrompt: 'Say\nbye' }))).toEqual(['Say bye', 'last-prompt'])
  expect(title(sketch.side({ type: 'agent-name', agentName: 'greeter' }))).toEqual(['greeter', 'agent-name'])
  expect(title(sketch.side({ type: 'ai-title', aiTitle: 'A greeting' }))).toEqual(['A greeting', 'ai'])
  expect(title(sketch.side({ type: 'custom-title', customTitle: 'Mine' }))).toEqual(['Mine', 'custom'])
  expect(title(sketch.side({ type: 'custom-title', customTitle: 'Renamed' }))).toEqual(['Renamed', 'custom'])
})

test('a summary of another file counts when its leaf is here, one of another session does not', () => {
  const elsewhere = hello().side({ type: 'summary', summary: 'Not this one', leafUuid: 'far' })
  expect(title(elsewhere)).toEqual(['Say hello', 'first-prompt'])
  const fileSummaries = [{ leaf: 'a' as never, title: 'Greeting' }]
  expect(title(elsewhere, { fileSummaries })).toEqual(['Greeting', 'summary'])
})

test('the first prompt passes over markup, notes of the editor, meta lines and interruptions, and is cut', () => {
  const sketch = new Sketch()
    .user('m', null, 'Caveat: The messages below', { isMeta: true })
    .user('k', 'm', '<command-name>/model</command-name>')
    .user('o', 'k', '<local-command-stdout>ok</local-command-stdout>')
    .user('i', 'o', '[Request interrupted by user]')
    .user('u', 'i', [
      { type: 'text', text: '<ide_opened_file>cart.js</ide_opened_file>' },
      { type: 'text', text: `${'long '.repeat(50)}end` },
    ])
  const [text, from] = title(sketch)
  expect(from).toBe('first-prompt')
  expect(text).toBe(`${'long '.repeat(40).trim()}…`)
})

test('a session of commands is named by the first, an empty one by its id', () => {
  expect(title(new Sketch().user('k', null, '<command-name>/report</command-name>'))).toEqual([
    '/report',
    'first-prompt',
  ])
  expect(title(new Sketch())).toEqual(['s', 'id'])
})

test('usage counts a message once, over all its records and copies, and says whether it is final', () => {
  const part = (fields: Record<string, unknown>) => {
    const usage = { input_tokens: 3, output_tokens: 9 }
    const message = { id: 'm', role: 'assistant', model: 'x', content: [], stop_reason: null, usage }
    return { message, version: '2.0.77', ...fields }
  }
  const usageOf = (fields: Record<string, unknown>) => {
    const sketch = new Sketch().chain('assistant', 'a', null, part(fields)).chain('assistant', 'b', 'a', part(fields))
    return sessionDetail(sketch.graph(sketch.file({ path: '2' })), extra).usage
  }
  const tokens = { inputTokens: 3, outputTokens: 9, cacheCreationTokens: 0, cacheReadTokens: 0 }
  expect(usageOf({})).toEqual({ ...tokens, outputFinal: false })
  expect(usageOf({ costUSD: 0.5, version: '1.0.3' })).toEqual({ ...tokens, outputFinal: true, costUSD: 0.5 })
})
