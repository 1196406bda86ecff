import { describe, expect, it } from 'vitest'
import { expressionOf } from './expression.ts'
import { hasHiddenText, Prefilter, prefilterOf } from './prefilter.ts'

const sourceOf = (query: string, ignoresCase = false) =>
  prefilterOf(expressionOf({ query, ignoresCase, isFixed: false }))?.source ?? null

describe('the prefilter', () => {
  const texts: [query: string, source: string | null][] = [
    ['cart', 'cart'],
    ['cart|till', 'cart|till'],
    ['carts?', 'cart'],
    ['car+ts', 'car'],
    ['ca{0}rts', 'rts'],
    ['(cart)?till', 'till'],
    ['[cart]till', 'till'],
    ['cart(?!s)', 'cart'],
    ['a\\.b\\(c', 'a\\.b\\(c'],
    ['\\bcart', 'cart'],
    ['a{cart', 'a\\{cart'],
  ]
  it.each(texts)('of %s is a text that every match contains', (query, source) => {
    expect(sourceOf(query)).toBe(source)
  })

  const whole: [query: string, source: string | null][] = [
    ['cart|t', 'cart|t'],
    ['^[xq]{4}\\d\\b', '[xq]{4}\\d'],
    ['(?<name>a|b)+c', '(?:a|b)+c'],
    ['ab', 'ab'],
  ]
  it.each(whole)('of %s is the expression without assertions where no text is known', (query, source) => {
    expect(sourceOf(query)).toBe(source)
  })

  it.each(['.*', 'a.b', '[^a]b', '\\s', '[é]', '^$', '(?=a)b', '\\x63art', '\\p{L}task', '(a)\\1'])(
    'of %s does not exist: every line is decoded',
    query => {
      expect(sourceOf(query)).toBeNull()
    },
  )

  it('finds characters in every spelling of JSON', () => {
    const passes = (query: string, raw: string) => {
      const expression = prefilterOf(expressionOf({ query, ignoresCase: false, isFixed: true }))
      return expression !== null && new Prefilter(expression).mayMatch(Buffer.from(raw))
    }
    expect(passes('src/cart', 'src/cart')).toBe(true)
    expect(passes('src/cart', 'src\\/cart')).toBe(true)
    expect(passes('say "hi"', 'say \\"hi\\"')).toBe(true)
    expect(passes('C:\\new', 'C:\\\\new')).toBe(true)
    expect(passes('café', 'café')).toBe(true)
    expect(passes('café', 'caf\\u00E9')).toBe(true)
    expect(passes('😀', '\\ud83d\\uDE00')).toBe(true)
    expect(passes('cart', 'c\\u0061rt')).toBe(true)
    expect(passes('cart', 'ca\0rt')).toBe(true)
    expect(passes('cart', 'c\\u001brt')).toBe(false)
  })

  it('gives the lines that may match, with their offsets', () => {
    const bytes = Buffer.from('one\ncart 1\ntwo\ncart cart\ncart')
    const lines = [...new Prefilter({ source: 'cart', flags: '' }).candidates({ bytes, offset: 100 })]
    expect(lines.map(line => [line.bytes.toString(), line.offset])).toEqual([
      ['cart 1\n', 104],
      ['cart cart\n', 115],
      ['cart', 125],
    ])
  })

  it('gives a line once, wherever in a large piece it matches', () => {
    const prefilter = new Prefilter({ source: 'cart', flags: '', longest: 24 })
    for (const at of [0, 65_500, 65_530, 65_533, 65_536, 131_000, 199_996]) {
      const line = Buffer.alloc(200_000, 'x')
      line.write('cart', at)
      const bytes = Buffer.concat([line, Buffer.from('\ntwo\ncart')])
      const lines = [...prefilter.candidates({ bytes, offset: 0 })]
      expect(
        lines.map(one => [one.offset, one.bytes.length]),
        `at ${at}`,
      ).toEqual([
        [0, 200_001],
        [200_005, 4],
      ])
    }
  })

  it('knows text that it cannot see', () => {
    expect(hasHiddenText(Buffer.from('\\u001b[1m \\u00e9'))).toBe(false)
    expect(hasHiddenText(Buffer.from('\\u001b \\u0041'))).toBe(true)
  })
})
