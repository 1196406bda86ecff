import fc from 'fast-check'
import { expect, test } from 'vitest'
import { TokenBytes } from './token-bytes.ts'
import { textToTokens } from './tokens.ts'

const piece = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    'foo_bar',
    'HTTPServer2',
    ' src/main.ts ',
    '丸め誤差',
    'Zürich',
    '2.1.219',
    '🎉',
    '\ud800',
    ' ',
    'é',
    'Ǆ',
  ),
)
const text = fc.array(piece, { maxLength: 12 }).map(parts => parts.join(''))

test('the bytes of several texts are their tokens, one after the other', () => {
  fc.assert(
    fc.property(fc.array(text, { maxLength: 5 }), texts => {
      const bytes = new TokenBytes()
      const places = texts.map(each => {
        bytes.load(each, 0)
        return bytes.add()
      })
      const all = bytes.take()
      const found = places.map(({ from, to }) => Buffer.from(all.subarray(from, to)).toString())
      expect(found).toEqual(texts.map(each => Buffer.from(textToTokens(each)).toString()))
      expect(places.at(-1)?.to ?? 0).toBe(all.length)
    }),
    { numRuns: 500 },
  )
})

test('a text longer than the first array makes room', () => {
  const bytes = new TokenBytes()
  const long = 'word_two '.repeat(50_000)
  bytes.load(long, 0)
  bytes.add()
  expect(Buffer.from(bytes.take()).toString()).toBe(textToTokens(long))
})

test('texts of the same content have the same hash, others and other seeds another', () => {
  const bytes = new TokenBytes()
  const hash = bytes.load('rounding of the cart', 0)
  bytes.load('something longer that stood in the array before it', 0)
  expect(bytes.load('rounding of the cart', 0)).toBe(hash)
  expect(bytes.load('rounding of the cart', 1)).not.toBe(hash)
  expect(bytes.load('rounding of the car', 0)).not.toBe(hash)
  expect(bytes.load('rounding of the cart\0', 0)).not.toBe(hash)
  expect(Number.isSafeInteger(hash)).toBe(true)
})
