import { expect, test } from 'vitest'
import fc from '../../test/property.ts'
import { addedFile, computedDiff, loggedDiff } from './diff.ts'
import type { DiffPart } from './view.ts'

/** The old (`-`) or new (`+`) lines that a diff speaks of. */
function side(diff: DiffPart, sign: '+' | '-'): string[] {
  return diff.hunks.flatMap(hunk =>
    hunk.lines.filter(line => line.sign !== (sign === '+' ? '-' : '+')).map(line => line.text),
  )
}

test('the patch of the log is taken as it is, its marks apart', () => {
  const patch = [{ oldStart: 3, newStart: 5, lines: [' a', '-b', '+c', '', '\\ No newline at end of file'] }]
  expect(loggedDiff('f', patch)).toEqual({
    type: 'diff',
    path: 'f',
    added: 1,
    removed: 1,
    hunks: [
      {
        oldStart: 3,
        newStart: 5,
        lines: [
          { sign: ' ', text: 'a' },
          { sign: '-', text: 'b' },
          { sign: '+', text: 'c' },
          { sign: ' ', text: '' },
        ],
      },
    ],
  })
})

test('what is not a patch gives none', () => {
  for (const odd of [undefined, null, [], 'x', [null], [{}], [{ lines: 'a' }], [{ lines: [1, null] }]]) {
    expect(loggedDiff('f', odd)).toBeUndefined()
  }
})

test('a new file is all added', () => {
  expect(addedFile('f', 'a\n\nb\n')).toMatchObject({ added: 3, removed: 0 })
  expect(addedFile('f', '').hunks).toEqual([])
})

test('a computed diff has the old lines and the new ones', () => {
  const texts = fc
    .array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 30 })
    .map(lines => lines.map(line => `${line}\n`).join(''))
  fc.assert(
    fc.property(texts, texts, (before, after) => {
      const diff = computedDiff('f', [[before, after]])
      expect(diff.isComputed).toBe(true)
      const count = (text: string) => text.split('\n').length - 1
      expect(diff.added - diff.removed).toBe(count(after) - count(before))
      for (const [sign, text] of [
        ['+', after],
        ['-', before],
      ] as const) {
        for (const line of side(diff, sign)) expect(text.split('\n')).toContain(line)
      }
    }),
  )
})

test('texts that have nothing in common are replaced, quickly', { tags: 'deep' }, () => {
  const lines = (mark: string) => Array.from({ length: 20_000 }, (_, at) => `${mark}${at}`).join('\n')
  const started = performance.now()
  const diff = computedDiff('f', [[`same\n${lines('a')}\nend`, `same\n${lines('b')}\nend`]])
  expect(performance.now() - started).toBeLessThan(5_000)
  expect(diff).toMatchObject({ added: 20_000, removed: 20_000 })
  expect(diff.hunks[0]?.lines[0]).toEqual({ sign: ' ', text: 'same' })
  expect(diff.hunks[0]?.lines.at(-1)).toEqual({ sign: ' ', text: 'end' })
})

test('a missing line end at the end of a fragment is not a change', () => {
  expect(computedDiff('f', [['a\nb', 'a\nc']]).removed).toBe(1)
  expect(computedDiff('f', [['a', 'a\nb']])).toMatchObject({ added: 1, removed: 0 })
})
