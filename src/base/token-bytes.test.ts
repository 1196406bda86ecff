import fc from 'fast-check'
import { expect, test } from 'vitest'
import { textHash } from './text-hash.ts'
import { TokenBytes, type TokenOptions } from './token-bytes.ts'
import { longestText } from './token-code.ts'
import { tokenCut } from './token-cut.ts'
import { textToTokens } from './tokens.ts'

const names = [
  'foo',
  'Bar',
  'HTTP',
  'x',
  'iPhone',
  'foo_bar',
  'HTTPServer2',
  'SomeName',
  ' src/main.ts ',
  'list-times.ts',
]
const numbers = ['2', '10', '2.1.219', '3.', '0x1F', '12T', '2026-03-03T09:00:10.115Z', '10.0.0.1:8080']
const ids = ['3f2a91bc', '3f2a91bc-1234-4abc-8def-0123456789AB', 'toolu_01AbCd3fGh5JkLmN9pQr', 'deadbeef01', 'ABCDEF12']
const wide = [
  'Zürich',
  'größe',
  'ﬁn',
  'Straße',
  'ПриветМир',
  'ΟΔΟΣ',
  'Éa',
  'x²',
  'ＡＢＣ',
  'Ǆ',
  'İI',
  'भाषा',
  'é',
  'e\u0301',
  'א\u05b0',
]
const unspaced = ['丸め誤差', '数', '한국', '\u1112\u1161\u11ab', 'ｶﾞｷﾞ', 'データ', '〇']
const signs = [
  ' ',
  '\n',
  '_',
  '__',
  '-',
  '--',
  '.',
  '..',
  '/',
  '+',
  '=',
  ': ',
  '@',
  '\0',
  '。',
  '→',
  '…',
  '"',
  '\\',
  '🎉',
  '\ud800',
  '\udc00',
  '\u200d',
  '𝐀',
]
const long = [
  'a'.repeat(63),
  'B'.repeat(64),
  'c'.repeat(65),
  'aB'.repeat(40),
  'dE'.repeat(130),
  'ü'.repeat(33),
  '9'.repeat(70),
  'я'.repeat(40),
]
const data = ['aB3/dE5+gH7/jK9+mN1/pQ3+sT5/vW7+yZ9/bC1+eF3=', '/home/ann/Desk/shop42/src/cartPage/Total/items']
const piece = fc.oneof(
  { arbitrary: fc.constantFrom(...names, ...numbers), weight: 4 },
  { arbitrary: fc.constantFrom(...signs), weight: 6 },
  { arbitrary: fc.constantFrom(...ids, ...wide, ...unspaced), weight: 3 },
  { arbitrary: fc.constantFrom(...long, ...data), weight: 1 },
  { arbitrary: fc.string({ unit: 'binary', maxLength: 6 }), weight: 1 },
  { arbitrary: fc.string({ maxLength: 6 }), weight: 1 },
)
const text = fc.array(piece, { maxLength: 20 }).map(parts => parts.join(''))

const copy = (from: string, bytes: Uint8Array): void => {
  bytes.set(Buffer.from(from, 'utf16le'))
}
const ways: [name: string, options: TokenOptions][] = [
  ['quick', { isQuick: true }],
  ['quick, with texts copied', { isQuick: true, copy }],
  ['plain', { isQuick: false }],
]

function tokensOf(bytes: TokenBytes, text: string): string {
  bytes.load(text, 0)
  bytes.add()
  return Buffer.from(bytes.take()).toString()
}

test.each(ways)('the bytes of several texts are their tokens, one after the other: %s', (_, options) => {
  fc.assert(
    fc.property(fc.array(text, { maxLength: 5 }), texts => {
      const bytes = new TokenBytes(options)
      const places = texts.map(each => {
        const hash = bytes.load(each, 3)
        expect(hash).toBe(textHash(each, 3))
        return bytes.add()
      })
      const all = bytes.take()
      const found = places.map(({ from, to }) => Buffer.from(all.subarray(from, to)).toString())
      expect(found).toEqual(texts.map(textToTokens))
      expect(places.at(-1)?.to ?? 0).toBe(all.length)
    }),
    { numRuns: 1500 },
  )
})

test('the quick way is there on machines that run these tests', () => {
  expect(tokenCut()).not.toBeNull()
})

test('every character of the basic plane is cut alike, before it was seen and after', () => {
  const bytes = new TokenBytes({ isQuick: true })
  for (let first = 0; first < 0x10000; first += 64) {
    const codes = Array.from({ length: 64 }, (_, n) => String.fromCharCode(first + n))
    const all = codes
      .map(c => `${c} a${c} ${c}b A${c}b ${c}${c}1 x_${c}.y${c}-${c} ${c}e\u0301 数${c}字 1.${c}`)
      .join('\n')
    const expected = textToTokens(all)
    expect(tokensOf(bytes, all), `from ${first}`).toBe(expected)
    expect(tokensOf(bytes, all), `from ${first}, again`).toBe(expected)
  }
})

test('any two signs, and any two words, may stand beside each other', () => {
  const bytes = new TokenBytes({ isQuick: true })
  const words = [...names, ...numbers, ...ids, ...wide, ...unspaced, ...long, ...data]
  for (const one of words) {
    const all = words.map(other => signs.map(sign => `${one}${sign}${other}`).join('|')).join(' ')
    expect(tokensOf(bytes, all)).toBe(textToTokens(all))
  }
})

test('a text longer than the first array makes room, also where it is too long for the quick way', () => {
  for (const long of [
    'word_two '.repeat(50_000),
    'word_two '.repeat(12_000),
    'é.x'.repeat(40_000),
    '数'.repeat(longestText),
  ]) {
    expect(tokensOf(new TokenBytes({ isQuick: true }), long)).toBe(textToTokens(long))
  }
})

test('two that take turns do not disturb each other', () => {
  const [one, other] = [new TokenBytes({ isQuick: true }), new TokenBytes({ isQuick: true })]
  one.load('first_text of one', 0)
  other.load('the second', 0)
  one.add()
  other.add()
  other.add()
  expect(Buffer.from(one.take()).toString()).toBe('first text of one _ first_text')
  expect(Buffer.from(other.take()).toString()).toBe('the secondthe second')
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

test('a hash depends on every character, on the length and on the seed, however long the text is', () => {
  const seen = new Set<number>()
  let count = 0
  const quick = new TokenBytes({ isQuick: true })
  const put = (text: string, seed: number) => {
    const hash = textHash(text, seed)
    expect(quick.load(text, seed)).toBe(hash)
    expect(hash >= 0 && hash <= Number.MAX_SAFE_INTEGER).toBe(true)
    seen.add(hash)
    count++
  }
  for (let length = 0; length < 300; length++) for (const seed of [0, 1]) put('\0'.repeat(length), seed)
  for (const length of [100, 127, 128, 129, 135, 300]) {
    for (let at = 0; at < length; at++) {
      for (const sign of ['b', '\u0100', '\ud800']) put(`${'a'.repeat(at)}${sign}${'a'.repeat(length - at - 1)}`, 0)
    }
  }
  expect(seen.size).toBe(count)
})
