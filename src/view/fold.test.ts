import { expect, test } from 'vitest'
import fc from '../../test/property.ts'
import { textToBytes } from '../base/bytes.ts'
import { foldText } from './parts.ts'

const numbers = (count: number) => Array.from({ length: count }, (_, at) => String(at + 1)).join('\n')

test('a long text keeps its beginning and its end and counts what is between', () => {
  expect(foldText(numbers(10), { head: 2, tail: 1 })).toEqual({
    lines: ['1', '2', '10'],
    hiddenLines: 7,
    hiddenBytes: 14,
  })
  expect(foldText(numbers(10), { head: 2, tail: 0 })).toEqual({ lines: ['1', '2'], hiddenLines: 8, hiddenBytes: 16 })
  expect(foldText(numbers(10), { head: 0, tail: 2 })).toMatchObject({ lines: ['9', '10'], hiddenLines: 8 })
})

test('one line too many is shown rather than counted', () => {
  expect(foldText(numbers(4), { head: 2, tail: 1 })).toEqual({
    lines: ['1', '2', '3', '4'],
    hiddenLines: 0,
    hiddenBytes: 0,
  })
  expect(foldText('', { head: 2, tail: 1 }).lines).toEqual([''])
})

test('head, hidden part and tail are the whole text, whatever it is', () => {
  const line = fc.string({ maxLength: 6 }).map(text => text.replaceAll('\n', ''))
  fc.assert(
    fc.property(fc.array(line, { minLength: 1 }), fc.nat(6), fc.nat(6), (lines, head, tail) => {
      const text = lines.join('\n')
      const folded = foldText(text, { head, tail })
      expect(folded.lines.length + folded.hiddenLines).toBe(lines.length)
      if (folded.hiddenLines === 0) expect(folded.lines).toEqual(lines)
      else expect(folded.lines).toEqual([...lines.slice(0, head), ...(tail > 0 ? lines.slice(-tail) : [])])
      expect(folded.hiddenBytes).toBeLessThanOrEqual(textToBytes(text).length)
    }),
  )
})

test('a text of ten million characters is folded at once', { tags: 'deep' }, () => {
  const started = performance.now()
  expect(foldText('x\n'.repeat(5_000_000), { head: 10, tail: 5 }).hiddenLines).toBe(4_999_986)
  expect(performance.now() - started).toBeLessThan(3_000)
})
