import { describe, expect, it } from 'vitest'
import { axisLabels, columnAt, keyStep, labelPlaces, thinned, ticksTo } from './charts.tsx'

describe('ticksTo', () => {
  it('gives round values that reach the highest one', () => {
    expect(ticksTo(9)).toEqual([0, 5, 10])
    expect(ticksTo(158_000)).toEqual([0, 100_000, 200_000])
    expect(ticksTo(0.29)).toHaveLength(4)
    for (const most of [0.003, 1, 7, 99, 12_345, 1e9]) {
      const ticks = ticksTo(most)
      expect(ticks.at(-1)).toBeGreaterThanOrEqual(most * 0.999)
      expect(ticks.length).toBeLessThanOrEqual(6)
    }
  })

  it('is zero alone where there is nothing', () => {
    expect([0, -1, Number.NaN, Number.POSITIVE_INFINITY].map(most => ticksTo(most))).toEqual([[0], [0], [0], [0]])
  })
})

describe('places', () => {
  it('a pointer means the column below it, and the nearest one next to the chart', () => {
    expect([-5, 0, 49, 50, 99, 400].map(x => columnAt(x, 100, 4))).toEqual([0, 0, 1, 2, 3, 3])
    expect(columnAt(10, 0, 4)).toBe(0)
  })

  it('labels have room, and the last column has one', () => {
    expect(labelPlaces(10, 1000, 60)).toHaveLength(10)
    const few = labelPlaces(90, 300, 60)
    expect(few.at(-1)).toBe(89)
    expect(few.length).toBeLessThanOrEqual(5)
    expect(labelPlaces(0, 300, 60)).toEqual([])
  })

  it('labels say the year where another one begins', () => {
    const column = (label: string, year: string) => ({ label, year })
    expect(axisLabels([column('5 Dec', '2025'), column('26 Dec', '2025'), column('16 Jan', '2026')])).toEqual([
      '5 Dec ’25',
      '26 Dec',
      '16 Jan ’26',
    ])
    expect(axisLabels([column('1 May', '2026'), column('2 May', '2026')])).toEqual(['1 May', '2 May'])
    expect(axisLabels([{ label: 'May 2025' }, { label: 'Jun 2026' }])).toEqual(['May 2025', 'Jun 2026'])
  })

  it('keys move within the chart', () => {
    expect(keyStep('ArrowRight', 3, 5)).toBe(4)
    expect(keyStep('ArrowRight', 4, 5)).toBe(4)
    expect(keyStep('Home', 4, 5)).toBe(0)
    expect(keyStep('PageUp', 0, 100)).toBe(10)
    expect(keyStep('constructor', 0, 5)).toBeUndefined()
  })
})

describe('thinned', () => {
  it('keeps everything where there is room', () => {
    expect(thinned([3, 1, 2], 100)).toEqual([0, 1, 2])
  })

  it('loses no peak and no drop', () => {
    const values = Array.from({ length: 10_000 }, (_, at) => (at === 4321 ? 99 : at === 8765 ? -9 : 5))
    const places = thinned(values, 200)
    expect(places.length).toBeLessThan(220)
    expect(places).toEqual(expect.arrayContaining([0, 4321, 8765, 9999]))
  })
})
