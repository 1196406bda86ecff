import { describe, expect, it } from 'vitest'
import { textMatcher } from './expression.ts'
import { mayBeSlow, TooSlow, withinTime } from './time-limit.ts'

describe('a time limit', () => {
  it('gives the result, and errors as they are', () => {
    expect(withinTime(() => 3)).toBe(3)
    const error = new Error('no')
    expect(() =>
      withinTime(() => {
        throw error
      }),
    ).toThrow(error)
  })

  it('ends an expression that would take years, and leaves it usable', () => {
    const expression = /^(a+)+$/
    expect(() => withinTime(() => expression.test(`${'a'.repeat(60)}!`), 50)).toThrow(TooSlow)
    expect(withinTime(() => expression.test('aaa'))).toBe(true)
  })

  it('is needed where something is repeated', () => {
    for (const source of ['a+', 'a.*b', '(a|b){2,}', 'x?x?x?x?x?x?x?x?x?x']) expect(mayBeSlow({ source })).toBe(true)
    for (const source of ['plum', 'a|b', '[+*]', '\\+\\*', 'colou?r', '(?:a|b)'])
      expect(mayBeSlow({ source })).toBe(false)
  })

  it('holds for --grep of lists, too', () => {
    expect(() => textMatcher('/^(a+)+$/')(`${'a'.repeat(60)}!`)).toThrow('takes too long')
    expect(textMatcher('/a+b/i')('xAAB')).toBe(true)
  })
})
