import { expect, test } from 'vitest'
import { certaintyOf, countOf, durationText, firstLine, insideTag, sizeText, trimLines, wordsOf } from './words.ts'

test.each([
  [0, '0 ms'],
  [999, '999 ms'],
  [3_210, '3.2 s'],
  [9_960, '10 s'],
  [59_960, '1 min'],
  [80_000, '1 min 20 s'],
  [7_500_000, '2 h 5 min'],
])('%i milliseconds are %s', (millis, text) => {
  expect(durationText(millis)).toBe(text)
})

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1_500, '1.5 kB'],
  [999_600, '1.0 MB'],
  [20_000_000, '20 MB'],
])('%i bytes are %s', (bytes, text) => {
  expect(sizeText(bytes)).toBe(text)
})

test('small words', () => {
  expect(countOf(1, 'file')).toBe('1 file')
  expect(countOf(1200, 'match', 'matches')).toBe('1,200 matches')
  expect(firstLine('\n  one  \n\ntwo')).toBe('one …')
  expect(firstLine('one\n \n')).toBe('one')
  expect(trimLines('\r\n\n  a\n b \n\n')).toBe('  a\n b')
  expect(wordsOf('compact_boundary-hookEvent')).toBe('compact boundary hook event')
  expect(insideTag('<a x="1">in</a> out', 'a')).toBe('in')
  expect(insideTag('<a>open', 'a')).toBe('open')
  expect(insideTag('none', 'a')).toBeUndefined()
})

test('output that is not stated whole makes all tokens and the cost a lower bound', () => {
  expect(certaintyOf({ isPartial: false })).toEqual({ output: 'sure', tokens: 'sure', cost: 'sure' })
  expect(certaintyOf({ isPartial: true })).toEqual({ output: 'least', tokens: 'least', cost: 'least' })
  expect(certaintyOf({ isPartial: true, isEstimated: true }).tokens).toBe('estimate')
  expect(certaintyOf({ isPartial: false, isUnpriced: true })).toEqual({ output: 'sure', tokens: 'sure', cost: 'least' })
})
