import { describe, expect, it } from 'vitest'
import fc from '../../test/property.ts'
import { columnsOf, cutToColumns, fitColumns } from './width.ts'

describe('columns', () => {
  it('counts wide characters twice and combining ones not at all', () => {
    expect(['abc', '丸め', 'e\u0301', '🎉', ''].map(columnsOf)).toEqual([3, 4, 1, 2, 0])
  })

  it('cuts with an ellipsis, never through a character', () => {
    expect(cutToColumns('abcdef', 4)).toBe('abc…')
    expect(cutToColumns('丸め丸め', 5)).toBe('丸め…')
    expect(cutToColumns('🎉🎉', 3)).toBe('🎉…')
    expect(cutToColumns('abc', 3)).toBe('abc')
  })

  it('fills or cuts any text to exactly the columns asked for', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 2, max: 40 }), (text, columns) => {
        expect(columnsOf(fitColumns(text, columns))).toBe(columns)
      }),
    )
  })
})
