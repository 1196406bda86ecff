import { expect, it } from 'vitest'
import { excerpts } from './repair-draft.ts'

it('shows where two long texts differ, not what both begin with', () => {
  const start = 'x'.repeat(300)
  const { before, after } = excerpts(`${start}torn`, `${start}torn"}`)
  expect(before).toBe(`…${'x'.repeat(36)}torn`)
  expect(after).toBe(`…${'x'.repeat(36)}torn"}`)
})

it('shows texts that differ early, or are short, from their beginning', () => {
  expect(excerpts('{"a":1', '{"a":1}')).toEqual({ before: '{"a":1', after: '{"a":1}' })
  const { before, after } = excerpts(`a${'x'.repeat(300)}`, `b${'x'.repeat(300)}`)
  expect([before.length, before[0], before.at(-1)]).toEqual([241, 'a', '…'])
  expect(after[0]).toBe('b')
})
