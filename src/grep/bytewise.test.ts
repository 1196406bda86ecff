import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bytewise, isAsciiOnly } from './bytewise.ts'

const of = (source: string, flags = '') => bytewise({ source, flags })

const anAtom = fc.constantFrom(
  ...[
    'a',
    'b',
    '-',
    '\\.',
    '.',
    '\\d',
    '\\w',
    '\\W',
    '\\D',
    '\\s',
    '\\S',
    '[ab]',
    '[^ab]',
    '[^\\s]',
    '[\\s,]',
    '[\\d-]',
  ],
)
const aQuantifier = fc.constantFrom('', '', '', '*', '+', '?', '{2}', '{1,2}', '{2,}', '+?', '??', '{1,2}?')
const aTerm = fc.tuple(anAtom, aQuantifier).map(parts => parts.join(''))
const aSource = fc
  .array(
    fc.oneof(
      aTerm,
      aTerm,
      fc.constantFrom('\\b', '\\B', '^', '$', '|'),
      fc.tuple(aTerm, aTerm, fc.constantFrom('', '?', '*')).map(([one, other, count]) => `(${one}|${other})${count}`),
    ),
    { minLength: 1, maxLength: 5 },
  )
  .map(parts => parts.join(''))
const aText = fc
  .array(fc.constantFrom('a', 'b', '-', ' ', '.', '7', 'é', 'à', '\u00a0', '\u2003', '\u2028', '島', '🍱', '\ud83c'), {
    maxLength: 8,
  })
  .map(parts => parts.join(''))

describe('an expression for bytes', () => {
  it('matches the bytes of every text that the expression itself matches', () => {
    fc.assert(
      fc.property(aSource, aText, fc.constantFrom('', 'i'), (source, text, flags) => {
        const rewritten = of(source, flags)
        if (rewritten === null || !new RegExp(source, flags).test(text)) return
        const bytes = Buffer.from(text).toString('latin1')
        expect(new RegExp(rewritten, `${flags}m`).test(bytes), `${source} → ${rewritten}`).toBe(true)
        // Escapes of JSON put characters in as they are.
        expect(new RegExp(rewritten, `${flags}m`).test(text), `${source} → ${rewritten}`).toBe(true)
      }),
      { numRuns: 20_000 },
    )
  })

  it('matches the same in bytes where it only meets ASCII', () => {
    expect(isAsciiOnly({ source: '\\d{2}:\\d{2}|^[a-f]+\\b', flags: 'i' })).toBe(true)
    for (const source of ['a.', '[^a]', '\\s', 'a\\Bb', '島']) expect(isAsciiOnly({ source, flags: '' })).toBe(false)
    fc.assert(
      fc.property(aSource, aText, fc.constantFrom('', 'i'), (source, text, flags) => {
        if (!isAsciiOnly({ source, flags })) return
        const bytes = Buffer.from(text).toString('latin1')
        expect(new RegExp(source, flags).test(bytes), source).toBe(new RegExp(source, flags).test(text))
      }),
      { numRuns: 20_000 },
    )
  })

  it('leaves what only meets ASCII as it is, and gives room to the rest', () => {
    expect(of('[xq]{4}[0-9]+\\d\\b')).toBe('[xq]{4}[0-9]+\\d\\b')
    expect(of('a.c')).toBe('a.{1,3}c')
    expect(of('^.{2,4}$')).toBe('^.{2,12}$')
    expect(of('[^a]*b')).toBe('[^a]*b')
  })

  it('is missing where bytes may tell something else', () => {
    for (const source of ['島', '[é]', '(?=a)b', '(a)\\1', '\\x41', '\\p{L}', '(?<!a)b', '(.a)+', '{a']) {
      expect(of(source), source).toBeNull()
    }
    expect(of('a', 'u')).toBeNull()
  })
})
