import { describe, expect, it } from 'vitest'
import { foldTime } from './fold.ts'
import type { MapScene } from './model.ts'
import {
  between,
  clampView,
  fitView,
  isFit,
  panView,
  readView,
  reveal,
  shapeMap,
  viewOf,
  writeView,
  zoomView,
} from './view.ts'

const time = foldTime(
  Float64Array.from({ length: 181 }, (_, at) => 1_000_000 + at * 20_000),
  [],
)

describe('views', () => {
  it('keep the place that is zoomed around where it is', () => {
    const view = viewOf(600_000, 1_200_000, time)
    const share = (one: { from: number; to: number }) => (900_000 - one.from) / (one.to - one.from)
    expect(share(zoomView(view, 0.5, 900_000, time))).toBeCloseTo(share(view))
  })

  it('never leave the session nor come closer than one can see', () => {
    const fit = fitView(time)
    expect(panView(fit, 9e9, time)).toEqual(fit)
    const near = panView(viewOf(0, 1000, time), -9e9, time)
    expect(near.from).toBe(fit.from)
    const close = zoomView(fit, 1e-12, 500_000, time)
    expect(close.to - close.from).toBeGreaterThan(100)
    expect(isFit(zoomView(close, 1e12, 500_000, time), time)).toBe(true)
  })

  it('are the same after a way through the address', () => {
    const view = viewOf(600_000, 1_200_000, time)
    const again = readView(writeView(view, time), time)
    expect(again?.from).toBeCloseTo(view.from, -1)
    expect(again?.to).toBeCloseTo(view.to, -1)
  })

  it('leave the address alone when they show everything, and ignore addresses that make no sense', () => {
    expect(writeView(fitView(time), time)).toEqual({})
    for (const query of [{}, { from: 'x', to: '3' }, { from: '9', to: '3' }, { from: '5' }]) {
      expect(readView(query as Record<string, string>, time)).toBeUndefined()
    }
  })

  it('move no further than needed to show a place', () => {
    const view = viewOf(600_000, 1_200_000, time)
    expect(reveal(view, 900_000, time)).toBe(view)
    const moved = reveal(view, 2_000_000, time)
    expect(moved.to).toBeGreaterThan(2_000_000)
    expect(moved.to - moved.from).toBeCloseTo(view.to - view.from)
  })

  it('glide from one to the other', () => {
    const one = clampView({ from: 0, to: 1000 }, time)
    const other = clampView({ from: 500_000, to: 900_000 }, time)
    expect(between(one, other, 0).from).toBeCloseTo(one.from)
    expect(between(one, other, 1).to).toBeCloseTo(other.to)
  })
})

describe('the shape of a map', () => {
  const lane = (isMain: boolean, rows: number) => ({ isMain, rows: Array.from({ length: rows }) })
  const sceneOf = (lanes: object[], context: object[]) => ({ lanes, context }) as unknown as MapScene

  it('fills the page, whatever the session', () => {
    const some = [[lane(true, 1)], [lane(true, 3), lane(false, 1), lane(false, 2)], [lane(true, 6)]]
    for (const lanes of some) {
      const { lanesTop, lanesHeight } = shapeMap(sceneOf(lanes, [{}, {}]), 1000, 800)
      expect(lanesTop + lanesHeight).toBeGreaterThan(760)
      expect(lanesTop + lanesHeight).toBeLessThanOrEqual(801)
    }
  })

  it('is taller than the page where there are many lanes', () => {
    const lanes = [lane(true, 2), ...Array.from({ length: 30 }, () => lane(false, 2))]
    const { lanesTop, lanesHeight } = shapeMap(sceneOf(lanes, []), 1000, 600)
    expect(lanesTop + lanesHeight).toBeGreaterThan(600)
  })
})
