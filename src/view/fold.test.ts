import fc from 'fast-check'
import { expect, test } from 'vitest'
import { textToBytes } from '../base/bytes.ts'
import { columnsOf } from '../base/width.ts'
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

test('a line that is too wide is cut, and its bytes are counted', () => {
  const folded = foldText(`${'丸'.repeat(10)}\nok`, { head: 5, tail: 5, columns: 7 })
  expect(folded).toEqual({ lines: ['丸丸丸…', 'ok'], hiddenLines: 0, hiddenBytes: 21 })
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

test('no line is wider than asked for', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 2, max: 20 }), (text, columns) => {
      for (const line of foldText(text, { head: 9, tail: 9, columns }).lines) {
        expect(columnsOf(line)).toBeLessThanOrEqual(columns)
      }
    }),
  )
})

test('a text of ten million characters is folded at once', { tags: 'deep' }, () => {
  const started = performance.now()
  expect(foldText('x\n'.repeat(5_000_000), { head: 10, tail: 5, columns: 80 }).hiddenLines).toBe(4_999_986)
  expect(foldText('x'.repeat(10_000_000), { head: 10, tail: 5, columns: 80 }).hiddenBytes).toBe(9_999_921)
  expect(performance.now() - started).toBeLessThan(3_000)
})
