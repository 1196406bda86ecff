import { describe, expect, it } from 'vitest'
import type { SearchHitRow } from '../../src/server/api/api.ts'
import { cutAtMarks, filterText, groupHits, hasFilter, plainWords, toggleFilter, withSuggestion } from './query.ts'

const hit = (session: string, event: string): SearchHitRow => {
  const shown = { title: `title of ${session}`, project: '/p', projectName: 'p', snippet: 'text', highlights: [] }
  return { session, event, thread: session, label: 'answer', at: null, ...shown, highlights: [] }
}

describe('groupHits', () => {
  it('puts hits of a session together, in the order of the first', () => {
    const groups = groupHits([hit('a', '1'), hit('b', '2'), hit('a', '3')])
    expect(groups.map(({ session, hits }) => [session, hits.map(({ event }) => event)])).toEqual([
      ['a', ['1', '3']],
      ['b', ['2']],
    ])
  })
})

describe('cutAtMarks', () => {
  const marked = (text: string, marks: [number, number][]) =>
    cutAtMarks(text, marks)
      .map(piece => (piece.isMarked ? `[${piece.text}]` : piece.text))
      .join('')

  it('marks what was found and loses nothing', () => {
    expect(marked('the price of it', [[4, 9]])).toBe('the [price] of it')
    expect(
      marked('ab', [
        [0, 1],
        [1, 2],
      ]),
    ).toBe('[a][b]')
    expect(marked('plain', [])).toBe('plain')
    expect(marked('', [])).toBe('')
  })

  it('takes no harm from marks that overlap or lie outside', () => {
    expect(
      marked('abcdef', [
        [3, 99],
        [1, 4],
        [2, 2],
        [50, 60],
      ]),
    ).toBe('a[bcd][ef]')
  })
})

describe('filters in a query', () => {
  it('are added and taken away without touching the rest', () => {
    expect(toggleFilter('"a b" c', 'is:error')).toBe('"a b" c is:error')
    expect(toggleFilter('"a b" is:error c', 'is:error')).toBe('"a b" c')
    expect(toggleFilter('', 'tool:Bash')).toBe('tool:Bash')
  })

  it('replace a time, since two of them say nothing more', () => {
    expect(toggleFilter('x since:30d', 'since:7d')).toBe('x since:7d')
  })

  it('are not found inside of a phrase', () => {
    expect(hasFilter('"is:error here"', 'is:error')).toBe(false)
    expect(hasFilter('a project:"my shop"', filterText('project', 'my shop'))).toBe(true)
  })
})

describe('plainWords', () => {
  it('leaves what can be found as it is', () => {
    expect(plainWords('tool:Bash "rounding error" OR round* -test since:7d')).toBe('rounding error round')
    expect(plainWords('is:error')).toBe('')
  })
})

describe('withSuggestion', () => {
  it('replaces the word that was probably mistyped', () => {
    expect(withSuggestion('tol:Bash pricee', 'price')).toBe('tol:Bash price')
    expect(withSuggestion('tol:Bash pricee', 'tool:Bash')).toBe('tool:Bash pricee')
    expect(withSuggestion('', 'price')).toBe('price')
  })
})
