import { expect, test } from 'vitest'
import { decodeText } from '../decode/events.ts'
import { detailFields } from '../model/detail.ts'
import { QueueReader } from './queue.ts'

type Line = Record<string, unknown>

const enqueue = (content?: unknown): Line => ({ type: 'queue-operation', operation: 'enqueue', content })
const operation = (name: string): Line => ({ type: 'queue-operation', operation: name })
const user = (text: string): Line => ({ type: 'user', message: { role: 'user', content: text } })
const answer: Line = { type: 'assistant', message: { role: 'assistant', content: [{ type: 'text', text: 'Done' }] } }
const attachment = (prompt: string): Line => ({ type: 'attachment', attachment: { type: 'queued_command', prompt } })

function queued(...lines: Line[]): unknown[] {
  const records = lines.map((line, at) => ({ uuid: line['operation'] ? undefined : `n${at}`, sessionId: 's', ...line }))
  const text = records.map(record => `${JSON.stringify({ parentUuid: null, ...record })}\n`).join('')
  const reader = new QueueReader()
  for (const event of decodeText(text, { session: 's' }).events) reader.see(event)
  return reader.prompts().map(({ prompt }) => detailFields(prompt)['content'])
}

test('what was typed and taken into the running turn is a prompt', () => {
  expect(queued(user('Go'), enqueue('Also this'), operation('remove'), answer)).toEqual(['Also this'])
})

test('what has a record of its own is no other prompt, also where an answer is between', () => {
  expect(queued(user('Go'), enqueue('Also this'), operation('remove'), attachment('Also this'))).toEqual([])
  expect(queued(user('Go'), enqueue('Also this'), operation('remove'), answer, attachment('Also this'))).toEqual([])
  expect(queued(user('Go'), enqueue('Also this'), attachment('Also this'), operation('remove'))).toEqual([])
  expect(queued(user('Go'), enqueue('Also this'), operation('remove'), user('Also this'))).toEqual([])
})

test('the same words typed again later are another prompt', () => {
  expect(queued(enqueue('Go on'), operation('remove'), answer, user('Go on'))).toEqual(['Go on'])
})

test('what begins a turn of its own, was taken back or still waits is none', () => {
  expect(queued(enqueue('Hello'), operation('dequeue'), user('Hello'))).toEqual([])
  expect(queued(enqueue('Hello'), operation('popAll'), operation('remove'))).toEqual([])
  expect(queued(enqueue('Hello'))).toEqual([])
})

test('tasks, notifications, teammates’ messages and commands are none, and tasks do not wait', () => {
  const task = enqueue('{"task_id":"b1","description":"Sleep","task_type":"local_bash"}')
  const note = enqueue('<task-notification><task-id>b1</task-id></task-notification>')
  const mate = enqueue('<teammate-message teammate_id="bob">Hi</teammate-message>')
  const removes = Array.from({ length: 4 }, () => operation('remove'))
  expect(queued(task, note, enqueue('Also this'), mate, enqueue('/help'), ...removes)).toEqual(['Also this'])
})

test('operations without an enqueue, as print mode writes them, are harmless', () => {
  expect(queued(operation('dequeue'), user('Hello'), operation('remove'), operation('popAll'), enqueue())).toEqual([])
})
