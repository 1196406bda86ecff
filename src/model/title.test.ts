import { expect, it } from 'vitest'
import fc from '../../test/property.ts'
import { namedTitle } from './title.ts'

const titleOf = (lastPrompt: string): string | undefined => namedTitle({ lastPrompt })?.title

/** The whole text on one line, then cut. */
function cutAfterwards(text: string): string | undefined {
  const line = text.replace(/\s*\n\s*/g, ' ').trim()
  if (line.length <= 200) return line === '' ? undefined : line
  const end = /[\ud800-\udbff]/.test(line.charAt(199)) ? 199 : 200
  return `${line.slice(0, end).trimEnd()}…`
}

it('a title is the beginning of the prompt on one line', () => {
  const piece = fc.oneof(
    fc.constantFrom(' ', '\n', ' \n\t ', '\u00a0', 'tea', '😀', 'x'.repeat(99), 'y'.repeat(500)),
    fc.string({ maxLength: 60 }),
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 20 }), pieces => {
      expect(titleOf(pieces.join(''))).toBe(cutAfterwards(pieces.join('')))
    }),
  )
})
