import { describe, expect, it } from 'vitest'
import { expressionOf } from './expression.ts'
import { requiredTexts } from './literal.ts'

const read = (query: string, ignoresCase = false, isFixed = false) => expressionOf({ query, ignoresCase, isFixed })

describe('an expression that is none', () => {
  const faults: [query: string, said: RegExp][] = [
    ['(a)(b', /unterminated group at character 4/],
    ['a[b', /unterminated character class at character 2/],
    ['ab)', /unmatched '\)' at character 3/],
    ['ab(*c)', /nothing to repeat at character 4/],
    ['[b-a]', /range out of order in character class at character 4/],
    ['a\\', /\\ at end of pattern at character 2/],
  ]
  it.each(faults)('%s is refused with what is wrong and where', (query, said) => {
    expect(() => read(query)).toThrow(said)
  })

  it('is fine as a fixed text', () => {
    expect(new RegExp(read('(a|b', false, true).source).test('x(a|b')).toBe(true)
  })

  it('is refused where it is empty', () => {
    expect(() => read('')).toThrow(/something to look for/)
  })
})

describe('the text that must occur', () => {
  const known: [query: string, texts: string[] | null][] = [
    ['cart', ['cart']],
    ['cart|till', ['cart', 'till']],
    ['cart|t', null],
    ['carts?', ['cart']],
    ['car+ts', ['car']],
    ['ca{0}rts', ['rts']],
    ['(cart)?till', ['till']],
    ['[cart]till', ['till']],
    ['a\\.b\\(c', ['a.b(c']],
    ['say "hello"', ['hello']],
    ['src/cart', ['cart']],
    ['\\x63art', null],
    ['\\bcart', ['cart']],
    ['ab', null],
    ['島の地図', null],
    ['.*', null],
    ['{cart', ['{cart']],
    ['a{cart', null],
  ]
  it.each(known)('of %s is %j', (query, texts) => {
    expect(requiredTexts(read(query))).toEqual(texts)
  })

  it('is not known where letters beyond ASCII match some within', () => {
    expect(requiredTexts(read('\\p{L}task', true))).toBeNull()
    expect(requiredTexts(read('task', true))).toEqual(['task'])
  })
})
