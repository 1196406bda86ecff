import { expect, it } from 'vitest'
import fc from '../../test/property.ts'
import type { ByteSource, GenerationId } from '../model/source.ts'
import { linePieces } from './pieces.ts'

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
      const oversized: number[] = []
      const options = { pieceBytes, longestLine: 25, onOversized: (offset: number) => oversized.push(offset) }
      for (const { bytes, offset } of linePieces(sourceOf(Buffer.from(text)), generation, options)) {
        expect(text.slice(offset, offset + bytes.length)).toBe(bytes.toString())
        expect(offset === 0 || text[offset - 1] === '\n').toBe(true)
        pieces.push(bytes.toString())
      }
      const found = pieces.join('').split('\n')
      for (const line of lines.filter(one => one.length <= 25)) expect(found).toContain(line)
      const places = lines.map((_, at) => lines.slice(0, at).join('\n').length + (at > 0 ? 1 : 0))
      const missing = places.filter((_, at) => (lines[at]?.length ?? 0) > 25 && !found.includes(lines[at] as string))
      expect(oversized).toEqual(expect.arrayContaining(missing))
      expect(places).toEqual(expect.arrayContaining(oversized))
      expect(found.every(line => lines.includes(line) || line === '')).toBe(true)
    }),
  )
})
