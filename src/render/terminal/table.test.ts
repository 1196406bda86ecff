import { describe, expect, it } from 'vitest'
import { shortIds } from '../../answers/sessions/names.ts'
import { shortCount, spanText } from '../../base/format.ts'
import { columnsOf } from '../../base/width.ts'
import { csvLine } from '../csv.ts'
import { type Column, tableLines } from './table.ts'

interface Row {
  id: string
  title: string
  when: string
  size: string
}

const rows: Row[] = [
  { id: 'a1', title: 'A title that is rather long for a table', when: '2026-01-02 10:00', size: '1' },
  { id: 'b2', title: '漢字の題名はとても幅が広いので切られる', when: '2026-01-03 10:00', size: '20' },
]
const columns: Column<Row>[] = [
  { name: 'id', cell: row => row.id },
  { name: 'when', cell: row => row.when, least: 10, good: 16, cutsClean: true, keep: 50 },
  { name: 'title', cell: row => row.title, least: 8, good: 20 },
  { name: 'size', cell: row => row.size, align: 'right', keep: 10 },
]
const lines = (width: number) => [...tableLines(rows, columns, width, text => text)]

describe('a table', () => {
  it('is never wider than the terminal, and lines up', () => {
    for (let width = 25; width < 90; width++) {
      for (const line of lines(width)) expect(columnsOf(line), `${width}: ${line}`).toBeLessThanOrEqual(width)
    }
    const ends = lines(70).map(line => columnsOf(line))
    expect(new Set(ends).size).toBe(1)
  })

  it('cuts titles to a good width, then dates to a day, then drops columns', () => {
    expect(lines(60)[1]).toContain('2026-01-02 10:00')
    expect(lines(40)[1]).toMatch(/^a1 {2}2026-01-02 {2}A title/)
    expect(lines(40)[0]).toContain('size')
    expect(lines(26)[0]).not.toContain('size')
    expect(lines(20)[0]).not.toContain('when')
  })

  it('shows a date with its whole time or without it, and gives the space to the title', () => {
    for (let width = 25; width < 90; width++) {
      const [head = '', first = ''] = lines(width)
      if (head.includes('when')) expect(first, `${width}`).toMatch(/2026-01-02( 10:00)? {2}A title/)
    }
    expect(lines(47)[1]).toMatch(/^a1 {2}2026-01-02 {2}A title that is rather l… {5}1$/)
    expect(columnsOf(lines(47)[1] ?? '')).toBe(47)
  })

  it('escapes what a terminal would act on, once', () => {
    const evil: Column<string>[] = [{ name: 'x', cell: text => text }]
    const [, line] = [...tableLines(['\u001b[2J\\u{1b}'], evil, 80, text => text)]
    expect(line).toBe('\\u{1b}[2J\\u{1b}')
  })
})

describe('comma-separated values', () => {
  it('are quoted where they must be, and safe in a spreadsheet', () => {
    expect(csvLine(['a', 'b,c', 'say "x"', 3, true, null, undefined])).toBe('a,"b,c","say ""x""",3,true,,\r')
    expect(csvLine(['=1+1', '+1', '-1', '@x', -1])).toBe("'=1+1,'+1,'-1,'@x,-1\r")
    expect(csvLine(['line\nend', ' x'])).toBe('line\\nend," x"\r')
  })
})

describe('short texts', () => {
  it('show spans and counts in few characters', () => {
    expect([0, 59_000, 61_000, 3.6e6, 5e6, 3e8].map(spanText)).toEqual(['0s', '59s', '1m', '1h', '1h 23m', '3d'])
    expect([999, 12_340, 123_456, 4_560_000].map(shortCount)).toEqual(['999', '12.3k', '123.5k', '4.6M'])
  })

  it('cut ids where they are unique', () => {
    const short = shortIds(['abcdefgh-1111', 'ABCDEFGH-2222', 'zz', 'abcd'])
    expect(['abcdefgh-1111', 'ABCDEFGH-2222', 'zz', 'abcd'].map(short)).toEqual([
      'abcdefgh-1',
      'ABCDEFGH-2',
      'zz',
      'abcd',
    ])
  })
})
