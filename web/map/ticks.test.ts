import { describe, expect, it } from 'vitest'
import { foldTime } from './fold.ts'
import { ticksOf } from './ticks.tsx'
import { fitView } from './view.ts'

const minute = 60_000
const hour = 60 * minute
const start = Date.parse('2026-03-02T08:00:00Z')

function work(from: number, minutes: number): number[] {
  return Array.from({ length: minutes * 3 + 1 }, (_, at) => start + from + at * 20_000)
}

describe('ticksOf', () => {
  it('keeps ticks apart at every zoom', () => {
    const time = foldTime(Float64Array.from([...work(0, 60), ...work(14 * hour, 60)]), [])
    for (const zoom of [1, 0.3, 0.02, 0.0005]) {
      const fit = fitView(time)
      const view = { from: 0, to: fit.to * zoom }
      const scale = 1000 / (view.to - view.from)
      const ticks = ticksOf(time, view, scale, 100)
      const gaps = ticks.slice(1).map(({ at }, place) => (at - (ticks[place]?.at ?? 0)) * scale)
      expect(ticks.length).toBeGreaterThan(0)
      expect(ticks.length).toBeLessThan(14)
      for (const gap of gaps) expect(gap).toBeGreaterThanOrEqual(80)
    }
  })

  it('names a time where work continues after a fold, and none inside of it', () => {
    const time = foldTime(Float64Array.from([...work(0, 60), ...work(14 * hour, 60)]), [])
    const view = fitView(time)
    const ticks = ticksOf(time, view, 2000 / (view.to - view.from), 60)
    const [fold] = time.folds
    const end = (fold?.at ?? 0) + (fold?.size ?? 0)
    expect(ticks.filter(({ at }) => at > (fold?.at ?? 0) && at < end - 1)).toEqual([])
    expect(ticks.some(({ at }) => Math.abs(at - end) < 1)).toBe(true)
  })

  it('names the time and the day of a short beginning', () => {
    const time = foldTime(Float64Array.from([...work(0, 4), ...work(14 * hour, 120)]), [])
    const view = fitView(time)
    const [first] = ticksOf(time, view, 2400 / (view.to - view.from), 60)
    expect(first).toMatchObject({ at: 0 })
    expect(first?.day).toMatch(/2 Mar$/)
  })

  it('reports the day once', () => {
    const time = foldTime(Float64Array.from(work(0, 30)), [])
    const view = fitView(time)
    const days = ticksOf(time, view, 1000 / (view.to - view.from), 80).filter(({ day }) => day !== undefined)
    expect(days.length).toBeLessThanOrEqual(1)
  })
})
