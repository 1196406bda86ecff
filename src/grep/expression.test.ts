import { describe, expect, it } from 'vitest'
import { expressionOf } from './expression.ts'

const read = (query: string, ignoresCase = false, isFixed = false) => expressionOf({ query, ignoresCase, isFixed })

describe('an invalid expression', () => {
  const faults: [query: string, message: RegExp][] = [
    ['(a)(b', /unterminated group at character 4/],
    ['a[b', /unterminated character class at character 2/],
    ['ab)', /unmatched '\)' at character 3/],
    ['ab(*c)', /nothing to repeat at character 4/],
    ['[b-a]', /range out of order in character class at character 4/],
    ['a\\', /\\ at end of pattern at character 2/],
  ]
  it.each(faults)('%s is rejected with what is wrong and where', (query, message) => {
    expect(() => read(query)).toThrow(message)
  })

  it('is valid as a fixed text', () => {
    expect(new RegExp(read('(a|b', false, true).source).test('x(a|b')).toBe(true)
  })
})
