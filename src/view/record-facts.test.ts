import { expect, test } from 'vitest'
import { Sketch } from '../graph/testing.ts'
import { sessionToMarkdown } from '../render/markdown/markdown.ts'
import { partsOf, viewCallOf } from './testing.ts'
import { viewSession } from './thread.ts'

const todo = { content: 'Task one', status: 'pending', priority: 'high', id: '1' }

/** A session in which what is next to the conversation changes. */
const changing = () =>
  new Sketch()
    .user('u1', null, 'Go', {
      slug: 'calm-garden',
      permissionMode: 'default',
      thinkingMetadata: { maxThinkingTokens: 31999 },
      todos: [todo],
    })
    .answer('a1', 'u1', 'First', { durationMs: 3210, costUSD: 0.012 })
    .user('u2', 'a1', 'On', { slug: 'calm-garden', permissionMode: 'plan', todos: [], cwd: '/home/dev/other' })
    .answer('a2', 'u2', 'Second', { cwd: '/home/dev/other' })
    .system('c1', null, 'compact_boundary', {
      ...{ logicalParentUuid: 'a2', cwd: '/home/dev/other' },
      compactMetadata: { trigger: 'auto', preTokens: 9000, durationMs: 4000, userContext: 'keep the plan' },
    })
    .graph()

test('what is next to the conversation is shown where it changes, to those who want everything', () => {
  const facts = viewSession(changing()).map(item =>
    partsOf(item, 'facts')
      .filter(part => part.isFolded)
      .flatMap(part => part.facts.map(({ name, value }) => `${name}: ${value}`)),
  )
  expect(facts).toEqual([
    [
      'slug: calm-garden',
      'permission mode: default',
      'thinking metadata: {"maxThinkingTokens":31999}',
      'todos: Task one (pending, high)',
    ],
    ['answered in: 3.2 s', 'cost: $0.012'],
    ['working directory: /home/dev/other', 'permission mode: plan'],
    [],
    ['duration ms: 4000', 'user context: keep the plan'],
  ])
})

test('a Markdown export has it when it is full, and only then', () => {
  const head = {
    id: 's',
    title: 's',
    project: null,
    startedAt: null,
    endedAt: null,
    models: [],
    versions: [],
    files: [],
  }
  const text = (isFull: boolean) => [...sessionToMarkdown(viewSession(changing()), head, { isFull })].join('')
  expect(text(true)).toContain('| permission mode | plan |')
  expect(text(true)).toContain('| user context | keep the plan |')
  expect(text(false)).not.toContain('permission mode')
})

test('a to-do list shows the priority of each entry', () => {
  const item = viewCallOf('TodoWrite', { todos: [todo] }, { structured: { oldTodos: [], newTodos: [todo] } })
  expect(partsOf(item, 'checklist')[0]?.items).toEqual([{ text: 'Task one (high)', state: 'open' }])
})
