import { expect, test } from 'vitest'
import { Sketch } from '../graph/testing.ts'
import { bundledPrices } from '../usage/prices.ts'
import { contextWindowOf } from './window.ts'

const answer = (tokens: number) => ({
  message: {
    id: `msg_${tokens}`,
    role: 'assistant',
    model: 'claude-opus-4-6',
    content: [{ type: 'text', text: 'ok' }],
    usage: { input_tokens: tokens, output_tokens: 1 },
  },
})
const windowOf = (sketch: Sketch) => contextWindowOf(sketch.graph(), { prices: bundledPrices })
const compacted = (sketch: Sketch, trigger: string, preTokens: number) =>
  sketch.system('c', 'a', 'compact_boundary', { compactMetadata: { trigger, preTokens } })
const begun = (tokens: number) => new Sketch().user('u', null, 'Go').chain('assistant', 'a', 'u', answer(tokens))

test('the window is that of the model', () => {
  expect(windowOf(begun(100))).toBe(1_000_000)
  expect(windowOf(new Sketch().user('u', null, 'Go'))).toBeNull()
})

test('a log that Claude Code compacted at 167,000 tokens had the usual window', () => {
  expect(windowOf(compacted(begun(160_000), 'auto', 167_000))).toBe(200_000)
  expect(windowOf(compacted(begun(160_000), 'manual', 167_000))).toBe(1_000_000)
  expect(windowOf(compacted(begun(400_000), 'auto', 167_000))).toBe(1_000_000)
})
