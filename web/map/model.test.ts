import { describe, expect, it } from 'vitest'
import { type Bars, barAt, callFailed, newBars, piecesOf, stackBars } from './model.ts'

function barsOf(spans: [from: number, to: number, flags?: number][]): Bars {
  const bars = newBars(spans.length)
  for (const [from, to, flags = 0] of spans) {
    bars.from[bars.count] = from
    bars.to[bars.count] = to
    bars.flags[bars.count] = flags
    bars.slots[bars.count] = bars.count
    bars.count++
  }
  return bars
}

describe('stackBars', () => {
  it('puts calls that ran at the same time into different rows', () => {
    const rows = stackBars(
      barsOf([
        [0, 10],
        [0, 4],
        [5, 8],
        [10, 12],
      ]),
      6,
    )
    expect(rows.map(({ slots }) => [...slots])).toEqual([
      [0, 3],
      [1, 2],
    ])
  })

  it('never makes more rows than allowed and loses no call', () => {
    const rows = stackBars(barsOf(Array.from({ length: 20 }, () => [0, 10])), 4)
    expect(rows).toHaveLength(4)
    expect(rows.reduce((sum, { from }) => sum + from.length, 0)).toBe(20)
    expect(rows[3]?.overlap).toBe(10)
  })
})

describe('piecesOf', () => {
  it('draws what is wide as it is, and begins with a bar that reaches into the view', () => {
    const [row] = stackBars(
      barsOf([
        [0, 100],
        [150, 200],
        [300, 400],
      ]),
      4,
    )
    const pieces = row ? piecesOf(row, 50, 250, 2, 1.5) : []
    expect(pieces.map(({ x, width }) => [x, width])).toEqual([
      [-100, 200],
      [200, 100],
    ])
  })

  it('makes one piece of bars on the same pixel and counts the failed ones', () => {
    const [row] = stackBars(barsOf(Array.from({ length: 10 }, (_, at) => [at, at + 0.5, at === 3 ? callFailed : 0])), 4)
    expect(row && piecesOf(row, 0, 1000, 0.01, 1.5)).toMatchObject([{ count: 10, failed: 1 }])
  })

  it('makes no more pieces than pixels of a hundred thousand bars', () => {
    const [row] = stackBars(barsOf(Array.from({ length: 100_000 }, (_, at) => [at * 10, at * 10 + 4])), 4)
    expect(row && piecesOf(row, 0, 1_000_000, 0.001, 1.5).length).toBeLessThanOrEqual(1000)
  })
})

describe('barAt', () => {
  const [row] = stackBars(
    barsOf([
      [0, 100],
      [150, 150],
      [300, 400],
    ]),
    4,
  )
  const at = (time: number, slack = 5) => row && barAt(row, time, slack)

  it('finds the bar at a time, and a thin one nearby', () => {
    expect([at(50), at(147), at(153), at(350), at(404)]).toEqual([0, 1, 1, 2, 2])
  })

  it('finds nothing between bars', () => {
    expect([at(130), at(250), at(500)]).toEqual([undefined, undefined, undefined])
  })
})
