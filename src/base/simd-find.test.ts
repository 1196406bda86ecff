import { describe, expect, it } from 'vitest'
import { simdFinder, type Wanted } from './simd-find.ts'

const size = 4096

/** All places that are found among these characters, each a byte. */
function placesIn(text: string, wanted: Wanted): number[] {
  const finder = simdFinder(wanted, size)
  if (finder === null) throw new Error('this machine has no vectors')
  finder.bytes.fill(0x2e)
  finder.bytes.set(Uint8Array.from(text, character => character.charCodeAt(0)))
  const places: number[] = []
  for (let at = finder.next(0, text.length); at !== -1; at = finder.next(at + 1, text.length)) places.push(at)
  return places
}

describe('finding texts sixteen bytes at a time', () => {
  it('finds a text wherever it begins, and no other place', () => {
    for (let at = 0; at < 70; at++) {
      const text = `${'.'.repeat(at)}needle${'.'.repeat(40)}`
      expect(placesIn(text, { texts: ['needle'], ignoresCase: false })).toEqual([at])
    }
  })

  it('finds several that stand close together, in their order', () => {
    const wanted: Wanted = { texts: ['abab', 'needle'], ignoresCase: false }
    expect(placesIn('ababab needle needle abab', wanted)).toEqual([0, 2, 7, 14, 21])
  })

  it('tells a text from what only has its rarest characters, as far as its sixteenth character', () => {
    const wanted: Wanted = { texts: ['{ value: 4242, and more }'], ignoresCase: false }
    expect(placesIn('{ other: 4242, and more } { value: 4242, and less } { value: 4242, and more }', wanted)).toEqual([
      26, 52,
    ])
  })

  it('takes capital letters for small ones where case does not count, and nothing else for another', () => {
    const texts = 'Needle@ nEEDLE@ needle` needle@ NEEDLE`'
    expect(placesIn(texts, { texts: ['needle@'], ignoresCase: true })).toEqual([0, 8, 24])
    expect(placesIn(texts, { texts: ['needle@'], ignoresCase: false })).toEqual([24])
  })

  it('stops at escapes by number and at single bytes, unless only the text is wanted', () => {
    const text = 'a\\u0062c \0 \\n abc'
    const wanted: Wanted = { texts: ['abc'], ignoresCase: false, bytes: [0] }
    expect(placesIn(text, wanted)).toEqual([1, 9, 14])
    expect(placesIn(text, { texts: ['abc'], ignoresCase: false, isPlain: true })).toEqual([14])
  })
})
