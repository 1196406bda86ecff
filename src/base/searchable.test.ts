import { DatabaseSync } from '@photostructure/sqlite'
import { describe, expect, it } from 'vitest'
import fc from '../../test/property.ts'
import { eachWord, foldWord, nameParts, searchable } from './searchable.ts'

/** The terms that FTS5 makes of texts, in order. */
function termsOf(text: string): string[] {
  const db = new DatabaseSync(':memory:')
  db.exec("CREATE VIRTUAL TABLE w USING fts5(text, content='', tokenize = 'unicode61 remove_diacritics 2')")
  db.exec("CREATE VIRTUAL TABLE v USING fts5vocab('w', 'instance')")
  db.prepare('INSERT INTO w (rowid, text) VALUES (1, ?)').run(text)
  const rows = db.prepare('SELECT term FROM v ORDER BY offset').all() as { term: string }[]
  db.close()
  return rows.map(({ term }) => term)
}

function wordsOf(text: string): string[] {
  const words: string[] = []
  eachWord(text, word => words.push(foldWord(word)))
  return words
}

describe('searchable', () => {
  const cases: [text: string, terms: string][] = [
    ['The quick fox', 'the quick fox'],
    ['foo_bar --no-verify', 'foo bar no verify'],
    ['call getUserName now', 'call getusername now \ue000 get user name'],
    ['XMLHttpRequest', 'xmlhttprequest \ue000 xml http request'],
    ['test_fooBar', 'test foobar \ue000 foo bar'],
    ['isOk aB', 'isok ab \ue000 is ok'],
    ['parseHttp2Config', 'parsehttp2config \ue000 parse http2 config'],
    ['fooBar fooBar', 'foobar foobar \ue000 foo bar'],
    ['toolu_01AbCd3fGh5JkLmN9pQr', 'toolu 01abcd3fgh5jklmn9pqr'],
    ['QmXyZaBcDeFgHiJkLmNoPqRs', 'qmxyzabcdefghijklmnopqrs'],
    ['src/cli/main.ts', 'src cli main ts'],
    ['École e\u0301te\u0301', 'ecole ete'],
    ['ＡＢＣ ﬁn', 'abc fin'],
    ['四捨五入。丸め', '四 捨 五 入 丸 め'],
    ['関数foo_bar文', '関 数 foo bar 文'],
    ['한국어 \u1112\u1161\u11ab', '한 국 어 한'],
    ['a\0b', 'a b'],
    ['hi 🎉 you', 'hi you'],
  ]
  it.each(cases)('makes FTS5 index %j as %j', (text, terms) => {
    expect(termsOf(searchable(text)).join(' ')).toBe(terms)
  })

  // Where it took the square of that, the test runner would not wait for it.
  it('takes time in proportion to the text', () => {
    for (const shape of ['a', 'A', 'aB', 'a1', 'é', '丸', 'e\u0301', 'a_', 'ABc']) {
      expect(searchable(shape.repeat(500_000)).length, shape).toBeGreaterThanOrEqual(500_000)
    }
  })
})

describe('words', () => {
  const part = fc.constantFrom('foo', 'Bar', 'HTTP', 'x2', 'naïve', 'Éa', 'e\u0301t', '丸め', '한국', '🎉', 'привет')
  const joint = fc.constantFrom('', ' ', '_', '-', '.', '/', '\n', ': ', '。', '"', '\0')
  const text = fc.array(fc.tuple(part, joint), { maxLength: 12 }).map(list => list.flat().join(''))

  it('are those that FTS5 indexes, before the parts of names', () => {
    fc.assert(
      fc.property(text, written => {
        const terms = termsOf(searchable(written))
        const words = wordsOf(written)
        expect(terms.slice(0, words.length)).toEqual(words)
        if (terms.length > words.length) expect(terms[words.length]).toBe('\ue000')
      }),
      { numRuns: 300 },
    )
  })

  it('say where they are', () => {
    const found: [string, number, number][] = []
    eachWord('Zürich 丸め', (word, from, to) => found.push([word, from, to]))
    expect(found).toEqual([
      ['Zürich', 0, 6],
      ['丸', 7, 8],
      ['め', 8, 9],
    ])
  })
})

it('parts of a name are what it is written from', () => {
  expect(nameParts('getUserName')).toEqual(['get', 'User', 'Name'])
  expect(nameParts('plain')).toEqual([])
  expect(nameParts('CONSTANT')).toEqual([])
})
