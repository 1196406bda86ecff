import { describe, expect, it } from 'vitest'
import type { ByteSource, GenerationId } from '../model/source.ts'
import { ByteFilter } from './grep-candidates.ts'
import { rangesOf } from './grep-piece.ts'
import { sieveOf, sieveRanges, siftedAt } from './grep-sieve.ts'

const generation = 'disk:1-1-1:/log.jsonl' as GenerationId

function sourceOf(bytes: Buffer): ByteSource {
  return {
    async *read(_generation, from, to) {
      yield bytes.subarray(from, to)
    },
    readSync: (_generation, from, to) => bytes.subarray(from, to),
  }
}

const line = (record: object) => `${JSON.stringify(record)}\n`
const summary = line({ type: 'summary', summary: 'Stone fruit', leafUuid: 'u1' })
const bulk = line({ type: 'user', text: 'x'.repeat(100_000) })

/** What both ways of looking tell of a small log; they have to agree. */
function sifted(text: string) {
  const bytes = Buffer.from(text)
  const [vectors, plain] = [true, false].map(usesVectors => {
    const sieve = sieveOf(rangesOf({ generation, size: bytes.length }))
    const filter = new ByteFilter(['needle'], false, { usesVectors })
    sieveRanges(sieve, { source: sourceOf(bytes), filter, tally: null })
    return siftedAt(sieve, 0)
  })
  expect(vectors).toEqual(plain)
  return vectors
}

describe('a sieve', () => {
  it('tells which lines may match, and how long they are', () => {
    const found = line({ type: 'user', text: 'a needle' })
    expect(sifted(bulk + found + bulk)).toEqual({
      lines: [{ offset: bulk.length, length: found.length }],
      bytes: found.length,
      counted: [],
      matches: 0,
      hasSummaries: false,
    })
  })

  it('tells of summaries at both ends of a log, and not of those in its middle', () => {
    expect(sifted(summary + bulk + bulk)?.hasSummaries).toBe(true)
    expect(sifted(bulk + bulk + summary)?.hasSummaries).toBe(true)
    expect(sifted(bulk + summary + bulk)?.hasSummaries).toBe(false)
  })

  it('takes no text that speaks of summaries for one', () => {
    expect(sifted(line({ type: 'user', text: '{"type":"summary"}' }))?.hasSummaries).toBe(false)
  })

  it('sees a summary wherever it lies in a log that is all ends', () => {
    for (let shift = 0; shift < 40; shift++) {
      const before = line({ text: 'x'.repeat(64 * 1024 - 60 + shift) })
      expect(sifted(before + summary + line({ text: 'x'.repeat(2000) }))?.hasSummaries).toBe(true)
    }
  })

  it('does not rule out summaries where too many lines may match to look at all', () => {
    expect(sifted(line({ text: 'needle' }).repeat(200))).toBe(null)
  })
})
