import { describe, expect, it } from 'vitest'
import type { ByteSource, GenerationId } from '../model/source.ts'
import { ByteFilter } from './candidates.ts'
import { rangesOf } from './piece.ts'
import { sieveOf, sieveRanges, siftedAt } from './sieve.ts'
import { tallyFor } from './tally.ts'

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

const said = (text: string) => line({ type: 'user', message: { role: 'user', content: text } })

/** What is told of a log whose lines are counted where they are found. */
function counted(text: string, isText?: true) {
  const bytes = Buffer.from(text)
  const ranges = rangesOf({ generation, size: bytes.length }).map(range => ({ ...range, ...(isText && { isText }) }))
  const sieve = sieveOf(ranges)
  const filter = new ByteFilter(['needle'], false)
  const expression = { source: 'needle', flags: '' }
  const context = { before: 0, after: 0 }
  const most = Number.POSITIVE_INFINITY
  const options = {
    expression,
    texts: ['needle'],
    context,
    kinds: [],
    most,
    countsOnly: true,
    countsAtOnce: true as const,
  }
  sieveRanges(sieve, { source: sourceOf(bytes), filter, tally: tallyFor(options, filter) })
  return siftedAt(sieve, 0)
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

  it('tells apart what it counted and what has to be decoded', () => {
    const [one, title, two] = [
      said('needle\nneedle'),
      line({ type: 'custom-title', customTitle: 'needle' }),
      said('a needle'),
    ]
    expect(counted(one + title + bulk + said('none') + two)).toMatchObject({
      lines: [{ offset: one.length, length: title.length }],
      bytes: title.length,
      counted: [
        { offset: 0, length: one.length },
        { offset: (one + title + bulk + said('none')).length, length: two.length },
      ],
      matches: 3,
    })
  })

  it('counts more lines than it can name, and names those that have to be decoded all the same', () => {
    const title = line({ type: 'custom-title', customTitle: 'needle' })
    expect(counted(said('needle').repeat(500) + title)).toMatchObject({
      lines: [{ offset: said('needle').length * 500, length: title.length }],
      counted: null,
      matches: 500,
    })
    expect(counted(said('needle') + title.repeat(61))).toMatchObject({ counted: [{ offset: 0 }], matches: 1 })
    expect(counted(said('needle') + title.repeat(62))).toMatchObject({ counted: null, matches: 1 })
    expect(counted(title.repeat(63))).toBe(null)
  })

  it('takes no line of a text for one of a log', () => {
    expect(counted(said('needle'), true)).toMatchObject({ lines: [{ offset: 0 }], matches: 0 })
  })

  it('does not rule out summaries where too many lines may match to look at all', () => {
    expect(sifted(line({ text: 'needle' }).repeat(200))).toBe(null)
  })
})
