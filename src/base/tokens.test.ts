import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { textToTokens, tokenize } from './tokens.ts'
import { longestToken } from './tokens-shape.ts'

interface Token {
  token: string
  from: number
  to: number
  position: number
}

function read(text: string): { all: Token[]; units: Token[]; wholes: Token[] } {
  const [all, units, wholes]: Token[][] = [[], [], []]
  if (!all || !units || !wholes) throw new Error('three lists')
  tokenize(text, (token, from, to, position) => {
    const found = { token, from, to, position }
    all.push(found)
    ;(position === units.length ? units : wholes).push(found)
  })
  return { all, units, wholes }
}

const words = (tokens: Token[]) => tokens.map(({ token }) => token).join(' ')
const unitsOf = (text: string) => words(read(text).units)

describe('units and wholes', () => {
  const cases: [text: string, units: string, wholes?: string][] = [
    ['The quick fox', 'the quick fox'],
    ['foo_bar', 'foo bar', 'foo_bar'],
    ['camelCaseHTTPServer2', 'camel case http server 2', 'camelcasehttpserver2'],
    ['XMLHttpRequest', 'xml http request', 'xmlhttprequest'],
    ['CONST_NAME', 'const name', 'const_name'],
    ['__init__ --no-verify', 'init no verify', 'no-verify'],
    ['mcp__shop__get_item', 'mcp shop get item', 'mcp__shop__get_item'],
    ['src/cli/main.ts', 'src cli main ts', 'main.ts'],
    ['/a/list-times.test.ts', 'a list times test ts', 'list-times list-times.test.ts'],
    ['C:\\Users\\ann', 'c users ann'],
    ['in 2.1.219.', 'in 2.1.219'],
    ['v2.1.219-beta', 'v 2.1.219 beta', 'v2.1.219-beta'],
    ['10.0.0.1:8080 3.14 1..2', '10.0.0.1 8080 3.14 1 2'],
    ['ann.lee@shop.example', 'ann lee shop example', 'ann.lee shop.example'],
    ['https://shop.example/x?q=1#top', 'https shop example x q 1 top', 'shop.example'],
    ['commit 3f2a91bc ABCDEF12', 'commit 3f2a91bc abcdef12'],
    ['3f2a91bc-1234-4abc-8def-0123456789AB', '3f2a91bc 3f2a91bc-1234-4abc-8def-0123456789ab'],
    ['toolu_01AbCd3fGh5JkLmN9pQr', 'toolu 01abcd3fgh5jklmn9pqr', 'toolu_01abcd3fgh5jklmn9pqr'],
    ['École e\u0301te\u0301 Straße Ærø', 'ecole ete strasse aero'],
    ['ＡＢＣ ﬁn x²', 'abc fin x 2', 'x2'],
    ['größeMax_x', 'grosse max x', 'grossemax_x'],
    ['ПриветМир ΟΔΟΣ', 'привет мир οδοσ', 'приветмир'],
    ['straße2.1.219', 'strasse 2.1.219', 'strasse2.1.219'],
    ['ÄÖÜber', 'ao uber', 'aouber'],
    ['भाषा', 'भाषा'],
    ['四捨五入丸め', '四捨 捨五 五入 入丸 丸め', 'め'],
    ['丸', '丸'],
    ['第3章節', '第 3 章節', '節'],
    ['関数foo_bar文', '関数 foo bar 文', '数 foo_bar'],
    ['データ ﾃﾞｰﾀ', 'デー ータ デー ータ', 'タ タ'],
    ['한국어 \u1112\u1161\u11ab\u1100\u116e\u11a8', '한국 국어 한국', '어 국'],
    ['hi 🎉 👩‍👩‍👧 you', 'hi you'],
    ['a\0b\u0007c\ud800d', 'a b c d'],
    ['', ''],
    ['... -- __ ///', ''],
  ]
  it.each(cases)('cuts %j', (text, units, wholes = '') => {
    const found = read(text)
    expect(words(found.units)).toBe(units)
    expect(words(found.wholes)).toBe(wholes)
  })

  it('are given to FTS5 in order, wholes after all units', () => {
    expect(textToTokens('the foo_bar in main.ts')).toBe('the foo bar in main ts _ foo_bar main.ts')
    expect(textToTokens('plain words')).toBe('plain words')
    expect(textToTokens('')).toBe('')
  })

  it('give a whole the position of its first unit', () => {
    const { wholes } = read('see list-times.ts')
    expect(wholes).toEqual([
      { token: 'list-times', from: 4, to: 14, position: 1 },
      { token: 'list-times.ts', from: 4, to: 17, position: 1 },
    ])
  })
})

describe('data and long runs', () => {
  it('keep the beginning of what is too long', () => {
    const [only] = read('a'.repeat(1000)).all
    expect(only).toEqual({ token: 'a'.repeat(longestToken), from: 0, to: 1000, position: 0 })
    expect(unitsOf('é'.repeat(1000))).toBe('e'.repeat(longestToken))
  })

  it('make a megabyte of base64 one token', () => {
    let seed = 7
    const bytes = Uint8Array.from({ length: 1_000_000 }, () => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
      return seed >> 16
    })
    const base64 = Buffer.from(bytes).toString('base64')
    expect(read(`data ${base64} end`).all.map(({ position }) => position)).toEqual([0, 1, 2])
    expect(read(Buffer.alloc(1_000_000).toString('base64')).all).toHaveLength(1)
  })

  it('take time in proportion to the text', () => {
    const shapes = ['a-', 'a.', 'a/', 'a_', 'aB', '1.', 'é', 'e\u0301', '丸', '\u0301', 'A1/', '_', '-', '3f2a91bc-']
    for (const shape of shapes) {
      const started = performance.now()
      tokenize(shape.repeat(300_000), () => {})
      expect(performance.now() - started, shape).toBeLessThan(5000)
    }
  })
})

/** Simple on purpose: another way to the same folding. */
const plain = (text: string) =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')
    .replaceAll('ß', 'ss')

const part = fc.constantFrom(
  ...['foo', 'Bar', 'HTTP', 'x', '2', '10', 'naïve', 'Éa', 'straße', 'main', 'ts', '2.1.219', '丸め', '処理', '한국'],
  ...['3f2a91bc', '3f2a91bc-1234-4abc-8def-0123456789ab', 'ПРИвет', 'e\u0301t', '𝐀b', 'ｶﾞｷﾞ', '🎉', 'deadbeef01'],
)
const joint = fc.constantFrom(...['', ' ', '_', '-', '.', '/', '\n', '__', ': ', '@', '\0', '。', '+', '="', '\\'])
const codeText = fc
  .array(fc.tuple(part, joint), { maxLength: 30 })
  .map(parts => parts.map(([text, after]) => text + after).join(''))
const anyText = fc.oneof(codeText, fc.string({ unit: 'binary', maxLength: 80 }), fc.string({ maxLength: 200 }))

describe('laws', () => {
  it('a token is made of what its place in the text says', () => {
    fc.assert(
      fc.property(codeText, text => {
        for (const { token, from, to } of read(text).all) {
          const written = plain(text.slice(from, to))
          expect(written.startsWith(plain(token)), `${token} of ${text.slice(from, to)}`).toBe(true)
          if (token.length < longestToken) expect(plain(token)).toBe(written)
        }
      }),
      { numRuns: 1500 },
    )
  })

  it('tokens survive the ascii tokenizer with _ . and - as token characters', () => {
    fc.assert(
      fc.property(anyText, text => {
        for (const { token, from, to } of read(text).all) {
          expect(token).toMatch(/^(?:[a-z0-9_.-]|[^\0-\x7f\s\p{Cs}\p{Cc}])+$/u)
          expect(token.length).toBeLessThanOrEqual(longestToken + 16)
          expect(from < to && to <= text.length).toBe(true)
        }
      }),
      { numRuns: 3000 },
    )
  })

  it('positions count units; wholes point back to one', () => {
    fc.assert(
      fc.property(anyText, text => {
        let next = 0
        for (const { position } of read(text).all) {
          if (position === next) next++
          else expect(position >= 0 && position < next).toBe(true)
        }
      }),
    )
  })

  it('what is cut out of a text at the borders of its units has the same units in the same order', () => {
    fc.assert(
      fc.property(codeText, fc.nat(), fc.nat(), (text, one, other) => {
        const { units } = read(text)
        if (units.length === 0) return
        const [first, last] = [one % units.length, other % units.length].sort((a, b) => a - b)
        const [from, to] = [units[first ?? 0]?.from ?? 0, units[last ?? 0]?.to ?? 0]
        const piece = text.slice(from, to)
        fc.pre(!looksLikeId(text, from, to))
        expect(` ${words(units)} `).toContain(` ${unitsOf(piece)} `)
      }),
      { numRuns: 4000 },
    )
  })
})

/** The exception that the tokenizer states: a cut inside a run of letters and digits, beside what may be an id. */
function looksLikeId(text: string, from: number, to: number): boolean {
  const before = /[\p{L}\p{N}\p{M}]{2}$/u.test(text.slice(Math.max(0, from - 2), from + 1))
  const after = /^[\p{L}\p{N}\p{M}]{2}/u.test(text.slice(to - 1, to + 2))
  const isCut = before || after
  return isCut && /[0-9a-f]{7}|[A-F0-9]{7}/.test(text.slice(from, to))
}
