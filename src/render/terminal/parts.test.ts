import pc from 'picocolors'
import { expect, test } from 'vitest'
import { noLimit, paintPart } from './parts.ts'
import type { Paint } from './style.ts'

test('JSON that repeats what the session says stays folded with --full, other JSON does not', () => {
  const paint = { isFull: true, colors: pc.createColors(false), glyphs: { ellipsis: '…' } } as Paint
  const limits = { head: noLimit, tail: noLimit, markdown: noLimit }
  const textOf = (more: { isRepeated?: boolean }): string[] => {
    const part = { type: 'code', text: '{\n  "a": 1\n}', language: 'json', isFolded: true, ...more } as const
    return [...paintPart(part, 80, limits, paint)].map(line => line.map(({ text }) => text).join(''))
  }
  expect(textOf({})).toEqual(['{', '  "a": 1', '}'])
  expect(textOf({ isRepeated: true })).toEqual(['… 3 lines of json; clew records'])
})
