import { describe, expect, test } from 'vitest'
import { countText, percent, shortCount } from '../../base/format.ts'
import { columnsOf } from '../../base/width.ts'
import { bar, chartLines, wrapWords } from './charts.ts'

describe('a bar', () => {
  test('is as long as the share of the largest, in eighths of a column', () => {
    expect(bar(10, 10, 8, false)).toBe('████████')
    expect(bar(5, 10, 8, false)).toBe('████')
    expect(bar(1, 16, 2, false)).toBe('▏')
  })

  test('is never invisible above zero, and never there at zero', () => {
    expect(bar(1, 1e9, 10, false)).toBe('▏')
    expect(bar(1, 1e9, 10, true)).toBe('#')
    expect(bar(0, 10, 10, false)).toBe('')
    expect(bar(0, 0, 10, false)).toBe('')
    expect(bar(-3, 10, 10, false)).toBe('')
  })

  test('is drawn in ASCII for a terminal that knows no more', () => {
    expect(bar(5, 10, 8, true)).toBe('####')
  })
})

describe('a chart', () => {
  const rows = ['Bash', '株価を調べる道具', 'a-tool-with-a-rather-long-name-indeed'].map((label, i) => ({
    label,
    value: 10 ** i,
    cells: [countText(10 ** i), '12.5 KiB', '3 min 4 s'],
  }))
  const plain = (line: string) => line.replace(/\u001b\[\d+m/g, '')

  test.each([30, 40, 60, 80, 200])('fits into %i columns', columns => {
    const lines = [...chartLines({ title: 'Tools', heads: ['calls', 'output', 'time'], rows }, columns)].map(plain)
    // A narrow one says which columns it leaves out.
    expect(lines).toHaveLength(columns < 60 ? 5 : 4)
    for (const line of lines) expect(columnsOf(line)).toBeLessThanOrEqual(columns)
    expect(lines[1]).toContain('Bash')
    expect(lines[3]).toContain('100')
  })

  test('says how many rows it left out', () => {
    const lines = [...chartLines({ title: 'Tools', heads: ['calls'], rows, most: 2 }, 60)].map(plain)
    expect(lines.at(-1)).toBe('… 1 more; all with --json')
  })
})

test('numbers are short', () => {
  expect([countText(1234567), shortCount(9999), shortCount(12345), shortCount(4.56e6)]).toEqual([
    '1,234,567',
    '9,999',
    '12.3k',
    '4.6M',
  ])
  expect([percent(0), percent(0.0005), percent(0.034), percent(0.5)]).toEqual(['0 %', '0.05 %', '3.4 %', '50 %'])
})

test('words are wrapped whole, and a long one has its own line', () => {
  expect(wrapWords('one two three', 7)).toEqual(['one two', 'three'])
  expect(wrapWords('a incomprehensibilities b', 5)).toEqual(['a', 'incomprehensibilities', 'b'])
})
