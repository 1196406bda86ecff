import { describe, expect, it } from 'vitest'
import { firstFrom, gatherMarks, slotsIn } from './model.ts'

describe('firstFrom', () => {
  it('finds the first number that is large enough', () => {
    const sorted = new Float64Array([1, 3, 3, 7])
    expect([0, 1, 2, 3, 7, 8].map(least => firstFrom(sorted, least))).toEqual([0, 0, 1, 1, 3, 4])
  })
})

describe('slotsIn', () => {
  it('lists the slots of a sparse column in order and none beyond the end', () => {
    expect(slotsIn({ 7: 'a', 2: 'b', 90: 'c' }, 10)).toEqual([2, 7])
  })
})

describe('gatherMarks', () => {
  it('keeps marks apart and reports where most are', () => {
    const times = Float64Array.from([100, 400, 401, 402, 403])
    const marks = gatherMarks(times, 0, 1000, 1, 10)
    expect(marks.map(({ count }) => count)).toEqual([1, 4])
    expect(marks.map(({ share }) => share)).toEqual([0.5, 1])
  })

  it('never makes more marks than there is room for', () => {
    const times = Float64Array.from({ length: 50_000 }, (_, at) => at)
    const marks = gatherMarks(times, 0, 50_000, 0.02, 10)
    expect(marks.length).toBeLessThanOrEqual(101)
    expect(marks.reduce((sum, { count }) => sum + count, 0)).toBe(50_000)
  })
})
