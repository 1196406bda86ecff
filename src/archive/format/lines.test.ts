import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../base/json.ts'
import { lineText, readSegment, segmentBytes } from './lines.ts'

const small: JsonObject[] = [
  { clew: 'archive', format: 2, segment: 3, previous: 'ab12' },
  { frame: 'f0', pack: 'p.gz', at: 0, stored: 20, bytes: 40 },
  { generation: 'g1', home: '/h', path: 'projects/ä \u2028*J,"check":"00000000"}/x.jsonl', size: 40, frames: ['f0'] },
  { forgotten: 's' },
]

describe('a segment', () => {
  const bytes = segmentBytes(small)

  it('gives its lines back', () => {
    const read = readSegment(bytes)
    expect(read.isIntact).toBe(true)
    expect(read.damaged).toEqual([])
    expect(read.values.map(({ check: _check, ...value }) => value)).toEqual(small)
  })

  it('is plain lines of JSON', () => {
    const texts = bytes.toString('utf8').trimEnd().split('\n')
    expect(texts).toHaveLength(small.length + 1)
    expect(JSON.parse(texts.at(-1) ?? '')).toEqual({
      end: small.length,
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
    expect(texts[1]).toBe(lineText(small[1] ?? {}))
  })

  it('notices every single flipped bit, which costs the line that it hits and no other', () => {
    const lineOf = lineAt(bytes)
    let reported = 0
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const damaged = Buffer.from(bytes)
      const at = bit >> 3
      damaged[at] = (damaged[at] ?? 0) ^ (1 << (bit & 7))
      const read = readSegment(damaged)
      const hit = lineOf(at)
      const rest = small.filter((_, index) => index !== hit)
      if (read.isIntact) throw new Error(`bit ${bit} is not noticed`)
      const values = JSON.stringify(read.values.map(({ check: _check, ...value }) => value))
      if (values === JSON.stringify(small)) continue
      if (values !== JSON.stringify(rest)) throw new Error(`bit ${bit} costs ${values}`)
      if (hit !== null && read.damaged.length === 0) throw new Error(`bit ${bit} damages a line that is not reported`)
      reported++
    }
    expect(reported).toBeGreaterThan(bytes.length)
  })

  it('notices every byte that is missing, doubled or cut off at its end, and every two lines that changed places', () => {
    for (let at = 0; at < bytes.length; at++) {
      const [head, tail] = [bytes.subarray(0, at), bytes.subarray(at)]
      expect(readSegment(Buffer.from(head)).isIntact).toBe(false)
      expect(readSegment(Buffer.concat([head, tail.subarray(1)])).isIntact).toBe(false)
      expect(readSegment(Buffer.concat([head, tail.subarray(0, 1), tail])).isIntact).toBe(false)
    }
    const texts = bytes.toString('utf8').split('\n')
    const [first = '', second = '', ...others] = texts
    const swapped = readSegment(Buffer.from([second, first, ...others].join('\n')))
    expect(swapped.isIntact).toBe(false)
    expect(swapped.values).toHaveLength(small.length)
  })

  it('never lets a wrong line through where a sector of it is zeros or noise', () => {
    const known = new Set(small.map(value => JSON.stringify(value)))
    for (let from = 0; from < bytes.length; from += 7) {
      for (const filler of [0, 0xff, 0x0a, 0x22]) {
        const damaged = Buffer.from(bytes).fill(filler, from, Math.min(bytes.length, from + 64))
        const read = readSegment(damaged)
        expect(read.isIntact).toBe(false)
        for (const { check: _check, ...value } of read.values) expect(known).toContain(JSON.stringify(value))
      }
    }
  })

  it.each([[''], ['\n'], ['\n\n'], ['{}'], ['{}\n'], ['{"end":0}\n'], ['not a segment']])(
    'of %j is not intact',
    text => {
      const read = readSegment(Buffer.from(text))
      expect(read.isIntact).toBe(false)
      expect(read.values).toEqual([])
    },
  )
})

/** The line that a byte belongs to; null for the ends of lines and for the last line, which guards the others. */
function lineAt(bytes: Buffer): (at: number) => number | null {
  const lines: (number | null)[] = []
  let line = 0
  for (const byte of bytes) {
    lines.push(byte === 0x0a || line === small.length ? null : line)
    if (byte === 0x0a) line++
  }
  return at => lines[at] ?? null
}
