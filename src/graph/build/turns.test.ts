import { expect, test } from 'vitest'
import { detailFields } from '../../model/detail.ts'
import { Sketch } from '../testing.ts'

test('a turn goes from a prompt to the next, with its calls and its measured time', () => {
  const graph = new Sketch()
    .user('u', null, 'Go')
    .call('a', 'u', 't1')
    .result('r', 'a', 't1')
    .answer('b', 'r', 'Done')
    .system('d', 'b', 'turn_duration', { durationMs: 1234 })
    .user('v', 'd', 'Thanks')
    .answer('c', 'v', 'Welcome')
    .graph()
  expect(graph.turns).toEqual([
    {
      index: 0,
      prompt: 'u',
      thread: 's',
      startedAt: '2026-01-05T10:00:00.000Z',
      endedAt: '2026-01-05T10:04:00.000Z',
      durationMs: 1234,
      events: ['u', 'a', 'r', 'b', 'd'],
      toolCalls: ['t1'],
    },
    {
      index: 1,
      prompt: 'v',
      thread: 's',
      startedAt: '2026-01-05T10:05:00.000Z',
      endedAt: '2026-01-05T10:06:00.000Z',
      durationMs: 60_000,
      events: ['v', 'c'],
      toolCalls: [],
    },
  ])
})

test('after a rewind late records stay with the turn they hang on', () => {
  const graph = new Sketch()
    .user('u', null, 'Go')
    .call('a', 'u', 't1')
    .user('v', null, 'Another way')
    .result('r', 'a', 't1')
    .answer('b', 'v', 'Done')
    .graph()
  expect(graph.turns.map(turn => turn.events)).toEqual([
    ['u', 'a', 'r'],
    ['v', 'b'],
  ])
})

test('an orphan belongs to the turn before it in the file', () => {
  const graph = new Sketch().user('u', null, 'Go').answer('a', 'gone', 'Done').graph()
  expect(graph.turns.map(turn => turn.events)).toEqual([['u', 'a']])
})

test('a typed command that the model answered begins a turn, one that Claude Code served does not', () => {
  const graph = new Sketch()
    .user('u', null, 'Go')
    .answer('a', 'u', 'Done')
    .user('x', 'a', '<command-name>/cost</command-name>')
    .user('y', 'x', '<local-command-stdout>$1</local-command-stdout>')
    .user('k', 'y', '<command-name>/report</command-name>')
    .user('m', 'k', 'Write a report', { isMeta: true })
    .answer('b', 'm', 'Report')
    .graph()
  expect(graph.turns.map(turn => [turn.prompt, turn.events])).toEqual([
    ['u', ['u', 'a', 'x', 'y']],
    ['k', ['k', 'm', 'b']],
  ])
})

test('a prompt that was queued while the model worked begins a turn', () => {
  const graph = new Sketch()
    .user('u', null, 'Go')
    .answer('a', 'u', 'Working')
    .chain('attachment', 'q', 'a', {
      attachment: { type: 'queued_command', prompt: 'Also this', commandMode: 'prompt' },
    })
    .answer('b', 'q', 'Done')
    .graph()
  expect(graph.turns.map(turn => turn.prompt)).toEqual(['u', 'q'])
})

test('a checkpoint of files belongs to the turn of the record it names', () => {
  const snapshot = { trackedFileBackups: {}, timestamp: '2027-01-01T00:00:00.000Z' }
  const graph = new Sketch()
    .side({ type: 'file-history-snapshot', messageId: 'u', snapshot, isSnapshotUpdate: false })
    .user('u', null, 'Go')
    .answer('a', 'u', 'Done')
    .graph()
  expect(graph.turns[0]?.events).toEqual(['s@0', 'u', 'a'])
  expect(graph.turns[0]?.endedAt).toBe('2026-01-05T10:01:00.000Z')
})

test('what an agent writes to its subagent is not a turn', () => {
  const graph = new Sketch()
    .user('u', null, 'Go')
    .call('a', 'u', 't1', 'Task', { prompt: 'Count' })
    .user('s1', null, 'Count', { isSidechain: true })
    .answer('s2', 's1', 'One', { isSidechain: true })
    .graph()
  expect(graph.turns.map(turn => turn.events)).toEqual([['u', 'a']])
})

const queue = (operation: string, content?: string) => ({ type: 'queue-operation', operation, content })

test('a prompt that only the queue has begins a turn with the first answer after it was taken', () => {
  const graph = new Sketch()
    .user('u', null, 'Take a nap')
    .call('a', 'u', 't1', 'Bash', {}, { message: 'm' })
    .side(queue('enqueue', 'Check the weather'))
    .side(queue('remove'))
    .call('a2', 'a', 't2', 'Bash', {}, { message: 'm' })
    .result('r', 'a', 't1')
    .result('r2', 'a2', 't2')
    .call('b', 'r2', 't3', 'WebFetch')
    .result('s', 'b', 't3')
    .user('v', 's', 'Thanks')
    .graph()
  const line = graph.events[2]?.id
  expect(graph.turns.map(({ prompt, events, toolCalls }) => [prompt, events, toolCalls])).toEqual([
    ['u', ['u', 'a', 'a2', 'r', 'r2'], ['t1', 't2']],
    [line, [line, 'b', 's'], ['t3']],
    ['v', ['v'], []],
  ])
})

test('queued prompts that were taken together, or brought no answer, are turns all the same', () => {
  const graph = new Sketch()
    .user('u', null, 'Go')
    .side(queue('enqueue', 'One'))
    .side(queue('enqueue', 'Two'))
    .side(queue('remove'))
    .side(queue('remove'))
    .answer('a', 'u', 'Both')
    .side(queue('enqueue', 'Three'))
    .side(queue('remove'))
    .user('v', 'a', 'Stop')
    .answer('b', 'v', 'Stopped')
    .graph()
  const [one, two, three] = graph.events
    .filter(event => detailFields(event)['operation'] === 'enqueue')
    .map(({ id }) => id)
  expect(graph.turns.map(({ prompt, events }) => [prompt, events])).toEqual([
    ['u', ['u']],
    [one, [one]],
    [two, [two, 'a']],
    [three, [three]],
    ['v', ['v', 'b']],
  ])
  expect(graph.turns.map(turn => turn.index)).toEqual([0, 1, 2, 3, 4])
})

test('a prompt that print mode queues and takes out again is one turn', () => {
  const graph = new Sketch()
    .side(queue('enqueue', 'Hello'))
    .side(queue('dequeue'))
    .user('u', null, 'Hello')
    .answer('a', 'u', 'Hi')
    .graph()
  expect(graph.turns.map(turn => turn.prompt)).toEqual(['u'])
})

test('a turn that continues when its agents report back has the sum of what was measured', () => {
  const graph = new Sketch()
    .user('u', null, 'Go')
    .answer('a', 'u', 'Started an agent')
    .system('d', 'a', 'turn_duration', { durationMs: 4_000 })
    .user('n', 'd', '<task-notification><task-id>ag1</task-id><status>completed</status></task-notification>')
    .answer('b', 'n', 'It is done')
    .system('e', 'b', 'turn_duration', { durationMs: 3_000 })
    .graph()
  expect(graph.turns).toMatchObject([{ prompt: 'u', durationMs: 7_000 }])
})
