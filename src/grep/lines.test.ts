import { describe, expect, it } from 'vitest'
import { expressionOf } from './expression.ts'
import { LineMatcher } from './lines.ts'

const slow = `${'a'.repeat(60)}!`

function matcherOf(query: string): LineMatcher {
  return new LineMatcher(expressionOf({ query, ignoresCase: false, isFixed: false }), {
    context: { before: 0, after: 0 },
  })
}

describe('a text searched line by line with a time limit', () => {
  it('goes on after a slow line', () => {
    const { found, skipped } = matcherOf('(a+)+b').findSlowly(`aab\n${slow}\nab`, 20)
    expect(found.map(({ line }) => line)).toEqual([1, 3])
    expect(skipped).toEqual([2])
  })

  it('is left after ten of them, however many there are', () => {
    const text = Array.from({ length: 40 }, () => slow).join('\n')
    expect(matcherOf('(a+)+b').findSlowly(text, 20).skipped).toHaveLength(10)
  })
})
