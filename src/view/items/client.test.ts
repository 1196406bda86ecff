import { expect, test } from 'vitest'
import { Sketch } from '../../graph/testing.ts'
import { allText, badgeTexts, itemsOf, partsOf } from '../testing.ts'

const start = () => new Sketch().user('u1', null, 'Go')

test('messages of teammates and of Claude Code name their sender', () => {
  const graph = start()
    .user('n1', 'u1', '<teammate-message teammate_id="alice" color="blue">\nI am **done**\n</teammate-message>')
    .user('n2', 'n1', '<tick>10:05</tick>')
    .user('n3', 'n2', 'Wake up', { origin: { kind: 'cron' } })
    .graph()
  expect(itemsOf(graph, 'notification').map(item => [item.headline, item.actor, allText(item)])).toEqual([
    ['Message from alice', 'agent', 'I am **done**'],
    ['Notification  tick', 'client', '10:05'],
    ['Notification  cron', 'client', 'Wake up'],
  ])
})

test('an interruption says what was interrupted', () => {
  const graph = start()
    .user('i1', 'u1', '[Request interrupted by user]')
    .user('i2', 'i1', [{ type: 'text', text: '[Request interrupted by user for tool use]' }])
    .graph()
  expect(itemsOf(graph, 'interruption').map(item => item.headline)).toEqual([
    'Interrupted by the user',
    'Interrupted by the user during a tool call',
  ])
})

test('API errors show their status, and which try it was', () => {
  const error = { status: 529, error: { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } } }
  const graph = start()
    .system('e1', 'u1', 'api_error', { level: 'error', error, retryInMs: 1200, retryAttempt: 3, maxRetries: 10 })
    .chain('assistant', 'e2', 'e1', {
      isApiErrorMessage: true,
      error: 'invalid_request',
      message: {
        id: 'x',
        role: 'assistant',
        model: '<synthetic>',
        content: [{ type: 'text', text: 'API Error: 400 bad' }],
      },
    })
    .graph()
  const [[retry], [failed]] = [itemsOf(graph, 'notice'), itemsOf(graph, 'error')]
  expect(retry?.headline).toBe('API error  529 overloaded error')
  expect(badgeTexts(retry)).toEqual(['attempt 3 of 10', 'next in 1.2 s'])
  expect(partsOf(retry, 'text')).toEqual([{ type: 'text', text: 'Overloaded', tone: 'bad' }])
  expect(failed?.headline).toBe('API error  invalid request')
  expect(allText(failed)).toBe('API Error: 400 bad')
})

test('hooks are quiet, failed ones are not', () => {
  const hook = (type: string, fields: object) => ({
    attachment: { type, hookName: 'PreToolUse:Bash', hookEvent: 'PreToolUse', ...fields },
  })
  const graph = start()
    .chain(
      'attachment',
      'h1',
      'u1',
      hook('hook_success', { command: 'echo hi', stdout: 'hi\n', content: 'hi', exitCode: 0, durationMs: 1500 }),
    )
    .chain(
      'attachment',
      'h2',
      'h1',
      hook('hook_non_blocking_error', { command: 'false', stderr: 'oh no', exitCode: 1 }),
    )
    .user('h3', 'h2', '<session-start-hook>hello</session-start-hook>')
    .system('h4', 'h3', 'stop_hook_summary', {
      hookCount: 1,
      hookInfos: [{ command: 'lint' }],
      hookErrors: ['bad'],
      preventedContinuation: true,
    })
    .graph()
  const [good, bad, old, stop] = itemsOf(graph, 'hook')
  expect(good).toMatchObject({ headline: 'Hook  PreToolUse:Bash', isQuiet: true })
  expect(badgeTexts(good)).toEqual(['exit 0', '1.5 s'])
  expect(allText(good)).toBe('echo hi\nhi')
  expect(bad?.isQuiet).toBe(false)
  expect(partsOf(bad, 'text')).toEqual([{ type: 'text', text: 'oh no', tone: 'bad', label: 'stderr' }])
  expect(old?.headline).toBe('Hook  session start')
  expect(badgeTexts(stop)).toEqual(['1 hook', 'stopped the turn'])
  expect(allText(stop)).toBe('lint\nbad')
})

test('notices: how long a turn took, what happened while away, warnings', () => {
  const graph = start()
    .system('n1', 'u1', 'turn_duration', { durationMs: 62_243, messageCount: 4 })
    .system('n2', 'n1', 'away_summary', { content: 'You were **away**' })
    .system('n3', 'n2', 'informational', { content: 'Careful', level: 'warning' })
    .system('n4', 'n3', 'model_refusal_fallback', { content: '', originalModel: 'big', fallbackModel: 'small' })
    .graph()
  const items = itemsOf(graph, 'notice')
  expect(items.map(item => [item.headline, item.isQuiet])).toEqual([
    ['Turn took 1 min 2 s', true],
    ['Away summary', false],
    ['Notice', false],
    ['Model refusal fallback', true],
  ])
  expect(partsOf(items[1], 'markdown')[0]?.text).toBe('You were **away**')
  expect(partsOf(items[2], 'text')[0]).toMatchObject({ text: 'Careful', tone: 'warn' })
  expect(allText(items[3])).toBe('originalModel: big\nfallbackModel: small')
})

test('what a system record says can be read, in the headline where it fits', () => {
  const long = `${'Indexing the project took long. '.repeat(4)}\nDone`
  const graph = start()
    .system('n1', 'u1', 'informational', { content: 'Connected to the editor' })
    .system('n2', 'n1', 'informational', { content: long })
    .graph()
  const items = itemsOf(graph, 'notice')
  expect(items.map(item => [item.headline, item.isQuiet, allText(item)])).toEqual([
    ['Notice  Connected to the editor', false, ''],
    ['Notice', false, long],
  ])
})

test('what Claude Code adds for the model is quiet and folded', () => {
  const [item] = itemsOf(start().user('m1', 'u1', 'Base directory: /x', { isMeta: true }).graph(), 'notice')
  expect(item).toMatchObject({ headline: 'Added for the model', isQuiet: true })
  expect(partsOf(item, 'text')[0]?.isFolded).toBe(true)
})
