import { inflateRawSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { QuickDeflate } from './quick-deflate.ts'
import { codeLengths, codesOf } from './quick-deflate-codes.ts'

const largest = 1024 * 1024

function made(): QuickDeflate {
  const quick = QuickDeflate.make(largest)
  if (quick === null) throw new Error('no WebAssembly')
  return quick
}

const quick = made()

/** Compresses, proves that zlib gives the same back, and tells how long it got. */
function proved(raw: Uint8Array): number {
  const stream = quick.deflate(raw)
  // A plain comparison: what a failing `toEqual` prints of a megabyte takes minutes.
  expect(Buffer.compare(inflateRawSync(stream), raw)).toBe(0)
  return stream.length
}

/** Bytes that look random, and are the same each time. */
function noise(length: number, seed = 1): Uint8Array {
  const bytes = new Uint8Array(length)
  let state = seed >>> 0 || 1
  for (let at = 0; at < length; at++) {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    bytes[at] = state >>> 11
  }
  return bytes
}

function text(length: number): Uint8Array {
  const words = 'the session reads a file and writes what it found as a record with a type and an id'.split(' ')
  const random = noise(length)
  let written = ''
  for (let at = 0; written.length < length; at++) written += `${words[(random[at] as number) % words.length]} `
  return new TextEncoder().encode(written.slice(0, length))
}

function joined(...parts: Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts))
}

describe('what a quick stream inflates to', () => {
  it('is nothing for nothing, in two bytes', () => {
    expect(proved(new Uint8Array(0))).toBe(2)
  })

  it('is the input for every short length', () => {
    for (let length = 1; length <= 64; length++) {
      proved(noise(length, length))
      proved(new Uint8Array(length).fill(7))
      proved(text(length))
    }
  })

  it('is the input for equal bytes, in hardly any of their size', () => {
    for (const byte of [0, 97, 255]) expect(proved(new Uint8Array(largest).fill(byte))).toBeLessThan(largest / 500)
  })

  it('is the input for random bytes, which get hardly longer', () => {
    for (const length of [1, 100, 65_535, 65_536, 65_537, 400_000, largest]) {
      expect(proved(noise(length))).toBeLessThanOrEqual(length + 5 + length / 1000)
    }
  })

  it('is the input for text, in less than half its size', () => {
    for (const length of [1000, 100_000, largest]) expect(proved(text(length))).toBeLessThan(length / 2)
  })

  it('is the input for all byte values, once and often', () => {
    const all = Uint8Array.from({ length: 256 }, (_, at) => at)
    proved(all)
    proved(joined(...Array<Uint8Array>(500).fill(all)))
    proved(Uint8Array.from({ length: 200_000 }, (_, at) => (at * at) >> 7))
  })

  it('is the input for repeats at every kind of distance', () => {
    for (const distance of [
      1, 2, 3, 4, 5, 8, 15, 16, 17, 255, 256, 257, 32_767, 32_768, 32_769, 65_535, 65_536, 65_537,
    ]) {
      const once = noise(distance, distance)
      const words = text(distance)
      proved(joined(words, words, words))
      const length = proved(joined(once, once, once))
      if (distance <= 257) expect(length).toBeLessThan(distance + 50)
    }
  })

  it('uses repeats as far back as DEFLATE can tell', () => {
    const mark = noise(100)
    const sizes = [32_767, 32_768, 32_769].map(distance => proved(joined(mark, text(distance - 100), mark)))
    const [near, farthest, tooFar] = sizes as [number, number, number]
    expect(Math.abs(farthest - near)).toBeLessThan(10)
    expect(tooFar - farthest).toBeGreaterThan(70)
  })

  it('is the input for repeats of every kind of length', () => {
    for (const length of [
      3, 4, 5, 6, 19, 20, 21, 255, 256, 257, 258, 259, 260, 261, 262, 515, 516, 517, 518, 519, 600, 5000,
    ]) {
      const once = noise(length, length)
      const between = noise(300, length + 1)
      proved(joined(once, between, once))
      proved(joined(once, between, once, noise(1), once))
    }
  })

  it('is the input for repeats that go on where a block ends', () => {
    const once = noise(30_000)
    for (const shift of [0, 1, 5, 7, 8, 9]) proved(joined(noise(shift), ...Array<Uint8Array>(20).fill(once)))
  })

  it('is the input where noise is followed by text, and text by noise', () => {
    const size = proved(joined(noise(200_000), text(200_000), noise(200_000)))
    expect(size).toBeLessThan(400_000 + 100_000)
  })

  it('is the input for sizes around borders of blocks', () => {
    for (const size of [131_071, 131_072, 131_073, 196_607, 196_608, 196_609, largest - 1, largest]) proved(text(size))
  })

  it('is the input where the rarest bytes would get codes longer than DEFLATE has', () => {
    const bytes: number[] = []
    for (let at = 0, one = 1, other = 1; at < 24; at++, [one, other] = [other, one + other]) {
      for (let n = 0; n < one; n++) bytes.push(at)
    }
    // Shuffled, so that no repeats are found instead.
    const random = noise(4 * bytes.length)
    const view = new DataView(random.buffer)
    for (let at = bytes.length - 1; at > 0; at--) {
      const other = view.getUint32(4 * at) % (at + 1)
      const held = bytes[at] as number
      bytes[at] = bytes[other] as number
      bytes[other] = held
    }
    proved(Uint8Array.from(bytes))
  })

  it('is the input for any mixture of repeats and noise', () => {
    const part = fc.oneof(
      fc.record({ kind: fc.constant('noise'), length: fc.integer({ min: 0, max: 3000 }), seed: fc.nat() }),
      fc.record({ kind: fc.constant('same'), length: fc.integer({ min: 0, max: 1200 }), seed: fc.nat() }),
      fc.record({ kind: fc.constant('few'), length: fc.integer({ min: 0, max: 3000 }), seed: fc.nat() }),
      fc.record({ kind: fc.constant('again'), length: fc.integer({ min: 0, max: 70_000 }), seed: fc.nat() }),
    )
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), parts => {
        let raw: Uint8Array = new Uint8Array(0)
        for (const { kind, length, seed } of parts) {
          if (kind === 'noise') raw = joined(raw, noise(length, seed))
          else if (kind === 'same') raw = joined(raw, new Uint8Array(length).fill(seed))
          else if (kind === 'few')
            raw = joined(
              raw,
              noise(length, seed).map(byte => byte & 3),
            )
          else raw = joined(raw, raw.slice(raw.length === 0 ? 0 : seed % raw.length).slice(0, length))
        }
        proved(raw)
      }),
      { numRuns: 400 },
    )
  })
})

describe('an encoder', () => {
  it('gives for each of several inputs what a new one gives', () => {
    const inputs = [text(300_000), noise(50_000), new Uint8Array(0), text(20), new Uint8Array(9).fill(1), text(300_000)]
    for (const input of inputs) expect(Buffer.compare(quick.deflate(input), made().deflate(input))).toBe(0)
  })

  it('leaves what it gave alone, and the input too', () => {
    const input = text(5000)
    const first = quick.deflate(input)
    quick.deflate(noise(5000))
    expect(inflateRawSync(first)).toEqual(Buffer.from(input))
    expect(input).toEqual(text(5000))
  })

  it('leaves room around the stream where it is asked for', () => {
    const roomy = quick.deflate(text(500), 10, 8)
    expect(roomy.subarray(10, -8)).toEqual(quick.deflate(text(500)))
  })

  it('refuses more than it has room for', () => {
    expect(() => quick.deflate(new Uint8Array(largest + 1))).toThrow(RangeError)
  })

  it('may be small', () => {
    const small = QuickDeflate.make(100)
    for (const input of [noise(100), text(100), text(1)]) {
      expect(inflateRawSync(small?.deflate(input) ?? new Uint8Array(0))).toEqual(Buffer.from(input))
    }
  })

  it('is not there without WebAssembly', () => {
    vi.stubGlobal('WebAssembly', undefined)
    try {
      expect(QuickDeflate.make(largest)).toBeNull()
    } finally {
      vi.unstubAllGlobals()
    }
  })
})

describe('codes', () => {
  const space = (lengths: Uint8Array) => lengths.reduce((sum, length) => sum + (length > 0 ? 2 ** -length : 0), 0)

  it('use all the bits there are, within the limit, and frequent symbols get the short ones', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.constant(0), fc.nat(50), fc.nat(190_000)), { minLength: 2, maxLength: 288 }),
        all => {
          const counts = Uint32Array.from(all)
          const lengths = codeLengths(counts, 14)
          expect(space(lengths)).toBe(1)
          expect(Math.max(...lengths)).toBeLessThanOrEqual(14)
          const used = [...counts.keys()].filter(symbol => counts[symbol] !== 0)
          expect(used.every(symbol => lengths[symbol] !== 0)).toBe(true)
          const byCount = used.sort((one, other) => (counts[one] as number) - (counts[other] as number))
          for (let at = 1; at < byCount.length; at++) {
            const [rarer, other] = [byCount[at - 1] as number, byCount[at] as number]
            if (counts[rarer] !== counts[other]) expect(lengths[rarer]).toBeGreaterThanOrEqual(lengths[other] as number)
          }
        },
      ),
    )
  })

  it('are the ones of the example in RFC 1951, the first bit lowest', () => {
    const codes = codesOf(Uint8Array.from([3, 3, 3, 3, 3, 2, 4, 4]))
    const written = ['010', '011', '100', '101', '110', '00', '1110', '1111']
    expect([...codes]).toEqual(written.map(code => Number.parseInt([...code].reverse().join(''), 2)))
  })

  it('are as short as Huffman codes are', () => {
    expect([...codeLengths(Uint32Array.from([1, 1, 2, 4, 8]), 14)]).toEqual([4, 4, 3, 2, 1])
    expect([...codeLengths(Uint32Array.from([5, 0, 5, 5, 5]), 14)]).toEqual([2, 0, 2, 2, 2])
    expect([...codeLengths(Uint32Array.from([0, 0, 9]), 14)]).toEqual([1, 0, 1])
  })
})
