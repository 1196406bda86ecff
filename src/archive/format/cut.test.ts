import { describe, expect, it } from 'vitest'
import { logBytes } from '../../../test/archive/fixture.ts'
import fc from '../../../test/property.ts'
import { FrameCutter } from './cut.ts'
import { largestFrame } from './layout.ts'
import { hashOf } from './lines.ts'

const least = 128 * 1024

function cut(bytes: Buffer, borders: readonly number[] = []): Buffer[] {
  const cutter = new FrameCutter()
  const frames: Buffer[] = []
  let at = 0
  for (const border of [...borders, bytes.length].sort((a, b) => a - b)) {
    frames.push(...cutter.push(bytes.subarray(at, border)))
    at = border
  }
  const rest = cutter.end()
  return rest.length > 0 ? [...frames, rest] : frames
}

const idsOf = (frames: readonly Buffer[]) => frames.map(hashOf)

function shared(one: readonly Buffer[], other: readonly Buffer[]): number {
  const ids = new Set(idsOf(one))
  return idsOf(other).filter(id => ids.has(id)).length
}

describe('frames', () => {
  const long = logBytes(1, 6_000_000)

  it('end where the content says, in whatever chunks it comes', () => {
    const whole = idsOf(cut(long))
    expect(whole.length).toBeGreaterThan(8)
    const borders = fc.array(fc.nat(long.length), { maxLength: 200 })
    fc.assert(
      fc.property(borders, chosen => {
        expect(idsOf(cut(long, chosen))).toEqual(whole)
      }),
      { seed: 11, numRuns: 25 },
    )
  })

  it('are cut the same way byte by byte around every border', () => {
    const frames = cut(long)
    const borders: number[] = []
    let at = 0
    for (const frame of frames) {
      at += frame.length
      for (let near = at - 3; near <= at + 3; near++) borders.push(Math.min(long.length, near))
    }
    expect(idsOf(cut(long, borders))).toEqual(idsOf(frames))
  })

  it('joined again are the input, none above 1 MiB, and only the last one short', () => {
    const content = fc.oneof(
      fc.uint8Array({ maxLength: 5000 }),
      fc.tuple(fc.nat(), fc.nat(1_500_000)).map(([seed, size]) => logBytes(seed, size)),
      fc.nat(3_000_000).map(size => Buffer.alloc(size, 'x')),
      fc.nat(700_000).map(size => Buffer.alloc(size, '\n')),
    )
    fc.assert(
      fc.property(content, bytes => {
        const frames = cut(Buffer.from(bytes))
        expect(Buffer.concat(frames).equals(bytes)).toBe(true)
        for (const frame of frames) expect(frame.length).toBeLessThanOrEqual(largestFrame)
        for (const frame of frames.slice(0, -1)) expect(frame.length).toBeGreaterThanOrEqual(least)
        for (const frame of frames) expect(frame.length).toBeGreaterThan(0)
      }),
      { seed: 12, numRuns: 60 },
    )
  })

  it('of one line of any length are 1 MiB each', () => {
    const frames = cut(Buffer.alloc(3 * largestFrame + 17, 'x'))
    expect(frames.map(frame => frame.length)).toEqual([largestFrame, largestFrame, largestFrame, 17])
  })

  it('of nothing are none', () => {
    expect(cut(Buffer.alloc(0))).toEqual([])
  })

  it('continue from a border as if the file began there', () => {
    const frames = cut(long)
    const first = frames[0]?.length ?? 0
    expect(idsOf(cut(long.subarray(first)))).toEqual(idsOf(frames).slice(1))
  })

  it('continue like that also where lines are longer than a frame must be', () => {
    const lines = Array.from(
      { length: 60 },
      (_, index) => `${logBytes(index, 140_000).toString().replaceAll('\n', ' ')}\n`,
    )
    for (let rest = Buffer.from(lines.join('')); rest.length > 0; ) {
      const [first, ...others] = cut(rest)
      rest = rest.subarray(first?.length)
      expect(idsOf(cut(rest))).toEqual(idsOf(others))
    }
  })

  it('tell how much waits for a border', () => {
    const cutter = new FrameCutter()
    const done = cutter.push(long).reduce((sum, frame) => sum + frame.length, 0)
    expect(cutter.waiting).toBe(long.length - done)
    expect(cutter.end().length).toBe(long.length - done)
    expect(cutter.waiting).toBe(0)
  })

  it('are shared by a fork that has a long run of lines of another file', () => {
    const fork = Buffer.concat([logBytes(7, 333_333), Buffer.from('\n'), long, logBytes(8, 400_000)])
    const frames = cut(long)
    expect(shared(frames, cut(fork))).toBeGreaterThanOrEqual(frames.length - 4)
  })

  it('of a session that was continued under another name are all the same up to its open end', () => {
    const frames = cut(long)
    const longer = cut(Buffer.concat([long, logBytes(9, 900_000)]))
    expect(shared(frames, longer)).toBeGreaterThanOrEqual(frames.length - 1)
  })

  it.each([0, 1_000_000, 3_000_000])('change little when one line comes in at byte %i', place => {
    const line = place === 0 ? 0 : long.indexOf('\n', place) + 1
    const changed = Buffer.concat([long.subarray(0, line), Buffer.from('{"one":"more"}\n'), long.subarray(line)])
    const frames = cut(long)
    const others = cut(changed)
    expect(others.length - shared(frames, others)).toBeLessThanOrEqual(4)
  })
})
