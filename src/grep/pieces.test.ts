import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { ByteSource, GenerationId } from '../model/source.ts'
import { linePieces, overlappingPieces, usualBytes } from './pieces.ts'

const generation = 'g' as GenerationId

function sourceOf(bytes: Uint8Array): ByteSource {
  return {
    async *read() {},
    readSync: (_generation, from, to) => bytes.subarray(from, Math.min(to, bytes.length)),
  }
}

it('pieces are all lines but those that are too long, at their offsets', () => {
  const aLine = fc.nat(40).map(length => 'x'.repeat(length))
  fc.assert(
    fc.property(fc.array(aLine, { maxLength: 20 }), fc.integer({ min: 1, max: 30 }), (lines, pieceBytes) => {
      const text = lines.join('\n')
      const pieces: string[] = []
      const options = { pieceBytes, longestLine: 25 }
      for (const { bytes, offset } of linePieces(sourceOf(Buffer.from(text)), generation, options)) {
        expect(text.slice(offset, offset + bytes.length)).toBe(bytes.toString())
        expect(offset === 0 || text[offset - 1] === '\n').toBe(true)
        pieces.push(bytes.toString())
      }
      const found = pieces.join('').split('\n')
      for (const line of lines.filter(one => one.length <= 25)) expect(found).toContain(line)
      expect(found.every(line => lines.includes(line) || line === '')).toBe(true)
    }),
  )
})

it('overlapping pieces contain every short text of the file', () => {
  const text = Array.from({ length: 40_000 }, (_, at) => at).join(' ')
  const pieces: string[] = []
  for (const bytes of overlappingPieces(sourceOf(Buffer.from(text)), generation, 10)) pieces.push(bytes.toString())
  expect(pieces.length).toBeGreaterThan(text.length / usualBytes)
  // Around every place where a piece may end.
  const near = pieces.flatMap((_, at) => Array.from({ length: 50 }, (_one, by) => at * (usualBytes - 10) - 25 + by))
  for (const at of near.filter(one => one >= 0 && one + 10 <= text.length)) {
    const part = text.slice(at, at + 10)
    if (!pieces.some(piece => piece.includes(part))) expect.fail(`${part} at ${at}`)
  }
})
