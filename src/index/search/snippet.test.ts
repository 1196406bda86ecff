import { describe, expect, it } from 'vitest'
import { columnsOf } from '../../base/width.ts'
import { parseQuery } from './query.ts'
import { requiredTerms } from './rank.ts'
import { snippetOf } from './snippet.ts'

function shown(text: string, query: string, columns = 60) {
  const { expression } = parseQuery(query, { now: 0 })
  const found = snippetOf(text, expression === null ? [] : requiredTerms(expression), columns)
  return { ...found, words: found.highlights.map(([from, to]) => found.snippet.slice(from, to)) }
}

describe('snippetOf', () => {
  it('shows a short text whole, on one line', () => {
    expect(shown('One\n\n  two\tthree', 'two')).toMatchObject({ snippet: 'One two three', words: ['two'] })
  })

  it('cuts around the words and says so', () => {
    const text = `${'before '.repeat(40)}the needle here ${'after '.repeat(40)}`
    const { snippet, words } = shown(text, 'needle')
    expect(snippet).toMatch(/^….*the needle here.*…$/)
    expect(columnsOf(snippet)).toBeLessThanOrEqual(60)
    expect(words).toEqual(['needle'])
  })

  it('prefers the place where all words are together', () => {
    const text = `alpha ${'x '.repeat(200)} beta ${'y '.repeat(200)} alpha and beta ${'z '.repeat(100)}`
    expect(shown(text, 'alpha beta').words).toEqual(['alpha', 'beta'])
  })

  it('finds words far down in a long text', () => {
    const text = `${'filler word '.repeat(20_000)}\nthe needle\n${'more '.repeat(500)}`
    expect(shown(text, 'needle').words).toEqual(['needle'])
  })

  it('is not misled by a longer word that only looks like it, nor by accents, far down in a long text', () => {
    const filler = 'cartography discarted '.repeat(600)
    expect(shown(`${filler} the cart ${filler}`, 'cart')).toMatchObject({ words: ['cart'] })
    expect(shown(`${filler} in Zürich ${filler}`, 'zurich').words).toEqual(['Zürich'])
    expect(shown(`${filler} read main.ts now ${filler}`, 'main.ts').words).toEqual(['main.ts'])
    expect(shown(`${filler} mainxts ${filler}`, 'main.ts').words).toEqual([])
  })

  it('never takes a word that the end of a piece would cut for a shorter one', () => {
    for (let length = 900; length < 1030; length++) {
      const text = `${'x'.repeat(200)} ${'y '.repeat(Math.floor((length - 200) / 2))}${length % 2 ? '' : 'y'}cartography, then cart`
      expect(shown(text, 'cart').words, String(length)).toEqual(['cart'])
    }
  })

  it('marks parts of names, phrases, beginnings and other scripts where they are', () => {
    expect(shown('call getUserName() now', 'user').words).toEqual(['User'])
    expect(shown('call getUserName() now', 'getusername').words).toEqual(['getUserName'])
    expect(shown('<session-start-hook> ran', 'SessionStart', 20).words).toEqual(['session-start'])
    expect(shown('see src/cart-total.ts there', 'cart-total.ts').words).toEqual(['cart-total.ts'])
    expect(shown('a rounding error, again', '"rounding error"').words).toEqual(['rounding error'])
    expect(shown('it was rounded', 'round*').words).toEqual(['rounded'])
    expect(shown('来週の献立を作る', '献立').words).toEqual(['献立'])
    expect(shown('Crème brûlée', 'creme').words).toEqual(['Crème'])
  })

  it('cuts no character in two', () => {
    for (let columns = 20; columns < 40; columns++) {
      const { snippet } = shown(`${'🍱'.repeat(30)} bento ${'🍱'.repeat(30)}`, 'bento', columns)
      expect(snippet).not.toMatch(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/)
      expect(columnsOf(snippet)).toBeLessThanOrEqual(columns)
    }
  })

  it('shows the beginning where no word was asked for', () => {
    expect(shown('\n  Hello there', 'kind:prompt')).toMatchObject({ snippet: 'Hello there', highlights: [] })
  })
})
