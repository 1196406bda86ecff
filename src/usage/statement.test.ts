import { expect, it } from 'vitest'
import type { Block } from '../model/event.ts'
import type { CallId } from '../model/ids.ts'
import { visibleTokens } from './statement.ts'

const text = (written: string): Block => ({ type: 'text', text: written })

it('finds nothing where nothing is shown', () => {
  expect(visibleTokens([])).toBe(0)
  expect(visibleTokens([text('')])).toBe(0)
  expect(visibleTokens([{ type: 'thinking', text: '', logged: false }])).toBe(0)
})

it('takes about four characters of English for a token', () => {
  const words = 'The parser keeps every record that it cannot read and says where it stands. '.repeat(20)
  const tokens = visibleTokens([text(words)])
  expect(words.length / tokens).toBeGreaterThan(3.5)
  expect(words.length / tokens).toBeLessThan(4.5)
})

it('takes a sign of a script without spaces for a token', () => {
  expect(visibleTokens([text('漢'.repeat(100))])).toBe(106)
  expect(visibleTokens([text('я'.repeat(100))])).toBe(56)
})

it('counts thinking and the input of tools, but not what tools answered', () => {
  const call: Block = { type: 'tool-call', callId: 'c' as CallId, name: 'Bash', input: { command: 'ls' } }
  expect(visibleTokens([{ type: 'thinking', text: 'x'.repeat(41), logged: true }])).toBe(10)
  expect(visibleTokens([call])).toBe(Math.round(56 + 20 / 3.4))
  expect(visibleTokens([{ type: 'tool-result', callId: 'c' as CallId, isError: false, content: [text('long')] }])).toBe(
    0,
  )
})

it('survives input that is nested very deep', () => {
  let input: unknown = 'x'
  for (let depth = 0; depth < 100_000; depth++) input = [input]
  const tokens = visibleTokens([{ type: 'tool-call', callId: 'c' as CallId, name: 'Bash', input }])
  expect(tokens).toBeGreaterThan(50_000)
})
