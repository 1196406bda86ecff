import { spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
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

  it('skips the slow line alone on a machine whose processors are all busy', () => {
    const busy = Array.from({ length: 2 * availableParallelism() }, () => spawn(process.execPath, ['-e', 'for (;;);']))
    try {
      // A few milliseconds of work for each, in a limit of some times that.
      const good = Array.from({ length: 30 }, () => `${'a'.repeat(17)}! b`)
      const { found, skipped } = matcherOf('(a+)+b| b').findSlowly([...good, slow, 'x b'].join('\n'), 40)
      expect(skipped).toEqual([31])
      expect(found.map(({ line }) => line)).toEqual([...good.keys()].map(at => at + 1).concat(32))
    } finally {
      for (const one of busy) one.kill('SIGKILL')
    }
  })

  it('is left after ten of them, however many there are', () => {
    const text = Array.from({ length: 40 }, () => slow).join('\n')
    expect(matcherOf('(a+)+b').findSlowly(text, 20).skipped).toHaveLength(10)
  })
})
