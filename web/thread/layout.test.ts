import { describe, expect, it } from 'vitest'
import { gatherRows, loopAt, outAt, placeLoops, pointedSlot, scaleOf, shapeOf, slotAt, spaced, yOf } from './layout.ts'
import { failed, type Loop, prompt, type RailModel } from './model.ts'

/** Slots of one unit each. */
function evenModel(size: number): RailModel {
  return {
    size,
    starts: Float64Array.from({ length: size + 1 }, (_, slot) => slot),
    flags: new Uint8Array(size),
    tones: new Uint8Array(size),
    lengths: new Float32Array(size),
    prompts: [],
    failures: [],
    cuts: [],
    forks: [],
    loops: [],
  }
}

function loop(from: number, to: number, more: Partial<Loop> = {}): Loop {
  return { thread: 't', slot: 0, from, to, depth: 0, parent: -1, hue: 1, isInferred: false, ...more }
}

describe('scaleOf', () => {
  it('fits any number of slots into the height', () => {
    const model = evenModel(100_000)
    const scale = scaleOf(model, 800, false)
    expect(scale.bottom).toBeLessThanOrEqual(800)
    expect(yOf(model, scale, 100_000)).toBeCloseTo(scale.bottom)
  })

  it('does not pull few slots apart over the whole height', () => {
    expect(scaleOf(evenModel(5), 800, false).bottom).toBeLessThan(200)
  })

  it('leaves room for the growing end of a live session', () => {
    const model = evenModel(1000)
    expect(scaleOf(model, 800, true).bottom).toBeLessThan(scaleOf(model, 800, false).bottom)
  })
})

describe('slotAt', () => {
  it('is the way back from yOf', () => {
    const model = evenModel(500)
    const scale = scaleOf(model, 700, false)
    for (const slot of [0, 1, 250, 499]) expect(slotAt(model, scale, yOf(model, scale, slot) + 0.01)).toBe(slot)
  })

  it('stays on the thread above and below it', () => {
    const model = evenModel(10)
    const scale = scaleOf(model, 700, false)
    expect([slotAt(model, scale, -50), slotAt(model, scale, 5000)]).toEqual([0, 9])
  })
})

describe('pointedSlot', () => {
  it('prefers a prompt, then a failure, to what is nearer', () => {
    const model = evenModel(10_000)
    const scale = scaleOf(model, 800, false)
    model.flags[5000] = failed
    const y = yOf(model, scale, 5010)
    expect(pointedSlot(model, scale, y)).toBe(5000)
    model.flags[5040] = prompt
    expect(pointedSlot(model, scale, y)).toBe(5040)
  })
})

describe('gatherRows', () => {
  it('makes no more rows than there are pixels and keeps failures', () => {
    const model = evenModel(100_000)
    model.lengths.fill(0.1)
    model.tones.fill(1)
    model.flags[77_777] = failed
    const scale = scaleOf(model, 800, false)
    const rows = gatherRows(model, scale)
    expect(rows.lengths.length).toBeLessThan(402)
    expect([...rows.flags].filter(flags => flags & failed)).toHaveLength(1)
  })
})

describe('placeLoops', () => {
  const scale = { top: 0, bottom: 1000, unit: 10 }
  const shape = shapeOf(92)

  it('puts loops that overlap on different sides, and later ones back on the first', () => {
    const placed = placeLoops([loop(0, 20), loop(5, 15), loop(30, 40)], scale, shape)
    expect(placed.map(({ side }) => side)).toEqual([1, -1, 1])
  })

  it('keeps loops inside the rail and a nested one outside of its parent', () => {
    const many = Array.from({ length: 40 }, () => loop(0, 50))
    for (const { reach } of placeLoops(many, scale, shape)) expect(reach).toBeLessThanOrEqual(shape.middle)
    const [outer, inner] = placeLoops([loop(0, 50), loop(10, 20, { parent: 0, depth: 1 })], scale, shape)
    expect(inner?.reach).toBeGreaterThan(outer?.reach ?? 0)
  })

  it('finds the loop under the pointer', () => {
    const placed = placeLoops([loop(0, 20)], scale, shape)
    const [only] = placed
    const out = only ? outAt(only, 100) : 0
    expect(loopAt(placed, shape, shape.middle + out, 100)?.loop.thread).toBe('t')
    expect(loopAt(placed, shape, shape.middle - out, 100)).toBeUndefined()
    expect(loopAt(placed, shape, shape.middle + out, 400)).toBeUndefined()
  })
})

describe('spaced', () => {
  it('leaves out marks that would cover the one before', () => {
    expect(spaced([0, 1, 5, 6, 12], 5)).toEqual([0, 5, 12])
  })
})
