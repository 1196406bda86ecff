import { describe, expect, it } from 'vitest'
import { foldAt, folderOf, foldTime, toFolded, toReal } from './fold.ts'

const minute = 60_000
const hour = 60 * minute

/** Something every 20 s for `minutes`, from `start` on. */
function work(start: number, minutes: number): number[] {
  return Array.from({ length: minutes * 3 + 1 }, (_, at) => start + at * 20_000)
}

const twoDays = new Float64Array([...work(0, 30), ...work(14 * hour, 30)])

describe('foldTime', () => {
  it('folds a night to a narrow strip and keeps the work as it was', () => {
    const time = foldTime(twoDays, [])
    expect(time.folds).toMatchObject([{ from: 30 * minute, to: 14 * hour, isBusy: false }])
    expect(time.length).toBeGreaterThan(hour)
    expect(time.length).toBeLessThan(1.1 * hour)
  })

  it('keeps short pauses', () => {
    expect(foldTime(new Float64Array([...work(0, 30), ...work(33 * minute, 30)]), []).folds).toEqual([])
  })

  it('finds shorter pauses long in a session of a minute', () => {
    const time = foldTime(new Float64Array([0, 20_000, 40_000, 60_000, 3 * minute, 3 * minute + 20_000]), [])
    expect(time.folds).toHaveLength(1)
  })

  it('keeps a quarter of an hour in which a call ran, and says of a longer one that it did', () => {
    const quarter = new Float64Array([...work(0, 30), ...work(45 * minute, 30)])
    expect(foldTime(quarter, [{ from: 30 * minute, to: 45 * minute }]).folds).toEqual([])
    expect(foldTime(twoDays, [{ from: 30 * minute, to: 14 * hour }]).folds).toMatchObject([{ isBusy: true }])
  })

  it('folds nothing of which it is not known yet what happened', () => {
    expect(foldTime(twoDays, [{ from: 40 * minute, to: hour, isSolid: true }]).folds).toEqual([])
  })

  it('leaves most of the room to the work however many pauses there are', () => {
    const marks = new Float64Array(Array.from({ length: 200 }, (_, at) => work(at * 10 * hour, 5)).flat())
    const time = foldTime(marks, [])
    const folded = time.folds.reduce((sum, { size }) => sum + size, 0)
    expect(time.folds).toHaveLength(199)
    expect(folded).toBeLessThan(time.length * 0.2)
  })

  it('is one event and none', () => {
    expect(foldTime(new Float64Array([5]), [])).toMatchObject({ start: 5, end: 5, folds: [] })
    expect(foldTime(new Float64Array(), []).length).toBeGreaterThan(0)
  })
})

describe('folded places', () => {
  const time = foldTime(twoDays, [])
  const times = [0, 10 * minute, 30 * minute, 5 * hour, 14 * hour, 14 * hour + 7 * minute]

  it('lead back to the time they came from and keep the order', () => {
    for (const real of times) expect(toReal(time, toFolded(time, real))).toBeCloseTo(real, 3)
    const folded = times.map(real => toFolded(time, real))
    expect(folded).toEqual([...folded].sort((one, other) => one - other))
  })

  it('are the same when many are folded one after the other, forwards and backwards', () => {
    const fold = folderOf(time)
    for (const real of [...times, ...[...times].reverse()]) expect(fold(real)).toBeCloseTo(toFolded(time, real), 6)
  })

  it('know the fold they are in', () => {
    expect(foldAt(time, toFolded(time, 5 * hour))?.from).toBe(30 * minute)
    expect(foldAt(time, toFolded(time, 10 * minute))).toBeUndefined()
    expect(foldAt(time, toFolded(time, 14 * hour + 7 * minute))).toBeUndefined()
  })
})
