import { describe, expect, it } from 'vitest'
import { changesIn, type DiffLine } from './intraline.ts'

const line = (text: string): DiffLine => ({ sign: text[0] as DiffLine['sign'], text: text.slice(1) })
const marked = (lines: string[]) =>
  [...changesIn(lines.map(line))].map(([at, pieces]) => [
    at,
    pieces.map(piece => (piece.isChanged ? `[${piece.text}]` : piece.text)).join(''),
  ])

describe('changes inside a line', () => {
  it('are marked by words in both lines', () => {
    expect(marked(['-return sum + price', '+return sum + toCents(price)'])).toEqual([
      [0, 'return sum + price'],
      [1, 'return sum + [toCents(]price[)]'],
    ])
  })

  it('are not marked where the lines have little in common', () => {
    expect(marked(['-import a from "b"', '+}'])).toEqual([])
  })

  it('are found in the most alike of several added lines', () => {
    const lines = [
      '-function order(day: string) {',
      '+const hour = 19',
      '+',
      '+function order(day: string, now: Date) {',
    ]
    expect(marked(lines)).toEqual([
      [0, 'function order(day: string) {'],
      [3, 'function order(day: string[, now: Date]) {'],
    ])
  })

  it('do not take long in lines that are very long', () => {
    const long = 'a '.repeat(50_000)
    expect(marked([`-${long}`, `+${long}b`])).toEqual([])
  })
})
