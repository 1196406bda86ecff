import { expect, test } from 'vitest'
import { allText, badgeTexts, callSketch, itemsOf, partsOf, viewCallOf } from '../testing.ts'

const todo = (content: string, status: string) => ({ content, status, activeForm: `${content}…` })

test('a to-do list shows the new list and what changed', () => {
  const oldTodos = [todo('Read', 'in_progress'), todo('Fix', 'pending'), todo('Ask', 'pending')]
  const newTodos = [todo('Read', 'completed'), todo('Fix', 'in_progress'), todo('Test', 'pending')]
  const item = viewCallOf('TodoWrite', { todos: newTodos }, { structured: { oldTodos, newTodos } })
  expect(item.headline).toBe('TodoWrite  Fix')
  expect(badgeTexts(item)).toContain('1 of 3 done')
  expect(item.body).toEqual([
    {
      type: 'checklist',
      items: [
        { text: 'Read', state: 'done' },
        { text: 'Fix', state: 'active' },
        { text: 'Test', state: 'open' },
      ],
    },
    {
      type: 'facts',
      facts: [
        { name: 'finished', value: 'Read' },
        { name: 'started', value: 'Fix' },
        { name: 'added', value: 'Test' },
        { name: 'taken off', value: 'Ask' },
      ],
    },
  ])
})

test('a to-do list without a result is taken from the request', () => {
  const item = viewCallOf('TodoWrite', { todos: [todo('Read', 'pending')] })
  expect(partsOf(item, 'checklist')[0]?.items).toEqual([{ text: 'Read', state: 'open' }])
})

test('a task keeps its subject through its changes', () => {
  const sketch = callSketch(
    'TaskCreate',
    { subject: 'Fix rounding', description: 'In **cart**', activeForm: 'Fixing' },
    { structured: { task: { id: '3', subject: 'Fix rounding' } } },
  )
    .call('a2', 'r1', 'c2', 'TaskUpdate', { taskId: '3', status: 'in_progress', owner: 'alice' })
    .result('r2', 'a2', 'c2', 'Updated', { toolUseResult: { success: true, taskId: '3', updatedFields: ['status'] } })
    .call('a3', 'r2', 'c3', 'TaskUpdate', { taskId: '9', status: 'deleted' })
    .result('r3', 'a3', 'c3', 'x', { toolUseResult: { success: false, taskId: '9', error: 'Task not found' } })
  const [created, updated, failed] = itemsOf(sketch.graph(), 'call')
  expect([created?.headline, badgeTexts(created)[0]]).toEqual(['TaskCreate  Fix rounding', 'task 3'])
  expect(partsOf(created, 'markdown')[0]?.text).toBe('In **cart**')
  expect(updated?.headline).toBe('TaskUpdate  Fix rounding')
  expect(badgeTexts(updated)).toEqual(expect.arrayContaining(['task 3', 'in progress']))
  expect(allText(updated)).toBe('active Fix rounding\nowner: alice')
  expect(partsOf(failed, 'text')).toEqual([{ type: 'text', text: 'Task not found', tone: 'bad' }])
})

test('lists and single tasks are check lists', () => {
  const tasks = [
    { id: '1', subject: 'One', status: 'completed' },
    { id: '2', subject: 'Two', status: 'pending' },
  ]
  expect(allText(viewCallOf('TaskList', {}, { structured: { tasks } }))).toBe('done One\nopen Two')
  const task = { id: '2', subject: 'Two', status: 'pending', description: 'Do it', blockedBy: ['1'] }
  const item = viewCallOf('TaskGet', { taskId: '2' }, { structured: { task } })
  expect(item.headline).toBe('TaskGet  Two')
  expect(allText(item)).toBe('open Two\nDo it\nblockedBy: 1')
})
